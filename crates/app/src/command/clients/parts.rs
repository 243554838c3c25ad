//! What commands that make or change a client share.

use kernel::{ClientId, Prefixes};
use serde_json::json;
use tokens::ClientSecret;

use crate::{misconfigured::Misconfigured, output};

/// Prints a secret, which is shown once.
pub fn print_secret(id: ClientId, secret: &ClientSecret, as_json: bool) -> anyhow::Result<()> {
    let secret = secret.expose();
    if as_json {
        return output::print_json(&json!({
            "client_id": id.to_string(),
            "client_secret": secret,
        }));
    }
    output::print(format_args!(
        "client_id      {id}\nclient_secret  {secret}\nThe secret is not shown again."
    ))
}

/// The prefixes of an option.
pub fn prefixes(texts: &[String]) -> anyhow::Result<Prefixes> {
    Ok(Prefixes::new(texts).map_err(|error| Misconfigured(format!("--prefix: {error}")))?)
}

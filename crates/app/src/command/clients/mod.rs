//! `posthaste clients`: manages OAuth clients.

mod create;
mod list;
mod named;
mod revoke;
mod rotate;
mod show;
mod update;

use adapters_http::oauth::ClientSecret;
use kernel::{ClientId, Prefixes};
use serde_json::json;

pub use self::named::find;
use self::{
    create::Create, list::List, revoke::Revoke, rotate::Rotate, show::Show, update::Update,
};
use crate::{misconfigured::Misconfigured, output};

commands! {
    /// Manage OAuth clients
    Clients {
        Create(Create),
        List(List),
        Show(Show),
        Update(Update),
        Rotate(Rotate),
        Revoke(Revoke),
    }
}

fn print_secret(id: ClientId, secret: &ClientSecret, as_json: bool) -> anyhow::Result<()> {
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
fn prefixes(texts: &[String]) -> anyhow::Result<Prefixes> {
    Ok(Prefixes::new(texts).map_err(|error| Misconfigured(format!("--prefix: {error}")))?)
}

//! Values of options about OAuth clients.

use std::{num::NonZeroU32, str::FromStr, time::Duration};

use access::Scope;
use kernel::{ClientId, Prefixes, Website};

use super::line;

/// The longest name of a client, in characters.
const NAME_LENGTH: usize = 255;

/// The largest limit; a client with more needs none.
const MOST_REQUESTS: u32 = 1_000_000;

/// The longest time for which two secrets are valid.
const LONGEST_OVERLAP: Duration = Duration::from_hours(90 * 24);

/// A client's name.
pub fn client_name(text: &str) -> Result<String, String> {
    line(text, NAME_LENGTH)
}

/// What names a client: its id, or else what people call it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ClientRef {
    /// Its id.
    Id(ClientId),
    /// Its name.
    Name(String),
}

/// A client's id or name.
pub fn client(text: &str) -> Result<ClientRef, String> {
    match ClientId::from_str(text.trim()) {
        Ok(id) => Ok(ClientRef::Id(id)),
        Err(_) => client_name(text).map(ClientRef::Name),
    }
}

/// The owner that a company is to have.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum CompanyOwner {
    /// None: the company is left to the clients without prefixes.
    None,
    /// This client.
    Client(ClientRef),
}

/// `--owner` of a company.
pub fn owner(text: &str) -> Result<CompanyOwner, String> {
    match text.trim() {
        "none" => Ok(CompanyOwner::None),
        text => client(text).map(CompanyOwner::Client),
    }
}

/// The website that names a company, in any of its spellings.
pub fn website(text: &str) -> Result<Website, String> {
    Website::parse(text.trim()).map_err(|error| error.to_string())
}

/// A scope.
pub fn scope(text: &str) -> Result<Scope, String> {
    Scope::parse(text.trim()).ok_or_else(|| {
        format!(
            "{text:?} is not one of {}",
            Scope::ALL.map(Scope::as_str).join(", ")
        )
    })
}

/// The beginning of identifiers, untrimmed.
pub fn identifier_prefix(text: &str) -> Result<String, String> {
    match Prefixes::new(&[text]) {
        Ok(_) => Ok(text.to_owned()),
        Err(error) => Err(error.to_string()),
    }
}

/// `--requests-per-minute` of a client.
pub fn client_limit(text: &str) -> Result<NonZeroU32, String> {
    let limit = text.trim().parse().ok().and_then(NonZeroU32::new);
    limit
        .filter(|limit| limit.get() <= MOST_REQUESTS)
        .ok_or_else(|| {
            format!(
                "{text:?} is not a number between 1 and {MOST_REQUESTS}; to refuse every request, \
                 revoke the client"
            )
        })
}

/// `--overlap`.
pub fn overlap(text: &str) -> Result<Duration, String> {
    let time = humantime::parse_duration(text.trim());
    let time = time.map_err(|_| format!("{text:?} is not a time such as 7d, 12h or 0s"))?;
    if time > LONGEST_OVERLAP {
        return Err("must be at most 90d".to_owned());
    }
    Ok(time)
}

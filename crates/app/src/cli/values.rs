//! Parses the values of options and variables.
//!
//! The error of a parser is a reason that reads well behind the option's or the variable's name,
//! and does not repeat values that may hold a password.

use std::{
    net::{Ipv4Addr, SocketAddr},
    num::NonZeroU32,
    ops::RangeInclusive,
    str::FromStr,
    time::Duration,
};

use access::Scope;
pub use kernel::day::since;
use kernel::{
    CatalogueName, ClientId, Prefixes, SourceIdentifier, Status, audit::Operator, line::short_text,
};
use newsletter::{
    subscriber::{Email, SubscriberId},
    usecase::PersonRef,
};
use secrecy::SecretString;
use url::Url;
use uuid::Uuid;

/// The longest name of a client, in characters.
const CLIENT_NAME_LENGTH: usize = 255;
/// The largest limit of a client; a client with more needs none.
const MOST_REQUESTS: u32 = 1_000_000;

/// Parses whole numbers in a range.
pub fn whole<T: TryFrom<u64> + 'static>(
    unit: &'static str,
    range: RangeInclusive<u64>,
) -> impl Fn(&str) -> Result<T, String> + Clone + Send + Sync + 'static {
    move |text| {
        let number = text.trim().parse().ok();
        let number = number.filter(|number| range.contains(number));
        number
            .and_then(|number| T::try_from(number).ok())
            .ok_or_else(|| {
                let (least, most) = (range.start(), range.end());
                format!("{text:?} is not a whole number of {unit} from {least} to {most}")
            })
    }
}

/// Parses whole seconds from one on.
pub fn seconds(
    most: u64,
) -> impl Fn(&str) -> Result<Duration, String> + Clone + Send + Sync + 'static {
    let parse = whole("seconds", 1..=most);
    move |text| parse(text).map(Duration::from_secs)
}

/// Parses texts of one line.
pub fn line(
    longest: usize,
) -> impl Fn(&str) -> Result<String, String> + Clone + Send + Sync + 'static {
    move |text| {
        let text = short_text(text, longest).map_err(|error| error.to_string())?;
        Ok(text.to_owned())
    }
}

/// An operator's reason.
pub fn reason(text: &str) -> Result<String, String> {
    let reason = kernel::line::reason(text).map_err(|error| error.to_string())?;
    Ok(reason.to_owned())
}

/// An operator's name.
pub fn operator(text: &str) -> Result<Operator, String> {
    Operator::new(text).map_err(|error| error.to_string())
}

/// An address to listen on.
pub fn bind(text: &str) -> Result<SocketAddr, String> {
    text.trim().parse().map_err(|_| {
        format!("{text:?} is not an IP address with a port, such as 127.0.0.1:8080 or [::1]:8080")
    })
}

/// The address of a listener that is not for clients.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AdminBind {
    /// Nowhere.
    Off,
    /// Here by default, or nowhere if another process listens here.
    IfFree(SocketAddr),
    /// Here.
    At(SocketAddr),
}

impl AdminBind {
    /// This port of the machine itself, if it is free.
    pub fn if_free(port: u16) -> Self {
        Self::IfFree((Ipv4Addr::LOCALHOST, port).into())
    }
}

/// An address to listen on, or `off`.
pub fn admin_bind(text: &str) -> Result<AdminBind, String> {
    if text.trim().eq_ignore_ascii_case("off") {
        return Ok(AdminBind::Off);
    }
    let address = bind(text).map(AdminBind::At);
    address.map_err(|reason| format!("{reason}, nor `off`"))
}

/// An HTTP or HTTPS URL without credentials.
pub fn web_url(text: &str) -> Result<Url, String> {
    // The value is not repeated: it may hold a password.
    let url = Url::parse(text.trim())
        .map_err(|error| format!("not a URL such as https://jobs.example.org: {error}"))?;
    if !matches!(url.scheme(), "http" | "https") {
        return Err("must begin with http:// or https://".to_owned());
    }
    if !url.username().is_empty() || url.password().is_some() {
        return Err("must not hold a user name or password".to_owned());
    }
    Ok(url)
}

/// The base URL of a service, to which paths are appended.
pub fn base_url(text: &str) -> Result<Url, String> {
    let url = web_url(text)?;
    if url.query().is_some() || url.fragment().is_some() {
        return Err("must have neither a query nor a fragment".to_owned());
    }
    Ok(url)
}

/// Parses the URL of something at the root of its host, without a slash at the end.
pub fn root_url(
    why: &'static str,
) -> impl Fn(&str) -> Result<String, String> + Clone + Send + Sync + 'static {
    move |text| {
        let url = base_url(text)?;
        if url.path() != "/" {
            return Err(format!("must have no path: {why}"));
        }
        Ok(url.as_str().trim_end_matches('/').to_owned())
    }
}

/// An API key.
pub fn api_key(text: &str) -> Result<SecretString, String> {
    let key = text.trim();
    if key.is_empty() {
        Err("must not be empty".to_owned())
    } else if key.bytes().all(|byte| byte.is_ascii_graphic()) {
        Ok(key.into())
    } else {
        Err("must be one word of ASCII characters, which every API key is".to_owned())
    }
}

/// A posting's status.
pub fn status(text: &str) -> Result<Status, String> {
    let mut all = Status::ALL.iter().copied();
    all.find(|status| status.as_str().eq_ignore_ascii_case(text.trim()))
        .ok_or_else(|| format!("{text:?} is not one of {}", Status::NAMES.join(", ")))
}

/// A posting's unique source identifier, untrimmed.
pub fn source_identifier(text: &str) -> Result<SourceIdentifier, String> {
    SourceIdentifier::new(text).map_err(|error| error.to_string())
}

/// The beginning of identifiers, untrimmed.
pub fn identifier_prefix(text: &str) -> Result<String, String> {
    match Prefixes::new(&[text]) {
        Ok(_) => Ok(text.to_owned()),
        Err(error) => Err(error.to_string()),
    }
}

/// The name of a catalogue, as a segment of a URL.
pub fn catalogue(text: &str) -> Result<CatalogueName, String> {
    let name = CatalogueName::new(text);
    let name = name.map_err(|_| format!("{text:?} is not 1 to 64 characters of A-Za-z0-9._-"))?;
    if matches!(text, "." | "..") {
        return Err(format!(
            "{text:?} has a meaning of its own in the path of a URL"
        ));
    }
    Ok(name)
}

/// A client's name.
pub fn client_name(text: &str) -> Result<String, String> {
    line(CLIENT_NAME_LENGTH)(text)
}

/// What names a client: its id, or else what people call it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ClientRef {
    Id(ClientId),
    Name(String),
}

/// A client's id or name.
pub fn client(text: &str) -> Result<ClientRef, String> {
    match ClientId::from_str(text.trim()) {
        Ok(id) => Ok(ClientRef::Id(id)),
        Err(_) => client_name(text).map(ClientRef::Name),
    }
}

/// A scope.
pub fn scope(text: &str) -> Result<Scope, String> {
    Scope::parse(text.trim()).ok_or_else(|| {
        let all = Scope::ALL.map(Scope::as_str).join(", ");
        format!("{text:?} is not one of {all}")
    })
}

/// The most requests of a client in a minute.
pub fn client_limit(text: &str) -> Result<NonZeroU32, String> {
    let limit = text.trim().parse().ok().and_then(NonZeroU32::new);
    let limit = limit.filter(|limit| limit.get() <= MOST_REQUESTS);
    limit.ok_or_else(|| {
        format!(
            "{text:?} is not a number between 1 and {MOST_REQUESTS}; to refuse every request, \
             revoke the client"
        )
    })
}

/// A subscriber's address or UUID.
pub fn person(text: &str) -> Result<PersonRef, String> {
    if let Ok(uuid) = Uuid::parse_str(text.trim()) {
        return Ok(PersonRef::Id(SubscriberId::new(uuid)));
    }
    let email = Email::parse(text).map_err(|error| format!("{text:?} {error}"));
    email.map(PersonRef::Email)
}

#[cfg(test)]
pub mod tests;

use access::Scope;
pub use access::requests_per_minute as client_limit;
pub use cli::values::*;
pub use fields::day::since;
use kernel::{Operator, Prefixes, SourceIdentifier, Status};
use newsletter::{
    subscriber::{Email, SubscriberId},
    usecase::PersonRef,
};
use uuid::Uuid;

pub fn reason(text: &str) -> Result<String, String> {
    let reason = fields::line::reason(text).map_err(|error| error.to_string())?;
    Ok(reason.to_owned())
}

pub fn operator(text: &str) -> Result<Operator, String> {
    Operator::new(text).map_err(|error| error.to_string())
}

pub fn status(text: &str) -> Result<Status, String> {
    Status::of_filter(text.trim()).map_err(|why| format!("{text:?} {why}"))
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

pub fn client_name(text: &str) -> Result<String, String> {
    access::client_name(text).map_err(|error| error.to_string())
}

pub fn scope(text: &str) -> Result<Scope, String> {
    Scope::parse(text.trim()).ok_or_else(|| {
        let all = Scope::NAMES.join(", ");
        format!("{text:?} is not one of {all}")
    })
}

pub fn person(text: &str) -> Result<PersonRef, String> {
    if let Ok(uuid) = Uuid::parse_str(text.trim()) {
        return Ok(PersonRef::Id(SubscriberId::new(uuid)));
    }
    let email = Email::parse(text).map_err(|error| format!("{text:?} {error}"));
    email.map(PersonRef::Email)
}

#[cfg(test)]
pub mod tests;

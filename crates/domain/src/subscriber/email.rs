//! The address that names a subscriber.

use std::{fmt, sync::Arc};

use garde::rules::email::parse_email;

/// The longest address, in characters, which is the longest path of SMTP without its brackets
/// (RFC 5321 §4.5.3.1.3).
const MAX: usize = 254;

/// An e-mail address, trimmed and in lower case: the provider and the membership system do
/// not agree on more, and two spellings must not become two subscribers.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Email(Arc<str>);

/// Why a text is no address.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum InvalidEmail {
    /// It has more than 254 characters.
    #[error("must be at most {MAX} characters long")]
    TooLong,
    /// It is not of the form of an address.
    #[error("must be a valid e-mail address")]
    Malformed,
}

impl Email {
    /// Takes an address in any spelling.
    pub fn parse(text: &str) -> Result<Self, InvalidEmail> {
        let text = text.trim().to_lowercase();
        if text.chars().count() > MAX {
            return Err(InvalidEmail::TooLong);
        }
        parse_email(&text).map_err(|_| InvalidEmail::Malformed)?;
        Ok(Self(text.into()))
    }

    /// The address.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for Email {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

//! The address that names a subscriber.

use std::{fmt, sync::Arc};

use garde::rules::email::parse_email;
use percent_encoding::percent_decode_str;

use super::limits;

/// An e-mail address, trimmed and in lower case: the provider and the membership system do
/// not agree on more, and two spellings must not become two subscribers.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Email(Arc<str>);

/// Why a text is no address.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum InvalidEmail {
    /// It has more than [`limits::EMAIL`] characters.
    #[error("must be at most {} characters long", limits::EMAIL)]
    TooLong,
    /// It is not of the form of an address.
    #[error("must be a valid e-mail address")]
    Malformed,
    /// Its percent-encoding does not stand for UTF-8.
    #[error("must be percent-encoded UTF-8")]
    NotUtf8,
}

impl Email {
    /// Takes an address in any spelling.
    pub fn parse(text: &str) -> Result<Self, InvalidEmail> {
        let text = text.trim().to_lowercase();
        if text.chars().count() > limits::EMAIL {
            return Err(InvalidEmail::TooLong);
        }
        parse_email(&text).map_err(|_| InvalidEmail::Malformed)?;
        Ok(Self(text.into()))
    }

    /// Takes an address from the raw, percent-encoded segment of a path (RFC 3986 §2.1).
    pub fn from_path_segment(segment: &str) -> Result<Self, InvalidEmail> {
        let text = percent_decode_str(segment)
            .decode_utf8()
            .map_err(|_| InvalidEmail::NotUtf8)?;
        Self::parse(&text)
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

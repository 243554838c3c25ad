use std::{borrow::Cow, fmt, sync::Arc};

use fields::{Term, email::parts};
use percent_encoding::percent_decode_str;

/// The longest address in characters (RFC 5321 §4.5.3.1.3, without brackets).
pub const LONGEST_EMAIL: usize = 254;

/// An e-mail address, trimmed, in lower case, with its domain in ASCII (IDNA).
///
/// Validation follows the HTML standard, because real addresses have dots where RFC 5321 allows
/// none.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Email(Arc<str>);

/// The reason why a text is not a valid address.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum InvalidEmail {
    /// It has more than [`LONGEST_EMAIL`] characters.
    #[error("must be at most {} characters long", LONGEST_EMAIL)]
    TooLong,
    /// The text does not have the form of an address.
    #[error("must be a valid e-mail address")]
    Malformed,
    /// The percent-encoded bytes are not UTF-8.
    #[error("must be percent-encoded UTF-8")]
    NotUtf8,
}

impl Email {
    /// Parses and normalises an address.
    pub fn parse(text: &str) -> Result<Self, InvalidEmail> {
        let text = text.trim().to_lowercase();
        if text.chars().count() > LONGEST_EMAIL {
            return Err(InvalidEmail::TooLong);
        }
        let parts = parts(&text).ok_or(InvalidEmail::Malformed)?;
        let address = match &parts.domain {
            Cow::Borrowed(_) => text,
            Cow::Owned(domain) => format!("{}@{domain}", parts.local),
        };
        // The address is ASCII here.
        if address.len() > LONGEST_EMAIL {
            return Err(InvalidEmail::TooLong);
        }
        Ok(Self(address.into()))
    }

    /// Parses the raw, percent-encoded segment of a path (RFC 3986 §2.1).
    pub fn from_path_segment(segment: &str) -> Result<Self, InvalidEmail> {
        let text = percent_decode_str(segment)
            .decode_utf8()
            .map_err(|_| InvalidEmail::NotUtf8)?;
        Self::parse(&text)
    }

    /// The normalised address.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl Term for Email {
    const EXPECTED: &'static str = "a valid e-mail address";

    fn parse(text: &str) -> Option<Self> {
        Self::parse(text).ok()
    }
}

impl fmt::Display for Email {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

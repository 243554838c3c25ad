//! The ids of a posting: ours, and the one of the world it comes from.

use std::{fmt, sync::Arc};

use percent_encoding::percent_decode_str;
use uuid::Uuid;

use super::limits;

/// A posting's id in this service: a UUID drawn by the creator of the command.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct PostingId(Uuid);

impl PostingId {
    /// Wraps a UUID.
    pub const fn new(uuid: Uuid) -> Self {
        Self(uuid)
    }

    /// The UUID.
    pub const fn uuid(self) -> Uuid {
        self.0
    }
}

impl fmt::Display for PostingId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

/// `uniqueSourceIdentifier`: 1 to 255 characters, none of them a control character, compared
/// byte for byte.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct SourceIdentifier(pub(super) Arc<str>);

/// The reason why a text is not an identifier.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum InvalidIdentifier {
    /// It is empty.
    #[error("must not be empty")]
    Empty,
    /// It is too long.
    #[error("must be at most {} characters long", limits::SOURCE_IDENTIFIER)]
    TooLong,
    /// It contains a control character.
    #[error("must not contain control characters")]
    Control,
    /// Its percent-encoding is not UTF-8.
    #[error("must be percent-encoded UTF-8")]
    NotUtf8,
}

impl SourceIdentifier {
    /// Parses an identifier as it is.
    pub fn new(text: &str) -> Result<Self, InvalidIdentifier> {
        if text.is_empty() {
            Err(InvalidIdentifier::Empty)
        } else if text.chars().any(char::is_control) {
            Err(InvalidIdentifier::Control)
        } else if text.chars().count() > limits::SOURCE_IDENTIFIER {
            Err(InvalidIdentifier::TooLong)
        } else {
            Ok(Self(text.into()))
        }
    }

    /// Parses the raw, percent-encoded segment of a path (RFC 3986 §2.1).
    pub fn from_path_segment(segment: &str) -> Result<Self, InvalidIdentifier> {
        let text = percent_decode_str(segment)
            .decode_utf8()
            .map_err(|_| InvalidIdentifier::NotUtf8)?;
        Self::new(&text)
    }

    /// The identifier's text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for SourceIdentifier {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

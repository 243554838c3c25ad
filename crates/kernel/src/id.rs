//! Ids, and the source's identifier of a posting.

use std::{fmt, sync::Arc};

use percent_encoding::percent_decode_str;
use sha2::{Digest as _, Sha256};
use uuid::Uuid;

use fields::{as_text, website::WebsiteKey};

/// Declares the type of an id, which wraps a UUID.
#[macro_export]
macro_rules! id {
    ($(#[$meta:meta])* $name:ident) => {
        $(#[$meta])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub struct $name(uuid::Uuid);

        impl $name {
            /// Wraps a UUID.
            pub const fn new(uuid: uuid::Uuid) -> Self {
                Self(uuid)
            }

            /// The UUID.
            pub const fn uuid(self) -> uuid::Uuid {
                self.0
            }
        }

        $crate::as_text!($name, |text| text.parse().ok());

        impl std::fmt::Display for $name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                self.0.fmt(f)
            }
        }

        impl std::str::FromStr for $name {
            type Err = uuid::Error;

            fn from_str(text: &str) -> Result<Self, Self::Err> {
                text.parse().map(Self)
            }
        }
    };
}

pub use id;

id! {
    /// A posting's id in this service: a UUID that the adapter generates when it
    /// receives a push.
    PostingId
}

id! {
    /// A company's id: the `UUIDv5` (RFC 9562 §5.5, URL namespace) of its website's key. So two
    /// commits that create the same company write one row.
    CompanyId
}

id! {
    /// A catalogue's id. A catalogue that is deleted and created again gets another id.
    CatalogueId
}

id! {
    /// A client's id: its OAuth `client_id`.
    ClientId
}

id! {
    /// The id of a reader's report: a random UUID.
    ReportId
}

impl PostingId {
    /// The id with its last twelve bits replaced by the first twelve of the identifier's SHA-256.
    /// The id and its identifier then share one of 4,096 buckets.
    #[must_use]
    pub fn in_bucket_of(self, identifier: &SourceIdentifier) -> Self {
        let digest = Sha256::digest(identifier.as_str());
        let mut bytes = self.0.into_bytes();
        bytes[14] = bytes[14] & 0xf0 | digest[0] >> 4;
        bytes[15] = digest[0] << 4 | digest[1] >> 4;
        Self(Uuid::from_bytes(bytes))
    }
}

impl CompanyId {
    /// The id derived from the website's key.
    pub fn of(website: &WebsiteKey) -> Self {
        let website = website.as_str().as_bytes();
        Self(Uuid::new_v5(&Uuid::NAMESPACE_URL, website))
    }
}

/// `uniqueSourceIdentifier`: 1 to 255 characters without control characters, compared byte for
/// byte.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct SourceIdentifier(Arc<str>);

/// Why a text is no identifier.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum InvalidIdentifier {
    /// It is empty.
    #[error("must not be empty")]
    Empty,
    /// It is too long.
    #[error("must be at most {} characters long", SourceIdentifier::LONGEST)]
    TooLong,
    /// It contains a control character.
    #[error("must not contain control characters")]
    Control,
    /// Its percent-encoding is not UTF-8.
    #[error("must be percent-encoded UTF-8")]
    NotUtf8,
}

impl SourceIdentifier {
    /// The largest number of characters.
    pub const LONGEST: usize = 255;

    /// Parses an identifier without decoding it.
    pub fn new(text: &str) -> Result<Self, InvalidIdentifier> {
        if text.is_empty() {
            Err(InvalidIdentifier::Empty)
        } else if text.chars().any(char::is_control) {
            Err(InvalidIdentifier::Control)
        } else if text.chars().count() > Self::LONGEST {
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

as_text!(SourceIdentifier, |text| Self::new(text).ok());

impl fmt::Display for SourceIdentifier {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_id_ends_as_the_digest_of_its_identifier_begins() {
        let id = PostingId::new(Uuid::max());
        for (identifier, bucket) in [("job-1", "026"), ("büro", "261"), ("a", "ca9")] {
            let identifier = SourceIdentifier::new(identifier).unwrap();
            let text = id.in_bucket_of(&identifier).to_string();
            assert_eq!(text, format!("ffffffff-ffff-ffff-ffff-fffffffff{bucket}"));
        }
    }
}

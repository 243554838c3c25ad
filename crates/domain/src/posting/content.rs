//! The content of a posting that an enrichment outcome is for.

use std::fmt;

use super::Details;
use crate::{company::Company, digest};

/// SHA-256 over title, digest of the description, city, country, company and company name. Two contents with
/// one hash need one enrichment.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct ContentHash([u8; 32]);

impl ContentHash {
    /// The hash of what an enricher would be given.
    pub fn of(details: &Details, company: &Company) -> Self {
        let id = company.id.uuid();
        let parts: [&[u8]; 6] = [
            details.title.as_bytes(),
            details.raw_description.digest(),
            details
                .location_city
                .as_deref()
                .unwrap_or_default()
                .as_bytes(),
            details
                .location_country_code
                .map_or("", |code| code.as_str())
                .as_bytes(),
            id.as_bytes(),
            company.name.as_bytes(),
        ];
        Self(digest::of_parts(parts))
    }

    /// Takes a hash back from a store.
    pub const fn from_bytes(bytes: [u8; 32]) -> Self {
        Self(bytes)
    }

    /// The hash for a store.
    pub const fn as_bytes(&self) -> &[u8; 32] {
        &self.0
    }
}

impl fmt::Debug for ContentHash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        digest::in_hex(&self.0, f)
    }
}

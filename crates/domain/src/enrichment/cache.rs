//! The port to the cache of drafts that were paid for.

use std::fmt;

use async_trait::async_trait;
use time::OffsetDateTime;
use uuid::Uuid;

use super::EnrichmentInput;
use crate::{StoreError, digest};

/// What a draft is for: everything that a model is given, and which model it is.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct DraftKey([u8; 32]);

impl DraftKey {
    /// The key of a posting's content for a model. `edition` names whatever else its answers
    /// depend on: the model and the instructions.
    pub fn of(edition: &str, input: &EnrichmentInput) -> Self {
        let parts: [&str; 7] = [
            edition,
            &input.title,
            &input.raw_description,
            input
                .country
                .as_ref()
                .map_or("", |country| country.as_str()),
            input.city.as_deref().unwrap_or_default(),
            &input.company_name,
            &input.company_website,
        ];
        Self(digest::of_parts(parts.map(str::as_bytes)))
    }

    /// Takes a key back from a store.
    pub const fn from_bytes(bytes: [u8; 32]) -> Self {
        Self(bytes)
    }

    /// The key for a store.
    pub const fn as_bytes(&self) -> &[u8; 32] {
        &self.0
    }
}

impl fmt::Debug for DraftKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        digest::in_hex(&self.0, f)
    }
}

/// What there is for a key.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Reservation {
    /// Nothing yet, and it is the caller's to get until its reservation ends.
    Granted,
    /// Nothing yet; somebody else is at it.
    Taken,
    /// The draft, as it was kept.
    Kept(String),
}

/// The port to the cache of drafts.
#[async_trait]
pub trait DraftCache: Send + Sync {
    /// Looks a draft up, or reserves the key for `holder` until `until` if there is none and
    /// nobody else holds it at `now`. A holder who asks again moves the end of its reservation.
    /// Of two who ask at once, one gets it. A draft that is found counts as used at `now`,
    /// give or take a day.
    async fn reserve(
        &self,
        key: &DraftKey,
        holder: Uuid,
        until: OffsetDateTime,
        now: OffsetDateTime,
    ) -> Result<Reservation, StoreError>;

    /// Keeps a draft, whoever holds the key: it was paid for. A draft that is there already is
    /// replaced.
    async fn keep(
        &self,
        key: &DraftKey,
        draft: &str,
        now: OffsetDateTime,
    ) -> Result<(), StoreError>;

    /// Gives a reservation back. Does nothing if `holder` does not hold it.
    async fn release(&self, key: &DraftKey, holder: Uuid) -> Result<(), StoreError>;

    /// Deletes up to `limit` drafts and reservations that were last used before `before`, and
    /// says how many there were.
    async fn forget(&self, before: OffsetDateTime, limit: usize) -> Result<u64, StoreError>;
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;
    use crate::{enrichment::tests::doubles::input, posting::CountryCode};

    #[test]
    fn any_field_moves_the_key() {
        let change: [fn(&mut EnrichmentInput); 8] = [
            |_| {},
            |input| input.title.push('x'),
            |input| input.raw_description = "other".into(),
            |input| input.country = CountryCode::parse("SE"),
            |input| input.country = None,
            |input| input.city = None,
            |input| input.company_name.push('x'),
            |input| input.company_website.push('x'),
        ];
        let mut keys = HashSet::new();
        for change in change {
            let mut input = input("description");
            change(&mut input);
            for edition in ["1 model", "2 model", ""] {
                assert!(keys.insert(DraftKey::of(edition, &input)), "{input:?}");
                assert!(!keys.insert(DraftKey::of(edition, &input)), "{input:?}");
            }
        }
    }

    #[test]
    fn characters_that_move_between_fields_move_the_key() {
        let key = |[edition, title, description, city, name, website]: [&str; 6]| {
            let input = EnrichmentInput {
                title: title.to_owned(),
                raw_description: description.into(),
                country: None,
                city: Some(city.to_owned()),
                company_name: name.to_owned(),
                company_website: website.to_owned(),
            };
            DraftKey::of(edition, &input)
        };
        let mut keys = HashSet::new();
        for at in 0..6 {
            let mut fields = ["", "", "", "", "", ""];
            fields[at] = "ab";
            assert!(keys.insert(key(fields)));
            for other in at + 1..6 {
                let mut fields = fields;
                (fields[at], fields[other]) = ("a", "b");
                assert!(keys.insert(key(fields)));
            }
        }
    }

    #[test]
    fn a_key_comes_back_from_a_store() {
        let key = DraftKey::of("1 model", &input("description"));
        assert_eq!(DraftKey::from_bytes(*key.as_bytes()), key);
        assert_eq!(
            format!("{:?}", DraftKey::from_bytes([0xab; 32])),
            "ab".repeat(32)
        );
    }
}

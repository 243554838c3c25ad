//! The port to the cache of drafts that were paid for.

use std::fmt;

use async_trait::async_trait;
use time::OffsetDateTime;
use uuid::Uuid;

use super::EnrichmentInput;
use crate::{StoreError, digest};

/// The key of a draft: a digest of the model's input and of the model.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct DraftKey([u8; 32]);

impl DraftKey {
    /// The key of a posting's content for a model. `edition` names the rest that its answers depend
    /// on: the model and the instructions.
    ///
    /// The `application_url` is no part of it: destinations of relative links depend on it alone, and
    /// the same text at another address need not be paid for again.
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

    /// Wraps a stored key.
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

/// The outcome of a reservation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Reservation {
    /// Nothing yet, and it is the caller's to get until its reservation ends.
    Granted,
    /// No draft yet: another holder has reserved the key.
    Taken,
    /// The draft, as it was kept.
    Kept(String),
}

/// The port to the cache of drafts.
#[async_trait]
pub trait DraftCache: Send + Sync {
    /// Finds a draft, or reserves the key for `holder` until `until` if no other holder has it at
    /// `now`. A repeated call of the holder renews its reservation; of concurrent callers one gets
    /// it. A found draft counts as used at `now`, give or take a day.
    async fn reserve(
        &self,
        key: &DraftKey,
        holder: Uuid,
        until: OffsetDateTime,
        now: OffsetDateTime,
    ) -> Result<Reservation, StoreError>;

    /// Stores a draft, whether or not the key is still reserved: it was paid for. Replaces an
    /// earlier one.
    async fn keep(
        &self,
        key: &DraftKey,
        draft: &str,
        now: OffsetDateTime,
    ) -> Result<(), StoreError>;

    /// Gives a reservation back. Does nothing if `holder` does not hold it.
    async fn release(&self, key: &DraftKey, holder: Uuid) -> Result<(), StoreError>;

    /// Deletes up to `limit` drafts and reservations last used before `before`, and returns their
    /// number.
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
                other_names: Vec::new(),
                company_website: website.to_owned(),
                application_url: None,
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

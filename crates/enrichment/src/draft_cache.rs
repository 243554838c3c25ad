//! The port to the cache of drafts. A model's draft costs money, so it is kept.

use async_trait::async_trait;
use kernel::{
    PostingId, StoreError,
    digest::{self, digest},
};
use time::OffsetDateTime;
use uuid::Uuid;

use super::Brief;

digest! {
    /// The key of a draft: a digest of the model's input and of the model.
    DraftKey
}

impl DraftKey {
    /// The key for a model's input. `model` is the model's own part of the key; see
    /// [`Model::version`](super::Model::version).
    pub fn of(model: &str, brief: &Brief<'_>) -> Self {
        let country = brief.country.as_ref();
        let parts = [
            model,
            brief.title,
            brief.markdown,
            country.map_or("", |country| country.as_str()),
            brief.city.unwrap_or_default(),
            brief.company_name,
        ];
        let domains = brief.new_domains.iter().map(String::as_str);
        let parts = parts.into_iter().chain(domains);
        Self(digest::of_parts(parts.map(str::as_bytes)))
    }
}

/// The outcome of a reservation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Reservation {
    /// There is no draft yet, and the caller may request it until its reservation ends.
    Granted,
    /// There is no draft yet, and another holder has reserved the key.
    Taken,
    /// The stored draft.
    Kept(String),
}

/// The port to the cache of drafts.
#[async_trait]
pub trait DraftCache: Send + Sync {
    /// Finds a draft, or reserves the key for `holder` until `until` if no other holder has the key
    /// at `now`. A repeated call of the holder renews its reservation. Only one of several
    /// concurrent callers gets the key. A found draft counts as used at `now`, but a store may keep
    /// the stored time for up to a day.
    async fn reserve(
        &self,
        key: &DraftKey,
        holder: Uuid,
        until: OffsetDateTime,
        now: OffsetDateTime,
    ) -> Result<Reservation, StoreError>;

    /// Stores a draft, and replaces an earlier one. The key need not be reserved any more, because
    /// the draft was paid for. The draft of a stored posting is deleted when the posting is
    /// [erased](domain::store::Retention::erase), and cannot be stored after that.
    async fn keep(
        &self,
        key: &DraftKey,
        draft: &str,
        of: Option<PostingId>,
        now: OffsetDateTime,
    ) -> Result<(), StoreError>;

    /// Ends a reservation. Does nothing if `holder` does not hold it.
    async fn release(&self, key: &DraftKey, holder: Uuid) -> Result<(), StoreError>;

    /// Deletes up to `limit` drafts and reservations last used before `before`. Returns their
    /// number.
    async fn forget(&self, before: OffsetDateTime, limit: usize) -> Result<u64, StoreError>;
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use fields::codes::CountryCode;

    use super::*;

    fn brief() -> Brief<'static> {
        Brief {
            title: "Cook",
            markdown: "A cook.",
            country: CountryCode::parse("NO"),
            city: Some("Oslo"),
            company_name: "Acmera AS",
            new_domains: &[],
        }
    }

    #[test]
    fn every_input_changes_the_key() {
        let change: [fn(&mut Brief<'_>); 8] = [
            |_| {},
            |brief| brief.title = "Baker",
            |brief| brief.markdown = "other",
            |brief| brief.country = CountryCode::parse("SE"),
            |brief| brief.country = None,
            |brief| brief.city = None,
            |brief| brief.city = Some("Bergen"),
            |brief| brief.company_name = "Acmera",
        ];
        let mut keys = HashSet::new();
        for change in change {
            let mut brief = brief();
            change(&mut brief);
            for model in ["1 model", "2 model", ""] {
                assert!(keys.insert(DraftKey::of(model, &brief)), "{brief:?}");
                assert!(!keys.insert(DraftKey::of(model, &brief)), "{brief:?}");
            }
        }
    }
}

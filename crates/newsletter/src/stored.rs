//! Stored columns of subscribers back into values, see [`domain::store::stored`].

use domain::{
    Version,
    store::stored::{Word, corrupt, digest, optional_word, word},
};
use hmac::{Hmac, KeyInit as _, Mac as _};
use sha2::Sha256;
use time::{Date, OffsetDateTime};
use uuid::Uuid;

use crate::{
    store::{StoreError, SubscriberCount},
    subscriber::{
        Account, Departure, DepartureKind, Email, Membership, MembershipStatus, Migrated,
        MigrationSource, MigrationToken, Place, Places, PlanCategory, Subscriber, SubscriberId,
        SubscriberStatus, Suppression, SuppressionSource, provider::ProviderId,
    },
};

macro_rules! words {
    ($($word:ty)+) => {
        $(impl Word for $word {
            fn from_store(text: &str) -> Option<Self> {
                Self::parse(text)
            }
        })+
    };
}

words! {
    Account DepartureKind MembershipStatus MigrationSource PlanCategory SubscriberStatus
    SuppressionSource
}

impl Word for Email {
    fn from_store(text: &str) -> Option<Self> {
        // An address in another spelling would be found by nobody.
        Self::parse(text)
            .ok()
            .filter(|email| email.as_str() == text)
    }
}

/// The columns of a row of `subscribers`, by their names.
#[derive(Clone, Debug, PartialEq, Eq)]
#[expect(missing_docs, reason = "the fields are those of `Subscriber`")]
#[expect(clippy::struct_excessive_bools, reason = "they are columns")]
pub struct StoredSubscriber {
    pub id: Uuid,
    pub version: Version,
    pub email: String,
    pub reported_at: Option<OffsetDateTime>,
    pub name: Option<String>,
    pub country: Option<String>,
    /// Set exactly when `membership_status` is.
    pub membership_plan_category: Option<String>,
    pub membership_status: Option<String>,
    /// Only with a membership.
    pub membership_expires_at: Option<Date>,
    pub status: String,
    /// Set exactly when `suppressed_at` is.
    pub suppressed_by: Option<String>,
    /// Only with `suppressed_by`.
    pub suppressed_in: Option<String>,
    pub suppressed_at: Option<OffsetDateTime>,
    /// Only with `suppressed_by`.
    pub suppressed_because: Option<String>,
    pub reinstated_at: Option<OffsetDateTime>,
    pub departure: Option<String>,
    /// Set exactly when `departure` is `moved`.
    pub moved_to: Option<Uuid>,
    pub old_id: Option<String>,
    pub old_is_quiet: bool,
    pub old_is_withdrawn: bool,
    pub new_id: Option<String>,
    pub new_is_quiet: bool,
    pub new_is_withdrawn: bool,
    pub as_of: Option<OffsetDateTime>,
    /// Set exactly when `migration_source` is.
    pub migrated_at: Option<OffsetDateTime>,
    pub migration_source: Option<String>,
    /// Only of those who migrated.
    pub migration_arrived: bool,
    /// Likewise.
    pub migration_shown_in: Option<String>,
    pub migration_token: String,
    pub told: Option<Vec<u8>>,
    pub told_at: Option<OffsetDateTime>,
    pub updated_at: OffsetDateTime,
}

impl StoredSubscriber {
    fn membership(&self) -> Result<Option<Membership>, StoreError> {
        let plan_category = optional_word(
            self.membership_plan_category.as_deref(),
            "subscribers.membership_plan_category",
        )?;
        let Some(plan_category) = plan_category else {
            return Ok(None);
        };
        let status = self.membership_status.as_deref().unwrap_or_default();
        Ok(Some(Membership {
            plan_category,
            status: word(status, "subscribers.membership_status")?,
            expires_at: self.membership_expires_at,
        }))
    }

    fn suppression(&self) -> Result<Option<Suppression>, StoreError> {
        let Some(at) = self.suppressed_at else {
            return Ok(None);
        };
        let source = self.suppressed_by.as_deref().unwrap_or_default();
        Ok(Some(Suppression {
            source: word(source, "subscribers.suppressed_by")?,
            account: optional_word(self.suppressed_in.as_deref(), "subscribers.suppressed_in")?,
            at,
            reason: self.suppressed_because.clone(),
        }))
    }

    fn departure(&self) -> Result<Option<Departure>, StoreError> {
        let kind = optional_word(self.departure.as_deref(), "subscribers.departure")?;
        Ok(match (kind, self.moved_to) {
            (None, _) => None,
            (Some(DepartureKind::Erased), _) => Some(Departure::Erased),
            (Some(DepartureKind::Moved), Some(id)) => Some(Departure::Moved(SubscriberId::new(id))),
            (Some(DepartureKind::Moved), None) => return Err(corrupt("subscribers.moved_to", "")),
        })
    }

    fn migrated(&self) -> Result<Option<Migrated>, StoreError> {
        let Some(at) = self.migrated_at else {
            return Ok(None);
        };
        let source = self.migration_source.as_deref().unwrap_or_default();
        let (was_found, has_joined) = match self.migration_shown_in.as_deref() {
            None => (false, false),
            Some("old") => (true, false),
            Some("new") => (false, true),
            Some("both") => (true, true),
            Some(other) => return Err(corrupt("subscribers.migration_shown_in", other)),
        };
        Ok(Some(Migrated {
            at,
            source: word(source, "subscribers.migration_source")?,
            arrived: self.migration_arrived,
            was_found,
            has_joined,
        }))
    }
}

/// Which accounts have shown the person in the course of a move, as `subscribers.migration_shown_in`
/// has it: the old one when they were found there, the new one when they had joined.
pub const fn shown_in(migrated: Migrated) -> Option<&'static str> {
    match (migrated.was_found, migrated.has_joined) {
        (false, false) => None,
        (true, false) => Some("old"),
        (false, true) => Some("new"),
        (true, true) => Some("both"),
    }
}

/// How many subscribers stand like this, of a store that counted them.
pub fn counts(
    has_migrated: bool,
    status: String,
    is_under_way: bool,
    people: i64,
) -> Result<SubscriberCount, StoreError> {
    Ok(SubscriberCount {
        account: if has_migrated {
            Account::New
        } else {
            Account::Old
        },
        status: word(status, "subscribers.status")?,
        is_under_way,
        people: people.unsigned_abs(),
    })
}

/// Under what an address is remembered once it is erased: HMAC-SHA-256 with the store's key.
pub fn remembered_as(key: &[u8], email: &Email) -> Result<[u8; 32], StoreError> {
    let key = digest(key, "erasure_keys.key")?;
    let hash = Hmac::<Sha256>::new_from_slice(&key);
    let mut hash = hash.map_err(|error| StoreError::Broken(error.to_string()))?;
    hash.update(email.as_str().as_bytes());
    Ok(hash.finalize().into_bytes().into())
}

fn place(id: Option<String>, is_quiet: bool, is_withdrawn: bool) -> Place {
    Place {
        id: id.map(ProviderId),
        is_quiet,
        is_withdrawn,
    }
}

impl TryFrom<StoredSubscriber> for Subscriber {
    type Error = StoreError;

    fn try_from(row: StoredSubscriber) -> Result<Self, StoreError> {
        if row.migration_token.is_empty() {
            // The value of another one would be a secret.
            return Err(corrupt("subscribers.migration_token", ""));
        }
        let told = row.told.as_deref();
        let told = told.map(|bytes| digest(bytes, "subscribers.told"));
        let suppression = row.suppression()?;
        let departure = row.departure()?;
        Ok(Self {
            id: SubscriberId::new(row.id),
            version: row.version,
            membership: row.membership()?,
            migrated: row.migrated()?,
            email: word(row.email, "subscribers.email")?,
            reported_at: row.reported_at,
            name: row.name,
            country: row.country,
            suppression,
            status: word(row.status, "subscribers.status")?,
            reinstated_at: row.reinstated_at,
            departure,
            as_of: row.as_of,
            places: Places {
                old: place(row.old_id, row.old_is_quiet, row.old_is_withdrawn),
                new: place(row.new_id, row.new_is_quiet, row.new_is_withdrawn),
            },
            token: MigrationToken::from_text(&row.migration_token),
            synced_digest: told.transpose()?,
            told_at: row.told_at,
            updated_at: row.updated_at,
        })
    }
}

#[cfg(test)]
mod tests {
    use std::fmt::Debug;

    use super::*;

    #[test]
    fn every_word_comes_back_and_no_other() {
        fn check<T: Word + Debug + PartialEq>(good: &[(&str, T)], bad: &[&str]) {
            for (text, value) in good {
                assert_eq!(word::<T>(text, "t.c").as_ref(), Ok(value));
            }
            for text in bad {
                assert!(word::<T>(text, "t.c").is_err(), "{text:?}");
            }
        }
        fn named<T: Copy>(all: &[T], name: fn(T) -> &'static str) -> Vec<(&'static str, T)> {
            all.iter().map(|&value| (name(value), value)).collect()
        }

        check(
            &named(SubscriberStatus::ALL, SubscriberStatus::as_str),
            &["", "Active", "unsubscribe"],
        );
        check(
            &named(PlanCategory::ALL, PlanCategory::as_str),
            &["", "family"],
        );
        check(
            &named(MembershipStatus::ALL, MembershipStatus::as_str),
            &["", "cancelled"],
        );
        check(&named(Account::ALL, Account::as_str), &["", "newer"]);
        check(
            &named(MigrationSource::ALL, MigrationSource::as_str),
            &["", "email confirmation"],
        );
        check(
            &[("a+b@c.example", Email::parse("A+b@c.example").unwrap())],
            &["", "a", "A@b.example", " a@b.example"],
        );
    }
}

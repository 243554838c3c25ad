//! What the provider is to be told, and what is known to have been told.
//!
//! `synced_digest` is the digest of what an account is known to hold. It is forgotten before each
//! call and set again by the answer, so that a call that may or may not have reached the provider
//! is never taken for none: only someone whose digest is the present one needs no call.

use domain::{day, outbox::Effect};
use sha2::{Digest, Sha256};
use time::OffsetDateTime;

use super::{
    Account, Change, Subscriber, SubscriberStatus, SuppressionSource,
    provider::{Found, Profile},
};
use crate::tasks;

/// What an account is told of a subscriber.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ProviderState {
    /// Which account.
    pub account: Account,
    /// What it is told.
    pub profile: Profile,
    /// Whether the person may be written to. A sync does not tell the account that, but every
    /// change of it is followed by one, and nobody suppressed is made known to an account. To
    /// unsubscribe people is what [withdrawals](super::withdrawal) are for.
    pub status: SubscriberStatus,
}

impl ProviderState {
    /// SHA-256 over all of it. Two that have one digest need not both be told.
    pub fn digest(&self) -> [u8; 32] {
        let profile = &self.profile;
        let expire_at = profile.membership_expire_at.map(day::write);
        let parts: [Option<&str>; 8] = [
            Some(self.account.as_str()),
            Some(self.status.as_str()),
            Some(profile.email.as_str()),
            profile.name.as_deref(),
            profile.country.as_deref(),
            Some(profile.membership_plan_category),
            Some(profile.member_status.as_str()),
            expire_at.as_deref(),
        ];
        let mut hasher = Sha256::new();
        for part in parts {
            let part = part.unwrap_or_default();
            // The length keeps a character from wandering between neighbours unnoticed. No
            // stored text is empty, so an empty part is one that is not there.
            hasher.update((part.len() as u64).to_le_bytes());
            hasher.update(part);
        }
        hasher.finalize().into()
    }
}

impl Subscriber {
    /// What the provider is to know of the person.
    pub fn profile(&self) -> Profile {
        Profile {
            email: self.email.clone(),
            name: self.name.clone(),
            country: self.country.clone(),
            membership_plan_category: self.membership_plan_category(),
            member_status: self.member_status(),
            membership_expire_at: self.membership.and_then(|membership| membership.expires_at),
        }
    }

    /// What the account that the person is in is to be told.
    pub fn provider_state(&self) -> ProviderState {
        ProviderState {
            account: self.account(),
            profile: self.profile(),
            status: self.status,
        }
    }

    /// Takes in that the account that the person is in holds this.
    pub(super) fn hold(&mut self, digest: [u8; 32], now: OffsetDateTime) {
        if self.synced_digest != Some(digest) {
            self.synced_digest = Some(digest);
            self.told_at = Some(now);
        }
    }

    /// Whether there is something to tell. There is nothing of someone whom nobody has
    /// reported; and of someone who is on the way to the new account there is nothing *yet*,
    /// because what the old one knows of a suppression has to be seen first.
    pub fn needs_sync(&self) -> bool {
        let is_under_way = self.migrated.is_some_and(|migrated| !migrated.arrived);
        self.reported_at.is_some()
            && !is_under_way
            && self.synced_digest != Some(self.provider_state().digest())
    }
}

/// What a sync that was claimed has to do.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Due {
    /// Nothing.
    Nothing,
    /// The person has moved to another account since; it is to be done there.
    Elsewhere(Effect),
    /// Tell the account this.
    Tell(ProviderState),
}

/// What a sync that was claimed from an account's queue has to do.
pub fn due(subscriber: &Subscriber, account: Account) -> Due {
    if !subscriber.needs_sync() {
        Due::Nothing
    } else if subscriber.account() == account {
        Due::Tell(subscriber.provider_state())
    } else {
        Due::Elsewhere(subscriber.sync())
    }
}

/// Forgets what was told, because something else is about to be.
pub fn begin(subscriber: &Subscriber, now: OffsetDateTime) -> Option<Change> {
    subscriber.synced_digest?;
    let after = Subscriber {
        synced_digest: None,
        ..subscriber.clone()
    };
    Some(Change::new(Some(subscriber), after, now))
}

/// What an account showed of a person while it was told about them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Sight {
    /// This.
    Found(Found),
    /// Nobody, though it had the person once.
    Missing,
    /// Nobody, and nobody was made known to it.
    Nobody,
}

/// Records what an account was told and showed. Asks for another sync if there is more to tell
/// by now. Someone who has left the account meanwhile may have been put back there, and is taken
/// out once more.
pub fn record(
    subscriber: &Subscriber,
    told: &ProviderState,
    sight: &Sight,
    now: OffsetDateTime,
) -> Change {
    let source = SuppressionSource::Answer;
    let mut after = subscriber.clone();
    if subscriber.departure.is_some() || subscriber.email != told.profile.email {
        // What was told is to go. The departure looks there once more.
        after.places[told.account].is_quiet = false;
        let mut change = Change::new(Some(subscriber), after, now);
        if change.subscriber.needs_sync() {
            change.ask_for_sync();
        }
        return change;
    }
    let is_there = after.account() == told.account;
    let mut held = told.clone();
    match sight {
        Sight::Found(found) => {
            after.see(told.account, found, source, now);
            held.status = after
                .counted(told.account, found)
                .unwrap_or(told.status)
                .max(told.status);
        }
        // Whoever has left it is not missing there.
        Sight::Missing if is_there => {
            after.miss(told.account, source, now);
            held.status = held.status.max(SubscriberStatus::Removed);
        }
        Sight::Missing | Sight::Nobody => {}
    }
    if is_there {
        after.hold(held.digest(), now);
    } else if let Some(migrated) = &mut after.migrated
        && matches!(sight, Sight::Found(_))
        && !after.status.is_suppressed()
    {
        migrated.arrived = false;
        let mut change = Change::new(Some(subscriber), after, now);
        change.effect = Some(tasks::migrate(subscriber.id));
        return change;
    }
    let mut change = Change::new(Some(subscriber), after, now);
    if change.subscriber.needs_sync() {
        change.ask_for_sync();
    }
    change
}

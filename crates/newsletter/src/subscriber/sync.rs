//! Syncs: the state that an account should hold, and the state that it is known to hold.
//!
//! `synced_digest` is cleared before each call and set by the answer, so a call without an answer
//! is repeated.

use fields::day;
use kernel::digest;
use time::OffsetDateTime;

use super::{
    Account, Change, Subscriber, SubscriberStatus, SuppressionSource,
    provider::{Fields, Found, Profile},
};
use crate::tasks;

/// The state of a subscriber that an account should hold.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ProviderState {
    /// The account that should hold it.
    pub account: Account,
    /// The fields to send.
    pub profile: Profile,
    /// The status, which is not sent, but whose change needs a sync.
    /// [Withdrawals](super::withdrawal) unsubscribe.
    pub status: SubscriberStatus,
}

impl ProviderState {
    /// SHA-256 over all fields.
    pub fn digest(&self) -> [u8; 32] {
        let Profile { email, fields } = &self.profile;
        let parts: [Option<&str>; 8] = [
            Some(self.account.as_str()),
            Some(self.status.as_str()),
            Some(email.as_str()),
            fields.name.as_deref(),
            fields.country.as_deref(),
            fields.membership_plan_category.as_deref(),
            fields.member_status.as_deref(),
            fields.membership_expire_at.as_deref(),
        ];
        // Stored texts are never empty, so an empty part means an absent one.
        digest::of_parts(parts.map(|part| part.unwrap_or_default().as_bytes()))
    }
}

impl Subscriber {
    /// The fields to send to the provider.
    pub fn profile(&self) -> Profile {
        let expires_at = self.membership.and_then(|membership| membership.expires_at);
        let fields = Fields {
            name: self.name.clone(),
            country: self.country.clone(),
            membership_plan_category: Some(self.membership_plan_category().to_owned()),
            member_status: Some(self.member_status().to_string()),
            membership_expire_at: expires_at.map(day::write),
        };
        Profile {
            email: self.email.clone(),
            fields,
        }
    }

    /// The state that the subscriber's account should hold.
    pub fn provider_state(&self) -> ProviderState {
        ProviderState {
            account: self.account(),
            profile: self.profile(),
            status: self.status,
        }
    }

    pub(super) fn hold(&mut self, digest: [u8; 32], now: OffsetDateTime) {
        if self.synced_digest != Some(digest) {
            self.synced_digest = Some(digest);
            self.told_at = Some(now);
        }
    }

    /// Whether the account's state is outdated or unknown, and no move is in progress.
    pub fn needs_sync(&self) -> bool {
        self.reported_at.is_some()
            && !self.is_under_way()
            && self.synced_digest != Some(self.provider_state().digest())
    }
}

/// Clears the known state before a call.
pub fn begin(subscriber: &Subscriber, now: OffsetDateTime) -> Option<Change> {
    subscriber.synced_digest?;
    let after = Subscriber {
        synced_digest: None,
        ..subscriber.clone()
    };
    Some(Change::new(Some(subscriber), after, now))
}

/// An account's view of a subscriber during a call.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Observation {
    /// The account has this record.
    Found(Found),
    /// The account has no record, though it had one before.
    Missing,
    /// The account has no record, and none was created.
    Nobody,
}

/// Records the sent state and the answer. Requests another sync if the record changed meanwhile, or
/// another move if the call may have recreated the subscriber in the account that they left.
pub fn record(
    subscriber: &Subscriber,
    sent: &ProviderState,
    observed: &Observation,
    now: OffsetDateTime,
) -> Change {
    let source = SuppressionSource::Answer;
    let mut after = subscriber.clone();
    if subscriber.departure.is_some() || subscriber.email != sent.profile.email {
        // The address is departing, so the account is checked again.
        after.places[sent.account].is_quiet = false;
        let mut change = Change::new(Some(subscriber), after, now);
        if change.subscriber.needs_sync() {
            change.ask_for_sync();
        }
        return change;
    }
    let is_there = after.account() == sent.account;
    let mut held = sent.clone();
    match observed {
        Observation::Found(found) => {
            after.see(sent.account, found, source, now);
            held.status = after
                .counted(sent.account, found)
                .unwrap_or(sent.status)
                .max(sent.status);
        }
        // A subscriber of the other account is not missing here.
        Observation::Missing if is_there => {
            after.miss(sent.account, source, now);
            held.status = held.status.max(SubscriberStatus::Removed);
        }
        Observation::Missing | Observation::Nobody => {}
    }
    if is_there {
        after.hold(held.digest(), now);
    } else if let Some(migrated) = &mut after.migrated
        && matches!(observed, Observation::Found(_))
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

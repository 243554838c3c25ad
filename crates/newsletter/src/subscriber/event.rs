use std::fmt;

use time::OffsetDateTime;

use super::{
    Change, Email, MigrationToken, Subscriber, SubscriberId, SubscriberStatus, Suppression,
    SuppressionSource,
};

/// A webhook event about a subscriber's status.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ProviderEvent {
    /// The subscriber's address.
    pub email: Email,
    /// The status that the event implies.
    pub status: SubscriberStatus,
    /// The secret that signed the delivery, if known.
    pub signed_with: Option<SignedWith>,
}

/// The position of the secret that signed a delivery. Each account has its own secret.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SignedWith {
    /// The position in the configuration, from 1.
    pub nth: usize,
    /// The number of configured secrets.
    pub of: usize,
}

impl fmt::Display for SignedWith {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "signed with secret {} of {}", self.nth, self.of)
    }
}

impl ProviderEvent {
    /// Reads an event. `None` for other kinds, soft bounces and invalid addresses.
    ///
    /// The event's name decides, because `status` is the status at delivery. `status` only
    /// identifies hard bounces.
    pub fn read(name: &str, status: Option<&str>, email: &str) -> Option<Self> {
        let status = match name {
            "subscriber.unsubscribed" => SubscriberStatus::Unsubscribed,
            "subscriber.spam_reported" => SubscriberStatus::SpamReported,
            "subscriber.deleted" => SubscriberStatus::Removed,
            "subscriber.bounced" if status == Some("bounced") => SubscriberStatus::Bounced,
            _ => return None,
        };
        let email = Email::parse(email).ok()?;
        Some(Self {
            email,
            status,
            signed_with: None,
        })
    }
}

/// A webhook event, with the id and token to use for a new address.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ReceivedEvent {
    /// The event.
    pub event: ProviderEvent,
    /// The id to use if the address is new.
    pub new_id: SubscriberId,
    /// The token to use if the address is new.
    pub new_token: MigrationToken,
}

/// Applies a webhook event. Events repeat and arrive out of order, so the strongest status wins.
///
/// An unreported address gets a row, which keeps the suppression for later reports. For a
/// reinstated subscriber a withdrawal checks the accounts, because the delivery may be old.
pub fn notice(
    known: Option<&Subscriber>,
    notice: &ReceivedEvent,
    now: OffsetDateTime,
) -> Option<Change> {
    let ReceivedEvent {
        event,
        new_id,
        new_token,
    } = notice;
    if event.status == SubscriberStatus::Removed {
        return known.and_then(|known| deletion(known, event, now));
    }
    let mut after = known.cloned().unwrap_or_else(|| {
        Subscriber::unreported(event.email.clone(), *new_id, new_token.clone(), now)
    });
    if after.reinstated_at.is_some() && !after.status.is_suppressed() {
        if !event.status.is_suppressed() {
            return None;
        }
        after.places.set_quiet(false);
        return Some(Change::new(known, after, now));
    }
    after.strengthen(event.status, delivered(event, now));
    Change::of_status(known, after, now)
}

/// Handles a deletion. Moves also delete subscribers from the old account, and a delivery names no
/// account. So a sync looks the subscriber up, and records a missing one as removed. Moves check
/// both accounts themselves.
///
/// An unknown address gets no row: deleted subscribers must not be stored again.
fn deletion(known: &Subscriber, event: &ProviderEvent, now: OffsetDateTime) -> Option<Change> {
    if known.reported_at.is_none() || known.status.is_suppressed() || known.is_under_way() {
        return None;
    }
    let mut after = known.clone();
    if after.places[after.account()].id.is_some() {
        after.synced_digest = None;
        let mut change = Change::new(Some(known), after, now);
        change.ask_for_sync();
        return Some(change);
    }
    if after.reinstated_at.is_some() {
        return None;
    }
    after.strengthen(event.status, delivered(event, now));
    Change::of_status(Some(known), after, now)
}

fn delivered(event: &ProviderEvent, now: OffsetDateTime) -> Suppression {
    Suppression {
        reason: event.signed_with.map(|secret| secret.to_string()),
        ..Suppression::shown(SuppressionSource::Webhook, None, now)
    }
}

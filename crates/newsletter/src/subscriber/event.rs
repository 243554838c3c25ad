//! What the provider calls back about.

use std::fmt;

use time::OffsetDateTime;

use super::{
    Change, Email, MigrationToken, Subscriber, SubscriberId, SubscriberStatus, Suppression,
    SuppressionSource,
};

/// One event of the provider that is about a person's status.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ProviderEvent {
    /// Whom it is about.
    pub email: Email,
    /// What it means.
    pub status: SubscriberStatus,
    /// Which of the secrets signed its delivery, where that is known.
    pub signed_with: Option<SignedWith>,
}

/// Which of the configured secrets signed a delivery. Each account has a secret of its own, so
/// it tells which account delivered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SignedWith {
    /// Which one, counted from 1 in the order of the configuration.
    pub nth: usize,
    /// How many there are.
    pub of: usize,
}

impl fmt::Display for SignedWith {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "signed with secret {} of {}", self.nth, self.of)
    }
}

impl ProviderEvent {
    /// Reads an event by its name, the `status` that came with it and the address. `None` for
    /// what is no news: other kinds of event, soft bounces, and addresses that are none.
    ///
    /// The name is trusted and not the status, which is the one of the time of delivery; but
    /// whether a bounce was a hard one only the status says.
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

/// An event of the provider to take in.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Notice {
    /// What the provider says.
    pub event: ProviderEvent,
    /// The id to use if the address is new.
    pub new_id: SubscriberId,
    /// The token to use if the address is new.
    pub new_token: MigrationToken,
}

/// Applies an event of the provider to what is known of the address. Events repeat and come
/// out of order: the strongest status stands. What is said of an address that nobody has
/// reported is kept for the day when somebody does, and told to the accounts all the same. Who
/// was reinstated is not suppressed by a delivery, which may be an old one: the accounts are
/// asked.
pub fn notice(known: Option<&Subscriber>, notice: &Notice, now: OffsetDateTime) -> Option<Change> {
    let Notice {
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

/// What a person who was deleted in an account is to become. A move deletes people in the old
/// account too, and a delivery does not say which account it is from. So where the person's
/// account has shown them, it is asked by a sync, which records them as removed if they are gone
/// and creates nobody. A move that is under way looks at both accounts by itself.
///
/// Of a stranger nothing is kept: people who are erased here are deleted there, and are not to
/// be known again because of it.
fn deletion(known: &Subscriber, event: &ProviderEvent, now: OffsetDateTime) -> Option<Change> {
    let is_under_way = known.migrated.is_some_and(|migrated| !migrated.arrived);
    if known.reported_at.is_none() || known.status.is_suppressed() || is_under_way {
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

//! What the provider calls back about.

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
            "subscriber.bounced" if status == Some("bounced") => SubscriberStatus::Bounced,
            _ => return None,
        };
        let email = Email::parse(email).ok()?;
        Some(Self { email, status })
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
    let from = Suppression::shown(SuppressionSource::Webhook, None, now);
    after.strengthen(event.status, from);
    let is_news = match known {
        Some(known) => known.status != after.status,
        None => after.status.is_suppressed(),
    };
    if !is_news {
        return None;
    }
    let mut change = Change::new(known, after, now);
    if change.subscriber.reported_at.is_some() {
        change.ask_for_sync();
    }
    Some(change)
}

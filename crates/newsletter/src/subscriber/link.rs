//! What the holder of an e-mailed link asks for besides the [move](super::migration).

use time::OffsetDateTime;

use super::{Change, Subscriber, SubscriberStatus, Suppression, SuppressionSource};

/// Unsubscribes the holder of a link, who asks for it now: it counts like what the provider
/// shows, and also for a person who was reinstated. `None` when a suppression as strong stands.
pub fn unsubscribe(subscriber: &Subscriber, now: OffsetDateTime) -> Option<Change> {
    let mut after = subscriber.clone();
    let from = Suppression::shown(SuppressionSource::Link, None, now);
    after.strengthen(SubscriberStatus::Unsubscribed, from);
    Change::of_status(Some(subscriber), after, now)
}

//! Requests of the holder of an e-mailed link, besides the [move](super::migration).

use time::OffsetDateTime;

use super::{Change, Subscriber, SubscriberStatus, Suppression, SuppressionSource};

/// Unsubscribes the holder of a link, reinstated or not. `None` if a suppression as strong stands.
pub fn unsubscribe(subscriber: &Subscriber, now: OffsetDateTime) -> Option<Change> {
    let mut after = subscriber.clone();
    let from = Suppression::shown(SuppressionSource::Link, None, now);
    after.strengthen(SubscriberStatus::Unsubscribed, from);
    Change::of_status(Some(subscriber), after, now)
}

//! The newsletter's audited actions of operators.

use kernel::{
    Actor, ClientId,
    audit::{Action, Entry},
};
use time::OffsetDateTime;
use uuid::Uuid;

use crate::subscriber::SubscriberId;

kernel::actions! {
    SUBSCRIBERS_SUPPRESS = "subscribers.suppress",
    SUBSCRIBERS_REINSTATE = "subscribers.reinstate",
    SUBSCRIBERS_ROTATE_TOKEN = "subscribers.rotate-token",
    SUBSCRIBERS_ERASE = "subscribers.erase",
    SUBSCRIBERS_IMPORT = "subscribers.import",
    SUBSCRIBERS_MIGRATE = "subscribers.migrate",
    SUPPRESSIONS_IMPORT = "suppressions.import",
}

/// The entry of an erasure that a client requests.
pub fn erasure(run: Uuid, by: ClientId, now: OffsetDateTime) -> Entry {
    Entry::new(run, Actor::Client(by).to_string(), SUBSCRIBERS_ERASE, now)
}

/// Whether the action's subject is the id of a subscriber.
pub fn is_about_a_subscriber(action: &Action) -> bool {
    action.as_str().starts_with("subscribers.")
}

/// The subscriber that the entry is about, if any.
pub fn subscriber(entry: &Entry) -> Option<SubscriberId> {
    let subject = entry.subject.as_deref()?;
    let is_person = is_about_a_subscriber(&entry.action);
    let uuid = is_person.then(|| Uuid::parse_str(subject).ok());
    uuid.flatten().map(SubscriberId::new)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{by_ann, noon, subscriber_id};

    #[test]
    fn only_a_person_is_a_subscriber() {
        let ann = subscriber_id("ann@example.com");
        let about = |action, subject: String| by_ann(1).entry(action, noon()).about(subject);
        let suppressed = about(SUBSCRIBERS_SUPPRESS, ann.to_string());
        assert_eq!(subscriber(&suppressed), Some(ann));
        let posting = about(Action::new("postings.approve"), ann.to_string());
        assert_eq!(subscriber(&posting), None);
        let odd = about(SUBSCRIBERS_ERASE, "somebody".to_owned());
        assert_eq!(subscriber(&odd), None);
    }
}

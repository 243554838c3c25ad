//! What a report of the membership system means for a subscriber.

use time::OffsetDateTime;

use super::{Change, Membership, PlanCategory, PutSubscriber, Subscriber};
use crate::outbox::EventName;

/// What becomes of a report.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Report {
    /// Whether the person is reported for the first time.
    pub is_new: bool,
    /// What is written; nothing when the report says nothing new.
    pub change: Option<Change>,
}

/// Applies a report to what is known of the address, which may be no more than a suppression.
///
/// A report of an earlier moment than the last one that said one changes nothing. No report is of
/// the future: one that says so counts as one of now, because it would hold back all others.
///
/// A change of an individual membership raises its event, whose listener sees to the sync.
/// Every other change that the provider sees asks for the sync itself. Never both.
pub fn report(known: Option<&Subscriber>, put: &PutSubscriber, now: OffsetDateTime) -> Report {
    let mut after = known.cloned().unwrap_or_else(|| {
        Subscriber::unreported(put.email.clone(), put.new_id, put.new_token.clone(), now)
    });
    let is_new = after.reported_at.is_none();
    let as_of = put.as_of.map(|as_of| as_of.min(now));
    if as_of.is_some_and(|as_of| after.as_of.is_some_and(|last| as_of < last)) {
        return Report {
            is_new,
            change: None,
        };
    }
    after.as_of = as_of.or(after.as_of);
    after.reported_at.get_or_insert(now);
    put.name.apply(&mut after.name);
    put.country.apply(&mut after.country);
    put.membership.apply(&mut after.membership);
    if known == Some(&after) {
        return Report {
            is_new,
            change: None,
        };
    }
    let before = known.and_then(|known| known.membership);
    let is_seen = is_new || known.map(Subscriber::profile) != Some(after.profile());
    let mut change = Change::new(known, after, now);
    if is_news_of_an_individual(before, change.subscriber.membership) {
        change.event = Some(EventName::IndividualMembershipUpdated);
    } else if is_seen {
        change.ask_for_sync();
    }
    Report {
        is_new,
        change: Some(change),
    }
}

fn is_news_of_an_individual(before: Option<Membership>, after: Option<Membership>) -> bool {
    let is_individual = |membership: Option<Membership>| {
        membership.is_some_and(|it| it.plan_category == PlanCategory::Individual)
    };
    before != after && (is_individual(before) || is_individual(after))
}

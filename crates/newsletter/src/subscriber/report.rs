use time::OffsetDateTime;

use super::{Change, Membership, Places, PlanCategory, PutSubscriber, Subscriber};
use crate::tasks;

/// The outcome of a report.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Report {
    /// Whether it is the first report of the subscriber.
    pub is_new: bool,
    /// `None` if the report changes nothing.
    pub change: Option<Change>,
}

/// Applies a report to an address. If the address is unreported, `known` is `None` or the record of
/// a suppression.
///
/// A report older than the latest dated one changes nothing. A future date counts as now, because
/// it would block all later reports.
///
/// A change of an individual membership raises an event, and the event's listener requests the
/// sync. Any other change that the provider sees requests the sync directly.
pub fn report(known: Option<&Subscriber>, put: &PutSubscriber, now: OffsetDateTime) -> Report {
    take_in(known, Subscriber::reported(known, put, now), put, now)
}

impl Subscriber {
    /// A departing address becomes a reported address again, with a valid token.
    pub(super) fn reported(known: Option<&Self>, put: &PutSubscriber, now: OffsetDateTime) -> Self {
        match known {
            None => Self::unreported(put.email.clone(), put.new_id, put.new_token.clone(), now),
            Some(known) if known.departure.is_some() => Self {
                departure: None,
                token: put.new_token.clone(),
                places: Places::default(),
                ..known.clone()
            },
            Some(known) => known.clone(),
        }
    }
}

fn as_of(put: &PutSubscriber, now: OffsetDateTime) -> Option<OffsetDateTime> {
    put.as_of.map(|as_of| as_of.min(now))
}

pub(super) fn is_stale(known: &Subscriber, put: &PutSubscriber, now: OffsetDateTime) -> bool {
    let is_older = |last: OffsetDateTime| as_of(put, now).is_some_and(|as_of| as_of < last);
    known.as_of.is_some_and(is_older)
}

pub(super) fn take_in(
    known: Option<&Subscriber>,
    mut after: Subscriber,
    put: &PutSubscriber,
    now: OffsetDateTime,
) -> Report {
    let is_new = after.reported_at.is_none();
    if !is_stale(&after, put, now) {
        after.reported_at.get_or_insert(now);
        after.as_of = as_of(put, now).or(after.as_of);
        put.name.apply(&mut after.name);
        put.country.apply(&mut after.country);
        put.membership.apply(&mut after.membership);
    }
    if known == Some(&after) {
        return Report {
            is_new,
            change: None,
        };
    }
    let before = known.and_then(|known| known.membership);
    let seen = |it: &Subscriber| (it.profile(), it.status);
    let is_seen = is_new || known.map(seen) != Some(seen(&after));
    let mut change = Change::new(known, after, now);
    if is_news_of_an_individual(before, change.subscriber.membership) {
        change.raise(tasks::INDIVIDUAL_MEMBERSHIP_UPDATED);
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

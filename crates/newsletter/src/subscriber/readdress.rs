use time::OffsetDateTime;

use super::{
    Change, Departure, Places, PutSubscriber, Subscriber, SubscriberId,
    departure::{self, Purge},
    migration::once_more,
    report::{Report, is_stale, take_in},
};
use crate::tasks;

/// The changes of a report that names a previous address.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Readdressed {
    /// The change of the record that takes the report.
    pub report: Report,
    /// The row of the previous address, as a departure.
    pub departed: Option<Change>,
    /// The row at the new address that the record replaces.
    pub replaced: Option<(SubscriberId, Purge)>,
}

impl Readdressed {
    const fn only(report: Report) -> Self {
        Self {
            report,
            departed: None,
            replaced: None,
        }
    }
}

/// Applies a report that names a previous address.
///
/// A reported record moves to the new address with its id, token, status and account, and replaces
/// an unreported row there. If the new address already has a reported record, that record stays and
/// takes the report. The strongest status wins, and the previous address departs. An unreported
/// previous address contributes only its suppression.
pub fn readdress(
    previous: Option<&Subscriber>,
    there: Option<&Subscriber>,
    put: &PutSubscriber,
    now: OffsetDateTime,
) -> Readdressed {
    let reported = previous.filter(|previous| previous.reported_at.is_some());
    match (reported, there.filter(|there| there.reported_at.is_some())) {
        (Some(previous), None) => bring(previous, there, put, now),
        (Some(previous), Some(there)) => merge(previous, there, put, now),
        (None, _) => {
            let mut base = Subscriber::reported(there, put, now);
            if let Some(previous) = previous {
                base.inherit(previous.status, previous.suppression.as_ref(), now);
            }
            Readdressed::only(take_in(there, base, put, now))
        }
    }
}

fn bring(
    previous: &Subscriber,
    there: Option<&Subscriber>,
    put: &PutSubscriber,
    now: OffsetDateTime,
) -> Readdressed {
    if is_stale(previous, put, now) {
        return Readdressed::only(Report {
            is_new: false,
            change: None,
        });
    }
    let mut base = Subscriber {
        email: put.email.clone(),
        places: Places::default(),
        synced_digest: None,
        // The reinstatement concerned the previous address.
        reinstated_at: None,
        migrated: previous.migrated.map(once_more),
        ..previous.clone()
    };
    if let Some(there) = there {
        base.inherit(there.status, there.suppression.as_ref(), now);
    }
    let mut report = take_in(Some(previous), base, put, now);
    ask_for_move(&mut report);
    let left = Subscriber {
        status: previous.status,
        suppression: previous.suppression.clone(),
        reinstated_at: previous.reinstated_at,
        departure: Some(Departure::Moved(previous.id)),
        ..Subscriber::unreported(
            previous.email.clone(),
            put.new_id,
            departure::dead_token(put.new_id),
            now,
        )
    };
    Readdressed {
        report,
        departed: Some(Change::new(None, left, now)),
        replaced: there.map(|there| (there.id, departure::purge(there, there.version))),
    }
}

fn ask_for_move(report: &mut Report) {
    if let Some(change) = &mut report.change
        && change.subscriber.migrated.is_some()
    {
        change.effect = Some(tasks::migrate(change.subscriber.id));
    }
}

/// Applies the report to the record at the new address, and lets the other record depart. If either
/// record has moved to the new account, the result belongs there.
fn merge(
    previous: &Subscriber,
    there: &Subscriber,
    put: &PutSubscriber,
    now: OffsetDateTime,
) -> Readdressed {
    let mut base = there.clone();
    base.inherit(previous.status, previous.suppression.as_ref(), now);
    let is_to_move = there.migrated.is_none() && previous.migrated.is_some();
    match (&mut base.migrated, previous.migrated) {
        (Some(there), Some(previous)) => there.has_joined |= previous.has_joined,
        (there @ None, Some(previous)) => *there = Some(once_more(previous)),
        (_, None) => {}
    }
    let left = previous.departing(Departure::Moved(there.id));
    let mut report = take_in(Some(there), base, put, now);
    if is_to_move {
        ask_for_move(&mut report);
    }
    Readdressed {
        report,
        departed: Some(Change::new(Some(previous), left, now)),
        replaced: None,
    }
}

//! Subscribers as a commit writes them.

use std::collections::BTreeSet;

use diesel_async::AsyncPgConnection;
use newsletter::{
    store::{StoreError, SubscriberWrite, WriteSet},
    subscriber::{
        Account, Departure, Membership, Migrated, Place, Subscriber, SubscriberId, Suppression,
    },
};

use super::erasure;
use crate::{
    error::Failure,
    statement::{
        Value, bigints, binaries, bools, dates, execute, optional_uuids, statement, texts, times,
        uuids,
    },
    value::{date, timestamp},
};

/// Whom the events of a commit are about.
fn happened_to(writes: &WriteSet) -> impl Iterator<Item = SubscriberId> {
    let events = writes.tasks.events.iter();
    events.map(|event| SubscriberId::new(event.subject.id))
}

/// Writes the subscribers of a commit, and keeps them locked until it ends. A version that is
/// not the expected one is a conflict, and so is an address that was taken.
///
/// Those that exist are locked in the order of their ids, and only then new ones in the order
/// of their addresses, so that two commits that meet wait for each other in one direction only.
/// Rows that go, go first: others may take their addresses.
pub(super) async fn write(conn: &mut AsyncPgConnection, writes: &WriteSet) -> Result<(), Failure> {
    lock(conn, writes).await?;
    let (changed, mut new): (Vec<_>, Vec<_>) = writes
        .subscribers
        .values()
        .partition(|write| write.expected.is_some());
    new.sort_unstable_by_key(|write| &write.subscriber.email);
    erasure::write(conn, writes).await?;
    if !changed.is_empty() {
        let written = execute::<Update>(conn, &of_changed(&changed)).await?;
        all(&changed, written)?;
    }
    if !new.is_empty() {
        let written = execute::<Insert>(conn, &changing(&new)).await?;
        all(&new, written)?;
    }
    Ok(())
}

fn all(rows: &[&SubscriberWrite], written: usize) -> Result<(), Failure> {
    if written == rows.len() {
        Ok(())
    } else {
        Err(StoreError::Conflict.into())
    }
}

statement! {
    /// The rows stay locked until the commit ends.
    Lock =
    "SELECT FROM subscribers WHERE id = ANY(?) ORDER BY id FOR NO KEY UPDATE"
}

/// Locks those that a commit changes, if it takes others away, or says of others that something
/// happened to them: so the events of one subscriber are numbered in the order of the commits that
/// record them.
async fn lock(conn: &mut AsyncPgConnection, writes: &WriteSet) -> Result<(), Failure> {
    let is_written = |id| writes.subscribers.contains_key(&id);
    if writes.purges.is_empty() && happened_to(writes).all(is_written) {
        return Ok(());
    }
    let ids: BTreeSet<_> = happened_to(writes)
        .chain(writes.subscribers.keys().copied())
        .chain(writes.purges.keys().copied())
        .collect();
    let ids = ids.into_iter().map(SubscriberId::uuid).collect();
    execute::<Lock>(conn, &[Value::Uuids(ids)]).await?;
    Ok(())
}

statement! {
    /// The rows are looked up one after the other in the order they are sent, which is the one
    /// of their ids.
    Update =
    "UPDATE subscribers SET \
     version = sent.version, reported_at = sent.reported_at, name = sent.name, \
     country = sent.country, membership_plan_category = sent.membership_plan_category, \
     membership_status = sent.membership_status, \
     membership_expires_at = sent.membership_expires_at, status = sent.status, \
     suppressed_by = sent.suppressed_by, suppressed_in = sent.suppressed_in, \
     suppressed_at = sent.suppressed_at, suppressed_because = sent.suppressed_because, \
     reinstated_at = sent.reinstated_at, departure = sent.departure, moved_to = sent.moved_to, \
     old_id = sent.old_id, old_is_quiet = sent.old_is_quiet, \
     old_is_withdrawn = sent.old_is_withdrawn, \
     new_id = sent.new_id, new_is_quiet = sent.new_is_quiet, \
     new_is_withdrawn = sent.new_is_withdrawn, as_of = sent.as_of, migrated_at = sent.migrated_at, \
     migration_source = sent.migration_source, migration_arrived = sent.migration_arrived, \
     migration_shown_in = sent.migration_shown_in, migration_token = sent.migration_token, \
     told = sent.told, told_at = sent.told_at, updated_at = sent.updated_at, email = sent.email \
     FROM unnest(\
     ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) \
     AS sent (\
     id, version, reported_at, name, country, membership_plan_category, membership_status, \
     membership_expires_at, status, suppressed_by, suppressed_in, suppressed_at, \
     suppressed_because, reinstated_at, departure, moved_to, old_id, old_is_quiet, \
     old_is_withdrawn, new_id, new_is_quiet, new_is_withdrawn, as_of, migrated_at, \
     migration_source, migration_arrived, migration_shown_in, migration_token, told, told_at, \
     updated_at, email, expected) \
     WHERE subscribers.id = sent.id AND subscribers.version = sent.expected"
}

statement! {
    Insert =
    "INSERT INTO subscribers (\
     id, version, reported_at, name, country, membership_plan_category, membership_status, \
     membership_expires_at, status, suppressed_by, suppressed_in, suppressed_at, \
     suppressed_because, reinstated_at, departure, moved_to, old_id, old_is_quiet, \
     old_is_withdrawn, new_id, new_is_quiet, new_is_withdrawn, as_of, migrated_at, \
     migration_source, migration_arrived, migration_shown_in, migration_token, told, told_at, \
     updated_at, email) \
     SELECT * FROM unnest(\
     ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) \
     ON CONFLICT DO NOTHING"
}

fn of_changed<'a>(rows: &'a [&SubscriberWrite]) -> Vec<Value<'a>> {
    let mut columns = changing(rows);
    columns.push(bigints(rows, |write| write.expected));
    columns
}

/// The id, and the columns that may change in the life of a subscriber, in their order.
fn changing<'a>(rows: &'a [&SubscriberWrite]) -> Vec<Value<'a>> {
    let membership = |write: &SubscriberWrite| write.subscriber.membership;
    let migrated = |write: &SubscriberWrite| write.subscriber.migrated;
    vec![
        uuids(rows, |write| write.subscriber.id.uuid()),
        bigints(rows, |write| Some(write.subscriber.version)),
        times(rows, |write| write.subscriber.reported_at.map(timestamp)),
        texts(rows, |write| write.subscriber.name.as_deref()),
        texts(rows, |write| write.subscriber.country.as_deref()),
        texts(rows, |write| {
            membership(write).map(|Membership { plan_category, .. }| plan_category.as_str())
        }),
        texts(rows, |write| {
            membership(write).map(|Membership { status, .. }| status.as_str())
        }),
        dates(rows, |write| {
            membership(write).and_then(|Membership { expires_at, .. }| expires_at.map(date))
        }),
        texts(rows, |write| Some(write.subscriber.status.as_str())),
        texts(rows, |write| {
            suppression(write).map(|it| it.source.as_str())
        }),
        texts(rows, |write| {
            suppression(write)
                .and_then(|it| it.account)
                .map(Account::as_str)
        }),
        times(rows, |write| suppression(write).map(|it| timestamp(it.at))),
        texts(rows, |write| suppression(write)?.reason.as_deref()),
        times(rows, |write| write.subscriber.reinstated_at.map(timestamp)),
        texts(rows, |write| {
            let departure = write.subscriber.departure;
            departure.map(|it| it.kind().as_str())
        }),
        optional_uuids(rows, |write| {
            let successor = write.subscriber.departure.and_then(Departure::successor);
            successor.map(SubscriberId::uuid)
        }),
        texts(rows, |write| id(&write.subscriber.places.old)),
        bools(rows, |write| write.subscriber.places.old.is_quiet),
        bools(rows, |write| write.subscriber.places.old.is_withdrawn),
        texts(rows, |write| id(&write.subscriber.places.new)),
        bools(rows, |write| write.subscriber.places.new.is_quiet),
        bools(rows, |write| write.subscriber.places.new.is_withdrawn),
        times(rows, |write| write.subscriber.as_of.map(timestamp)),
        times(rows, |write| {
            migrated(write).map(|Migrated { at, .. }| timestamp(at))
        }),
        texts(rows, |write| {
            migrated(write).map(|Migrated { source, .. }| source.as_str())
        }),
        bools(rows, |write| {
            migrated(write).is_some_and(|Migrated { arrived, .. }| arrived)
        }),
        texts(rows, |write| {
            migrated(write).and_then(sql_common::subscriber::shown_in)
        }),
        texts(rows, |write| Some(write.subscriber.token.reveal())),
        binaries(rows, |write| told(&write.subscriber)),
        times(rows, |write| write.subscriber.told_at.map(timestamp)),
        times(rows, |write| Some(timestamp(write.subscriber.updated_at))),
        texts(rows, |write| Some(write.subscriber.email.as_str())),
    ]
}

const fn suppression(write: &SubscriberWrite) -> Option<&Suppression> {
    write.subscriber.suppression.as_ref()
}

fn id(place: &Place) -> Option<&str> {
    place.id.as_ref().map(|id| id.0.as_str())
}

fn told(subscriber: &Subscriber) -> Option<&[u8]> {
    subscriber.synced_digest.as_ref().map(<[u8; 32]>::as_slice)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        statement::Sql,
        tests::plans::{goes_by, plan},
    };

    /// Also while the table is small: the statement keeps its plan.
    #[tokio::test]
    async fn rows_that_exist_are_looked_up_one_by_one() {
        let types = "(uuid[], bigint[], timestamptz[], text[], text[], text[], text[], date[], \
            text[], text[], text[], timestamptz[], text[], timestamptz[], text[], uuid[], \
            text[], boolean[], boolean[], text[], boolean[], boolean[], timestamptz[], \
            timestamptz[], text[], boolean[], text[], text[], bytea[], timestamptz[], \
            timestamptz[], text[], bigint[])";
        let plan = plan(Update::text(), types).await;
        goes_by(&plan, "subscribers_pkey");
        assert!(plan.contains("Index Cond: (id = sent.id)"), "{plan}");
        assert!(!plan.contains("Sort"), "{plan}");
    }
}

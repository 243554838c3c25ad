//! Locks and writes the subscribers of a commit.

use std::collections::BTreeSet;

use diesel_async::AsyncPgConnection;
use newsletter::store::{StoreError, SubscriberWrite, WriteSet};
use sql_common::{statement, subscriber::SubscriberRow};

use super::erasure;
use crate::{
    error::Failure,
    statement::{Value, bigints, columns, execute},
};

/// Writes the subscribers of a commit, and keeps them locked until it ends. A version that is
/// not the expected one is a conflict, and so is an address that was taken.
///
/// Existing subscribers are locked first, by id, and then new ones, by address, so that two
/// overlapping commits cannot deadlock. Deletions come first, since new subscribers may take over
/// their addresses.
pub(super) async fn write(conn: &mut AsyncPgConnection, writes: &WriteSet) -> Result<(), Failure> {
    lock(conn, writes).await?;
    let (changed, mut new): (Vec<_>, Vec<_>) = writes
        .subscribers
        .values()
        .partition(|write| write.expected.is_some());
    new.sort_unstable_by_key(|write| &write.subscriber.email);
    erasure::write(conn, writes).await?;
    if !changed.is_empty() {
        let mut values = of(&changed);
        values.push(bigints(&changed, |write| write.expected));
        let written = execute::<Update>(conn, &values).await?;
        all(&changed, written)?;
    }
    if !new.is_empty() {
        let written = execute::<Insert>(conn, &of(&new)).await?;
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

/// Locks those that a commit changes, if it takes others away.
async fn lock(conn: &mut AsyncPgConnection, writes: &WriteSet) -> Result<(), Failure> {
    if writes.purges.is_empty() {
        return Ok(());
    }
    let ids: BTreeSet<_> = writes
        .subscribers
        .keys()
        .chain(writes.purges.keys())
        .collect();
    let ids = ids.into_iter().map(|id| id.uuid()).collect();
    execute::<Lock>(conn, &[Value::Uuids(ids)]).await?;
    Ok(())
}

statement! {
    /// Looks rows up one by one in the order sent, which is that of their ids.
    Update =
    "UPDATE subscribers SET {subscribers.changing = sent} \
     FROM unnest(?, {subscribers.changing ?}, ?) AS sent (id, {subscribers.changing}, expected) \
     WHERE subscribers.id = sent.id AND subscribers.version = sent.expected",
    over [SubscriberRow]
}

statement! {
    Insert =
    "INSERT INTO subscribers ({subscribers}) SELECT * FROM unnest({subscribers ?}) \
     ON CONFLICT DO NOTHING",
    over [SubscriberRow]
}

/// The columns of these rows, in insert order.
fn of<'a>(rows: &[&'a SubscriberWrite]) -> Vec<Value<'a>> {
    columns::<SubscriberRow>(rows.iter().map(|write| &write.subscriber)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        statement::Sql,
        tests::plans::{assert_uses_index, plan},
    };

    /// Even while the table is small, since the plan is kept.
    #[tokio::test]
    async fn rows_that_exist_are_looked_up_one_by_one() {
        let types = "(uuid[], bigint[], text[], timestamptz[], text[], text[], text[], text[], \
            date[], text[], text[], text[], timestamptz[], text[], timestamptz[], text[], uuid[], \
            text[], boolean[], boolean[], text[], boolean[], boolean[], timestamptz[], \
            timestamptz[], text[], boolean[], text[], text[], bytea[], timestamptz[], \
            timestamptz[], bigint[])";
        let plan = plan(Update::text(), types).await;
        assert_uses_index(&plan, "subscribers_pkey");
        assert!(plan.contains("Index Cond: (id = sent.id)"), "{plan}");
        assert!(!plan.contains("Sort"), "{plan}");
    }
}

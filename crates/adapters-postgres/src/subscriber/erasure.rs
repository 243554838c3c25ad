//! Deletes subscribers, and keeps hashed suppressions of erased ones.

use std::collections::HashMap;

use diesel_async::AsyncPgConnection;
use newsletter::{
    store::{StoreError, WriteSet},
    subscriber::{Email, Remembered, SubscriberId, departure::Purge},
};
use sql_common::{
    entity::Entity,
    erasure::{self, ErasedRow, Key, erased, hashes},
};

use crate::{
    error::Failure,
    statement::{bigints, binaries, columns, execute, load, statement, uuids},
};

async fn key(conn: &mut AsyncPgConnection) -> Result<([u8; 32], bool), Failure> {
    Ok(erasure::key(load::<Key, _>(conn, &[]).await?)?)
}

statement! {
    Recall = "SELECT {erased_suppressions} FROM erased_suppressions WHERE hash = ANY(?)",
    over [ErasedRow],
    returns <ErasedRow as Entity>::Row
}

/// Loads the suppressions that are kept for these addresses.
pub(super) async fn remembered(
    conn: &mut AsyncPgConnection,
    emails: &[Email],
) -> Result<HashMap<Email, Remembered>, Failure> {
    let (key, are_there_any) = key(conn).await?;
    if !are_there_any {
        return Ok(HashMap::new());
    }
    let emails = hashes(&key, emails)?;
    let wanted: Vec<_> = emails.keys().copied().collect();
    let values = [binaries(&wanted, |hash| Some(hash.as_slice()))];
    let rows: Vec<ErasedRow> = load::<Recall, _>(conn, &values).await?;
    let mut known = HashMap::new();
    for row in rows {
        let email = emails.get(row.hash.as_slice()).copied();
        let remembered = Remembered::try_from(row)?;
        known.extend(email.map(|email| (email.clone(), remembered)));
    }
    Ok(known)
}

statement! {
    Delete =
    "DELETE FROM subscribers USING unnest(?, ?) AS sent (id, expected) \
     WHERE subscribers.id = sent.id AND subscribers.version = sent.expected"
}

statement! {
    Forget = "DELETE FROM erased_suppressions WHERE hash = ANY(?)"
}

statement! {
    Remember =
    "INSERT INTO erased_suppressions ({erased_suppressions}) \
     SELECT * FROM unnest({erased_suppressions ?}) AS sent ({erased_suppressions}) ORDER BY hash \
     ON CONFLICT (hash) DO UPDATE SET {erased_suppressions.changing = excluded}",
    over [ErasedRow]
}

statement! {
    /// Leaves leased tasks to the worker that holds them.
    DropTasks =
    "WITH gone AS MATERIALIZED (\
     SELECT id FROM outbox WHERE kind IN ('migrate', 'sync', 'withdraw') AND subject = ANY(?) \
     AND lease IS NULL ORDER BY kind, subject, id FOR UPDATE) \
     DELETE FROM outbox USING gone WHERE outbox.id = gone.id"
}

/// Deletes subscribers whose locks the caller holds, and writes the suppressions kept of them. An
/// unexpected version is a conflict.
pub(super) async fn write(conn: &mut AsyncPgConnection, writes: &WriteSet) -> Result<(), Failure> {
    if writes.purges.is_empty() && writes.recalled.is_empty() {
        return Ok(());
    }
    let (key, _) = key(conn).await?;
    let recalled = hashes(&key, &writes.recalled)?;
    if !recalled.is_empty() {
        let recalled: Vec<_> = recalled.into_keys().collect();
        let values = [binaries(&recalled, |hash| Some(hash.as_slice()))];
        execute::<Forget>(conn, &values).await?;
    }
    let purges: Vec<_> = writes.purges.iter().collect();
    if purges.is_empty() {
        return Ok(());
    }
    delete(conn, &purges).await?;
    let erased = erased(&key, writes)?;
    if !erased.is_empty() {
        let values: Vec<_> = columns::<ErasedRow>(erased.iter()).collect();
        execute::<Remember>(conn, &values).await?;
    }
    Ok(())
}

async fn delete(
    conn: &mut AsyncPgConnection,
    purges: &[(&SubscriberId, &Purge)],
) -> Result<(), Failure> {
    let ids = |rows| uuids(rows, |(id, _): &(&SubscriberId, &Purge)| id.uuid());
    let values = [
        ids(purges),
        bigints(purges, |(_, purge)| Some(purge.expected)),
    ];
    if execute::<Delete>(conn, &values).await? != purges.len() {
        return Err(StoreError::Conflict.into());
    }
    execute::<DropTasks>(conn, &[ids(purges)]).await?;
    Ok(())
}

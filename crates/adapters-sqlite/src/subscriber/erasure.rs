//! Deletes subscribers, and keeps hashed suppressions of erased ones.

use std::collections::HashMap;

use diesel::SqliteConnection;
use newsletter::{
    store::{StoreError, WriteSet, remembered_as},
    subscriber::{Email, Remembered, departure::Purge},
};
use sql_common::{
    entity::Entity,
    erasure::{self, ErasedRow, Key, erased, hashes},
};
use uuid::Uuid;

use crate::{
    error::Failure,
    statement::{execute, load, row, statement},
};

fn key(conn: &mut SqliteConnection) -> Result<([u8; 32], bool), Failure> {
    Ok(erasure::key(load::<Key, _>(conn, &[])?)?)
}

statement! {
    Recall = "SELECT {erased_suppressions} FROM erased_suppressions WHERE hash = ?",
    over [ErasedRow],
    returns <ErasedRow as Entity>::Row
}

/// Loads the suppressions that are kept for these addresses.
pub(super) fn remembered(
    conn: &mut SqliteConnection,
    emails: &[Email],
) -> Result<HashMap<Email, Remembered>, Failure> {
    let (key, are_there_any) = key(conn)?;
    let mut known = HashMap::new();
    for email in emails.iter().filter(|_| are_there_any) {
        let hash = remembered_as(&key, email)?;
        let rows: Vec<ErasedRow> = load::<Recall, _>(conn, &[(&hash).into()])?;
        for row in rows {
            known.insert(email.clone(), Remembered::try_from(row)?);
        }
    }
    Ok(known)
}

statement! {
    Delete = "DELETE FROM subscribers WHERE id = ? AND version = ?"
}

statement! {
    Forget = "DELETE FROM erased_suppressions WHERE hash = ?"
}

statement! {
    Remember =
    "INSERT INTO erased_suppressions ({erased_suppressions}) VALUES ({erased_suppressions ?}) \
     ON CONFLICT (hash) DO UPDATE SET {erased_suppressions.changing = excluded}",
    over [ErasedRow]
}

statement! {
    /// Leaves leased tasks to the worker that holds them.
    DropTasks =
    "DELETE FROM outbox WHERE lease IS NULL AND kind IN ('sync', 'migrate', 'withdraw') \
     AND subject = ?"
}

/// Deletes subscribers, and writes the suppressions kept of them. An unexpected version is a
/// conflict.
pub(super) fn write(conn: &mut SqliteConnection, writes: &WriteSet) -> Result<(), Failure> {
    if writes.purges.is_empty() && writes.recalled.is_empty() {
        return Ok(());
    }
    let (key, _) = key(conn)?;
    for hash in hashes(&key, &writes.recalled)?.keys() {
        execute::<Forget>(conn, &[hash.into()])?;
    }
    for (id, purge) in &writes.purges {
        delete(conn, id.uuid(), purge)?;
    }
    for erased in &erased(&key, writes)? {
        execute::<Remember>(conn, &row::<ErasedRow>(erased))?;
    }
    Ok(())
}

fn delete(conn: &mut SqliteConnection, id: Uuid, purge: &Purge) -> Result<(), Failure> {
    if execute::<Delete>(conn, &[(&id).into(), purge.expected.into()])? == 0 {
        return Err(StoreError::Conflict.into());
    }
    execute::<DropTasks>(conn, &[id.into()])?;
    Ok(())
}

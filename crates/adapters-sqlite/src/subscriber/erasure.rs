//! Rows that go, and what is remembered of those who were erased.

use std::collections::HashMap;

use diesel::{
    SqliteConnection,
    sql_types::{BigInt, Binary, Bool, Text},
};
use newsletter::{
    store::{Purge, StoreError, WriteSet},
    subscriber::{Email, Remembered},
};
use sql_common::{erasure::remembered_as, stored::word};
use uuid::Uuid;

use crate::{
    error::Failure,
    statement::{execute, load, statement},
    value::{micros, time},
};

statement! {
    Key =
    "SELECT key, EXISTS (SELECT 1 FROM erased_suppressions) FROM erasure_keys",
    returns (Binary, Bool)
}

/// The key of the hashes, and whether there are any.
fn key(conn: &mut SqliteConnection) -> Result<(Vec<u8>, bool), Failure> {
    let keys: Vec<(Vec<u8>, bool)> = load::<Key, _>(conn, &[])?;
    let missing = || StoreError::Broken("the table erasure_keys is empty".to_owned());
    Ok(keys.into_iter().next().ok_or_else(missing)?)
}

statement! {
    Recall = "SELECT status, at FROM erased_suppressions WHERE hash = ?",
    returns (Text, BigInt)
}

/// What is remembered of these addresses.
pub(super) fn remembered(
    conn: &mut SqliteConnection,
    emails: &[Email],
) -> Result<HashMap<Email, Remembered>, Failure> {
    let (key, are_there_any) = key(conn)?;
    let mut known = HashMap::new();
    for email in emails.iter().filter(|_| are_there_any) {
        let hash = remembered_as(&key, email)?;
        let rows: Vec<(String, i64)> = load::<Recall, _>(conn, &[(&hash).into()])?;
        if let Some((status, at)) = rows.into_iter().next() {
            let remembered = Remembered {
                status: word(status, "erased_suppressions.status")?,
                at: time(at, "erased_suppressions.at")?,
            };
            known.insert(email.clone(), remembered);
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
    "INSERT INTO erased_suppressions (hash, status, at) VALUES (?, ?, ?) \
     ON CONFLICT (hash) DO UPDATE SET status = excluded.status, at = excluded.at"
}

statement! {
    /// What a worker is at it finishes itself.
    DropTasks =
    "DELETE FROM outbox WHERE lease IS NULL AND id IN (\
     SELECT id FROM outbox WHERE kind <> 'event' \
     AND kind IN ('sync', 'migrate', 'withdraw') AND subject = ? \
     UNION ALL SELECT id FROM outbox WHERE kind = 'event' AND subject = ?)"
}

/// Takes rows away, and writes what is remembered. A version that is not the expected one is a
/// conflict.
pub(super) fn write(conn: &mut SqliteConnection, writes: &WriteSet) -> Result<(), Failure> {
    if writes.purges.is_empty() && writes.recalled.is_empty() {
        return Ok(());
    }
    let (key, _) = key(conn)?;
    for email in &writes.recalled {
        let hash = remembered_as(&key, email)?;
        execute::<Forget>(conn, &[(&hash).into()])?;
    }
    for (id, purge) in &writes.purges {
        take_away(conn, id.uuid(), purge)?;
        if let Some(status) = purge.remember {
            let hash = remembered_as(&key, &purge.email)?;
            let at = micros(writes.tasks.at);
            let values = [(&hash).into(), status.as_str().into(), at.into()];
            execute::<Remember>(conn, &values)?;
        }
    }
    Ok(())
}

fn take_away(conn: &mut SqliteConnection, id: Uuid, purge: &Purge) -> Result<(), Failure> {
    if execute::<Delete>(conn, &[(&id).into(), purge.expected.into()])? == 0 {
        return Err(StoreError::Conflict.into());
    }
    execute::<DropTasks>(conn, &[(&id).into(), (&id).into()])?;
    Ok(())
}

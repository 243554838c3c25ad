//! Rows that go, and what is remembered of those who were erased.

use std::collections::HashMap;

use diesel::{
    pg::data_types::PgTimestamp,
    sql_types::{Binary, Bool, Text, Timestamptz},
};
use diesel_async::AsyncPgConnection;
use newsletter::{
    store::{Purge, StoreError, WriteSet},
    subscriber::{Email, Remembered, SubscriberId, SubscriberStatus},
};
use sql_common::{erasure::remembered_as, stored::word};

use crate::{
    error::Failure,
    statement::{Value, bigints, binaries, execute, load, statement, texts, uuids},
    value::{time, timestamp},
};

statement! {
    Key =
    "SELECT key, EXISTS (SELECT FROM erased_suppressions WHERE hash >= '') \
     FROM erasure_keys WHERE is_the_one",
    returns (Binary, Bool)
}

/// The key of the hashes, and whether there are any.
async fn key(conn: &mut AsyncPgConnection) -> Result<(Vec<u8>, bool), Failure> {
    let keys: Vec<(Vec<u8>, bool)> = load::<Key, _>(conn, &[]).await?;
    let missing = || StoreError::Broken("the table erasure_keys is empty".to_owned());
    Ok(keys.into_iter().next().ok_or_else(missing)?)
}

statement! {
    Recall = "SELECT hash, status, at FROM erased_suppressions WHERE hash = ANY(?)",
    returns (Binary, Text, Timestamptz)
}

/// What is remembered of these addresses.
pub(super) async fn remembered(
    conn: &mut AsyncPgConnection,
    emails: &[Email],
) -> Result<HashMap<Email, Remembered>, Failure> {
    let (key, are_there_any) = key(conn).await?;
    if !are_there_any {
        return Ok(HashMap::new());
    }
    let mut emails: HashMap<_, _> = hashes(&key, emails)?.into_iter().collect();
    let wanted: Vec<_> = emails.keys().copied().collect();
    let values = [binaries(&wanted, |hash| Some(hash.as_slice()))];
    let rows: Vec<(Vec<u8>, String, PgTimestamp)> = load::<Recall, _>(conn, &values).await?;
    let mut known = HashMap::new();
    for (hash, status, at) in rows {
        let remembered = Remembered {
            status: word(status, "erased_suppressions.status")?,
            at: time(at, "erased_suppressions.at")?,
        };
        let email = emails.remove(hash.as_slice());
        known.extend(email.map(|email| (email.clone(), remembered)));
    }
    Ok(known)
}

fn hashes<'a>(
    key: &[u8],
    emails: impl IntoIterator<Item = &'a Email>,
) -> Result<Vec<([u8; 32], &'a Email)>, StoreError> {
    let emails = emails.into_iter();
    emails
        .map(|email| Ok((remembered_as(key, email)?, email)))
        .collect()
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
    "INSERT INTO erased_suppressions (hash, status, at) \
     SELECT hash, status, ? FROM unnest(?, ?) AS sent (hash, status) ORDER BY hash \
     ON CONFLICT (hash) DO UPDATE SET status = excluded.status, at = excluded.at"
}

statement! {
    /// What a worker is at it finishes itself.
    DropTasks =
    "WITH meant AS MATERIALIZED (\
     SELECT id FROM outbox WHERE kind <> 'event' AND kind IN ('migrate', 'sync', 'withdraw') \
     AND subject = ANY(?) \
     UNION ALL SELECT id FROM outbox WHERE kind = 'event' AND subject = ANY(?)), \
     gone AS MATERIALIZED (SELECT task.id FROM outbox AS task JOIN meant ON meant.id = task.id \
     WHERE task.lease IS NULL ORDER BY task.kind, task.subject, task.id FOR UPDATE OF task) \
     DELETE FROM outbox USING gone WHERE outbox.id = gone.id"
}

/// Takes rows away, whose locks the caller holds, and writes what is remembered. A version that is
/// not the expected one is a conflict.
pub(super) async fn write(conn: &mut AsyncPgConnection, writes: &WriteSet) -> Result<(), Failure> {
    if writes.purges.is_empty() && writes.recalled.is_empty() {
        return Ok(());
    }
    let (key, _) = key(conn).await?;
    let recalled = hashes(&key, &writes.recalled)?;
    if !recalled.is_empty() {
        let values = [binaries(&recalled, |(hash, _)| Some(hash.as_slice()))];
        execute::<Forget>(conn, &values).await?;
    }
    let purges: Vec<_> = writes.purges.iter().collect();
    if purges.is_empty() {
        return Ok(());
    }
    take_away(conn, &purges).await?;
    let said_no = purges.iter().filter_map(|(_, purge)| {
        let status = purge.remember?;
        Some((&purge.email, status))
    });
    remember(conn, writes, &key, said_no.collect()).await
}

async fn take_away(
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
    execute::<DropTasks>(conn, &[ids(purges), ids(purges)]).await?;
    Ok(())
}

async fn remember(
    conn: &mut AsyncPgConnection,
    writes: &WriteSet,
    key: &[u8],
    said_no: Vec<(&Email, SubscriberStatus)>,
) -> Result<(), Failure> {
    if said_no.is_empty() {
        return Ok(());
    }
    let hashes = hashes(key, said_no.iter().map(|(email, _)| *email))?;
    let values = [
        Value::Time(timestamp(writes.tasks.at)),
        binaries(&hashes, |(hash, _)| Some(hash.as_slice())),
        texts(&said_no, |(_, status)| Some(status.as_str())),
    ];
    execute::<Remember>(conn, &values).await?;
    Ok(())
}

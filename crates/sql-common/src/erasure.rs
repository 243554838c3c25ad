//! The tables `erasure_keys` and `erased_suppressions`: suppressions that remain after their
//! subscribers are erased.

use std::collections::{BTreeMap, HashMap};

use diesel::sql_types::{Binary, Bool, Text};
use newsletter::{
    store::{StoreError, WriteSet, remembered_as},
    subscriber::{Email, Remembered},
};

use crate::{
    each, entity,
    entity::row,
    executor::{Executor, Outcome},
    statement,
    stored::{Decode, decode},
    types::Moment,
    value::Named,
};

entity! {
    ErasedRow = erased_suppressions of ([u8; 32], Remembered) {
        fixed {
            hash: Binary = Blob(|(hash, _)| Some(hash)),
        }
        changing {
            status: Text = Text(|(_, remembered)| Some(remembered.status.as_str())),
            at: Moment = Time(|(_, remembered)| Some(remembered.at)),
        }
    }
}

decode! { row: ErasedRow of erased_suppressions => Remembered { status, at } }

statement! {
    Key = r"
        SELECT key, EXISTS (SELECT 1 FROM erased_suppressions WHERE hash >= '')
        FROM erasure_keys WHERE singleton",
    returns (Binary, Bool)
}

async fn key(conn: &mut impl Executor) -> Outcome<([u8; 32], bool)> {
    let rows = conn.load::<Key>(&[]).await?;
    let missing = || StoreError::Broken("the table erasure_keys is empty".to_owned());
    let (key, are_there_any) = rows.into_iter().next().ok_or_else(missing)?;
    Ok((key.decode("erasure_keys.key")?, are_there_any))
}

fn hashes<'a>(
    key: &[u8; 32],
    emails: impl IntoIterator<Item = &'a Email>,
) -> Result<BTreeMap<[u8; 32], &'a Email>, StoreError> {
    let emails = emails.into_iter();
    emails
        .map(|email| Ok((remembered_as(key, email)?, email)))
        .collect()
}

fn each_hash<'a>(hashes: &'a BTreeMap<[u8; 32], &Email>) -> Vec<Vec<Named<'a>>> {
    each! { hashes.keys(), hash => hash }
}

statement! {
    Recall = "SELECT {erased_suppressions} FROM erased_suppressions WHERE hash = {each hash}",
    returns ErasedRow
}

pub async fn remembered(
    conn: &mut impl Executor,
    emails: &[Email],
) -> Outcome<HashMap<Email, Remembered>> {
    let (key, are_there_any) = key(conn).await?;
    if !are_there_any {
        return Ok(HashMap::new());
    }
    let emails = hashes(&key, emails)?;
    let rows = conn.load_each::<Recall>(&each_hash(&emails), &[]).await?;
    let mut known = HashMap::new();
    for row in rows {
        let email = emails.get(row.hash.as_slice()).copied();
        let remembered = Remembered::try_from(row)?;
        known.extend(email.map(|email| (email.clone(), remembered)));
    }
    Ok(known)
}

statement! {
    Forget = "DELETE FROM erased_suppressions WHERE hash = {each hash}";

    Delete = every r"
        DELETE FROM subscribers WHERE id IN (
            SELECT one.id FROM {given id uuid, expected bigint}
            JOIN subscribers AS one ON one.id = sent.id AND one.version = sent.expected)";

    DropTasks = {
        postgres: r"
            WITH gone AS MATERIALIZED (
                SELECT id FROM outbox
                WHERE kind IN ('migrate', 'sync', 'withdraw') AND subject = ANY(:id)
                    AND lease IS NULL
                ORDER BY kind, subject, id FOR UPDATE
            )
            DELETE FROM outbox USING gone WHERE outbox.id = gone.id",
        sqlite: r"
            DELETE FROM outbox
            WHERE lease IS NULL AND kind IN ('sync', 'migrate', 'withdraw') AND subject = :id",
    };

    Remember = r"
        INSERT INTO erased_suppressions ({erased_suppressions}) {erased_suppressions rows}
        {postgres ORDER BY hash}
        ON CONFLICT (hash) DO UPDATE SET {erased_suppressions.changing = excluded}",
    over [ErasedRow]
}

pub(crate) async fn write(conn: &mut impl Executor, writes: &WriteSet) -> Outcome<()> {
    if writes.purges.is_empty() && writes.recalled.is_empty() {
        return Ok(());
    }
    let (key, _) = key(conn).await?;
    let recalled = hashes(&key, &writes.recalled)?;
    conn.execute_each::<Forget>(&each_hash(&recalled), &[])
        .await?;
    let purges = &writes.purges;
    let deleted = each! { purges, (id, purge) => id: id.uuid(), expected: purge.expected };
    conn.execute_every::<Delete>(&deleted, &[]).await?;
    let gone = each! { purges.keys(), id => id: id.uuid() };
    conn.execute_each::<DropTasks>(&gone, &[]).await?;
    let erased = erased(&key, writes)?;
    let erased: Vec<_> = erased.iter().map(row::<ErasedRow>).collect();
    conn.execute_each::<Remember>(&erased, &[]).await?;
    Ok(())
}

fn erased(key: &[u8; 32], writes: &WriteSet) -> Result<Vec<([u8; 32], Remembered)>, StoreError> {
    let at = writes.tasks.at;
    let purges = writes.purges.values();
    purges
        .filter_map(|purge| Some((&purge.email, purge.remember?)))
        .map(|(email, status)| Ok((remembered_as(key, email)?, Remembered { status, at })))
        .collect()
}

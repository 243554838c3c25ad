//! Postings as a commit writes them.

use std::collections::HashMap;

use diesel::sql_types::{BigInt, Uuid as SqlUuid};
use diesel_async::AsyncPgConnection;
use domain::{
    posting::PostingId,
    store::{PostingWrite, StoreError, WriteSet},
};
use sql_common::{
    posting::{PostingRow, TextsRow},
    statement,
};
use uuid::Uuid;

use super::history;
use crate::{
    error::Failure,
    statement::{Value, bigints, changing, columns, load, uuids},
};

statement! {
    /// The rows stay locked until the commit ends. Not as strongly as `FOR UPDATE`, which
    /// would keep others from adding rows that refer to them. From here on the transaction waits
    /// for a lock as long as is said first.
    Lock =
    "WITH patience AS MATERIALIZED (SELECT set_config('lock_timeout', ?, true)) \
     SELECT id, version FROM postings \
     WHERE (SELECT count(*) FROM patience) >= 0 AND id = ANY(?) ORDER BY id FOR NO KEY UPDATE",
    returns (SqlUuid, BigInt)
}

/// What a commit that is one statement has to lock. Nothing, if it never waits for a posting while
/// it holds what others may wait for: because it only adds postings, or is about a single one and
/// changes nothing else that others write.
pub(crate) fn locks(writes: &WriteSet) -> Vec<Uuid> {
    let concerned = writes.concerned();
    let is_single = concerned.len() == 1 && writes.postings.len() == 1;
    if is_single
        && writes.companies.is_empty()
        && concerned.iter().all(|id| writes.postings.contains_key(id))
    {
        return Vec::new();
    }
    concerned.into_iter().map(PostingId::uuid).collect()
}

/// Locks the postings that a commit changes, in the order of their ids, and checks their versions.
/// Those that it only says something about are locked too: so the rows of the outbox that are for
/// one posting are numbered in the order of the commits that write them.
pub(crate) async fn lock(
    conn: &mut AsyncPgConnection,
    writes: &WriteSet,
    patience: &str,
) -> Result<(), Failure> {
    let ids: Vec<_> = writes
        .concerned()
        .into_iter()
        .map(PostingId::uuid)
        .collect();
    if ids.is_empty() {
        return Ok(());
    }
    let found: Vec<(Uuid, i64)> =
        load::<Lock, _>(conn, &[Value::from(patience), Value::Uuids(ids)]).await?;
    let versions: HashMap<_, _> = found.into_iter().collect();
    let is_as_expected = |write: &PostingWrite| {
        write.expected.is_none()
            || versions.get(&write.posting.id.uuid()).copied() == write.expected
    };
    if writes.postings.values().all(is_as_expected) {
        Ok(())
    } else {
        Err(StoreError::Conflict.into())
    }
}

/// The postings of a commit, as the rows of its statement.
pub(crate) struct Rows<'a> {
    changed: Vec<&'a PostingWrite>,
    new: Vec<&'a PostingWrite>,
    enriched: Vec<&'a PostingWrite>,
    history: Vec<history::Row<'a>>,
}

impl<'a> Rows<'a> {
    /// Those that exist are in the order of their ids, new ones in that of their identifiers.
    pub(crate) fn of(writes: &'a WriteSet) -> Self {
        let all = || writes.postings.values();
        let (changed, mut new): (Vec<_>, Vec<_>) =
            all().partition(|write| write.expected.is_some());
        new.sort_unstable_by_key(|write| &write.posting.source_identifier);
        Self {
            changed,
            new,
            enriched: all().filter(|write| write.enriched.is_some()).collect(),
            history: all().flat_map(history::rows).collect(),
        }
    }

    /// How many are new, and how many exist.
    pub(crate) fn counts(&self) -> [usize; 2] {
        [self.new.len(), self.changed.len()]
    }

    /// The columns: of new ones, of those that exist, of the texts and of the history.
    pub(crate) fn columns(&self) -> Vec<Value<'_>> {
        let changed = || self.changed.iter().copied();
        let mut values: Vec<_> = columns::<PostingRow>(self.new.iter().copied()).collect();
        values.push(uuids(&self.changed, |write| write.posting.id.uuid()));
        values.extend(changing::<PostingRow>(changed()));
        values.push(bigints(&self.changed, |write| write.expected));
        values.extend(columns::<TextsRow>(self.enriched.iter().copied()));
        values.extend(history::columns(&self.history));
        values
    }
}

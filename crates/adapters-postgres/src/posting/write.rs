//! Locks the postings of a commit, and prepares their rows.

use std::collections::HashMap;

use diesel::sql_types::{BigInt, Uuid as SqlUuid};
use diesel_async::AsyncPgConnection;
use domain::store::{PostingWrite, WriteSet};
use kernel::{PostingId, StoreError};
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
    /// Sets the transaction's `lock_timeout`, and locks postings until the commit ends. `FOR
    /// UPDATE` would also keep other transactions from inserting rows that refer to them.
    Lock =
    "WITH lock_timeout AS MATERIALIZED (SELECT set_config('lock_timeout', ?, true)) \
     SELECT id, version FROM postings \
     WHERE (SELECT count(*) FROM lock_timeout) >= 0 AND id = ANY(?) ORDER BY id FOR NO KEY UPDATE",
    returns (SqlUuid, BigInt)
}

/// Returns the postings that a one-statement commit has to lock first.
///
/// None, if the commit cannot wait for a posting while it holds locks that others wait for: because
/// it only adds postings, or changes a single one and no company.
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

/// Locks the postings that a commit concerns, in the order of their ids, and checks the versions of
/// those that it changes or relies on. Postings that it only raises events or asks effects for are
/// locked too, so that outbox rows of a posting are numbered in the order of its commits.
pub(crate) async fn lock(
    conn: &mut AsyncPgConnection,
    writes: &WriteSet,
    lock_timeout: &str,
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
        load::<Lock, _>(conn, &[Value::from(lock_timeout), Value::Uuids(ids)]).await?;
    let versions: HashMap<_, _> = found.into_iter().collect();
    let is_as_expected = |write: &PostingWrite| {
        write.expected.is_none()
            || versions.get(&write.posting.id.uuid()).copied() == write.expected
    };
    let mut standing = writes.standing.iter();
    let stand = standing.all(|(id, version)| versions.get(&id.uuid()) == Some(version));
    if stand && writes.postings.values().all(is_as_expected) {
        Ok(())
    } else {
        Err(StoreError::Conflict.into())
    }
}

/// The postings of a commit, as rows of `write.sql`.
pub(crate) struct Rows<'a> {
    changed: Vec<&'a PostingWrite>,
    new: Vec<&'a PostingWrite>,
    enriched: Vec<&'a PostingWrite>,
    history: Vec<history::Row<'a>>,
}

impl<'a> Rows<'a> {
    /// Sorts existing postings by id, and new ones by identifier.
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

    /// The number of new postings, and of existing ones.
    pub(crate) fn counts(&self) -> [usize; 2] {
        [self.new.len(), self.changed.len()]
    }

    /// Returns the column arrays of new postings, of existing ones, of texts and of history
    /// entries.
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

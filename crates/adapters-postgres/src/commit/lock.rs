//! Locks the postings of a commit.

use std::collections::HashMap;

use diesel::sql_types::{BigInt, Uuid as SqlUuid};
use diesel_async::AsyncPgConnection;
use domain::store::{PostingWrite, WriteSet};
use kernel::{PostingId, StoreError};
use sql_common::{binds, statement};
use uuid::Uuid;

use crate::{
    error::Failure,
    statement::{Value, load},
};

statement! {
    /// Sets the transaction's `lock_timeout`, and locks postings until the commit ends. `FOR
    /// UPDATE` would also keep other transactions from inserting rows that refer to them.
    Lock = r"
        WITH lock_timeout AS MATERIALIZED (SELECT set_config('lock_timeout', :lock_timeout, true))
        SELECT id, version FROM postings
        WHERE (SELECT count(*) FROM lock_timeout) >= 0 AND id = ANY(:ids)
        ORDER BY id FOR NO KEY UPDATE",
    returns (SqlUuid, BigInt)
}

/// Returns the postings that a one-statement commit has to lock first.
///
/// None, if the commit cannot wait for a posting while it holds locks that others wait for: because
/// it only adds postings, or changes a single one and no company.
pub(super) fn locks(writes: &WriteSet) -> Vec<Uuid> {
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
pub(super) async fn lock(
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
    let asked = binds! { lock_timeout, ids: Value::Uuids(ids) };
    let found: Vec<(Uuid, i64)> = load::<Lock, _>(conn, asked).await?;
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

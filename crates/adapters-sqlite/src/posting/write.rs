//! Writes postings.

use std::collections::BTreeMap;

use diesel::{SqliteConnection, sql_types::BigInt};
use domain::store::PostingWrite;
use kernel::{PostingId, StoreError, Version};
use sql_common::{
    posting::{PostingRow, TextsRow},
    statement,
};

use super::history;
use crate::{
    error::Failure,
    statement::{changing, execute, load, row},
};

statement! {
    Insert = "INSERT INTO postings ({postings}) VALUES ({postings ?})",
    over [PostingRow]
}

statement! {
    Update = "UPDATE postings SET {postings.changing = ?} WHERE id = ? AND version = ?",
    over [PostingRow]
}

statement! {
    UpsertTexts =
    "INSERT INTO posting_texts ({posting_texts}) VALUES ({posting_texts ?}) \
     ON CONFLICT (posting_id) DO UPDATE SET {posting_texts.changing = excluded}",
    over [TextsRow]
}

statement! {
    IsOfVersion = "SELECT count(*) AS count FROM postings WHERE id = ? AND version = ?",
    returns (BigInt,)
}

/// Whether postings are of these versions.
pub(crate) fn stand(
    conn: &mut SqliteConnection,
    standing: &BTreeMap<PostingId, Version>,
) -> Result<bool, Failure> {
    for (id, version) in standing {
        let values = [id.uuid().into(), (*version).into()];
        let found: Vec<(i64,)> = load::<IsOfVersion, _>(conn, &values)?;
        if found != [(1,)] {
            return Ok(false);
        }
    }
    Ok(true)
}

/// Writes a posting, its history and its texts. An unexpected version is a conflict, and so is an
/// identifier that is taken.
pub(crate) fn write(conn: &mut SqliteConnection, write: &PostingWrite) -> Result<(), Failure> {
    let posting = &write.posting;
    if let Some(expected) = write.expected {
        let mut values = changing::<PostingRow>(write);
        values.push(posting.id.uuid().into());
        values.push(expected.into());
        if execute::<Update>(conn, &values)? == 0 {
            return Err(StoreError::Conflict.into());
        }
    } else {
        execute::<Insert>(conn, &row::<PostingRow>(write))?;
    }
    if write.enriched.is_some() {
        execute::<UpsertTexts>(conn, &row::<TextsRow>(write))?;
    }
    history::add(conn, posting, &write.history)
}

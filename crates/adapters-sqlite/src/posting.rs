//! How postings are written.

use std::collections::BTreeMap;

use diesel::sql_types::BigInt;
use domain::store::PostingWrite;
use kernel::{PostingId, StoreError, Version};
use sql_common::{
    binds,
    entity::row,
    executor::{Executor, Outcome},
    posting::{HistoryRow, PostingRow, TextsRow, VersionSent, history_of},
    statement,
};

statement! {
    Insert = "INSERT INTO postings ({postings}) VALUES ({postings :})",
    over [PostingRow]
}

statement! {
    Update = "UPDATE postings SET {postings.changing = :} WHERE id = :id AND version = :expected",
    over [PostingRow]
}

statement! {
    UpsertTexts = r"
        INSERT INTO posting_texts ({posting_texts}) VALUES ({posting_texts :})
        ON CONFLICT (posting_id) DO UPDATE SET {posting_texts.changing = excluded}",
    over [TextsRow]
}

statement! {
    AddHistory = "INSERT INTO posting_history ({posting_history}) VALUES ({posting_history :})",
    over [HistoryRow]
}

statement! {
    /// Records what an update is about to replace.
    AddVersion = r"
        INSERT INTO posting_versions (posting_id, version, at, actor, import, before,
            raw_description, markdown, redacted_markdown, redacted_title, latitude, longitude,
            findings)
        SELECT :posting_id, :version, :at, :actor, :import, :before,
            CASE WHEN :has_description THEN raw_description END,
            markdown, redacted_markdown, redacted_title, latitude, longitude, findings
        FROM postings LEFT JOIN posting_texts
            ON :has_texts AND posting_texts.posting_id = postings.id
        WHERE postings.id = :posting_id",
    over [VersionSent]
}

statement! {
    IsOfVersion = "SELECT count(*) AS count FROM postings WHERE id = :id AND version = :version",
    returns (BigInt,)
}

/// Whether postings are of these versions.
pub(crate) async fn stand(
    conn: &mut impl Executor,
    standing: &BTreeMap<PostingId, Version>,
) -> Outcome<bool> {
    for (id, version) in standing {
        let asked = binds! { id: id.uuid(), version: *version };
        let found: Vec<(i64,)> = conn.load::<IsOfVersion, _>(asked).await?;
        if found != [(1,)] {
            return Ok(false);
        }
    }
    Ok(true)
}

/// Writes a posting, its history and its texts. An unexpected version is a conflict, and so is an
/// identifier that is taken.
pub(crate) async fn write(conn: &mut impl Executor, write: &PostingWrite) -> Outcome<()> {
    let mut values = row::<PostingRow>(write);
    if write.replaced.is_some() {
        conn.execute::<AddVersion>(&row::<VersionSent>(write))
            .await?;
    }
    if let Some(expected) = write.expected {
        values.extend(binds! { expected });
        if conn.execute::<Update>(&values).await? == 0 {
            return Err(StoreError::Conflict.into());
        }
    } else {
        conn.execute::<Insert>(&values).await?;
    }
    if write.enriched.is_some() {
        conn.execute::<UpsertTexts>(&row::<TextsRow>(write)).await?;
    }
    let entries: Vec<_> = history_of(write).collect();
    let entries: Vec<_> = entries.iter().map(row::<HistoryRow>).collect();
    conn.execute_each::<AddHistory>(&entries, &[]).await?;
    Ok(())
}

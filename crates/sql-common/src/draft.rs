//! The table `drafts`.

use enrichment::DraftKey;
use kernel::PostingId;
use time::OffsetDateTime;
use uuid::Uuid;

use crate::{
    binds,
    executor::{Executor, Outcome},
    statement,
    stored::most,
    value::Value,
};

statement! {
    /// Stores a draft and ends the reservation of its key. If the posting is gone, nothing is
    /// stored. An erasure waits for this statement, and then finds the draft.
    Keep = r"
        INSERT INTO drafts (key, draft, used_at, posting_id)
        SELECT sent.key, sent.draft, sent.used_at, sent.posting_id
        FROM (
            SELECT :key{postgres ::bytea} AS key, :draft AS draft,
                :now{postgres ::timestamptz} AS used_at, :posting{postgres ::uuid} AS posting_id
        ) AS sent
        WHERE sent.posting_id IS NULL OR EXISTS (
            SELECT 1 FROM postings WHERE id = sent.posting_id {postgres FOR KEY SHARE}
        )
        ON CONFLICT (key) DO UPDATE SET draft = excluded.draft, used_at = excluded.used_at,
            posting_id = excluded.posting_id, holder = NULL, reserved_until = NULL"
}

pub async fn keep(
    conn: &mut impl Executor,
    key: &DraftKey,
    draft: &str,
    of: Option<PostingId>,
    now: OffsetDateTime,
) -> Outcome<()> {
    let posting = Value::Id(of.map(PostingId::uuid));
    let draft = binds! { key: key.as_bytes(), draft, now, posting };
    conn.execute::<Keep>(draft).await?;
    Ok(())
}

statement! {
    /// A row with a draft has no holder, so it stays.
    Release = "DELETE FROM drafts WHERE key = :key AND holder = :holder"
}

pub async fn release(conn: &mut impl Executor, key: &DraftKey, holder: Uuid) -> Outcome<()> {
    conn.execute::<Release>(binds! { key: key.as_bytes(), holder })
        .await?;
    Ok(())
}

statement! {
    /// Skips rows that another transaction is writing. `MATERIALIZED` enforces the `LIMIT`.
    Forget = {
        postgres: r"
            WITH unused AS MATERIALIZED (
                SELECT key FROM drafts
                WHERE used_at < :before AND (reserved_until IS NULL OR reserved_until < :before)
                ORDER BY used_at LIMIT :limit FOR UPDATE SKIP LOCKED
            )
            DELETE FROM drafts USING unused WHERE drafts.key = unused.key",
        sqlite: r"
            DELETE FROM drafts WHERE rowid IN (
                SELECT rowid FROM drafts
                WHERE used_at < :before AND (reserved_until IS NULL OR reserved_until < :before)
                ORDER BY used_at LIMIT :limit
            )",
    }
}

pub async fn forget(
    conn: &mut impl Executor,
    before: OffsetDateTime,
    limit: usize,
) -> Outcome<u64> {
    let unused = binds! { before, limit: most(limit) };
    Ok(conn.execute::<Forget>(unused).await? as u64)
}

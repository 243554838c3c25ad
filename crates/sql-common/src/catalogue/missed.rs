//! The table `missed_postings`: postings that a catalogue's imports did not name, and their state.

use std::collections::{BTreeMap, HashMap};

use diesel::sql_types::{BigInt, Nullable, Text};
use domain::catalogue::{CatalogueId, ExpiredPosting, Missed, MissingPosting, Released, Undone};
use kernel::{PostingId, StoreError};
use uuid::Uuid;

use crate::{
    binds, each,
    executor::{Executor, Outcome},
    posting::IDENTIFIER,
    sql::Returning,
    statement,
    stored::{Decode, most},
    types::{Id, StoredId},
    value::Named,
};

const OPEN: &str = "open";
const EXPIRED: &str = "expired";
const REOPENED: &str = "reopened";
const LEFT: &str = "left";
const HELD: &str = "held";
const KEPT: &str = "kept";
const RESTORED: &str = "restored";
const UNRESTORED: &str = "unrestored";

statement! {
    /// The rows may exist already, after a commit in doubt.
    Miss = r"
        INSERT INTO missed_postings (import, posting_id, state, misses)
        SELECT :holder, sent.posting, sent.state, sent.misses
        FROM {given posting uuid, state text, misses bigint} WHERE true
        ON CONFLICT (import, posting_id) DO UPDATE
        SET state = excluded.state, misses = excluded.misses";

    /// The rows may be undone already, after a commit in doubt.
    Undo = r"
        UPDATE missed_postings SET state = sent.state FROM {given posting uuid, state text}
        WHERE import = (SELECT expiring_import FROM catalogues WHERE id = :catalogue)
            AND posting_id = sent.posting AND missed_postings.state = 'expired'";

    /// The rows may be restored already, after a commit in doubt.
    Restore = r"
        INSERT INTO missed_postings (import, posting_id, state)
        SELECT expiring_import, sent.posting, sent.state
        FROM catalogues, {given posting uuid, state text}
        WHERE catalogues.id = :catalogue AND expiring_import IS NOT NULL
        ON CONFLICT (import, posting_id) DO UPDATE SET state = excluded.state, misses = NULL
        WHERE missed_postings.state NOT IN ('restored', 'unrestored')";

    /// After a release, an undo is about the held import. It leaves out postings that an earlier
    /// undo has handled.
    pub EndUndo = r"
        UPDATE missed_postings SET state = 'undone'
        WHERE state IN ('restored', 'unrestored') AND import = (
            SELECT held_import FROM {given catalogue uuid, holder uuid}
            JOIN catalogues ON catalogues.id = sent.catalogue AND catalogues.holder = sent.holder
            WHERE expiring_import IS NULL OR expiring_import <> held_import)";

    /// The rows may be settled already, after a commit in doubt.
    Settle = r"
        UPDATE missed_postings SET state = sent.state FROM {given posting uuid, state text}
        WHERE import = (
                SELECT coalesce(held_import, held_before) FROM catalogues WHERE id = :catalogue)
            AND posting_id = sent.posting AND missed_postings.state = 'held'"
}

/// Records how missed postings were handled, under a lease and in the caller's transaction.
pub async fn write(
    conn: &mut impl Executor,
    missed: &BTreeMap<PostingId, Missed>,
    lease: &[Named<'static>; 2],
) -> Outcome<()> {
    let [catalogue, holder] = lease;
    let (mut missing, mut undone, mut settled) = (Vec::new(), Vec::new(), Vec::new());
    let mut restored = Vec::new();
    for (posting, missed) in missed {
        let posting = posting.uuid();
        let mut miss = |state: &'static str, misses: Option<i64>| {
            missing.push(binds! { posting, state, misses }.to_vec());
        };
        let mut undo = |state: &'static str| undone.push(binds! { posting, state }.to_vec());
        let mut settle = |state: &'static str| settled.push(binds! { posting, state }.to_vec());
        match missed {
            Missed::Open(times) => miss(OPEN, Some(i64::from(*times))),
            Missed::Expired => miss(EXPIRED, None),
            Missed::Held => miss(HELD, None),
            Missed::Released => settle(EXPIRED),
            Missed::Kept => settle(KEPT),
            Missed::Reopened => undo(REOPENED),
            Missed::Left => undo(LEFT),
            Missed::Restored => restored.push(binds! { posting, state: RESTORED }.to_vec()),
            Missed::Unrestored => restored.push(binds! { posting, state: UNRESTORED }.to_vec()),
        }
    }
    conn.execute_each::<Miss>(&missing, std::slice::from_ref(holder))
        .await?;
    let catalogue = std::slice::from_ref(catalogue);
    conn.execute_each::<Undo>(&undone, catalogue).await?;
    conn.execute_each::<Settle>(&settled, catalogue).await?;
    conn.execute_each::<Restore>(&restored, catalogue).await?;
    Ok(())
}

statement! {
    Misses = r"
        SELECT posting_id, misses FROM missed_postings
        WHERE import = (SELECT counted_import FROM catalogues WHERE id = :catalogue)
            AND posting_id = {each posting} AND state = 'open'",
    returns (Id, BigInt)
}

pub async fn misses(
    conn: &mut impl Executor,
    catalogue: CatalogueId,
    postings: &[PostingId],
) -> Outcome<HashMap<PostingId, u8>> {
    let postings = each! { postings, id => posting: id.uuid() };
    let catalogue = binds! { catalogue: catalogue.uuid() };
    let rows = conn.load_each::<Misses>(&postings, catalogue).await?;
    let misses = rows.into_iter().map(|(id, misses)| {
        let posting = id.decode("missed_postings.posting_id")?;
        Ok((posting, misses.decode("missed_postings.misses")?))
    });
    misses.collect()
}

statement! {
    Missing = r"
        SELECT missed.posting_id, postings.source_identifier, postings.status, missed.state
        FROM missed_postings AS missed JOIN postings ON postings.id = missed.posting_id
        WHERE missed.import = (
                SELECT coalesce(held_import, held_before, (
                    SELECT import FROM catalogue_imports AS newest
                    WHERE catalogue_id = :catalogue AND is_complete
                        AND import IN (counted_import, expiring_import)
                        AND NOT EXISTS (
                            SELECT 1 FROM catalogue_imports AS newer
                            WHERE newer.catalogue_id = :catalogue AND newer.is_complete
                                AND newer.import IN (counted_import, expiring_import)
                                AND newer.finished_at > newest.finished_at)
                    LIMIT 1), counted_import)
                FROM catalogues WHERE id = :catalogue)
            AND missed.posting_id > :after AND missed.state IN ('held', 'open', 'expired')
        ORDER BY missed.posting_id LIMIT :limit",
    returns (Id, Text, Text, Text)
}

/// Returns the missing postings of an import, after a given posting. The import is the one that
/// holds postings back, or else the last complete one.
pub async fn missing(
    conn: &mut impl Executor,
    catalogue: CatalogueId,
    after: Option<PostingId>,
    limit: usize,
) -> Outcome<Vec<MissingPosting>> {
    let after = after.map_or(Uuid::nil(), PostingId::uuid);
    let asked = binds! { catalogue: catalogue.uuid(), after, limit: most(limit) };
    let rows = conn.load::<Missing>(asked).await?;
    let postings = rows.into_iter().map(|(id, identifier, status, state)| {
        Ok(MissingPosting {
            id: id.decode("missed_postings.posting_id")?,
            identifier: identifier.decode(IDENTIFIER)?,
            status: status.decode("postings.status")?,
            is_held: state == HELD,
        })
    });
    postings.collect()
}

statement! {
    ExpiredLast = r"
        SELECT posting_id, source_identifier FROM missed_postings
        LEFT JOIN postings ON postings.id = posting_id
        WHERE import = (SELECT expiring_import FROM catalogues WHERE id = :catalogue)
            AND posting_id > :after AND state = 'expired'
        ORDER BY posting_id LIMIT :limit",
    returns (Id, Nullable<Text>)
}

/// Returns postings after `after` that the expiring import expired and no undo has handled.
pub async fn expired_last(
    conn: &mut impl Executor,
    catalogue: CatalogueId,
    after: Option<PostingId>,
    limit: usize,
) -> Outcome<Vec<ExpiredPosting>> {
    let after = after.map_or(Uuid::nil(), PostingId::uuid);
    let asked = binds! { catalogue: catalogue.uuid(), after, limit: most(limit) };
    let rows = conn.load::<ExpiredLast>(asked).await?;
    Ok(undoable(rows)?)
}

statement! {
    ExpiringImport = "SELECT expiring_import FROM catalogues WHERE id = :catalogue",
    returns (Nullable<Id>,);

    ChangedLast = r"
        SELECT changed.posting_id, source_identifier FROM (
            SELECT DISTINCT posting_id FROM posting_versions AS versions
            WHERE import = :import AND posting_id > :after AND coalesce((
                SELECT state FROM missed_postings AS missed
                WHERE missed.import = versions.import AND missed.posting_id = versions.posting_id
            ), '') NOT IN ('restored', 'unrestored', 'undone')
            ORDER BY posting_id LIMIT :limit
        ) AS changed LEFT JOIN postings ON postings.id = changed.posting_id
        ORDER BY changed.posting_id",
    returns (Id, Nullable<Text>)
}

/// Returns the last import that expired or changed postings, and the postings that it changed,
/// after a given posting. Leaves out postings that an undo has handled.
pub async fn changed_last(
    conn: &mut impl Executor,
    catalogue: CatalogueId,
    after: Option<PostingId>,
    limit: usize,
) -> Outcome<Option<(Uuid, Vec<ExpiredPosting>)>> {
    let asked = binds! { catalogue: catalogue.uuid() };
    let found = conn.load::<ExpiringImport>(asked).await?;
    let Some((Some(import),)) = found.into_iter().next() else {
        return Ok(None);
    };
    let import = import.uuid("catalogues.expiring_import")?;
    let after = after.map_or(Uuid::nil(), PostingId::uuid);
    let asked = binds! { import, after, limit: most(limit) };
    let rows = conn.load::<ChangedLast>(asked).await?;
    Ok(Some((import, undoable(rows)?)))
}

fn undoable(rows: Vec<(StoredId, Option<String>)>) -> Result<Vec<ExpiredPosting>, StoreError> {
    let postings = rows.into_iter().map(|(id, identifier)| {
        Ok(ExpiredPosting {
            id: id.decode("posting_id")?,
            identifier: identifier.decode(IDENTIFIER)?,
        })
    });
    postings.collect()
}

fn states_of(import: &str) -> String {
    format!(
        "SELECT state, count(*) FROM missed_postings
        WHERE import = (SELECT {import} FROM catalogues WHERE id = :catalogue) GROUP BY state"
    )
}

statement! {
    CountUndone = &states_of("expiring_import"), returns (Text, BigInt);
    CountReleased = &states_of("held_import"), returns (Text, BigInt)
}

pub async fn undone(conn: &mut impl Executor, catalogue: CatalogueId) -> Outcome<Undone> {
    let counts = count::<CountUndone>(conn, catalogue).await?;
    Ok(Undone {
        reopened: counts(REOPENED),
        restored: counts(RESTORED),
        left: counts(LEFT) + counts(UNRESTORED),
    })
}

pub async fn released(conn: &mut impl Executor, catalogue: CatalogueId) -> Outcome<Released> {
    let counts = count::<CountReleased>(conn, catalogue).await?;
    Ok(Released {
        expired: counts(EXPIRED),
        left: counts(KEPT),
    })
}

async fn count<S: Returning<Row = (String, i64)>>(
    conn: &mut impl Executor,
    catalogue: CatalogueId,
) -> Outcome<impl Fn(&str) -> u64> {
    let asked = binds! { catalogue: catalogue.uuid() };
    let rows = conn.load::<S>(asked).await?;
    Ok(move |wanted: &str| {
        let row = rows.iter().find(|(state, _)| state == wanted);
        row.map_or(0, |(_, count)| u64::try_from(*count).unwrap_or_default())
    })
}

statement! {
    Forget = r"
        WITH RECURSIVE imports (import) AS (
            SELECT (SELECT import FROM missed_postings ORDER BY import LIMIT 1)
            UNION ALL
            SELECT (SELECT missed.import FROM missed_postings AS missed
                WHERE missed.import > imports.import ORDER BY missed.import LIMIT 1)
            FROM imports WHERE imports.import IS NOT NULL
        )
        DELETE FROM missed_postings WHERE (import, posting_id) IN (
            SELECT missed.import, missed.posting_id
            FROM imports JOIN missed_postings AS missed ON missed.import = imports.import
            WHERE NOT EXISTS (SELECT 1 FROM catalogues
                WHERE imports.import IN
                    (holder, counted_import, expiring_import, held_import, held_before))
            LIMIT :limit
        )"
}

/// Deletes rows that no import or undo needs any more.
pub async fn forget_missed(conn: &mut impl Executor, limit: usize) -> Outcome<usize> {
    conn.execute::<Forget>(binds! { limit: most(limit) }).await
}

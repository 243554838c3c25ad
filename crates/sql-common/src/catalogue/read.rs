//! Reads catalogues, and the open postings of one.

use std::collections::BTreeMap;

use diesel::sql_types::{BigInt, Bool, Text};
use domain::{
    catalogue::{Catalogue, CatalogueId, LastImport, MOST_CATALOGUES, OpenPosting, PastImport},
    import::{Counts, Missing, Summary},
    posting::{NoticeCode, NoticeCounts},
};
use kernel::{CatalogueName, ClientId, PostingId, StoreError};
use time::OffsetDateTime;
use uuid::Uuid;

use super::table::CatalogueRow;
use crate::{
    binds,
    entity::Entity,
    executor::{Executor, Outcome},
    posting::IDENTIFIER,
    statement,
    stored::{corrupt, most, parse, parse_optional, unsigned},
    types::{Id, StoredId, optional_time},
};

/// Catalogues, each with the number of its open postings, and whether there is something to undo.
/// The statuses are those of [`Status::is_open`](kernel::Status::is_open).
macro_rules! counted {
    ($condition:expr) => {
        concat!(
            r"SELECT {catalogues}, (
                SELECT count(*) FROM postings
                WHERE postings.catalogue_id = catalogues.id AND postings.expired_at IS NULL
                    AND postings.status IN ('PendingEnrichment', 'approved')
            ), expiring_import IS NOT NULL FROM catalogues ",
            $condition
        )
    };
}

/// The SQL types of a [`CountedRow`].
type CountedColumns = (<CatalogueRow as Entity>::Row, BigInt, Bool);

/// A catalogue, the number of its open postings, and whether there is something to undo.
type CountedRow = (CatalogueRow, i64, bool);

statement! {
    Find = counted!("WHERE client_id = :client AND name = :name"),
    over [CatalogueRow],
    returns CountedColumns
}

statement! {
    List = counted!("WHERE client_id = :client ORDER BY name LIMIT :limit"),
    over [CatalogueRow],
    returns CountedColumns
}

statement! {
    /// There are few catalogues, so nothing but the limit bounds it.
    LastImports = r"
        SELECT {catalogues} FROM catalogues WHERE last_finished_at IS NOT NULL
        ORDER BY id LIMIT :limit",
    loads CatalogueRow
}

/// The last imports of catalogues.
pub async fn last_imports(conn: &mut impl Executor, limit: usize) -> Outcome<Vec<LastImport>> {
    let limit = binds! { limit: most(limit) };
    let rows: Vec<CatalogueRow> = conn.load::<LastImports, _>(limit).await?;
    let imports = rows.into_iter().map(|row| {
        let name = parse(&row.name, "catalogues.name")?;
        let import = past_import(&row)?;
        let client = ClientId::new(row.client_id.uuid("catalogues.client_id")?);
        Ok(import.map(|import| LastImport {
            client,
            name,
            import,
        }))
    });
    imports.filter_map(Result::transpose).collect()
}

/// Finds a catalogue as it is at this time.
pub async fn find(
    conn: &mut impl Executor,
    client: ClientId,
    name: &CatalogueName,
    now: OffsetDateTime,
) -> Outcome<Option<Catalogue>> {
    let asked = binds! { client: client.uuid(), name: name.as_str() };
    let found: Vec<CountedRow> = conn.load::<Find, _>(asked).await?;
    let found = found.into_iter().next();
    Ok(found.map(|row| catalogue(row, now)).transpose()?)
}

/// The catalogues of a client as they are at this time.
pub async fn list(
    conn: &mut impl Executor,
    client: ClientId,
    now: OffsetDateTime,
) -> Outcome<Vec<Catalogue>> {
    let asked = binds! { client: client.uuid(), limit: most(MOST_CATALOGUES) };
    let found: Vec<CountedRow> = conn.load::<List, _>(asked).await?;
    let found = found.into_iter().map(|row| catalogue(row, now));
    Ok(found.collect::<Result<_, _>>()?)
}

/// A catalogue that was read at this time.
fn catalogue(
    (row, postings, can_undo): CountedRow,
    now: OffsetDateTime,
) -> Result<Catalogue, StoreError> {
    let until = optional_time(row.leased_until, "catalogues.leased_until")?;
    let last_import = past_import(&row)?;
    Ok(Catalogue {
        id: CatalogueId::new(row.id.uuid("catalogues.id")?),
        name: parse(&row.name, "catalogues.name")?,
        postings: u64::try_from(postings).unwrap_or_default(),
        is_running: until.is_some_and(|until| until > now),
        last_import,
        can_undo,
    })
}

/// The last import of a catalogue.
fn past_import(row: &CatalogueRow) -> Result<Option<PastImport>, StoreError> {
    let (started_at, finished_at) = match (row.last_started_at, row.last_finished_at) {
        (Some(started_at), Some(finished_at)) => (started_at, finished_at),
        (None, _) => return Ok(None),
        (Some(_), None) => return Err(corrupt("catalogues.last_finished_at", "NULL")),
    };
    Ok(Some(PastImport {
        started_at: started_at.time("catalogues.last_started_at")?,
        finished_at: finished_at.time("catalogues.last_finished_at")?,
        summary: summary(row)?,
    }))
}

fn summary(row: &CatalogueRow) -> Result<Summary, StoreError> {
    let missing = match (row.missing, row.missing_expired) {
        (Some(missing), Some(expired)) => Some(Missing {
            count: count(missing, "missing")?,
            expired: count(expired, "missing_expired")?,
            held: parse_optional(row.held_because.as_deref(), "catalogues.held_because")?,
        }),
        (None, _) => None,
        (Some(_), None) => return Err(corrupt("catalogues.missing_expired", "NULL")),
    };
    Ok(Summary {
        counts: Counts {
            lines: count(row.lines, "lines")?,
            created: count(row.created, "created")?,
            updated: count(row.updated, "updated")?,
            unchanged: count(row.unchanged, "unchanged")?,
            expired: count(row.expired, "expired")?,
            reopened: count(row.reopened, "reopened")?,
            refused: count(row.refused, "refused")?,
            failed: count(row.failed, "failed")?,
            unattributed: count(row.unattributed, "unattributed")?,
            notices: match &row.notices {
                Some(stored) => notices(stored)?,
                None => NoticeCounts::default(),
            },
        },
        missing,
        complete: row.is_complete,
    })
}

fn notices(stored: &str) -> Result<NoticeCounts, StoreError> {
    let counts: Option<BTreeMap<String, u64>> = serde_json::from_str(stored).ok();
    let counts = counts.into_iter().flatten();
    let known: Option<_> = counts
        .map(|(code, count)| Some((NoticeCode::parse(&code)?, count)))
        .collect();
    known.ok_or_else(|| corrupt("catalogues.notices", stored))
}

fn count(stored: i64, column: &str) -> Result<u64, StoreError> {
    unsigned(stored, "catalogues", column)
}

statement! {
    /// The conditions are those of the partial index, which has no status: the rejected are passed.
    OpenPostings = r"
        SELECT id, source_identifier FROM postings
        WHERE catalogue_id = :catalogue AND expired_at IS NULL AND id > :after
            AND status IN ('PendingEnrichment', 'approved')
        ORDER BY id LIMIT :limit",
    returns (Id, Text)
}

/// Open postings of a catalogue behind one of them, or the first ones: every id is behind the nil
/// UUID.
pub async fn open_postings(
    conn: &mut impl Executor,
    catalogue: CatalogueId,
    after: Option<PostingId>,
    limit: usize,
) -> Outcome<Vec<OpenPosting>> {
    let after = after.map_or(Uuid::nil(), PostingId::uuid);
    let asked = binds! { catalogue: catalogue.uuid(), after, limit: most(limit) };
    let rows: Vec<(StoredId, String)> = conn.load::<OpenPostings, _>(asked).await?;
    let postings = rows.into_iter().map(|(id, identifier)| {
        Ok(OpenPosting {
            id: PostingId::new(id.uuid("postings.id")?),
            identifier: parse(identifier, IDENTIFIER)?,
        })
    });
    postings.collect()
}

use std::{
    cmp::Reverse,
    collections::{BTreeMap, HashMap},
};

use diesel::sql_types::{BigInt, Bool, Nullable, Text};
use domain::{
    catalogue::{
        Catalogue, CatalogueId, LastImport, MOST_CATALOGUES, MOST_IMPORTS, OpenPosting, PastImport,
    },
    import::{Changes, LineCounts, Missing, Summary},
    posting::{NoticeCode, NoticeCounts},
};
use kernel::{CatalogueName, ClientId, PostingId, StoreError};
use time::OffsetDateTime;
use uuid::Uuid;

use super::table::{CatalogueRow, ImportRow};
use crate::{
    binds, each,
    executor::{Executor, Outcome},
    posting::IDENTIFIER,
    statement,
    stored::{corrupt, most, parse, parse_optional, unsigned},
    types::{Id, Read, optional_time},
};

/// Selects catalogues with the number of open postings, the number of held-back postings, and
/// whether an undo is possible. The statuses are those of
/// [`Status::is_open`](kernel::Status::is_open).
macro_rules! counted {
    ($condition:expr) => {
        concat!(
            r"SELECT {catalogues}, (
                SELECT count(*) FROM postings
                WHERE postings.catalogue_id = catalogues.id AND postings.expired_at IS NULL
                    AND postings.status IN ('PendingEnrichment', 'approved')
            ), (
                SELECT held.missing FROM catalogue_imports AS held
                WHERE held.catalogue_id = catalogues.id
                    AND held.import = coalesce(held_import, held_before)
            ), expiring_import IS NOT NULL FROM catalogues ",
            $condition
        )
    };
}

type CountedColumns = (CatalogueRow, BigInt, Nullable<BigInt>, Bool);

statement! {
    Find = counted!("WHERE client_id = :client AND name = :name"),
    returns CountedColumns
}

statement! {
    FindById = counted!("WHERE id = :id"),
    returns CountedColumns
}

statement! {
    List = counted!("WHERE client_id = :client ORDER BY name LIMIT :limit"),
    returns CountedColumns
}

statement! {
    ImportsOf = r"
        SELECT {catalogue_imports} FROM catalogue_imports WHERE catalogue_id = {each catalogue}",
    returns ImportRow
}

statement! {
    /// The limit suffices as a bound, because there are few catalogues.
    LastImports = r"
        SELECT {catalogue_imports read}, catalogues.client_id, catalogues.name, held.missing
        FROM catalogues
        JOIN catalogue_imports
            ON catalogue_imports.catalogue_id = catalogues.id
                AND catalogue_imports.import = last_import
        LEFT JOIN catalogue_imports AS held
            ON held.catalogue_id = catalogues.id
                AND held.import = coalesce(held_import, held_before)
        ORDER BY catalogues.id LIMIT :limit",
    returns (ImportRow, Id, Text, Nullable<BigInt>)
}

pub async fn last_imports(conn: &mut impl Executor, limit: usize) -> Outcome<Vec<LastImport>> {
    let limit = binds! { limit: most(limit) };
    let rows = conn.load::<LastImports>(limit).await?;
    let imports = rows.into_iter().map(|(row, client, name, held)| {
        let import = past_import(&row)?;
        Ok(LastImport {
            id: CatalogueId::new(row.catalogue_id.uuid("catalogue_imports.catalogue_id")?),
            client: ClientId::new(client.uuid("catalogues.client_id")?),
            name: parse(name, "catalogues.name")?,
            import,
            held: held.map(|held| count(held, "missing")).transpose()?,
        })
    });
    Ok(imports.collect::<Result<_, StoreError>>()?)
}

pub async fn find(
    conn: &mut impl Executor,
    client: ClientId,
    name: &CatalogueName,
    now: OffsetDateTime,
) -> Outcome<Option<Catalogue>> {
    let asked = binds! { client: client.uuid(), name: name.as_str() };
    let found = conn.load::<Find>(asked).await?;
    Ok(catalogues(conn, found, now).await?.pop())
}

pub async fn find_by_id(
    conn: &mut impl Executor,
    id: CatalogueId,
    now: OffsetDateTime,
) -> Outcome<Option<Catalogue>> {
    let found = conn.load::<FindById>(binds! { id: id.uuid() }).await?;
    Ok(catalogues(conn, found, now).await?.pop())
}

pub async fn list(
    conn: &mut impl Executor,
    client: ClientId,
    now: OffsetDateTime,
) -> Outcome<Vec<Catalogue>> {
    let asked = binds! { client: client.uuid(), limit: most(MOST_CATALOGUES) };
    let found = conn.load::<List>(asked).await?;
    catalogues(conn, found, now).await
}

async fn catalogues(
    conn: &mut impl Executor,
    found: Vec<Read<CountedColumns>>,
    now: OffsetDateTime,
) -> Outcome<Vec<Catalogue>> {
    let mut all = Vec::with_capacity(found.len());
    for (row, postings, held, can_undo) in found {
        let until = optional_time(row.leased_until, "catalogues.leased_until")?;
        all.push(Catalogue {
            id: CatalogueId::new(row.id.uuid("catalogues.id")?),
            client: ClientId::new(row.client_id.uuid("catalogues.client_id")?),
            name: parse(&row.name, "catalogues.name")?,
            postings: u64::try_from(postings).unwrap_or_default(),
            is_running: until.is_some_and(|until| until > now),
            imports: Vec::new(),
            held: held.map(|held| count(held, "missing")).transpose()?,
            can_undo,
        });
    }
    let ids = each! { &all, it => catalogue: it.id.uuid() };
    let rows = conn.load_each::<ImportsOf>(&ids, &[]).await?;
    let mut imports = HashMap::<_, Vec<_>>::new();
    for row in rows {
        let import = past_import(&row)?;
        let of = CatalogueId::new(row.catalogue_id.uuid("catalogue_imports.catalogue_id")?);
        imports.entry(of).or_default().push(import);
    }
    for catalogue in &mut all {
        catalogue.imports = imports.remove(&catalogue.id).unwrap_or_default();
        let newest_first = |import: &PastImport| Reverse(import.finished_at);
        catalogue.imports.sort_by_key(newest_first);
        catalogue.imports.truncate(MOST_IMPORTS);
    }
    Ok(all)
}

fn past_import(row: &ImportRow) -> Result<PastImport, StoreError> {
    Ok(PastImport {
        started_at: row.started_at.time("catalogue_imports.started_at")?,
        finished_at: row.finished_at.time("catalogue_imports.finished_at")?,
        summary: summary(row)?,
    })
}

fn summary(row: &ImportRow) -> Result<Summary, StoreError> {
    let missing = match (row.missing, row.missing_expired) {
        (Some(missing), Some(expired)) => Some(Missing {
            count: count(missing, "missing")?,
            expired: count(expired, "missing_expired")?,
            held: parse_optional(
                row.held_because.as_deref(),
                "catalogue_imports.held_because",
            )?,
            released: row.is_released,
            first: Vec::new(),
        }),
        (None, _) => None,
        (Some(_), None) => return Err(corrupt("catalogue_imports.missing_expired", "NULL")),
    };
    Ok(Summary {
        counts: LineCounts {
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
        changes: row.changes.as_deref().map(changes).transpose()?,
        complete: row.is_complete,
    })
}

fn notices(stored: &str) -> Result<NoticeCounts, StoreError> {
    let counts: Option<BTreeMap<String, u64>> = serde_json::from_str(stored).ok();
    let known = counts.and_then(|counts| {
        let counts = counts.into_iter();
        counts
            .map(|(code, count)| Some((NoticeCode::parse(&code)?, count)))
            .collect()
    });
    known.ok_or_else(|| corrupt("catalogue_imports.notices", stored))
}

fn changes(stored: &str) -> Result<Changes, StoreError> {
    serde_json::from_str(stored).map_err(|_| corrupt("catalogue_imports.changes", stored))
}

fn count(stored: i64, column: &str) -> Result<u64, StoreError> {
    unsigned(stored, "catalogue_imports", column)
}

statement! {
    /// The partial index has all conditions but the status, so rejected postings are read and
    /// skipped.
    OpenPostings = r"
        SELECT id, source_identifier FROM postings
        WHERE catalogue_id = :catalogue AND expired_at IS NULL AND id > :after
            AND status IN ('PendingEnrichment', 'approved')
        ORDER BY id LIMIT :limit",
    returns (Id, Text)
}

/// Returns open postings of a catalogue after an id. The nil UUID is before all ids.
pub async fn open_postings(
    conn: &mut impl Executor,
    catalogue: CatalogueId,
    after: Option<PostingId>,
    limit: usize,
) -> Outcome<Vec<OpenPosting>> {
    let after = after.map_or(Uuid::nil(), PostingId::uuid);
    let asked = binds! { catalogue: catalogue.uuid(), after, limit: most(limit) };
    let rows = conn.load::<OpenPostings>(asked).await?;
    let postings = rows.into_iter().map(|(id, identifier)| {
        Ok(OpenPosting {
            id: PostingId::new(id.uuid("postings.id")?),
            identifier: parse(identifier, IDENTIFIER)?,
        })
    });
    postings.collect()
}

use std::{cmp::Reverse, collections::HashMap};

use diesel::sql_types::{BigInt, Bool, Nullable, Text};
use domain::{
    catalogue::{
        Catalogue, CatalogueId, LastImport, MOST_CATALOGUES, MOST_IMPORTS, OpenPosting, PastImport,
    },
    import::{LineCounts, Missing, Summary},
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
    stored::{Decode, corrupt, decoded, most},
    types::{Id, Read},
};

/// Selects catalogues with the number of open postings, the number of held-back postings, and
/// whether an undo is possible. The statuses are those of
/// [`Status::is_open`](kernel::Status::is_open).
fn counted(condition: &str) -> String {
    format!(
        "SELECT {{catalogues}}, (
            SELECT count(*) FROM postings
            WHERE postings.catalogue_id = catalogues.id AND postings.expired_at IS NULL
                AND postings.status IN ('PendingEnrichment', 'approved')
        ), (
            SELECT held.missing FROM catalogue_imports AS held
            WHERE held.catalogue_id = catalogues.id
                AND held.import = coalesce(held_import, held_before)
        ), expiring_import IS NOT NULL FROM catalogues {condition}"
    )
}

type CountedColumns = (CatalogueRow, BigInt, Nullable<BigInt>, Bool);

statement! {
    Find = &counted("WHERE client_id = :client AND name = :name"),
    returns CountedColumns;

    FindById = &counted("WHERE id = :id"),
    returns CountedColumns;

    List = &counted("WHERE client_id = :client ORDER BY name LIMIT :limit"),
    returns CountedColumns;

    ImportsOf = r"
        SELECT {catalogue_imports} FROM catalogue_imports WHERE catalogue_id = {each catalogue}",
    returns ImportRow;

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
        let import = past_import(row.clone())?;
        Ok(LastImport {
            id: row.catalogue_id.decode("catalogue_imports.catalogue_id")?,
            client: client.decode("catalogues.client_id")?,
            name: name.decode("catalogues.name")?,
            import,
            held: held.decode("catalogue_imports.missing")?,
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
        let until: Option<_> = row.leased_until.decode("catalogues.leased_until")?;
        all.push(decoded!(row of catalogues => Catalogue {
            id, client: client_id, name;
            postings: u64::try_from(postings).unwrap_or_default(),
            is_running: until.is_some_and(|until: OffsetDateTime| until > now),
            imports: Vec::new(),
            held: held.decode("catalogue_imports.missing")?,
            can_undo,
        }));
    }
    let ids = each! { &all, it => catalogue: it.id.uuid() };
    let rows = conn.load_each::<ImportsOf>(&ids, &[]).await?;
    let mut imports = HashMap::<_, Vec<_>>::new();
    for row in rows {
        let of: CatalogueId = row
            .catalogue_id
            .clone()
            .decode("catalogue_imports.catalogue_id")?;
        imports.entry(of).or_default().push(past_import(row)?);
    }
    for catalogue in &mut all {
        catalogue.imports = imports.remove(&catalogue.id).unwrap_or_default();
        let newest_first = |import: &PastImport| Reverse(import.finished_at);
        catalogue.imports.sort_by_key(newest_first);
        catalogue.imports.truncate(MOST_IMPORTS);
    }
    Ok(all)
}

fn past_import(row: ImportRow) -> Result<PastImport, StoreError> {
    let counts = decoded!(row of catalogue_imports => LineCounts {
        lines, created, updated, unchanged, expired, reopened, refused, failed, unattributed;
        notices: row.notices.decode("catalogue_imports.notices")?.unwrap_or_default(),
    });
    let missing = match (row.missing, row.missing_expired) {
        (Some(count), Some(expired)) => Some(Missing {
            count: count.decode("catalogue_imports.missing")?,
            expired: expired.decode("catalogue_imports.missing_expired")?,
            held: row.held_because.decode("catalogue_imports.held_because")?,
            released: row.is_released,
            first: Vec::new(),
        }),
        (None, _) => None,
        (Some(_), None) => return Err(corrupt("catalogue_imports.missing_expired", "NULL")),
    };
    let summary = decoded!(row of catalogue_imports => Summary {
        changes, complete: is_complete;
        counts,
        missing,
    });
    Ok(decoded!(row of catalogue_imports => PastImport { started_at, finished_at; summary }))
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
            id: id.decode("postings.id")?,
            identifier: identifier.decode(IDENTIFIER)?,
        })
    });
    postings.collect()
}

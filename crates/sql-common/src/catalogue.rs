//! The table `catalogues`, and the postings that belong to one.

use diesel::sql_types::{BigInt, Bool, Nullable, Text};
use domain::{
    catalogue::{
        Catalogue, CatalogueId, CatalogueLease, CatalogueQuery, LastImport, MOST_CATALOGUES,
        OpenPosting, PastImport,
    },
    import::{Counts, Missing, Summary},
    posting::NoticeCounts,
};
use kernel::{CatalogueName, ClientId, PostingId, StoreError};
use time::OffsetDateTime;
use uuid::Uuid;

use crate::{
    entity,
    entity::Entity,
    posting::IDENTIFIER,
    statement,
    stored::{corrupt, parse},
    types::{Id, Moment, StoredId, StoredTime, optional_time},
    value::Value,
};

/// What is written of a catalogue.
#[derive(Clone, Debug)]
pub enum CatalogueRecord {
    /// A new one, with the lease of its first import.
    New(CatalogueQuery),
    /// The import whose lease ends, of one that is there.
    Finished(PastImport),
}

impl CatalogueRecord {
    const fn query(&self) -> Option<&CatalogueQuery> {
        match self {
            Self::New(query) => Some(query),
            Self::Finished(_) => None,
        }
    }

    const fn import(&self) -> Option<&PastImport> {
        match self {
            Self::New(_) => None,
            Self::Finished(import) => Some(import),
        }
    }

    fn counts(&self) -> Counts {
        let counts = self.import().map(|import| import.summary.counts);
        counts.unwrap_or_default()
    }

    fn missing(&self) -> Option<Missing> {
        self.import()?.summary.missing
    }
}

entity! {
    /// A catalogue.
    CatalogueRow = catalogues (id) of CatalogueRecord {
        fixed {
            id: Id = Id(|record| Some(record.query()?.new_id.uuid())),
            client_id: Id = Id(|record| Some(record.query()?.client.uuid())),
            name: Text = Text(|record| Some(record.query()?.name.as_str())),
            created_at: Moment = Time(|record| Some(record.query()?.now)),
        }
        changing {
            holder: Nullable<Id> = Id(|record| Some(record.query()?.holder)),
            leased_until: Nullable<Moment> = Time(|record| Some(record.query()?.until)),
            last_started_at: Nullable<Moment> = Time(|record| Some(record.import()?.started_at)),
            last_finished_at: Nullable<Moment> = Time(|record| Some(record.import()?.finished_at)),
            lines: BigInt = Integer(|record| Some(stored(record.counts().lines))),
            created: BigInt = Integer(|record| Some(stored(record.counts().created))),
            updated: BigInt = Integer(|record| Some(stored(record.counts().updated))),
            unchanged: BigInt = Integer(|record| Some(stored(record.counts().unchanged))),
            expired: BigInt = Integer(|record| Some(stored(record.counts().expired))),
            reopened: BigInt = Integer(|record| Some(stored(record.counts().reopened))),
            refused: BigInt = Integer(|record| Some(stored(record.counts().refused))),
            failed: BigInt = Integer(|record| Some(stored(record.counts().failed))),
            missing: Nullable<BigInt> = Integer(|record| Some(stored(record.missing()?.count))),
            missing_expired: Nullable<BigInt> = Integer(|record| {
                Some(stored(record.missing()?.expired))
            }),
            is_held: Bool = Bool(|record| record.missing().is_some_and(|missing| missing.held)),
            is_complete: Bool = Bool(|record| {
                record.import().is_some_and(|import| import.summary.complete)
            }),
        }
        apart {}
    }
}

fn stored(count: u64) -> i64 {
    i64::try_from(count).unwrap_or(i64::MAX)
}

fn most(limit: usize) -> i64 {
    i64::try_from(limit).unwrap_or(i64::MAX)
}

/// Catalogues, each with the number of its open postings. The statuses are those of
/// [`Status::is_open`](kernel::Status::is_open).
macro_rules! catalogues {
    ($condition:expr) => {
        concat!(
            "SELECT {catalogues}, (SELECT count(*) FROM postings \
             WHERE postings.catalogue_id = catalogues.id AND postings.expired_at IS NULL \
             AND postings.status IN ('PendingEnrichment', 'approved')) FROM catalogues ",
            $condition
        )
    };
}

/// The SQL types of a [`CountedRow`].
pub type CountedColumns = (<CatalogueRow as Entity>::Row, BigInt);

/// A catalogue, and the number of its open postings.
pub type CountedRow = (CatalogueRow, i64);

statement! {
    pub Find = catalogues!("WHERE client_id = ? AND name = ?"),
    over [CatalogueRow],
    returns CountedColumns
}

statement! {
    pub List = catalogues!("WHERE client_id = ? ORDER BY name LIMIT ?"),
    over [CatalogueRow],
    returns CountedColumns
}

statement! {
    /// There are few catalogues, so nothing but the limit bounds it.
    pub LastImports =
    "SELECT {catalogues} FROM catalogues WHERE last_finished_at IS NOT NULL ORDER BY id LIMIT ?",
    over [CatalogueRow],
    returns <CatalogueRow as Entity>::Row
}

/// The values of [`LastImports`].
pub fn last_imports_values(limit: usize) -> [Value<'static>; 1] {
    [most(limit).into()]
}

/// The last imports of catalogues that were read.
pub fn last_imports(rows: Vec<CatalogueRow>) -> Result<Vec<LastImport>, StoreError> {
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

/// The values that name a client's catalogue.
pub fn name_values(client: ClientId, name: &CatalogueName) -> [Value<'_>; 2] {
    [client.uuid().into(), name.as_str().into()]
}

/// The values of [`List`].
pub fn list_values(client: ClientId) -> [Value<'static>; 2] {
    [client.uuid().into(), most(MOST_CATALOGUES).into()]
}

/// A catalogue that was read at this time.
pub fn catalogue(
    (row, postings): CountedRow,
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
            held: row.is_held,
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
            // Those of an import are in its answer alone.
            notices: NoticeCounts::default(),
        },
        missing,
        complete: row.is_complete,
    })
}

fn count(stored: i64, column: &str) -> Result<u64, StoreError> {
    u64::try_from(stored).map_err(|_| corrupt(&format!("catalogues.{column}"), stored))
}

/// The query for the lease of a client's catalogue. The values are those of [`name_values`].
#[macro_export]
macro_rules! lease_of_catalogue {
    () => {
        "SELECT id, leased_until FROM catalogues WHERE client_id = ? AND name = ?"
    };
}

/// The SQL types of a [`LeaseRow`].
pub type LeaseColumns = (Id, Nullable<Moment>);

/// The lease of a catalogue.
pub type LeaseRow = (StoredId, Option<StoredTime>);

/// Whether a catalogue may be leased.
#[derive(Clone, Copy, Debug)]
pub enum Standing {
    /// No import of it is running.
    Free(CatalogueId),
    /// The lease of another import ends at this time.
    Running(OffsetDateTime),
}

/// Whether a catalogue may be leased at this time; `None` of one that is not there.
pub fn standing(rows: Vec<LeaseRow>, now: OffsetDateTime) -> Result<Option<Standing>, StoreError> {
    let Some((id, until)) = rows.into_iter().next() else {
        return Ok(None);
    };
    let until = optional_time(until, "catalogues.leased_until")?;
    Ok(Some(match until.filter(|until| *until > now) {
        Some(until) => Standing::Running(until),
        None => Standing::Free(CatalogueId::new(id.uuid("catalogues.id")?)),
    }))
}

statement! {
    /// Whether a client has as many catalogues as it may have.
    pub IsFull = "SELECT count(*) >= ? FROM catalogues WHERE client_id = ?",
    returns (Bool,)
}

/// The values of [`IsFull`].
pub fn is_full_values(client: ClientId) -> [Value<'static>; 2] {
    [most(MOST_CATALOGUES).into(), client.uuid().into()]
}

statement! {
    pub Insert = "INSERT INTO catalogues ({catalogues}) VALUES ({catalogues ?})",
    over [CatalogueRow]
}

statement! {
    pub BeginLease = "UPDATE catalogues SET holder = ?, leased_until = ? WHERE id = ?"
}

/// The values of [`BeginLease`].
pub fn begin_values(catalogue: CatalogueId, query: &CatalogueQuery) -> [Value<'static>; 3] {
    let id = catalogue.uuid().into();
    [query.holder.into(), query.until.into(), id]
}

statement! {
    pub Renew = "UPDATE catalogues SET leased_until = ? WHERE id = ? AND holder = ?"
}

/// The values of [`Renew`].
pub fn renew_values(lease: CatalogueLease, until: OffsetDateTime) -> [Value<'static>; 3] {
    let [id, holder] = lease_values(lease);
    [until.into(), id, holder]
}

statement! {
    pub Finish = "UPDATE catalogues SET {catalogues.changing = ?} WHERE id = ? AND holder = ?",
    over [CatalogueRow]
}

/// The values of [`Finish`], of a finished import.
pub fn finish_values(record: &CatalogueRecord, lease: CatalogueLease) -> Vec<Value<'_>> {
    let columns = CatalogueRow::CHANGING.iter();
    let values = columns.map(|column| column.value(record));
    values.chain(lease_values(lease)).collect()
}

/// The values that name a lease: the catalogue and the holder.
pub fn lease_values(lease: CatalogueLease) -> [Value<'static>; 2] {
    [lease.catalogue.uuid(), lease.holder].map(Value::from)
}

statement! {
    pub Delete = "DELETE FROM catalogues WHERE client_id = ? AND name = ?"
}

statement! {
    /// The conditions are those of the partial index, which has no status: the rejected are passed.
    pub OpenPostings =
    "SELECT id, source_identifier FROM postings \
     WHERE catalogue_id = ? AND expired_at IS NULL AND id > ? \
     AND status IN ('PendingEnrichment', 'approved') ORDER BY id LIMIT ?",
    returns (Id, Text)
}

/// The values of [`OpenPostings`]. Every id is behind the nil UUID.
pub fn open_postings_values(
    catalogue: CatalogueId,
    after: Option<PostingId>,
    limit: usize,
) -> [Value<'static>; 3] {
    let after = after.map_or(Uuid::nil(), PostingId::uuid);
    [catalogue.uuid().into(), after.into(), most(limit).into()]
}

/// Open postings that were read.
pub fn open_postings(rows: Vec<(StoredId, String)>) -> Result<Vec<OpenPosting>, StoreError> {
    let postings = rows.into_iter().map(|(id, identifier)| {
        Ok(OpenPosting {
            id: PostingId::new(id.uuid("postings.id")?),
            identifier: parse(identifier, IDENTIFIER)?,
        })
    });
    postings.collect()
}

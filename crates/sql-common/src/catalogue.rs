//! The table `catalogues`, and the postings that belong to one.

use diesel::sql_types::{BigInt, Bool, Nullable, Text};
use domain::{
    catalogue::{
        Catalogue, CatalogueId, CatalogueLease, CatalogueQuery, LastImport, Leased,
        MOST_CATALOGUES, OpenPosting, PastImport,
    },
    import::{Counts, Missing, Summary},
    posting::NoticeCounts,
};
use kernel::{CatalogueName, ClientId, PostingId, StoreError, audit::Entry};
use time::OffsetDateTime;
use uuid::Uuid;

use crate::{
    audit, binds, entity,
    entity::{Entity, row},
    executor::{Executor, Outcome},
    posting::IDENTIFIER,
    statement,
    stored::{corrupt, most, parse},
    types::{Id, Moment, StoredId, StoredTime, optional_time},
    value::Named,
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

/// Catalogues, each with the number of its open postings. The statuses are those of
/// [`Status::is_open`](kernel::Status::is_open).
macro_rules! counted {
    ($condition:expr) => {
        concat!(
            r"SELECT {catalogues}, (
                SELECT count(*) FROM postings
                WHERE postings.catalogue_id = catalogues.id AND postings.expired_at IS NULL
                    AND postings.status IN ('PendingEnrichment', 'approved')
            ) FROM catalogues ",
            $condition
        )
    };
}

/// The SQL types of a [`CountedRow`].
type CountedColumns = (<CatalogueRow as Entity>::Row, BigInt);

/// A catalogue, and the number of its open postings.
type CountedRow = (CatalogueRow, i64);

statement! {
    pub Find = counted!("WHERE client_id = :client AND name = :name"),
    over [CatalogueRow],
    returns CountedColumns
}

statement! {
    pub List = counted!("WHERE client_id = :client ORDER BY name LIMIT :limit"),
    over [CatalogueRow],
    returns CountedColumns
}

statement! {
    /// There are few catalogues, so nothing but the limit bounds it.
    LastImports = r"
        SELECT {catalogues} FROM catalogues WHERE last_finished_at IS NOT NULL
        ORDER BY id LIMIT :limit",
    over [CatalogueRow],
    returns <CatalogueRow as Entity>::Row
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
fn catalogue((row, postings): CountedRow, now: OffsetDateTime) -> Result<Catalogue, StoreError> {
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

statement! {
    /// The row is locked, and waits for a commit that expires postings under the lease.
    LeaseOf = r"
        SELECT id, leased_until FROM catalogues WHERE client_id = :client AND name = :name
        {postgres FOR NO KEY UPDATE}",
    returns (Id, Nullable<Moment>)
}

/// Whether a catalogue may be leased.
#[derive(Clone, Copy, Debug)]
enum Standing {
    /// No import of it is running.
    Free(CatalogueId),
    /// The lease of another import ends at this time.
    Running(OffsetDateTime),
}

/// Whether a catalogue may be leased; `None` of one that is not there.
async fn standing(conn: &mut impl Executor, query: &CatalogueQuery) -> Outcome<Option<Standing>> {
    let asked = binds! { client: query.client.uuid(), name: query.name.as_str() };
    let rows: Vec<(StoredId, Option<StoredTime>)> = conn.load::<LeaseOf, _>(asked).await?;
    let Some((id, until)) = rows.into_iter().next() else {
        return Ok(None);
    };
    let until = optional_time(until, "catalogues.leased_until")?;
    Ok(Some(match until.filter(|until| *until > query.now) {
        Some(until) => Standing::Running(until),
        None => Standing::Free(CatalogueId::new(id.uuid("catalogues.id")?)),
    }))
}

statement! {
    /// Whether a client has as many catalogues as it may have.
    IsFull = "SELECT count(*) >= :most FROM catalogues WHERE client_id = :client",
    returns (Bool,)
}

statement! {
    Insert = "INSERT INTO catalogues ({catalogues}) VALUES ({catalogues :})",
    over [CatalogueRow]
}

statement! {
    BeginLease = "UPDATE catalogues SET holder = :holder, leased_until = :until WHERE id = :id"
}

/// Leases a catalogue, which is made if it is not there, in a transaction of the caller's. The row
/// of a catalogue is the first that such a transaction locks.
pub async fn lease(conn: &mut impl Executor, query: &CatalogueQuery) -> Outcome<Leased> {
    let mut found = standing(conn, query).await?;
    if found.is_none() {
        // New catalogues of one client are counted one after the other.
        conn.lock("catalogues", &query.client.to_string()).await?;
        // Another import may have made it meanwhile.
        found = standing(conn, query).await?;
    }
    let catalogue = match found {
        Some(Standing::Running(until)) => return Ok(Leased::Running(until)),
        Some(Standing::Free(catalogue)) => {
            let (holder, until) = (query.holder, query.until);
            let lease = binds! { holder, until, id: catalogue.uuid() };
            conn.execute::<BeginLease>(lease).await?;
            catalogue
        }
        None => {
            let asked = binds! { most: most(MOST_CATALOGUES), client: query.client.uuid() };
            let full: Vec<(bool,)> = conn.load::<IsFull, _>(asked).await?;
            if full == [(true,)] {
                return Ok(Leased::TooMany);
            }
            let record = CatalogueRecord::New(query.clone());
            conn.execute::<Insert>(&row::<CatalogueRow>(&record))
                .await?;
            query.new_id
        }
    };
    Ok(Leased::Held(CatalogueLease {
        catalogue,
        holder: query.holder,
    }))
}

statement! {
    Hold = r"
        SELECT id FROM catalogues WHERE id = :catalogue AND holder = :holder
        {postgres FOR SHARE}",
    returns (Id,)
}

/// Keeps others from taking, ending and deleting a lease until the transaction ends. A conflict if
/// the lease is not held.
pub async fn hold(conn: &mut impl Executor, lease: CatalogueLease) -> Outcome<()> {
    let held: Vec<(StoredId,)> = conn.load::<Hold, _>(&of_lease(lease)).await?;
    if held.is_empty() {
        return Err(StoreError::Conflict.into());
    }
    Ok(())
}

statement! {
    Renew = r"
        UPDATE catalogues SET leased_until = :until WHERE id = :catalogue AND holder = :holder"
}

pub async fn renew(
    conn: &mut impl Executor,
    CatalogueLease { catalogue, holder }: CatalogueLease,
    until: OffsetDateTime,
) -> Outcome<bool> {
    let lease = binds! { until, catalogue: catalogue.uuid(), holder };
    Ok(conn.execute::<Renew>(lease).await? > 0)
}

statement! {
    Finish = r"
        UPDATE catalogues SET {catalogues.changing = :}
        WHERE id = :catalogue AND holder = :held_by",
    over [CatalogueRow]
}

/// Ends the lease of a finished import.
pub async fn finish(
    conn: &mut impl Executor,
    lease: CatalogueLease,
    import: &PastImport,
) -> Outcome<bool> {
    let record = CatalogueRecord::Finished(import.clone());
    let mut finished = row::<CatalogueRow>(&record);
    let CatalogueLease { catalogue, holder } = lease;
    finished.extend(binds! { catalogue: catalogue.uuid(), held_by: holder });
    Ok(conn.execute::<Finish>(&finished).await? > 0)
}

fn of_lease(lease: CatalogueLease) -> [Named<'static>; 2] {
    let CatalogueLease { catalogue, holder } = lease;
    *binds! { catalogue: catalogue.uuid(), holder }
}

statement! {
    Delete = "DELETE FROM catalogues WHERE client_id = :client AND name = :name"
}

/// Deletes a catalogue, in a transaction of the caller's.
pub async fn delete(
    conn: &mut impl Executor,
    client: ClientId,
    name: &CatalogueName,
    entry: Option<&Entry>,
) -> Outcome<bool> {
    let asked = binds! { client: client.uuid(), name: name.as_str() };
    let is_known = conn.execute::<Delete>(asked).await? > 0;
    audit::write_entry(conn, entry.filter(|_| is_known)).await?;
    Ok(is_known)
}

statement! {
    /// The conditions are those of the partial index, which has no status: the rejected are passed.
    pub OpenPostings = r"
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

/// The port [`Catalogues`](domain::catalogue::Catalogues).
#[macro_export]
macro_rules! catalogues {
    ($store:ty) => {
        const _: () = {
            use domain::catalogue::{
                Catalogue, CatalogueId, CatalogueLease, CatalogueQuery, Catalogues, LastImport,
                Leased, OpenPosting, PastImport,
            };
            use kernel::{CatalogueName, ClientId, PostingId, StoreError, audit::Entry};
            use time::OffsetDateTime;
            use $crate::catalogue;

            #[async_trait::async_trait]
            impl Catalogues for $store {
                async fn lease(&self, query: &CatalogueQuery) -> Result<Leased, StoreError> {
                    let query = query.clone();
                    self.transaction(async move |conn| Ok(catalogue::lease(conn, &query).await?))
                        .await
                }

                async fn renew(
                    &self,
                    lease: CatalogueLease,
                    until: OffsetDateTime,
                ) -> Result<bool, StoreError> {
                    self.write(async move |conn| Ok(catalogue::renew(conn, lease, until).await?))
                        .await
                }

                async fn finish(
                    &self,
                    lease: CatalogueLease,
                    import: &PastImport,
                ) -> Result<bool, StoreError> {
                    let import = import.clone();
                    self.write(async move |conn| Ok(catalogue::finish(conn, lease, &import).await?))
                        .await
                }

                async fn open_postings(
                    &self,
                    of: CatalogueId,
                    after: Option<PostingId>,
                    limit: usize,
                ) -> Result<Vec<OpenPosting>, StoreError> {
                    self.query(async move |conn| {
                        Ok(catalogue::open_postings(conn, of, after, limit).await?)
                    })
                    .await
                }

                async fn find(
                    &self,
                    client: ClientId,
                    name: &CatalogueName,
                    now: OffsetDateTime,
                ) -> Result<Option<Catalogue>, StoreError> {
                    let name = name.clone();
                    self.query(async move |conn| {
                        Ok(catalogue::find(conn, client, &name, now).await?)
                    })
                    .await
                }

                async fn list(
                    &self,
                    client: ClientId,
                    now: OffsetDateTime,
                ) -> Result<Vec<Catalogue>, StoreError> {
                    self.query(async move |conn| Ok(catalogue::list(conn, client, now).await?))
                        .await
                }

                async fn last_imports(&self, limit: usize) -> Result<Vec<LastImport>, StoreError> {
                    self.query(async move |conn| Ok(catalogue::last_imports(conn, limit).await?))
                        .await
                }

                async fn delete(
                    &self,
                    client: ClientId,
                    name: &CatalogueName,
                    entry: Option<&Entry>,
                ) -> Result<bool, StoreError> {
                    let (name, entry) = (name.clone(), entry.cloned());
                    self.transaction(async move |conn| {
                        Ok(catalogue::delete(conn, client, &name, entry.as_ref()).await?)
                    })
                    .await
                }
            }
        };
    };
}

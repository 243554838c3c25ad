//! The lease of a catalogue: who has it, and what ends with it.

use diesel::sql_types::{Bool, Nullable};
use domain::{
    catalogue::{
        CatalogueId, CatalogueLease, CatalogueQuery, Leased, MOST_CATALOGUES, Missed, PastImport,
        Undone,
    },
    store::WriteSet,
};
use kernel::{CatalogueName, ClientId, StoreError, audit::Entry};
use time::OffsetDateTime;

use super::{
    missed,
    table::{CatalogueRecord, CatalogueRow},
};
use crate::{
    audit, binds,
    entity::row,
    executor::{Executor, Outcome},
    statement,
    stored::most,
    types::{Id, Moment, StoredId, StoredTime, optional_time},
    value::Named,
};

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
    if found.is_none() && query.new_id.is_some() {
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
            let Some(new_id) = query.new_id else {
                return Ok(Leased::Unknown);
            };
            let asked = binds! { most: most(MOST_CATALOGUES), client: query.client.uuid() };
            let full: Vec<(bool,)> = conn.load::<IsFull, _>(asked).await?;
            if full == [(true,)] {
                return Ok(Leased::TooMany);
            }
            let record = CatalogueRecord::New(query.clone());
            conn.execute::<Insert>(&row::<CatalogueRow>(&record))
                .await?;
            new_id
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

statement! {
    /// The same for a commit that expires postings: its import is the last one that did.
    HoldToExpire = r"
        UPDATE catalogues SET expiring_import = holder
        WHERE id = :catalogue AND holder = :holder RETURNING id",
    returns (Id,)
}

/// Keeps others from taking, ending and deleting the leases that a commit needs until the
/// transaction ends, and records what becomes of missing postings. A conflict if one of them is not
/// held.
pub async fn hold(conn: &mut impl Executor, writes: &WriteSet) -> Outcome<()> {
    let expires = writes.missed.values().any(|it| *it == Missed::Expired);
    for lease in &writes.leases {
        let lease = of_lease(*lease);
        let held: Vec<(StoredId,)> = if expires {
            conn.load::<HoldToExpire, _>(&lease).await?
        } else {
            conn.load::<Hold, _>(&lease).await?
        };
        if held.is_empty() {
            return Err(StoreError::Conflict.into());
        }
        missed::write(conn, &writes.missed, &lease).await?;
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
        UPDATE catalogues SET {catalogues.changing = :},
            counted_import = CASE WHEN :counts THEN holder ELSE counted_import END
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
    let counts = import.counts_misses();
    finished.extend(binds! { catalogue: catalogue.uuid(), held_by: holder, counts });
    Ok(conn.execute::<Finish>(&finished).await? > 0)
}

statement! {
    FinishUndo = r"
        UPDATE catalogues SET holder = NULL, leased_until = NULL,
            counted_import = CASE WHEN expiring_import IS NULL THEN counted_import END,
            expiring_import = NULL
        WHERE id = :catalogue AND holder = :holder"
}

/// Ends the lease of an undo, in a transaction of the caller's.
pub async fn finish_undo(
    conn: &mut impl Executor,
    lease: CatalogueLease,
) -> Outcome<Option<Undone>> {
    let undone = missed::undone(conn, lease.catalogue).await?;
    let is_held = conn.execute::<FinishUndo>(&of_lease(lease)).await? > 0;
    Ok(is_held.then_some(undone))
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

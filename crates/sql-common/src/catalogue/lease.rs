//! The lease of a catalogue, and the changes at its end.

use diesel::sql_types::{Bool, Nullable};
use domain::{
    catalogue::{
        CatalogueId, CatalogueLease, CatalogueQuery, Forgotten, Leased, MOST_CATALOGUES,
        MOST_IMPORTS, Missed, PastImport, Released, Undone,
    },
    store::WriteSet,
};
use kernel::{CatalogueName, ClientId, audit::Entry};
use time::OffsetDateTime;

use super::{
    missed,
    table::{CatalogueRow, ImportRecord, ImportRow},
};
use crate::{
    audit, binds,
    entity::row,
    executor::{Executor, Outcome},
    statement,
    stored::{Decode, most, signed},
    types::{Id, Moment},
    value::Named,
};

statement! {
    /// The row lock waits for a commit that expires postings under the lease.
    LeaseOf = r"
        SELECT id, leased_until FROM catalogues WHERE client_id = :client AND name = :name
        {postgres FOR NO KEY UPDATE}",
    returns (Id, Nullable<Moment>)
}

#[derive(Clone, Copy, Debug)]
enum Standing {
    /// The catalogue has no import in progress.
    Free(CatalogueId),
    Running(OffsetDateTime),
}

/// Whether a catalogue can be leased. `None` if it does not exist.
async fn standing(
    conn: &mut impl Executor,
    client: ClientId,
    name: &CatalogueName,
    now: OffsetDateTime,
) -> Outcome<Option<Standing>> {
    let asked = binds! { client: client.uuid(), name: name.as_str() };
    let rows = conn.load::<LeaseOf>(asked).await?;
    let Some((id, until)) = rows.into_iter().next() else {
        return Ok(None);
    };
    let until: Option<OffsetDateTime> = until.decode("catalogues.leased_until")?;
    Ok(Some(match until.filter(|until| *until > now) {
        Some(until) => Standing::Running(until),
        None => Standing::Free(id.decode("catalogues.id")?),
    }))
}

statement! {
    IsFull = "SELECT count(*) >= :most FROM catalogues WHERE client_id = :client",
    returns (Bool,);

    Insert = "INSERT INTO catalogues ({catalogues}) VALUES ({catalogues :})",
    over [CatalogueRow]
}

/// The assignment for the end of a lease, or for its takeover by another import. If the holder's
/// import changed postings, it becomes the catalogue's expiring import, which can be undone.
macro_rules! expiring {
    () => {
        "expiring_import = CASE WHEN holder IS NOT NULL AND EXISTS (
            SELECT 1 FROM posting_versions WHERE import = holder
        ) THEN holder ELSE expiring_import END"
    };
}

statement! {
    BeginLease = concat!(
        "UPDATE catalogues SET holder = :holder, leased_until = :until, ", expiring!(),
        " WHERE id = :id"
    );

    /// Held-back postings wait for the end of the import, which may still name them. If the import
    /// never ends, no posting is held back any more.
    BeginImport = concat!(
        "UPDATE catalogues SET holder = :holder, leased_until = :until,
            held_before = held_import, held_import = NULL, ", expiring!(),
        " WHERE id = :id"
    )
}

/// Leases a catalogue in the caller's transaction, which must lock this row first. Creates the
/// catalogue if it is missing.
pub async fn lease(conn: &mut impl Executor, query: &CatalogueQuery) -> Outcome<Leased> {
    let (client, name, now) = (query.client, &query.name, query.now);
    let mut found = standing(conn, client, name, now).await?;
    if found.is_none() && query.new_id.is_some() {
        // The lock lets imports count a client's new catalogues one after the other.
        conn.lock("catalogues", &query.client.to_string()).await?;
        // Another import may have created the catalogue meanwhile.
        found = standing(conn, client, name, now).await?;
    }
    let catalogue = match found {
        Some(Standing::Running(until)) => return Ok(Leased::Running(until)),
        Some(Standing::Free(catalogue)) => {
            let (holder, until) = (query.holder, query.until);
            let lease = binds! { holder, until, id: catalogue.uuid() };
            if query.new_id.is_some() {
                conn.execute::<BeginImport>(lease).await?;
            } else {
                conn.execute::<BeginLease>(lease).await?;
            }
            catalogue
        }
        None => {
            let Some(new_id) = query.new_id else {
                return Ok(Leased::Unknown);
            };
            let asked = binds! { most: most(MOST_CATALOGUES), client: query.client.uuid() };
            let full = conn.load::<IsFull>(asked).await?;
            if full == [(true,)] {
                return Ok(Leased::TooMany);
            }
            conn.execute::<Insert>(&row::<CatalogueRow>(query)).await?;
            new_id
        }
    };
    Ok(Leased::Held(CatalogueLease {
        catalogue,
        holder: query.holder,
    }))
}

statement! {
    Hold = held r"
        SELECT catalogues.id FROM {given catalogue uuid, holder uuid}
        JOIN catalogues ON catalogues.id = sent.catalogue AND catalogues.holder = sent.holder
        ORDER BY catalogues.id {postgres FOR SHARE OF catalogues}";

    HoldToExpire = every r"
        UPDATE catalogues SET expiring_import = catalogues.holder
        FROM {given catalogue uuid, holder uuid}
        WHERE catalogues.id = sent.catalogue AND catalogues.holder = sent.holder";

    /// Used by a commit that releases held-back postings. They count as expired by the held import.
    HoldToRelease = every r"
        UPDATE catalogues SET expiring_import = held_import
        FROM {given catalogue uuid, holder uuid}
        WHERE catalogues.id = sent.catalogue AND catalogues.holder = sent.holder
            AND held_import IS NOT NULL"
}

/// Protects the leases that a commit needs until the transaction ends, and records missing
/// postings. A lost lease is a conflict.
pub async fn hold(conn: &mut impl Executor, writes: &WriteSet) -> Outcome<()> {
    let makes_any = |missed| writes.optional.missed.values().any(|it| *it == missed);
    let leases = writes
        .optional
        .leases
        .iter()
        .map(|lease| of_lease(*lease).to_vec());
    let leases: Vec<_> = leases.collect();
    if makes_any(Missed::Expired) {
        conn.execute_every::<HoldToExpire>(&leases, &[]).await?;
    } else if makes_any(Missed::Released) {
        conn.execute_each::<missed::EndUndo>(&leases, &[]).await?;
        conn.execute_every::<HoldToRelease>(&leases, &[]).await?;
    } else {
        conn.hold_each::<Hold>(&leases).await?;
    }
    for lease in &writes.optional.leases {
        missed::write(conn, &writes.optional.missed, &of_lease(*lease)).await?;
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
    Finish = concat!(
        "UPDATE catalogues SET holder = NULL, leased_until = NULL, last_import = holder,
            counted_import = CASE WHEN :counts THEN holder ELSE counted_import END,
            held_import = CASE WHEN :is_held THEN holder WHEN :keeps_held THEN held_before END,
            held_before = NULL, ", expiring!(),
        " WHERE id = :catalogue AND holder = :holder"
    );

    InsertImport = r"
        INSERT INTO catalogue_imports ({catalogue_imports}) VALUES ({catalogue_imports :})",
    over [ImportRow];

    /// Keeps the newest imports, and the held one.
    ForgetImports = r"
        DELETE FROM catalogue_imports WHERE catalogue_id = :catalogue
            AND import NOT IN (
                SELECT newest.import FROM catalogue_imports AS newest
                WHERE newest.catalogue_id = :catalogue
                ORDER BY newest.finished_at DESC, newest.import LIMIT :most)
            AND import NOT IN (
                SELECT held_import FROM catalogues
                WHERE id = :catalogue AND held_import IS NOT NULL)"
}

pub async fn finish(
    conn: &mut impl Executor,
    lease: CatalogueLease,
    import: &PastImport,
    keeps_held: bool,
) -> Outcome<bool> {
    let mut ended = of_lease(lease).to_vec();
    let (counts, is_held) = (import.counts_misses(), import.is_held());
    ended.extend(binds! { counts, is_held, keeps_held });
    if conn.execute::<Finish>(&ended).await? == 0 {
        return Ok(false);
    }
    let import = import.clone();
    let record = ImportRecord { lease, import };
    conn.execute::<InsertImport>(&row::<ImportRow>(&record))
        .await?;
    let catalogue = lease.catalogue.uuid();
    let most = most(MOST_IMPORTS);
    conn.execute::<ForgetImports>(binds! { catalogue, most })
        .await?;
    Ok(true)
}

statement! {
    FinishUndo = r"
        UPDATE catalogues SET holder = NULL, leased_until = NULL,
            counted_import = CASE WHEN expiring_import IS NULL THEN counted_import END,
            expiring_import = NULL
        WHERE id = :catalogue AND holder = :holder"
}

pub async fn finish_undo(
    conn: &mut impl Executor,
    lease: CatalogueLease,
) -> Outcome<Option<Undone>> {
    let undone = missed::undone(conn, lease.catalogue).await?;
    let is_held = conn.execute::<FinishUndo>(&of_lease(lease)).await? > 0;
    Ok(is_held.then_some(undone))
}

statement! {
    NoteRelease = r"
        UPDATE catalogue_imports
        SET held_because = NULL, missing_expired = :expired, is_released = TRUE
        WHERE catalogue_id = :catalogue AND import = (
            SELECT held_import FROM catalogues WHERE id = :catalogue AND holder = :holder)";

    FinishRelease = r"
        UPDATE catalogues SET holder = NULL, leased_until = NULL, held_import = NULL
        WHERE id = :catalogue AND holder = :holder"
}

pub async fn finish_release(
    conn: &mut impl Executor,
    lease: CatalogueLease,
) -> Outcome<Option<Released>> {
    let released = missed::released(conn, lease.catalogue).await?;
    let mut noted = of_lease(lease).to_vec();
    noted.extend(binds! { expired: signed(released.expired) });
    conn.execute::<NoteRelease>(&noted).await?;
    let is_held = conn.execute::<FinishRelease>(&of_lease(lease)).await? > 0;
    Ok(is_held.then_some(released))
}

fn of_lease(lease: CatalogueLease) -> [Named<'static>; 2] {
    let CatalogueLease { catalogue, holder } = lease;
    *binds! { catalogue: catalogue.uuid(), holder }
}

statement! {
    Delete = "DELETE FROM catalogues WHERE id = :id"
}

pub async fn delete(
    conn: &mut impl Executor,
    client: ClientId,
    name: &CatalogueName,
    now: OffsetDateTime,
    entry: Option<&Entry>,
) -> Outcome<Forgotten> {
    let id = match standing(conn, client, name, now).await? {
        None => return Ok(Forgotten::Unknown),
        Some(Standing::Running(until)) => return Ok(Forgotten::Running(until)),
        Some(Standing::Free(id)) => id,
    };
    conn.execute::<Delete>(binds! { id: id.uuid() }).await?;
    audit::write_entry(conn, entry).await?;
    Ok(Forgotten::Done)
}

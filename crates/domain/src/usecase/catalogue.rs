//! Commands about catalogues: delete a catalogue, release its held-back postings, or undo the last
//! import that expired or changed postings.

use async_trait::async_trait;
use kernel::{
    Actor, CatalogueName, ClientId, PostingId, Prefixes, SourceIdentifier, StoreError,
    audit::{Action, Attribution},
};
use time::OffsetDateTime;
use uuid::Uuid;

use crate::{
    audit::{CATALOGUES_FORGET, CATALOGUES_RELEASE, CATALOGUES_UNDO},
    catalogue::{
        CatalogueLease, Catalogues, ExpiredPosting, Forgotten, Missed, MissingPosting, Released,
        Undone,
    },
    decision::{
        WriteSet,
        lapse::{delist, undo_delisting},
        restore::{Former, restore},
    },
    posting::Lifetime,
    store::Store,
};

/// Why a command about a catalogue failed.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum CatalogueError {
    /// The client has no such catalogue.
    #[error("the client has no catalogue of this name")]
    NotFound,
    /// Another command about the catalogue is running. Retry after this many seconds, at least one.
    #[error("an import, a release or an undo of this catalogue is running")]
    Running(u64),
    /// The store failed.
    #[error(transparent)]
    Store(#[from] StoreError),
}

/// Deletes a client's catalogue, unless an import, a release or an undo of it is running. The
/// catalogue's postings stay.
pub async fn forget_catalogue(
    catalogues: &dyn Catalogues,
    client: ClientId,
    name: &CatalogueName,
    by: Option<&Attribution>,
    now: OffsetDateTime,
) -> Result<(), CatalogueError> {
    let entry = by.map(|by| {
        let entry = by.entry(CATALOGUES_FORGET, now).about(client);
        entry.with("name", name.as_str())
    });
    match catalogues.delete(client, name, now, entry.as_ref()).await? {
        Forgotten::Done => Ok(()),
        Forgotten::Unknown => Err(CatalogueError::NotFound),
        Forgotten::Running(until) => {
            let rest = u64::try_from((until - now).whole_seconds());
            Err(CatalogueError::Running(rest.unwrap_or_default() + 1))
        }
    }
}

/// A request to release a catalogue's held-back postings, or to undo the last import that expired
/// or changed postings.
#[derive(Clone, Debug)]
pub struct CorrectionOrder {
    /// The client whose catalogue it is.
    pub client: ClientId,
    /// The catalogue's name.
    pub name: CatalogueName,
    /// The postings that the order may change.
    pub prefixes: Prefixes,
    /// The operator who gives the order; `None` if the client gives it.
    pub by: Option<Attribution>,
}

impl CorrectionOrder {
    fn actor(&self) -> Actor {
        match &self.by {
            Some(by) => Actor::Operator(Some(by.operator.clone())),
            None => Actor::Client(self.client),
        }
    }
}

/// The driving port of corrections. Corrections work in batches. A repeated order resumes an
/// interrupted correction, and its totals include the earlier runs. After a complete correction, a
/// further order finds nothing to do.
///
/// [`CatalogueError::Running`] during an import or another correction of the catalogue.
#[async_trait]
pub trait CatalogueCorrections: Send + Sync {
    /// Expires the postings that the last complete import held back, unless a later import named
    /// them. Returns the totals.
    async fn release(&self, order: CorrectionOrder) -> Result<Released, CatalogueError>;

    /// Undoes the last import that expired or changed postings: reopens and restores them, unless
    /// something else changed them since. Returns the totals.
    async fn undo(&self, order: CorrectionOrder) -> Result<Undone, CatalogueError>;
}

/// Records one state for all of these postings, in one commit under the lease.
pub async fn record_missed(
    store: &dyn Store,
    lease: CatalogueLease,
    postings: impl IntoIterator<Item = PostingId>,
    missed: Missed,
    now: OffsetDateTime,
) -> Result<(), StoreError> {
    let mut writes = WriteSet::new(now);
    writes.optional.leases.insert(lease);
    let postings = postings.into_iter().map(|id| (id, missed));
    writes.optional.missed.extend(postings);
    store.commit(writes).await
}

/// Expires [held](MissingPosting::is_held)-back postings in one commit. If `first`, also writes the
/// audit entry of an operator's order.
///
/// [`StoreError::Conflict`] also if the lease was lost.
pub async fn release_held(
    store: &dyn Store,
    lease: CatalogueLease,
    order: &CorrectionOrder,
    postings: &[MissingPosting],
    first: bool,
    now: OffsetDateTime,
) -> Result<(), StoreError> {
    let mut writes = WriteSet::new(now);
    writes.optional.leases.insert(lease);
    let identifiers: Vec<_> = postings.iter().map(|it| it.identifier.clone()).collect();
    let mut snapshot = store.load(&identifiers, &[]).await?;
    for MissingPosting { id, identifier, .. } in postings {
        let posting = snapshot.postings.get(identifier);
        let posting = posting.filter(|it| it.id == *id && order.prefixes.permit(identifier));
        let change = posting.and_then(|it| delist(it, lease.catalogue, &order.name, now));
        let missed = if change.is_some() {
            Missed::Released
        } else {
            Missed::Kept
        };
        writes.optional.missed.insert(*id, missed);
        if let Some(change) = change {
            change.record(&mut snapshot, &mut writes);
        }
    }
    record_order(order, CATALOGUES_RELEASE, first, &mut writes);
    store.commit(writes).await
}

fn record_order(order: &CorrectionOrder, action: Action, first: bool, writes: &mut WriteSet) {
    if let Some(by) = order.by.as_ref().filter(|_| first) {
        let entry = by.entry(action, writes.tasks.at).about(order.client);
        let entry = entry.with("name", order.name.as_str());
        writes.tasks.audit.push(entry);
    }
}

/// Restores postings of [`Catalogues::changed_last`] to their values before the import, in one
/// commit, unless something else changed them since. If `first`, also writes the audit entry of an
/// operator's order.
///
/// [`StoreError::Conflict`] also if the lease was lost.
pub async fn undo_changes(
    store: &dyn Store,
    lease: CatalogueLease,
    order: &CorrectionOrder,
    (import, postings): (Uuid, &[ExpiredPosting]),
    first: bool,
    lifetime: Lifetime,
    now: OffsetDateTime,
) -> Result<(), StoreError> {
    let mut writes = WriteSet::new(now);
    writes.optional.leases.insert(lease);
    let (ids, wanted) = permitted(order, postings, &mut writes, Missed::Unrestored);
    let loaded = store.load(&wanted, &[]).await?;
    // The records are read after the postings. So a change in between has a record, or causes a
    // conflict.
    let records = store.records(import, &ids).await?;
    let former = wanted.iter().filter_map(|identifier| {
        let posting = loaded.postings.get(identifier)?;
        let of_it = records.iter().filter(|it| it.posting == posting.id);
        let of_it: Vec<_> = of_it.cloned().collect();
        // If there is no record, the posting was deleted and pushed again.
        of_it.first()?;
        Some((posting, Former::before(import, posting, &of_it)?))
    });
    let former: Vec<_> = former.collect();
    let companies: Vec<_> = former
        .iter()
        .map(|(_, former)| former.posting.company_id)
        .collect();
    let companies = store.load(&[], &companies).await?;
    let mut snapshot = loaded.clone();
    let by = order.actor();
    let note = format!("undo of the catalogue {}", order.name);
    for (posting, former) in &former {
        let meant = companies.meant(former.posting.company_id);
        let Some(company) = companies.companies.get(&meant) else {
            continue;
        };
        let change = restore(posting, former, company, (&by, &note), lifetime, now);
        if let Some(change) = change {
            writes.optional.missed.insert(posting.id, Missed::Restored);
            change.record(&mut snapshot, &mut writes);
        }
    }
    record_order(order, CATALOGUES_UNDO, first, &mut writes);
    store.commit(writes).await
}

/// Records all postings as `left`. Returns their ids, and the permitted identifiers.
fn permitted(
    order: &CorrectionOrder,
    postings: &[ExpiredPosting],
    writes: &mut WriteSet,
    left: Missed,
) -> (Vec<PostingId>, Vec<SourceIdentifier>) {
    let mut wanted = Vec::with_capacity(postings.len());
    for ExpiredPosting { id, identifier } in postings {
        writes.optional.missed.insert(*id, left);
        let permitted = identifier.iter().filter(|it| order.prefixes.permit(it));
        wanted.extend(permitted.cloned());
    }
    (postings.iter().map(|it| it.id).collect(), wanted)
}

/// Reopens postings of [`Catalogues::expired_last`] in one commit. If `first`, also writes the
/// audit entry of an operator's order.
///
/// [`StoreError::Conflict`] also if the lease was lost.
pub async fn undo_expiries(
    store: &dyn Store,
    lease: CatalogueLease,
    order: &CorrectionOrder,
    postings: &[ExpiredPosting],
    first: bool,
    now: OffsetDateTime,
) -> Result<(), StoreError> {
    let mut writes = WriteSet::new(now);
    writes.optional.leases.insert(lease);
    let (_, wanted) = permitted(order, postings, &mut writes, Missed::Left);
    let mut snapshot = store.load(&wanted, &[]).await?;
    let by = order.actor();
    for identifier in &wanted {
        let posting = snapshot.postings.get(identifier);
        let change = posting.and_then(|posting| {
            undo_delisting(posting, lease.catalogue, &order.name, by.clone(), now)
        });
        if let Some(change) = change {
            writes
                .optional
                .missed
                .insert(change.write.posting.id, Missed::Reopened);
            change.record(&mut snapshot, &mut writes);
        }
    }
    record_order(order, CATALOGUES_UNDO, first, &mut writes);
    store.commit(writes).await
}

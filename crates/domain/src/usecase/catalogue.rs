//! Commands about catalogues: to forget one, and to undo what one expired.

use async_trait::async_trait;
use kernel::{
    Actor, CatalogueName, ClientId, Prefixes, StoreError,
    audit::{Action, Attribution},
};
use time::OffsetDateTime;

use crate::{
    catalogue::{CatalogueLease, Catalogues, ExpiredPosting, Missed, Undone},
    decision::{WriteSet, lapse::undo_delisting},
    store::Store,
};

/// The reason why a command about a catalogue was not carried out.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum CatalogueError {
    /// The client has no such catalogue.
    #[error("the client has no catalogue of this name")]
    NotFound,
    /// An import or an undo of it is running. The number is the seconds after which to try again,
    /// at least one.
    #[error("an import or an undo of this catalogue is running")]
    Running(u64),
    /// The store did not do it.
    #[error(transparent)]
    Store(#[from] StoreError),
}

/// Deletes a client's catalogue, and so ends an import of it. Its postings stay.
pub async fn forget_catalogue(
    catalogues: &dyn Catalogues,
    client: ClientId,
    name: &CatalogueName,
    by: &Attribution,
    now: OffsetDateTime,
) -> Result<(), CatalogueError> {
    let entry = by.entry(Action::CATALOGUES_FORGET, now).about(client);
    let entry = entry.with("name", name.as_str());
    let is_deleted = catalogues.delete(client, name, Some(&entry)).await?;
    is_deleted.then_some(()).ok_or(CatalogueError::NotFound)
}

/// An order to undo what the last import of a catalogue that expired anything had expired.
#[derive(Clone, Debug)]
pub struct UndoOrder {
    /// The client whose catalogue it is.
    pub client: ClientId,
    /// The catalogue's name.
    pub name: CatalogueName,
    /// The postings that may be reopened: those that the client may use, or all for an operator.
    pub prefixes: Prefixes,
    /// The operator who gives the order; `None` if the client does.
    pub by: Option<Attribution>,
}

/// The driving port of undos.
#[async_trait]
pub trait UndoCatalogue: Send + Sync {
    /// Reopens what the last import that expired anything had expired, as far as nothing has changed
    /// it since, and tells the numbers. It works in batches: one that ended early goes on when it is
    /// ordered again, and counts what was done before. After its end there is nothing to undo.
    ///
    /// [`CatalogueError::Running`] while an import or another undo of the catalogue runs.
    async fn undo(&self, order: UndoOrder) -> Result<Undone, CatalogueError>;
}

/// Undoes the expiry of postings that
/// [`Catalogues::expired_last`] gives, in one commit. The
/// `first` one of an operator's order has its entry of the audit.
///
/// [`StoreError::Conflict`] also if the lease is not held any more.
pub async fn undo_expiries(
    store: &dyn Store,
    lease: CatalogueLease,
    order: &UndoOrder,
    postings: &[ExpiredPosting],
    first: bool,
    now: OffsetDateTime,
) -> Result<(), StoreError> {
    let mut writes = WriteSet::new(now);
    writes.leases.insert(lease);
    let mut wanted = Vec::with_capacity(postings.len());
    for ExpiredPosting { id, identifier } in postings {
        writes.missed.insert(*id, Missed::Left);
        let permitted = identifier.iter().filter(|it| order.prefixes.permit(it));
        wanted.extend(permitted.cloned());
    }
    let mut snapshot = store.load(&wanted, &[]).await?;
    let by = match &order.by {
        Some(by) => Actor::Operator(Some(by.operator.clone())),
        None => Actor::Client(order.client),
    };
    for identifier in &wanted {
        let posting = snapshot.postings.get(identifier);
        let change = posting.and_then(|posting| {
            undo_delisting(posting, lease.catalogue, &order.name, by.clone(), now)
        });
        if let Some(change) = change {
            writes
                .missed
                .insert(change.write.posting.id, Missed::Reopened);
            change.record(&mut snapshot, &mut writes);
        }
    }
    if let Some(by) = order.by.as_ref().filter(|_| first) {
        let entry = by.entry(Action::CATALOGUES_UNDO, now).about(order.client);
        let entry = entry.with("name", order.name.as_str());
        writes.tasks.audit.push(entry);
    }
    store.commit(writes).await
}

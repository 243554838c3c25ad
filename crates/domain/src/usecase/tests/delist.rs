//! The end of an import, on a store in memory.

use access::testing::client;
use kernel::testing::identifier;
use kernel::{
    Actor, CatalogueName, Status, StoreError,
    field::Patch,
    testing::{hours, noon, uuid},
};
use pollster::block_on;

use crate::{
    catalogue::{CatalogueId, CatalogueLease, CatalogueQuery, Catalogues, Leased},
    posting::{Expiration, Lifetime},
    store::{PostingReader, Store},
    testing::{MemoryStore, create},
    usecase::{delist_missing, ingest},
};

fn name() -> CatalogueName {
    CatalogueName::new("jobs").unwrap()
}

/// A store with three postings of a catalogue, and the lease of an import of it.
async fn with_catalogue() -> (MemoryStore, CatalogueLease) {
    let store = MemoryStore::new();
    let lease = lease(&store, 1).await;
    let puts = ["a", "b", "c"].map(|id| create(id, "acme").listed_in(lease.catalogue));
    let answers = ingest(&store, &puts, Lifetime::NEVER, noon())
        .await
        .unwrap();
    assert!(answers.iter().all(Result::is_ok));
    (store, lease)
}

/// Leases the catalogue an hour after the holder before.
async fn lease(store: &MemoryStore, holder: i64) -> CatalogueLease {
    let now = noon() + hours(holder);
    let query = CatalogueQuery {
        client: client(1).id,
        name: name(),
        new_id: CatalogueId::new(uuid(9)),
        holder: uuid(holder.unsigned_abs().into()),
        now,
        until: now + hours(1),
    };
    match store.lease(&query).await.unwrap() {
        Leased::Held(lease) => lease,
        other => panic!("{other:?}"),
    }
}

async fn statuses(store: &MemoryStore) -> [Status; 3] {
    let known = store.load(&["a", "b", "c"].map(identifier), &[]).await;
    let known = known.unwrap();
    ["a", "b", "c"].map(|id| known.postings[&identifier(id)].status)
}

#[test]
fn what_is_missing_expires() {
    block_on(async {
        let (store, lease) = with_catalogue().await;
        let missing = ["a", "c", "unknown"].map(identifier);
        let now = noon() + hours(1);
        // The second time as after a commit in doubt.
        for _ in 0..2 {
            let delisted = delist_missing(&store, lease, &name(), &missing, now).await;
            assert_eq!(delisted, Ok(2));
        }
        let pending = Status::PendingEnrichment;
        assert_eq!(
            statuses(&store).await,
            [Status::Expired, pending, Status::Expired]
        );
        let found = PostingReader::find(&store, &identifier("a")).await.unwrap();
        let by = found.unwrap().posting.updated_by;
        assert_eq!(by, Some(Actor::Catalogue(name())));
    });
}

/// One that another catalogue has listed meanwhile stays, and so does one that is not open any more.
#[test]
fn what_the_catalogue_has_no_more_stays() {
    block_on(async {
        let (store, lease) = with_catalogue().await;
        let moved = create("b", "acme").listed_in(CatalogueId::new(uuid(8)));
        let mut ended = create("c", "acme");
        ended.patch.expiration = Patch::Set(Expiration::default());
        ingest(&store, &[moved, ended], Lifetime::NEVER, noon())
            .await
            .unwrap();
        let missing = ["a", "b", "c"].map(identifier);
        let delisted = delist_missing(&store, lease, &name(), &missing, noon()).await;
        assert_eq!(delisted, Ok(1));
        let (expired, pending) = (Status::Expired, Status::PendingEnrichment);
        assert_eq!(statuses(&store).await, [expired, pending, expired]);
    });
}

#[test]
fn an_import_that_lost_its_lease_expires_nothing() {
    block_on(async {
        let (store, lost) = with_catalogue().await;
        let held = lease(&store, 2).await;
        let missing = ["a", "b"].map(identifier);
        let delisted = delist_missing(&store, lost, &name(), &missing, noon()).await;
        assert_eq!(delisted, Err(StoreError::Conflict));
        assert_eq!(statuses(&store).await, [Status::PendingEnrichment; 3]);
        let delisted = delist_missing(&store, held, &name(), &missing, noon()).await;
        assert_eq!(delisted, Ok(2));
    });
}

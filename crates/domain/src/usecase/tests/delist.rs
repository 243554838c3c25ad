//! The end of an import, on a store in memory.

use access::testing::client;
use kernel::{
    Actor, CatalogueName, Status,
    testing::{hours, identifier, noon, uuid},
};

use crate::{
    catalogue::{CatalogueId, CatalogueQuery, Catalogues, Leased},
    posting::Lifetime,
    store::Store,
    testing::{MemoryStore, create, push},
    usecase::{delist_missing, ingest},
};

#[pollster::test]
async fn what_is_missing_expires_and_is_counted() {
    let store = MemoryStore::new();
    let name = CatalogueName::new("jobs").unwrap();
    let query = CatalogueQuery {
        client: client(1).id,
        name: name.clone(),
        new_id: CatalogueId::new(uuid(9)),
        holder: uuid(1),
        now: noon(),
        until: noon() + hours(1),
    };
    let Leased::Held(lease) = store.lease(&query).await.unwrap() else {
        panic!("it is new");
    };
    let mut puts = ["a", "b", "c", "d"].map(|id| create(id, "acme").listed_in(lease.catalogue));
    puts[3].catalogue = Some(CatalogueId::new(uuid(8)));
    ingest(&store, &puts, Lifetime::NEVER, noon())
        .await
        .unwrap();
    let ended = [push("c", r#"{"expiration":{}}"#)];
    ingest(&store, &ended, Lifetime::NEVER, noon())
        .await
        .unwrap();
    let missing = ["a", "b", "c", "d", "unknown"].map(identifier);
    // The second time as after a commit in doubt.
    for _ in 0..2 {
        let delisted = delist_missing(&store, lease, &name, &missing, noon()).await;
        assert_eq!(delisted, Ok(2), "neither what ended before nor another's");
    }
    let snapshot = store.load(&missing, &[]).await.unwrap();
    let is_open =
        ["a", "b", "c", "d"].map(|id| snapshot.postings[&identifier(id)].status.is_open());
    assert_eq!(is_open, [false, false, false, true]);
    let expired = &snapshot.postings[&identifier("a")];
    assert_eq!(expired.status, Status::Expired);
    assert_eq!(expired.updated_by, Some(Actor::Catalogue(name)));
}

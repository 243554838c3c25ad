//! The end of an import, on a store in memory.

use access::testing::client;
use kernel::{
    Actor, CatalogueName, Status,
    testing::{hours, identifier, noon, uuid},
};

use crate::{
    catalogue::{CatalogueId, CatalogueQuery, Catalogues, Leased, Patience},
    posting::Lifetime,
    store::Store,
    testing::{MemoryStore, create, push},
    usecase::{Delisted, delist_missing, ingest},
};

#[pollster::test]
async fn what_is_missing_expires_and_is_counted() {
    let store = MemoryStore::new();
    let name = CatalogueName::new("jobs").unwrap();
    let query = CatalogueQuery {
        client: client(1).id,
        name: name.clone(),
        new_id: Some(CatalogueId::new(uuid(9))),
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
    // Neither what ended before nor another's; the second time as after a commit in doubt.
    for (patience, expired) in [(2, 0), (2, 0), (1, 2), (1, 2)] {
        let patience = Patience::new(patience).unwrap();
        let delisted =
            delist_missing(&store, &store, lease, &name, patience, &missing, noon()).await;
        let missing = 2;
        assert_eq!(delisted, Ok(Delisted { missing, expired }));
    }
    let snapshot = store.load(&missing, &[]).await.unwrap();
    let is_open =
        ["a", "b", "c", "d"].map(|id| snapshot.postings[&identifier(id)].status.is_open());
    assert_eq!(is_open, [false, false, false, true]);
    let expired = &snapshot.postings[&identifier("a")];
    assert_eq!(expired.status, Status::Expired);
    assert_eq!(expired.updated_by, Some(Actor::Catalogue(name)));
}

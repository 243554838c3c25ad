//! Tests of what an erasure removes from a client's activity.

use access::{
    ActivityLog, Clients,
    activity::{ActivityWrites, Refusal},
    testing::client,
};
use domain::{
    posting::{Ground, Lifetime},
    report::Reports,
    store::{Retention, Store},
    testing::create,
    usecase::{erase, ingest},
};
use kernel::testing::{by_ann, identifier, minutes, noon, uuid};
use time::OffsetDateTime;

async fn refused<S: ActivityLog>(
    store: &S,
    refusals: &[(u128, &str, OffsetDateTime)],
) -> Vec<String> {
    let refusals = refusals.iter().map(|(n, identifier, at)| {
        let refusal = Refusal::new(uuid(*n), *at, identifier, 422, "It is wrong.", None);
        (client(1).id, refusal)
    });
    let writes = ActivityWrites {
        refusals: refusals.collect(),
        ..ActivityWrites::default()
    };
    store.record(&writes).await.expect("it is there");
    let activity = store.activity(client(1).id).await.expect("it is there");
    let kept = activity.refusals.into_iter();
    kept.map(|refusal| refusal.identifier).collect()
}

/// Checks that the refusals of an erased posting are deleted, and that refusals written some
/// seconds later are not stored.
pub async fn refusals_are_erased<S>(store: &S)
where
    S: ActivityLog + Clients + Reports + Retention + Store,
{
    let inserted = store.insert(&client(1), None).await;
    inserted.expect("it is new");
    let put = ingest(store, &[create("a", "acme")], Lifetime::NEVER, noon()).await;
    put.expect("it is new").remove(0).expect("it is valid");
    let before = [(1, "a", noon()), (2, "b", noon())];
    assert_eq!(refused(store, &before).await, ["b", "a"]);
    let (id, by, later) = (identifier("a"), by_ann(1), noon() + minutes(1));
    let ports = (store as _, store as _, store as _);
    let erased = erase(ports, &id, "a request", Ground::Law, &by, later).await;
    assert_eq!(erased, Ok(true));
    assert_eq!(refused(store, &[]).await, ["b"]);
    let late = [(3, "a", noon()), (4, "a", later + minutes(1))];
    assert_eq!(refused(store, &late).await, ["a", "b"]);
}

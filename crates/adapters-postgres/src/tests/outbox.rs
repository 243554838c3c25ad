//! What claims and counts have to look at.

use domain::{
    outbox::{EVENTS, Event, EventName, MOST_COUNTED, Outbox as _, Revive},
    posting::{ENRICH, PostingId, event},
    store::Store as _,
    testing::{identifier, minutes, noon, uuid},
};

use super::{create, fixture, number, run};

/// What the index of claims holds.
const CLAIMABLE: &str = "SELECT count(*) AS value FROM outbox WHERE kind = 'event' AND dead_at IS NULL AND lease IS NULL AND NOT blocked";

#[tokio::test]
async fn claims_do_not_see_what_waits_behind_dead_events() {
    let (_guard, store) = fixture().await;
    let raise = async |subjects: u128, names: &[EventName]| {
        let mut writes = create(1);
        (writes.postings, writes.companies) = Default::default();
        for n in 1..=subjects {
            writes.tasks.events.extend(names.iter().map(|name| Event {
                name: name.clone(),
                subject: identifier("an id").subject(PostingId::new(uuid(n))),
                at: noon(),
            }));
        }
        store.commit(writes).await.unwrap();
    };
    let two = [event::JOB_POSTING_CREATED, event::JOB_POSTING_UPDATED];
    raise(20, &two).await;
    let claim = store.claim(EVENTS, 99, minutes(1), uuid(9), noon());
    let claimed = claim.await.unwrap();
    assert_eq!(claimed.len(), 20);
    for task in &claimed {
        store
            .give_up(task.receipt, "hopeless", noon())
            .await
            .unwrap();
    }
    raise(20, &two).await;
    let query = CLAIMABLE;
    assert_eq!(number(&store, query).await, 0);
    let one = Revive::Tasks(vec![claimed[0].receipt.task]);
    assert_eq!(store.revive(&one, None, noon()).await, Ok(1));
    assert_eq!(number(&store, query).await, 4, "all events of that subject");
}

#[tokio::test]
async fn counting_has_an_end() {
    let (_guard, store) = fixture().await;
    let rows = MOST_COUNTED + 5;
    let fill = format!(
        "INSERT INTO outbox (kind, subject, next_at, created_at) \
         SELECT 'enrich', gen_random_uuid(), now(), now() FROM generate_series(1, {rows})"
    );
    run(&store, &fill).await;
    let backlog = store
        .backlog(&[ENRICH.kind(), EVENTS.kind()])
        .await
        .unwrap();
    let of_enrichments = backlog.iter().find(|of| of.kind == ENRICH.kind()).unwrap();
    assert_eq!(of_enrichments.waiting, MOST_COUNTED as u64);
    assert!(of_enrichments.oldest.is_some());
}

//! How many rows claims and counts read.

use domain::{
    outbox::{EVENTS, Event, EventName, MOST_COUNTED, Outbox, Revive},
    posting::{ENRICH, PostingId, event},
    store::{Store, WriteSet},
    testing::{identifier, minutes, noon, uuid},
};

use super::Shell;

/// Checks that claims do not read events blocked behind dead ones.
///
/// # Panics
/// When they do.
pub async fn claims_do_not_read_events_behind_dead_ones<S: Store + Outbox + Shell>(store: &S) {
    // The rows in the index that claims use.
    let claimable = "SELECT count(*) FROM outbox \
        WHERE kind = 'event' AND dead_at IS NULL AND lease IS NULL AND NOT blocked";
    let raise = async |subjects: u128, names: &[EventName]| {
        let mut writes = WriteSet::new(noon());
        for n in 1..=subjects {
            writes.tasks.events.extend(names.iter().map(|name| Event {
                name: name.clone(),
                subject: identifier("an id").subject(PostingId::new(uuid(n))),
                at: noon(),
            }));
        }
        store.commit(writes).await.expect("the store works");
    };
    let two = [event::JOB_POSTING_CREATED, event::JOB_POSTING_UPDATED];
    raise(20, &two).await;
    let claimed = store.claim(EVENTS, 99, minutes(1), uuid(9), noon()).await;
    let claimed = claimed.expect("the store works");
    assert_eq!(claimed.len(), 20);
    for task in &claimed {
        let buried = store.give_up(task.receipt, "hopeless", noon()).await;
        buried.expect("the lease holds");
    }
    raise(20, &two).await;
    assert_eq!(store.number(claimable).await, 0);
    let one = Revive::Tasks(vec![claimed[0].receipt.task]);
    assert_eq!(store.revive(&one, None, noon()).await, Ok(1));
    let of_that_subject = store.number(claimable).await;
    assert_eq!(of_that_subject, 4, "all events of that subject");
}

/// Checks that counts stop at their limit.
///
/// # Panics
/// When they do not.
pub async fn counting_has_an_end<S: Outbox + Shell>(store: &S) {
    let fill = format!(
        "INSERT INTO outbox (kind, subject, next_at, created_at) \
         WITH RECURSIVE rows (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM rows WHERE n < {}) \
         SELECT 'enrich', {{id}}, {{past}}, {{past}} FROM rows",
        MOST_COUNTED + 5
    );
    store.shell(&fill).await.expect("rows fit");
    let backlog = store.backlog(&[ENRICH.kind(), EVENTS.kind()]).await;
    let backlog = backlog.expect("the store works");
    let of_enrichments = backlog.iter().find(|of| of.kind == ENRICH.kind());
    let of_enrichments = of_enrichments.expect("it was asked for");
    assert_eq!(of_enrichments.waiting, MOST_COUNTED as u64);
    assert!(of_enrichments.oldest.is_some());
}

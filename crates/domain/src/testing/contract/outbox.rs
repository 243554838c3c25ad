//! Claiming, finishing, putting off and giving up tasks.

use time::{Duration, OffsetDateTime};

use super::put;
use crate::{
    outbox::{Claimed, Effect, Event, EventName, Kind, Outbox, Receipt, Revive, Work},
    posting::PostingId,
    store::{Store, StoreError, WriteSet},
    testing::{AllPorts, create, hours, minutes, noon, put_id, uuid},
};

const LEASE: Duration = Duration::seconds(30);

fn effect(n: u128) -> Effect {
    Effect::Enrich(PostingId::new(uuid(n)))
}

async fn ask<S: Store>(store: &S, effects: &[Effect], now: OffsetDateTime) {
    let mut writes = WriteSet::new(now);
    writes.effects.extend(effects);
    store.commit(writes).await.expect("asking never conflicts");
}

async fn claim<S: Outbox>(store: &S, lease: u128, now: OffsetDateTime) -> Vec<Claimed> {
    store
        .claim(&Kind::ALL, 100, LEASE, uuid(lease), now)
        .await
        .expect("the store works")
}

async fn claim_one<S: Outbox>(store: &S, lease: u128, now: OffsetDateTime) -> Claimed {
    let claimed = claim(store, lease, now).await;
    assert_eq!(claimed.len(), 1, "{claimed:?}");
    claimed.into_iter().next().expect("there is one")
}

async fn finish<S: Store>(store: &S, receipt: Receipt) -> Result<(), StoreError> {
    let mut writes = WriteSet::new(noon());
    writes.done.push(receipt);
    store.commit(writes).await
}

async fn raise<S: Store>(store: &S, posting: u128, names: &[EventName]) {
    let posting = PostingId::new(uuid(posting));
    let mut writes = WriteSet::new(noon());
    writes.events = names
        .iter()
        .map(|&name| Event {
            name,
            posting,
            source_identifier: super::identifier("an id"),
            at: noon(),
        })
        .collect();
    store.commit(writes).await.expect("events never conflict");
}

/// The first claim takes it, and finishing removes it.
pub async fn an_effect_is_claimed_once<S: AllPorts>(store: &S) {
    ask(store, &[effect(1)], noon()).await;
    assert_eq!(
        claim(store, 1, noon() - minutes(1)).await,
        [],
        "it is not due yet"
    );
    let claimed = claim_one(store, 1, noon()).await;
    assert_eq!(claimed.work, Work::Effect(effect(1)));
    assert_eq!((claimed.attempts, claimed.first_failed_at), (1, None));
    assert_eq!(claim(store, 2, noon()).await, []);
    finish(store, claimed.receipt)
        .await
        .expect("the lease holds");
    assert_eq!(claim(store, 3, noon() + hours(1)).await, []);
    assert_eq!(Outbox::list(store, false).await, Ok(vec![]));
}

/// A hundred changes cost one run.
pub async fn asking_again_while_it_waits_is_one_task<S: AllPorts>(store: &S) {
    for _ in 0..3 {
        ask(store, &[effect(1), effect(2)], noon()).await;
    }
    assert_eq!(claim(store, 1, noon()).await.len(), 2);
}

/// What was asked for during the work is not lost with the work.
pub async fn asking_again_while_it_is_leased_makes_it_due_once_more<S: AllPorts>(store: &S) {
    ask(store, &[effect(1)], noon()).await;
    let first = claim_one(store, 1, noon()).await;
    ask(store, &[effect(1)], noon()).await;
    assert_eq!(claim(store, 2, noon()).await, [], "the lease holds");
    finish(store, first.receipt).await.expect("the lease holds");
    let second = claim_one(store, 3, noon()).await;
    assert_eq!(second.attempts, 1, "it starts with a clean record");
    finish(store, second.receipt)
        .await
        .expect("the lease holds");
    assert_eq!(claim(store, 4, noon()).await, []);

    ask(store, &[effect(2)], noon()).await;
    let claimed = claim_one(store, 5, noon()).await;
    let mut both = WriteSet::new(noon());
    both.effects.insert(effect(2));
    both.done.push(claimed.receipt);
    store.commit(both).await.expect("the lease holds");
    assert_eq!(
        claim(store, 6, noon()).await.len(),
        1,
        "asked for in the commit that finishes it"
    );
}

/// A worker that died holds nothing for long.
pub async fn a_lease_that_lapsed_is_claimable<S: AllPorts>(store: &S) {
    ask(store, &[effect(1)], noon()).await;
    claim_one(store, 1, noon()).await;
    assert_eq!(claim(store, 2, noon() + LEASE - Duration::SECOND).await, []);
    let again = claim_one(store, 3, noon() + LEASE).await;
    assert_eq!(again.attempts, 2);
}

/// A worker that lives keeps what it holds.
pub async fn a_renewed_lease_holds<S: AllPorts>(store: &S) {
    ask(store, &[effect(1)], noon()).await;
    let claimed = claim_one(store, 1, noon()).await;
    store
        .renew(&[claimed.receipt], noon() + hours(1))
        .await
        .expect("the store works");
    assert_eq!(claim(store, 2, noon() + minutes(59)).await, []);
    claim_one(store, 3, noon() + hours(1)).await;
    store
        .renew(&[claimed.receipt], noon() + hours(9))
        .await
        .expect("the store works");
    claim_one(store, 4, noon() + hours(2)).await;
}

/// Whoever lost the lease finishes nothing, and nothing of its commit is written.
pub async fn finishing_without_the_lease_conflicts<S: AllPorts>(store: &S) {
    ask(store, &[effect(1)], noon()).await;
    let slow = claim_one(store, 1, noon()).await;
    let fast = claim_one(store, 2, noon() + LEASE).await;
    let mut late = WriteSet::new(noon());
    late.done.push(slow.receipt);
    late.effects.insert(effect(9));
    assert_eq!(store.commit(late).await, Err(StoreError::Conflict));
    finish(store, fast.receipt).await.expect("the lease holds");
    assert_eq!(
        finish(store, fast.receipt).await,
        Err(StoreError::Conflict),
        "it is finished"
    );
    assert_eq!(Outbox::list(store, false).await, Ok(vec![]));
}

/// A failure is noted, and the first one remembered.
pub async fn a_failed_task_waits_and_counts<S: AllPorts>(store: &S) {
    ask(store, &[effect(1)], noon()).await;
    let claimed = claim_one(store, 1, noon()).await;
    let due = noon() + minutes(5);
    store
        .retry(claimed.receipt, due, "refused", noon())
        .await
        .expect("the store works");
    assert_eq!(claim(store, 2, due - Duration::SECOND).await, []);
    let again = claim_one(store, 3, due).await;
    assert_eq!((again.attempts, again.first_failed_at), (2, Some(noon())));
    store
        .retry(again.receipt, due, "again", due)
        .await
        .expect("the store works");
    let third = claim_one(store, 4, due).await;
    assert_eq!((third.attempts, third.first_failed_at), (3, Some(noon())));

    ask(store, &[effect(1)], due).await;
    store
        .retry(third.receipt, due + hours(9), "no", due)
        .await
        .expect("the store works");
    claim_one(store, 5, due).await;
}

/// Given up is not gone.
pub async fn a_buried_task_is_dead_until_revived<S: AllPorts>(store: &S) {
    ask(store, &[effect(1), effect(2)], noon()).await;
    for claimed in claim(store, 1, noon()).await {
        store
            .bury(claimed.receipt, "hopeless", noon())
            .await
            .expect("the store works");
    }
    assert_eq!(claim(store, 2, noon() + hours(9)).await, []);
    assert_eq!(Outbox::list(store, false).await, Ok(vec![]));
    let dead = Outbox::list(store, true).await.expect("the store works");
    assert_eq!(dead.len(), 2);
    assert_eq!(dead[0].last_error.as_deref(), Some("hopeless"));
    let one = Revive::Tasks(vec![dead[0].id]);
    assert_eq!(store.revive(&one, noon()).await, Ok(1));
    assert_eq!(
        store.revive(&one, noon()).await,
        Ok(0),
        "it is not dead any more"
    );
    let claimed = claim_one(store, 3, noon()).await;
    assert_eq!((claimed.receipt.task, claimed.attempts), (dead[0].id, 1));
    assert_eq!(store.revive(&Revive::All, noon()).await, Ok(1));
    claim_one(store, 4, noon()).await;
}

/// A new wish is a new chance.
pub async fn asking_for_a_dead_effect_revives_it<S: AllPorts>(store: &S) {
    ask(store, &[effect(1)], noon()).await;
    let claimed = claim_one(store, 1, noon()).await;
    store
        .bury(claimed.receipt, "hopeless", noon())
        .await
        .expect("the store works");
    ask(store, &[effect(1)], noon() + hours(1)).await;
    let again = claim_one(store, 2, noon() + hours(1)).await;
    assert_eq!((again.attempts, again.first_failed_at), (1, None));
    assert_eq!(Outbox::list(store, true).await, Ok(vec![]));
}

/// Asked for during the work, it is not given up with the work.
pub async fn asking_again_wins_over_burying<S: AllPorts>(store: &S) {
    ask(store, &[effect(1)], noon()).await;
    let claimed = claim_one(store, 1, noon()).await;
    ask(store, &[effect(1)], noon()).await;
    store
        .bury(claimed.receipt, "hopeless", noon())
        .await
        .expect("the store works");
    assert_eq!(Outbox::list(store, true).await, Ok(vec![]));
    claim_one(store, 2, noon()).await;
}

/// What somebody else holds is not to be touched.
pub async fn a_lost_lease_can_neither_retry_nor_bury<S: AllPorts>(store: &S) {
    ask(store, &[effect(1)], noon()).await;
    let slow = claim_one(store, 1, noon()).await;
    let fast = claim_one(store, 2, noon() + LEASE).await;
    store
        .retry(slow.receipt, noon(), "slow", noon())
        .await
        .expect("the store works");
    store
        .bury(slow.receipt, "slow", noon())
        .await
        .expect("the store works");
    assert_eq!(Outbox::list(store, true).await, Ok(vec![]));
    finish(store, fast.receipt).await.expect("the lease holds");
}

/// A posting's next event waits until the one before it is delivered, even while that is dead.
pub async fn events_of_a_posting_come_in_order<S: AllPorts>(store: &S) {
    use EventName::{JobPostingApproved, JobPostingCreated, JobPostingExpired};
    raise(store, 1, &[JobPostingCreated, JobPostingApproved]).await;
    raise(store, 1, &[JobPostingExpired]).await;
    let name = |claimed: &Claimed| match &claimed.work {
        Work::Event(event) => event.clone().name,
        Work::Effect(effect) => panic!("{effect:?} is no event"),
    };
    let first = claim_one(store, 1, noon()).await;
    assert_eq!(name(&first), JobPostingCreated);
    assert_eq!(claim(store, 2, noon()).await, [], "the first one is out");
    store
        .bury(first.receipt, "hopeless", noon())
        .await
        .expect("the store works");
    assert_eq!(claim(store, 3, noon()).await, [], "the first one is dead");
    store
        .revive(&Revive::All, noon())
        .await
        .expect("the store works");
    for (lease, expect) in (4..).zip([JobPostingCreated, JobPostingApproved, JobPostingExpired]) {
        let claimed = claim_one(store, lease, noon()).await;
        assert_eq!(name(&claimed), expect);
        finish(store, claimed.receipt)
            .await
            .expect("the lease holds");
    }
    assert_eq!(claim(store, 9, noon()).await, []);
}

/// Order is kept per posting, not across them.
pub async fn events_of_different_postings_do_not_wait_for_each_other<S: AllPorts>(store: &S) {
    use EventName::{JobPostingCreated, JobPostingUpdated};
    for posting in 1..=3 {
        raise(store, posting, &[JobPostingCreated, JobPostingUpdated]).await;
    }
    let claimed = claim(store, 1, noon()).await;
    assert_eq!(claimed.len(), 3);
    let event = Event {
        name: JobPostingCreated,
        posting: PostingId::new(uuid(1)),
        source_identifier: super::identifier("an id"),
        at: noon(),
    };
    assert!(
        claimed
            .iter()
            .any(|claimed| claimed.work == Work::Event(event.clone()))
    );
}

/// A worker of one kind leaves the others alone.
pub async fn kinds_are_claimed_apart<S: AllPorts>(store: &S) {
    put(store, &[create("a", "acme")]).await;
    for (lease, kind) in (1..).zip(Kind::ALL) {
        let claimed = store
            .claim(&[kind], 10, LEASE, uuid(lease), noon())
            .await
            .expect("the store works");
        assert_eq!(claimed.len(), 1);
        let is_effect = claimed[0].work == Work::Effect(Effect::Enrich(put_id("a")));
        assert_eq!(is_effect, kind == Kind::Enrich);
    }
    assert_eq!(
        store.claim(&[], 10, LEASE, uuid(9), noon()).await,
        Ok(vec![])
    );
}

/// What has waited longest goes first.
pub async fn claims_are_limited_and_longest_due_first<S: AllPorts>(store: &S) {
    for (n, minute) in [(1, 3), (2, 1), (3, 2)] {
        ask(store, &[effect(n)], noon() + minutes(minute)).await;
    }
    let now = noon() + hours(1);
    let mut order = Vec::new();
    for lease in 1..=2 {
        let claimed = store
            .claim(&Kind::ALL, 2, LEASE, uuid(lease), now)
            .await
            .expect("the store works");
        order.push(
            claimed
                .into_iter()
                .map(|claimed| claimed.work)
                .collect::<Vec<_>>(),
        );
    }
    assert_eq!(order[0], [Work::Effect(effect(2)), Work::Effect(effect(3))]);
    assert_eq!(order[1], [Work::Effect(effect(1))]);
}

/// An operator sees what waits, also while it is leased.
pub async fn rows_are_listed<S: AllPorts>(store: &S) {
    ask(store, &[effect(1)], noon()).await;
    raise(store, 2, &[EventName::JobPostingExpired]).await;
    let claimed = store
        .claim(&[Kind::Enrich], 1, LEASE, uuid(1), noon())
        .await;
    let claimed = claimed.expect("the store works");
    let rows = Outbox::list(store, false).await.expect("the store works");
    let rows: Vec<_> = rows
        .iter()
        .map(|row| {
            (
                row.kind,
                row.key.clone(),
                row.attempts,
                row.next_at,
                row.last_error.clone(),
            )
        })
        .collect();
    assert_eq!(
        rows,
        [
            (Kind::Enrich, uuid(1).to_string(), 1, noon() + LEASE, None),
            (
                Kind::Event,
                format!("JobPostingExpired:{}", uuid(2)),
                0,
                noon(),
                None
            ),
        ]
    );
    assert_eq!(claimed.len(), 1);
}

/// How much waits, how much is dead, and since when.
pub async fn the_backlog_is_counted<S: AllPorts>(store: &S) {
    ask(store, &[effect(1)], noon()).await;
    ask(store, &[effect(2)], noon() + hours(1)).await;
    let claimed = claim_one(store, 1, noon()).await;
    store
        .bury(claimed.receipt, "hopeless", noon())
        .await
        .expect("the store works");
    let backlog = store.backlog().await.expect("the store works");
    let numbers: Vec<_> = backlog
        .iter()
        .map(|of| (of.kind, of.waiting, of.dead, of.oldest))
        .collect();
    assert_eq!(
        numbers,
        [
            (Kind::Enrich, 1, 1, Some(noon() + hours(1))),
            (Kind::Event, 0, 0, None)
        ]
    );
}

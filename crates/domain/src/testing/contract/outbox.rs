//! Claiming, finishing, putting off and giving up tasks.

use time::{Duration, OffsetDateTime};

use super::put;
use crate::{
    outbox::{Backlog, Claimed, Effect, Kind, Outbox, Queue, Receipt, Revive},
    posting::{ENRICH, PostingId, enrich},
    store::{Store, StoreError, WriteSet},
    testing::{create, hours, minutes, noon, put_id, uuid},
};

/// Kinds of another context: one with lanes, two without.
const TELL: Kind = Kind::new("tell");
const BULK_EAST: Queue = Queue::lane_of(TELL, "east-bulk");
const BULK_WEST: Queue = Queue::lane_of(TELL, "west-bulk");
const EAST: Queue = Queue::lane_of(TELL, "east").before(&BULK_EAST);
const WEST: Queue = Queue::lane_of(TELL, "west").before(&BULK_WEST);
const MOVE: Queue = Queue::of(Kind::new("move"));
const FETCH: Queue = Queue::of(Kind::new("fetch"));

const QUEUES: [Queue; 7] = [ENRICH, EAST, WEST, BULK_EAST, BULK_WEST, MOVE, FETCH];
const KINDS: [Kind; 4] = [ENRICH.kind(), TELL, MOVE.kind(), FETCH.kind()];

const LEASE: Duration = Duration::seconds(30);

fn effect(n: u128) -> Effect {
    enrich(PostingId::new(uuid(n)))
}

async fn ask<S: Store>(store: &S, effects: &[Effect], now: OffsetDateTime) {
    let mut writes = WriteSet::new(now);
    for effect in effects {
        writes.tasks.ask(*effect);
    }
    store.commit(writes).await.expect("asking never conflicts");
}

async fn claim<S: Outbox>(store: &S, lease: u128, now: OffsetDateTime) -> Vec<Claimed> {
    let mut all = Vec::new();
    for queue in QUEUES {
        let claimed = store.claim(queue, 100, LEASE, uuid(lease), now).await;
        all.extend(claimed.expect("the store works"));
    }
    all
}

async fn claim_one<S: Outbox>(store: &S, lease: u128, now: OffsetDateTime) -> Claimed {
    let claimed = claim(store, lease, now).await;
    assert_eq!(claimed.len(), 1, "{claimed:?}");
    claimed.into_iter().next().expect("there is one")
}

/// Claims the suspect that there must be.
async fn claim_suspect<S: Outbox>(store: &S, lease: u128, now: OffsetDateTime) -> Claimed {
    for queue in QUEUES {
        if store
            .has_suspect(queue, now)
            .await
            .expect("the store works")
        {
            let claimed = store.claim_suspect(queue, LEASE, uuid(lease), now).await;
            return claimed
                .expect("the store works")
                .expect("there is a suspect");
        }
    }
    panic!("there is no suspect");
}

async fn no_suspect<S: Outbox>(store: &S, now: OffsetDateTime) {
    for queue in QUEUES {
        assert_eq!(store.has_suspect(queue, now).await, Ok(false));
        let claimed = store.claim_suspect(queue, LEASE, uuid(99), now).await;
        assert_eq!(claimed, Ok(None));
    }
}

async fn finish<S: Store>(store: &S, receipt: Receipt) -> Result<(), StoreError> {
    let mut writes = WriteSet::new(noon());
    writes.tasks.done.push(receipt);
    store.commit(writes).await
}

/// And finishing removes it.
pub async fn an_effect_is_claimed_once<S: Store + Outbox>(store: &S) {
    ask(store, &[effect(1)], noon()).await;
    assert_eq!(
        claim(store, 1, noon() - minutes(1)).await,
        [],
        "it is not due yet"
    );
    let claimed = claim_one(store, 1, noon()).await;
    assert_eq!(claimed.effect, effect(1));
    assert_eq!((claimed.attempts, claimed.first_failed_at), (1, None));
    assert_eq!(claim(store, 2, noon()).await, []);
    finish(store, claimed.receipt)
        .await
        .expect("the lease holds");
    assert_eq!(claim(store, 3, noon() + hours(1)).await, []);
    assert_eq!(
        Outbox::list(store, false, None, usize::MAX).await,
        Ok(vec![])
    );
}

/// A hundred changes cost one run.
pub async fn asking_again_while_it_waits_is_one_task<S: Store + Outbox>(store: &S) {
    for _ in 0..3 {
        ask(store, &[effect(1), effect(2)], noon()).await;
    }
    assert_eq!(claim(store, 1, noon()).await.len(), 2);
}

pub async fn asking_again_while_it_is_leased_makes_it_due_once_more<S: Store + Outbox>(store: &S) {
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
    both.tasks.ask(effect(2));
    both.tasks.done.push(claimed.receipt);
    store.commit(both).await.expect("the lease holds");
    assert_eq!(
        claim(store, 6, noon()).await.len(),
        1,
        "asked for in the commit that finishes it"
    );
}

/// A dead worker holds a task for a limited time, and then it is claimed alone.
pub async fn a_lease_that_lapsed_makes_a_suspect<S: Store + Outbox>(store: &S) {
    ask(store, &[effect(1), effect(2)], noon()).await;
    assert_eq!(claim(store, 1, noon()).await.len(), 2);
    ask(store, &[effect(4)], noon()).await;
    no_suspect(store, noon() + LEASE - Duration::SECOND).await;
    let later = noon() + LEASE;
    let fresh = claim_one(store, 2, later).await;
    assert_eq!(fresh.effect, effect(4), "no suspect is among them");
    let mut effects = Vec::new();
    for lease in 3..=4 {
        let suspect = claim_suspect(store, lease, later).await;
        assert_eq!((suspect.attempts, suspect.lost), (2, 1));
        effects.push(suspect.effect);
        finish(store, suspect.receipt)
            .await
            .expect("the lease holds");
    }
    assert_eq!(effects, [effect(1), effect(2)]);
    no_suspect(store, later).await;
}

/// Until the task is given up.
pub async fn lost_claims_are_counted<S: Store + Outbox>(store: &S) {
    ask(store, &[effect(1)], noon()).await;
    let mut claimed = claim_one(store, 1, noon()).await;
    let mut now = noon();
    for lost in 1..=3 {
        assert!(!claimed.is_lethal(), "{claimed:?}");
        now += LEASE;
        claimed = claim_suspect(store, 1 + u128::from(lost), now).await;
        assert_eq!(claimed.lost, lost);
    }
    assert!(claimed.is_lethal());
    store
        .give_up(claimed.receipt, "lethal", now)
        .await
        .expect("the store works");
    no_suspect(store, now + hours(1)).await;
    let dead = Outbox::list(store, true, None, usize::MAX).await;
    assert_eq!(dead.expect("the store works").len(), 1);
    // An operator gives it a clean record.
    assert_eq!(store.revive(&Revive::All, None, now).await, Ok(1));
    claim_one(store, 9, now).await;
    assert_eq!(claim_suspect(store, 10, now + LEASE).await.lost, 1);
}

/// A worker that reports is alive.
pub async fn any_report_clears_a_suspect<S: Store + Outbox>(store: &S) {
    let later = noon() + LEASE;
    for n in 1..=4 {
        ask(store, &[effect(n)], noon()).await;
        claim_one(store, 1, noon()).await;
        let suspect = claim_suspect(store, 2, later).await;
        let receipt = suspect.receipt;
        match n {
            1 => store.retry(receipt, later, "busy", later).await,
            2 => store.give_back(&[receipt], later).await,
            // Asked for again meanwhile.
            3 => {
                ask(store, &[effect(n)], later).await;
                store.give_up(receipt, "no", later).await
            }
            _ => {
                ask(store, &[effect(n)], later).await;
                finish(store, receipt).await
            }
        }
        .expect("the lease holds");
        no_suspect(store, later + hours(1)).await;
        let again = claim_one(store, 3, later + hours(1)).await;
        assert_eq!(again.lost, 0, "{n}");
        finish(store, again.receipt).await.expect("the lease holds");
    }
}

/// It is due when the worker says, without a failed attempt.
pub async fn what_is_given_back_is_no_failure<S: Store + Outbox>(store: &S) {
    ask(store, &[effect(1), effect(2)], noon()).await;
    let claimed = claim(store, 1, noon()).await;
    let receipts: Vec<_> = claimed.iter().map(|claimed| claimed.receipt).collect();
    let due = noon() + minutes(1);
    store
        .give_back(&receipts, due)
        .await
        .expect("the store works");
    assert_eq!(claim(store, 2, noon()).await, []);
    let again = claim(store, 3, due).await;
    assert_eq!(again.len(), 2);
    assert!(again.iter().all(|task| task.first_failed_at.is_none()));
    // The lease has ended with that.
    store
        .give_back(&receipts, noon())
        .await
        .expect("the store works");
    assert_eq!(claim(store, 4, due).await, []);
    assert_eq!(finish(store, receipts[0]).await, Err(StoreError::Conflict));
}

pub async fn a_renewed_lease_holds<S: Store + Outbox>(store: &S) {
    ask(store, &[effect(1)], noon()).await;
    let claimed = claim_one(store, 1, noon()).await;
    store
        .renew(&[claimed.receipt], noon() + hours(1))
        .await
        .expect("the store works");
    assert_eq!(claim(store, 2, noon() + minutes(59)).await, []);
    claim_suspect(store, 3, noon() + hours(1)).await;
    store
        .renew(&[claimed.receipt], noon() + hours(9))
        .await
        .expect("the store works");
    claim_suspect(store, 4, noon() + hours(2)).await;
}

/// Nothing of the commit is written.
pub async fn finishing_without_the_lease_conflicts<S: Store + Outbox>(store: &S) {
    ask(store, &[effect(1)], noon()).await;
    let slow = claim_one(store, 1, noon()).await;
    let fast = claim_suspect(store, 2, noon() + LEASE).await;
    let mut late = WriteSet::new(noon());
    late.tasks.done.push(slow.receipt);
    late.tasks.ask(effect(9));
    assert_eq!(store.commit(late).await, Err(StoreError::Conflict));
    finish(store, fast.receipt).await.expect("the lease holds");
    assert_eq!(
        finish(store, fast.receipt).await,
        Err(StoreError::Conflict),
        "it is finished"
    );
    assert_eq!(
        Outbox::list(store, false, None, usize::MAX).await,
        Ok(vec![])
    );
}

/// The time of the first failure is kept.
pub async fn a_failed_task_waits_and_counts<S: Store + Outbox>(store: &S) {
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

pub async fn a_task_given_up_is_dead_until_revived<S: Store + Outbox>(store: &S) {
    ask(store, &[effect(1), effect(2)], noon()).await;
    for claimed in claim(store, 1, noon()).await {
        store
            .give_up(claimed.receipt, "hopeless", noon())
            .await
            .expect("the store works");
    }
    assert_eq!(claim(store, 2, noon() + hours(9)).await, []);
    assert_eq!(
        Outbox::list(store, false, None, usize::MAX).await,
        Ok(vec![])
    );
    let dead = Outbox::list(store, true, None, usize::MAX)
        .await
        .expect("the store works");
    assert_eq!(dead.len(), 2);
    assert_eq!(dead[0].last_error.as_deref(), Some("hopeless"));
    let one = Revive::Tasks(vec![dead[0].id]);
    assert_eq!(store.revive(&one, None, noon()).await, Ok(1));
    assert_eq!(
        store.revive(&one, None, noon()).await,
        Ok(0),
        "it is not dead any more"
    );
    let claimed = claim_one(store, 3, noon()).await;
    assert_eq!((claimed.receipt.task, claimed.attempts), (dead[0].id, 1));
    assert_eq!(store.revive(&Revive::All, None, noon()).await, Ok(1));
    claim_one(store, 4, noon()).await;
}

pub async fn asking_for_a_dead_effect_revives_it<S: Store + Outbox>(store: &S) {
    ask(store, &[effect(1)], noon()).await;
    let claimed = claim_one(store, 1, noon()).await;
    store
        .give_up(claimed.receipt, "hopeless", noon())
        .await
        .expect("the store works");
    ask(store, &[effect(1)], noon() + hours(1)).await;
    let again = claim_one(store, 2, noon() + hours(1)).await;
    assert_eq!((again.attempts, again.first_failed_at), (1, None));
    assert_eq!(
        Outbox::list(store, true, None, usize::MAX).await,
        Ok(vec![])
    );
}

pub async fn asking_again_wins_over_giving_up<S: Store + Outbox>(store: &S) {
    ask(store, &[effect(1)], noon()).await;
    let claimed = claim_one(store, 1, noon()).await;
    ask(store, &[effect(1)], noon()).await;
    store
        .give_up(claimed.receipt, "hopeless", noon())
        .await
        .expect("the store works");
    assert_eq!(
        Outbox::list(store, true, None, usize::MAX).await,
        Ok(vec![])
    );
    claim_one(store, 2, noon()).await;
}

pub async fn a_lost_lease_can_neither_retry_nor_give_up<S: Store + Outbox>(store: &S) {
    ask(store, &[effect(1)], noon()).await;
    let slow = claim_one(store, 1, noon()).await;
    let fast = claim_suspect(store, 2, noon() + LEASE).await;
    store
        .retry(slow.receipt, noon(), "slow", noon())
        .await
        .expect("the store works");
    store
        .give_up(slow.receipt, "slow", noon())
        .await
        .expect("the store works");
    assert_eq!(
        Outbox::list(store, true, None, usize::MAX).await,
        Ok(vec![])
    );
    finish(store, fast.receipt).await.expect("the lease holds");
}

/// There is one effect of a kind and key.
pub async fn asking_for_another_account_moves_a_sync<S: Store + Outbox>(store: &S) {
    let [east, west] = tellings(1);
    ask(store, &[east], noon()).await;
    ask(store, &[west], noon() + hours(1)).await;
    assert_eq!(claim_from(store, EAST, 1).await, []);
    let claimed = claim_from(store, WEST, 2).await;
    assert_eq!(claimed.len(), 1, "it keeps its turn");
    assert_eq!(claimed[0].effect, west);
    finish(store, claimed[0].receipt)
        .await
        .expect("the lease holds");
    assert_eq!(
        Outbox::list(store, false, None, usize::MAX).await,
        Ok(vec![])
    );

    // Back again, while it waits.
    for effect in [west, east] {
        ask(store, &[effect], noon()).await;
    }
    let claimed = claim_one(store, 3, noon()).await;
    assert_eq!(claimed.effect, east);
}

/// A sync with one account does not block the other's.
pub async fn asking_for_another_account_while_it_is_leased_moves_it_afterwards<
    S: Store + Outbox,
>(
    store: &S,
) {
    let [east, west] = tellings(1);
    ask(store, &[east], noon()).await;
    let first = claim_one(store, 1, noon()).await;
    let mut both = WriteSet::new(noon());
    both.tasks.ask(west);
    both.tasks.done.push(first.receipt);
    ask(store, &[west], noon()).await;
    assert_eq!(claim(store, 2, noon()).await, [], "the lease holds");
    store.commit(both).await.expect("the lease holds");
    assert_eq!(claim_from(store, EAST, 3).await, []);
    let second = claim_one(store, 4, noon()).await;
    assert_eq!((second.effect, second.attempts), (west, 1));
}

pub async fn asking_for_another_account_revives_a_dead_sync<S: Store + Outbox>(store: &S) {
    let [east, west] = tellings(1);
    ask(store, &[east], noon()).await;
    let claimed = claim_one(store, 1, noon()).await;
    store
        .give_up(claimed.receipt, "hopeless", noon())
        .await
        .expect("the store works");
    ask(store, &[west], noon()).await;
    let again = claim_one(store, 2, noon()).await;
    assert_eq!((again.effect, again.attempts), (west, 1));
    assert_eq!(
        Outbox::list(store, true, None, usize::MAX).await,
        Ok(vec![])
    );
}

/// Changes come before bulk work.
pub async fn a_bulk_sync_moves_up_and_never_back<S: Store + Outbox>(store: &S) {
    let [sync, _] = tellings(1);
    let first = Effect::new(BULK_EAST, uuid(1));
    ask(store, &[first], noon()).await;
    assert_eq!(claim_from(store, EAST, 1).await, []);
    for effect in [sync, first] {
        ask(store, &[effect], noon()).await;
        assert_eq!(claim_from(store, BULK_EAST, 2).await, []);
    }
    let claimed = claim_one(store, 3, noon()).await;
    assert_eq!(claimed.effect, sync);
    // It is one task, and starts over after it was given up.
    store
        .give_up(claimed.receipt, "hopeless", noon())
        .await
        .expect("the store works");
    ask(store, &[first], noon()).await;
    let again = claim_one(store, 4, noon()).await;
    assert_eq!((again.effect, again.attempts), (first, 1));
}

fn tellings(n: u128) -> [Effect; 2] {
    [EAST, WEST].map(|queue| Effect::new(queue, uuid(n)))
}

pub async fn queues_are_claimed_apart<S: Store + Outbox>(store: &S) {
    put(store, &[create("a", "acme")]).await;
    // Tasks of one key differ by kind.
    let tasks = [
        (EAST, 1),
        (WEST, 2),
        (BULK_EAST, 3),
        (BULK_WEST, 4),
        (MOVE, 1),
        (FETCH, 1),
    ];
    let mut effects = tasks.map(|(queue, n)| Effect::new(queue, uuid(n))).to_vec();
    ask(store, &effects, noon()).await;
    effects.push(enrich(put_id("a")));
    for (lease, queue) in (1..).zip(QUEUES) {
        let claimed = claim_from(store, queue, lease).await;
        assert_eq!(claimed.len(), 1, "{queue:?}: {claimed:?}");
        let effect = claimed[0].effect;
        assert!(effects.contains(&effect), "{effect:?}");
        assert_eq!(effect.queue(), queue);
    }
}

async fn claim_from<S: Outbox>(store: &S, queue: Queue, lease: u128) -> Vec<Claimed> {
    store
        .claim(queue, 10, LEASE, uuid(lease), noon())
        .await
        .expect("the store works")
}

pub async fn claims_are_limited_and_longest_due_first<S: Store + Outbox>(store: &S) {
    for (n, minute) in [(1, 3), (2, 1), (3, 2)] {
        ask(store, &[effect(n)], noon() + minutes(minute)).await;
    }
    let now = noon() + hours(1);
    let mut order = Vec::new();
    for lease in 1..=2 {
        let claimed = store
            .claim(ENRICH, 2, LEASE, uuid(lease), now)
            .await
            .expect("the store works");
        order.push(
            claimed
                .into_iter()
                .map(|claimed| claimed.effect)
                .collect::<Vec<_>>(),
        );
    }
    assert_eq!(order[0], [effect(2), effect(3)]);
    assert_eq!(order[1], [effect(1)]);
}

/// Including leased ones.
pub async fn rows_are_listed<S: Store + Outbox>(store: &S) {
    ask(store, &[effect(1)], noon()).await;
    for queue in [WEST, MOVE] {
        ask(store, &[Effect::new(queue, uuid(3))], noon()).await;
    }
    let claimed = store.claim(ENRICH, 1, LEASE, uuid(1), noon()).await;
    let claimed = claimed.expect("the store works");
    let rows = Outbox::list(store, false, None, usize::MAX)
        .await
        .expect("the store works");
    let rows: Vec<_> = rows
        .iter()
        .map(|row| {
            (
                row.kind.as_str(),
                row.key,
                row.attempts,
                row.next_at,
                row.last_error.clone(),
            )
        })
        .collect();
    assert_eq!(
        rows,
        [
            ("enrich", uuid(1), 1, noon() + LEASE, None),
            ("tell", uuid(3), 0, noon(), None),
            ("move", uuid(3), 0, noon(), None),
        ]
    );
    assert_eq!(claimed.len(), 1);
}

pub async fn rows_are_listed_by_pages<S: Store + Outbox>(store: &S) {
    for n in 1..=5 {
        ask(store, &[effect(n)], noon()).await;
    }
    let mut keys = Vec::new();
    let mut after = None;
    loop {
        let page = Outbox::list(store, false, after, 2).await;
        let page = page.expect("the store works");
        assert!(page.len() <= 2);
        let Some(last) = page.last() else { break };
        after = Some(last.id);
        keys.extend(page.into_iter().map(|row| row.key));
    }
    let expect: Vec<_> = (1..=5).map(uuid).collect();
    assert_eq!(keys, expect);
}

/// Of any kind and state.
pub async fn the_tasks_of_a_subject_are_listed<S: Store + Outbox>(store: &S) {
    let id = uuid(1);
    ask(store, &[Effect::new(MOVE, id)], noon()).await;
    let claimed = store
        .claim(MOVE, 1, minutes(1), uuid(9), noon())
        .await
        .expect("the store works");
    let given_up = store.give_up(claimed[0].receipt, "no luck", noon()).await;
    assert_eq!(given_up, Ok(()));
    let mut writes = WriteSet::new(noon());
    writes.tasks.ask(Effect::new(FETCH, id));
    writes.tasks.ask(Effect::new(FETCH, uuid(2)));
    store.commit(writes).await.expect("the store works");
    let tasks = store.tasks_of(id, &KINDS, 100).await;
    let tasks = tasks.expect("the store works");
    assert!(tasks.is_sorted_by_key(|one| one.task.id));
    let mut found: Vec<_> = tasks
        .iter()
        .map(|one| {
            let error = one.task.last_error.as_deref();
            (one.task.kind.as_str(), one.is_dead, error)
        })
        .collect();
    found.sort_unstable();
    let expect = [("fetch", false, None), ("move", true, Some("no luck"))];
    assert_eq!(found, expect);
    assert_eq!(tasks[0].task.key, uuid(1));
    let first = store.tasks_of(id, &KINDS, 1).await;
    assert_eq!(first, Ok(tasks[..1].to_vec()));
    assert_eq!(store.tasks_of(uuid(404), &KINDS, 100).await, Ok(Vec::new()));
}

pub async fn dead_tasks_are_found_by_their_effects<S: Store + Outbox>(store: &S) {
    let moving = |n| Effect::new(MOVE, uuid(n));
    let [sync, _] = tellings(2);
    ask(store, &[moving(1), moving(2), moving(3), sync], noon()).await;
    let claimed = store.claim(MOVE, 2, LEASE, uuid(9), noon()).await;
    for task in claimed.expect("the store works") {
        let given_up = store.give_up(task.receipt, "hopeless", noon()).await;
        given_up.expect("the store works");
    }
    let named = [sync, moving(4), moving(3), moving(2)];
    assert_eq!(store.dead_among(&named).await, Ok(vec![moving(2)]));
    assert_eq!(store.dead_among(&[]).await, Ok(vec![]));
}

/// Waiting, dead, and the oldest.
pub async fn the_backlog_is_counted<S: Store + Outbox>(store: &S) {
    ask(store, &[effect(1)], noon()).await;
    ask(store, &[effect(2)], noon() + hours(1)).await;
    let claimed = claim_one(store, 1, noon()).await;
    store
        .give_up(claimed.receipt, "hopeless", noon())
        .await
        .expect("the store works");
    // Bulk work counts, but its age does not.
    let bulk = Effect::new(BULK_EAST, uuid(5));
    ask(store, &[bulk], noon()).await;
    let backlog = store.backlog(&KINDS).await.expect("the store works");
    let tells_of = |backlog: &[Backlog]| {
        let of = backlog.iter().find(|of| of.kind == TELL);
        of.map(|of| (of.waiting, of.oldest))
    };
    assert_eq!(tells_of(&backlog), Some((1, None)));
    // Of either account.
    let [first, _] = tellings(3);
    let [_, second] = tellings(4);
    ask(store, &[first, second], noon() + hours(2)).await;
    let backlog = store.backlog(&KINDS).await.expect("the store works");
    let numbers: Vec<_> = backlog
        .iter()
        .map(|of| (of.kind, of.waiting, of.dead, of.oldest))
        .collect();
    assert_eq!(
        numbers,
        [
            (ENRICH.kind(), 1, 1, Some(noon() + hours(1))),
            (TELL, 3, 0, Some(noon() + hours(2))),
            (MOVE.kind(), 0, 0, None),
            (FETCH.kind(), 0, 0, None),
        ]
    );
}

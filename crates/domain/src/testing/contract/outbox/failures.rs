//! A task that fails is tried again, is given up, and is revived.

use time::Duration;

use super::{ask, claim, claim_one, effect, finish};
use crate::{
    outbox::{Outbox, Revive},
    store::{Store, StoreError},
    testing::{hours, minutes, noon},
};

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

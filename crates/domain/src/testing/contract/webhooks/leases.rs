//! An endpoint with something to do is leased by one holder at a time.

use std::{collections::HashSet, time::Duration};

use super::{
    END, ONE, SECOND, TWO, found, id, insert, lease, paused, place, record, round, waiting, wanting,
};
use crate::{
    event::EventLog,
    store::Store,
    testing::{
        contract::events::{commit_each, end},
        endpoint, minutes, noon,
    },
    webhook::{
        EndpointBacklog, Health, LeaseQuery, MOST_WAITING_COUNTED, Round, WantedState, Webhooks,
    },
};

pub async fn an_endpoint_is_leased_by_one_holder<S: Webhooks>(store: &S) {
    insert(store, 1..=3).await;
    let query = LeaseQuery {
        holder: ONE,
        until: noon() + minutes(1),
        now: noon(),
        end: place(END),
        limit: 2,
    };
    let leased = store.lease(&query).await.expect("the store works");
    assert_eq!(leased, [found(store, 1).await, found(store, 2).await]);
    assert_eq!(lease(store, TWO, noon(), 9).await, [id(3)]);
    for holder in [ONE, TWO] {
        assert_eq!(lease(store, holder, noon(), 9).await, []);
    }
    let end = noon() + minutes(1);
    assert_eq!(lease(store, TWO, end - SECOND, 9).await, []);
    assert_eq!(lease(store, TWO, end, 9).await, [1, 2, 3].map(id));
}

pub async fn an_endpoint_is_leased_when_there_is_something_to_do<S: Webhooks>(store: &S) {
    insert(store, 1..=2).await;
    let second = store.update(&paused(&endpoint(2)), None).await;
    second.expect("the store works");
    let at = |minute| noon() + minutes(minute);
    let mut quiet = Health::default();
    quiet.answer(Some(Duration::from_mins(5)), at(0));
    record(store, at(0), |round| round.health = quiet).await;
    assert_eq!(lease(store, ONE, at(5) - SECOND, 9).await, []);
    // Up to the end of the log, with an event to try again and one behind it.
    record(store, at(5), |round| {
        round.to = place(END);
        round.waiting = vec![waiting(1, 1, Some(at(9))), waiting(2, 1, None)];
    })
    .await;
    assert_eq!(lease(store, ONE, at(9) - SECOND, 9).await, []);
    record(store, at(9), |round| {
        round.to = place(END);
        round.settled = vec![place(1), place(2)];
    })
    .await;
    assert_eq!(lease(store, ONE, at(99), 9).await, []);
    for (wanted, leased) in [
        (WantedState::Active, &[id(2)][..]),
        (WantedState::Paused, &[]),
    ] {
        let write = wanting(&found(store, 2).await.endpoint, wanted);
        store.update(&write, None).await.expect("the store works");
        assert_eq!(lease(store, ONE, at(99), 9).await, leased);
    }
}

/// Those that were never leased first, then those whose last lease ended longest ago.
pub async fn endpoints_take_turns<S: Webhooks>(store: &S) {
    insert(store, 1..=3).await;
    let at = |minute| noon() + minutes(minute);
    let mut turns = Vec::new();
    for minute in 0..6 {
        let leased = lease(store, ONE, at(minute), 1).await;
        assert_eq!(leased.len(), 1);
        let released = store.release(ONE, &leased, at(minute)).await;
        released.expect("the store works");
        turns.extend(leased);
    }
    assert_eq!(turns, [1, 2, 3, 1, 2, 3].map(id));
    // A recorded round ends a lease as well, and a lost one ends later.
    record(store, at(7), |_| {}).await;
    let later = at(7) + SECOND;
    assert_eq!(lease(store, TWO, later, 9).await, [id(1)]);
    assert_eq!(lease(store, TWO, at(8), 9).await, [2, 3].map(id));
    assert_eq!(lease(store, ONE, at(9), 9).await, [1, 2, 3].map(id));
}

pub async fn a_lease_is_renewed_while_the_endpoint_is_active<S: Webhooks>(store: &S) {
    insert(store, 1..=4).await;
    let at = |minute| noon() + minutes(minute);
    assert_eq!(lease(store, ONE, at(0), 3).await, [1, 2, 3].map(id));
    assert_eq!(lease(store, TWO, at(0), 9).await, [4].map(id));
    let third = store.update(&paused(&endpoint(3)), None).await;
    third.expect("the store works");
    let renewed = store.renew(ONE, &[1, 3, 4].map(id), at(9)).await;
    assert_eq!(renewed, Ok(HashSet::from([id(1)])));
    // The other leases lapse; a holder keeps a lapsed one until another holder takes it.
    assert_eq!(lease(store, TWO, at(1), 1).await, [id(2)]);
    let renewed = store.renew(TWO, &[2, 4].map(id), at(9)).await;
    assert_eq!(renewed, Ok(HashSet::from([2, 4].map(id))));
    let renewed = store.renew(ONE, &[1, 2].map(id), at(9)).await;
    assert_eq!(renewed, Ok(HashSet::from([id(1)])));
    assert_eq!(lease(store, TWO, at(8), 9).await, []);
    let released = store.release(TWO, &[1, 2].map(id), at(8)).await;
    released.expect("the store works");
    assert_eq!(lease(store, ONE, at(8), 9).await, [id(2)]);
}

pub async fn the_backlog_is_counted<S: Store + EventLog + Webhooks>(store: &S) {
    let start = end(store).await;
    commit_each(store, 1..=3).await;
    let end = end(store).await;
    for (n, cursor) in [(1, start), (2, end), (3, start)] {
        let inserted = store.insert(&endpoint(n), cursor, None).await;
        inserted.expect("the store works");
    }
    let third = store.update(&paused(&endpoint(3)), None).await;
    third.expect("the store works");
    let row = |n, waiting, behind_since| EndpointBacklog {
        endpoint: id(n),
        waiting,
        behind_since,
    };
    let since = Some(noon() + minutes(1));
    let backlog = store.backlog(9).await;
    assert_eq!(backlog, Ok(vec![row(1, 0, since), row(2, 0, None)]));
    assert_eq!(store.backlog(1).await, Ok(vec![row(1, 0, since)]));
    let many = u64::try_from(MOST_WAITING_COUNTED).expect("it is small") + 1;
    lease(store, ONE, noon(), 9).await;
    let round = Round {
        from: start,
        to: end,
        waiting: (1..=many).map(|n| waiting(n, 1, None)).collect(),
        ..round(0, 0, noon())
    };
    assert_eq!(store.record(ONE, &round).await, Ok(true));
    let counted = row(1, MOST_WAITING_COUNTED, None);
    assert_eq!(store.backlog(1).await, Ok(vec![counted]));
}

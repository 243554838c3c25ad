use std::{collections::HashMap, time::Duration};

use domain::{
    store::Store,
    testing::contract::events::{commit_each, end},
};
use kernel::{
    event::EventLog,
    testing::{minutes, noon, uuid},
};

use super::{
    END, ONE, SECOND, TWO, event, found, id, insert, lease, paused, place, record, recorded,
    released, round, waiting, wanting,
};
use crate::{
    EndpointBacklog, Health, LONGEST_REST, Lease, LeaseQuery, MOST_WAITING_COUNTED, REST, Recorded,
    Release, Round, WaitingSubject, WantedState, Webhooks, testing::endpoint,
};

kernel::contract_cases!(
    endpoints::leases,
    impl Store + Webhooks + EventLog,
    async fn an_endpoint_is_leased_by_one_holder(store: &S) {
        insert(store, 1..=3).await?;
        let query = LeaseQuery {
            holder: ONE,
            until: noon() + minutes(1),
            now: noon(),
            end: place(END),
            limit: 2,
        };
        let leased = store.lease(&query).await?;
        assert_eq!(leased, [found(store, 1).await?, found(store, 2).await?]);
        assert_eq!(lease(store, TWO, noon(), 9).await?, [id(3)]);
        for holder in [ONE, TWO] {
            assert_eq!(lease(store, holder, noon(), 9).await?, []);
        }
        let end = noon() + minutes(1);
        assert_eq!(lease(store, TWO, end - SECOND, 9).await?, []);
        assert_eq!(lease(store, TWO, end, 9).await?, [1, 2, 3].map(id));
    },
    async fn an_endpoint_is_leased_when_there_is_something_to_do(store: &S) {
        insert(store, 1..=2).await?;
        store.update(&paused(&endpoint(2)), None).await?;
        let at = |minute| noon() + minutes(minute);
        let mut quiet = Health::default();
        quiet.answer(Some(Duration::from_mins(5)), at(0));
        record(store, at(0), |round| round.health = quiet).await?;
        assert_eq!(lease(store, ONE, at(5) - SECOND, 9).await?, []);
        // The cursor is at the end of the log, and an event waits for a retry.
        record(store, at(5), |round| {
            round.to = place(END);
            round.waiting = vec![waiting(1, 1, at(9))];
        })
        .await?;
        assert_eq!(lease(store, ONE, at(9) - SECOND, 9).await?, []);
        record(store, at(9), |round| {
            round.to = place(END);
            round.waiting = vec![waiting(1, 1, at(90))];
            round.health.back_off(1.0, at(9));
        })
        .await?;
        assert_eq!(lease(store, ONE, at(9), 9).await?, []);
        record(store, at(10), |round| {
            round.to = place(END);
            round.settled = vec![uuid(1)];
        })
        .await?;
        assert_eq!(lease(store, ONE, at(99), 9).await?, []);
        for (wanted, leased) in [
            (WantedState::Active, &[id(2)][..]),
            (WantedState::Paused, &[]),
        ] {
            let write = wanting(&found(store, 2).await?.endpoint, wanted);
            store.update(&write, None).await?;
            assert_eq!(lease(store, ONE, at(99), 9).await?, leased);
        }
    },
    async fn endpoints_take_turns(store: &S) {
        insert(store, 1..=3).await?;
        let at = |minute| noon() + minutes(minute);
        let mut turns = Vec::new();
        for minute in 0..6 {
            let leased = lease(store, ONE, at(minute), 1).await?;
            assert_eq!(leased.len(), 1);
            store
                .release(&[released(ONE, &leased[0], at(minute))])
                .await?;
            turns.extend(leased);
        }
        assert_eq!(turns, [1, 2, 3, 1, 2, 3].map(id));
        // Recording a round ends the lease. A lost lease ends when it expires.
        record(store, at(7), |_| {}).await?;
        let later = at(7) + SECOND;
        assert_eq!(lease(store, TWO, later, 9).await?, [id(1)]);
        assert_eq!(lease(store, TWO, at(8), 9).await?, [2, 3].map(id));
        assert_eq!(lease(store, ONE, at(9), 9).await?, [1, 2, 3].map(id));
    },
    /// A paused endpoint's lease is renewed, too: its round must still be recorded.
    async fn a_lease_is_renewed_while_it_is_held(store: &S) {
        insert(store, 1..=4).await?;
        let at = |minute| noon() + minutes(minute);
        let leases = |holder, numbers: &[u8]| {
            let lease = |n: &u8| Lease {
                endpoint: id(*n),
                holder,
            };
            numbers.iter().map(lease).collect::<Vec<_>>()
        };
        assert_eq!(lease(store, ONE, at(0), 3).await?, [1, 2, 3].map(id));
        assert_eq!(lease(store, TWO, at(0), 9).await?, [4].map(id));
        store.update(&paused(&endpoint(3)), None).await?;
        let [first, third] = [(ONE, 1), (ONE, 3)].map(|(holder, n)| leases(holder, &[n])[0]);
        let renewed = store.renew(&leases(ONE, &[1, 3, 4]), at(9)).await;
        assert_eq!(renewed, Ok(HashMap::from([(first, 1), (third, 2)])));
        // The other lease expires. A holder keeps an expired lease until another worker takes it.
        assert_eq!(lease(store, TWO, at(1), 1).await?, [id(2)]);
        let all = [leases(TWO, &[2, 4]), leases(ONE, &[1, 2])].concat();
        let renewed = store.renew(&all, at(9)).await;
        let held = all[..3].iter().map(|lease| (*lease, 1)).collect();
        assert_eq!(renewed, Ok(held));
        assert_eq!(lease(store, TWO, at(8), 9).await?, []);
        let releases = [1, 2].map(|n| released(TWO, &id(n), at(8)));
        store.release(&releases).await?;
        assert_eq!(lease(store, ONE, at(8), 9).await?, [id(2)]);
    },
    async fn a_lease_that_is_released_passes_events(store: &S) {
        insert(store, 1..=5).await?;
        assert_eq!(lease(store, ONE, noon(), 5).await?, [1, 2, 3, 4, 5].map(id));
        // Meanwhile one endpoint is moved back, and another is changed.
        let moved = round(0, 9, noon());
        assert_eq!(recorded(store, ONE, &moved).await?, Recorded::Done);
        assert_eq!(lease(store, ONE, noon(), 5).await?, [id(1)]);
        assert_eq!(store.replay(id(1), place(5), None).await, Ok(true));
        store.update(&paused(&endpoint(2)), None).await?;
        let pass = |holder, n, from, to| Release {
            from: place(from),
            to: place(to),
            ..released(holder, &id(n), noon())
        };
        let all = [
            pass(ONE, 1, 9, 20),
            pass(ONE, 2, 0, 20),
            pass(ONE, 3, 0, 20),
            pass(ONE, 4, 0, 0),
            pass(TWO, 5, 0, 20),
        ];
        store.release(&all).await?;
        for (n, cursor) in [(1, 5), (2, 0), (3, 20), (4, 0), (5, 0)] {
            assert_eq!(found(store, n).await?.cursor, place(cursor), "{n}");
        }
        assert_eq!(lease(store, TWO, noon(), 9).await?, [1, 3, 4].map(id));
        store.release(&[]).await?;
        assert_eq!(store.renew(&[], noon()).await, Ok(HashMap::new()));
    },
    async fn an_endpoint_rests_after_a_round(store: &S) {
        insert(store, 1..=2).await?;
        let end = noon() + REST;
        assert_eq!(lease(store, ONE, noon(), 9).await?, [1, 2].map(id));
        let resting = Round {
            again_at: end,
            waiting: vec![waiting(1, 1, noon())],
            ..round(0, 1, noon())
        };
        assert_eq!(recorded(store, ONE, &resting).await?, Recorded::Done);
        let resting = released(ONE, &id(2), end);
        store.release(&[resting]).await?;
        let almost = end - SECOND / 1_000;
        assert_eq!(lease(store, ONE, almost, 9).await?, []);
        // Clocks may differ a little. A much longer rest comes from a wrong clock.
        assert_eq!(lease(store, ONE, noon() - 2 * SECOND, 9).await?, []);
        let earlier = noon() - LONGEST_REST;
        assert_eq!(lease(store, ONE, earlier, 1).await?, [id(1)]);
        assert_eq!(lease(store, ONE, end, 9).await?, [id(2)]);
    },
    async fn the_backlog_is_counted(store: &S) {
        let start = end(store).await?;
        commit_each(store, 1..=3).await?;
        let end = end(store).await?;
        for (n, cursor) in [(1, start), (2, end), (3, start)] {
            store.insert(&endpoint(n), cursor, None).await?;
        }
        store.update(&paused(&endpoint(3)), None).await?;
        let row = |n, waiting, behind_since| EndpointBacklog {
            endpoint: id(n),
            waiting,
            behind_since,
        };
        let since = Some(noon() + minutes(1));
        let backlog = store.backlog(9).await;
        assert_eq!(backlog, Ok(vec![row(1, 0, since), row(2, 0, None)]));
        assert_eq!(store.backlog(1).await, Ok(vec![row(1, 0, since)]));
        let most = MOST_WAITING_COUNTED;
        for (from, later, counted) in [(start, 4, 6), (end, most, most)] {
            let many = WaitingSubject {
                later: (2..).map(event).take(later).collect(),
                ..waiting(1, 1, noon())
            };
            let round = Round {
                from,
                to: end,
                waiting: vec![many, waiting(2, 2, noon())],
                ..round(0, 0, noon())
            };
            lease(store, ONE, noon(), 9).await?;
            assert_eq!(recorded(store, ONE, &round).await?, Recorded::Done);
            assert_eq!(store.backlog(1).await, Ok(vec![row(1, counted, None)]));
        }
    },
);

use std::{collections::HashSet, time::Duration};

use kernel::testing::{Checked, hours, minutes, noon, text, uuid};

use super::{
    ONE, SECOND, TWO, delivery, due, event, found, id, insert, lease, moved, place, record,
    recorded, round, waiting,
};
use crate::{
    DELIVERIES_KEPT, DeliveryRecord, Health, MOST_LATER, Recorded, Round, TrackedEndpoint,
    WaitingSubject, Webhooks, testing::endpoint,
};

kernel::contract_cases!(
    endpoints::rounds,
    impl Webhooks,
    async fn a_round_is_recorded_as_a_whole(store: &S) {
        insert(store, [1, 2]).await?;
        let health = Health {
            last_success_at: Some(noon()),
            failing_since: Some(noon() + SECOND),
            silent_rounds: 3,
            open_until: Some(noon() + minutes(1)),
        };
        let silent = WaitingSubject {
            attempts: 2,
            last_error: Some(text(200)),
            is_silent: true,
            later: (3..3 + u64::try_from(MOST_LATER)?).map(event).collect(),
            read_to: Some(place(1_000)),
            ..waiting(2, 1, noon() + minutes(1))
        };
        let other = waiting(4, 2, noon() + hours(1));
        let failed = DeliveryRecord {
            attempt: 2,
            status: None,
            duration: Duration::from_secs(15),
            error: Some(text(200)),
            ..delivery(2, noon() + SECOND)
        };
        let deliveries = vec![delivery(1, noon()), failed];
        record(store, noon(), |round| {
            round.to = place(4);
            round.waiting = vec![silent.clone(), other.clone()];
            round.deliveries.clone_from(&deliveries);
            round.health = health;
        })
        .await?;
        let expect = TrackedEndpoint {
            endpoint: endpoint(1),
            cursor: place(4),
            health,
        };
        assert_eq!(found(store, 1).await?, expect);
        let later = noon() + minutes(1);
        assert_eq!(store.due(id(1), later, 9).await, Ok(vec![silent.clone()]));
        let newest: Vec<_> = deliveries.iter().rev().cloned().collect();
        assert_eq!(store.deliveries(id(1), 9).await, Ok(newest));
        let again = WaitingSubject {
            next: event(3),
            attempts: 3,
            last_error: Some("answered 500".to_owned()),
            is_silent: false,
            next_at: later + SECOND,
            later: Vec::new(),
            read_to: None,
            ..silent
        };
        record(store, later, |round| round.waiting = vec![again.clone()]).await?;
        assert_eq!(store.due(id(1), later, 9).await, Ok(Vec::new()));
        let later = later + SECOND;
        assert_eq!(store.due(id(1), later, 9).await, Ok(vec![again]));
        record(store, later, |round| round.settled = vec![uuid(1), uuid(9)]).await?;
        let left = store.due(id(1), noon() + hours(1), 9).await;
        assert_eq!(left, Ok(vec![other]));
        // No write changes the other endpoint.
        let other = found(store, 2).await?;
        assert_eq!((other.cursor, other.health), (place(0), Health::default()));
        assert_eq!(store.due(id(2), later, 9).await, Ok(Vec::new()));
        assert_eq!(store.deliveries(id(2), 9).await, Ok(Vec::new()));
    },
    async fn a_round_without_the_lease_is_not_recorded(store: &S) {
        insert(store, [1]).await?;
        let full = Round {
            waiting: vec![waiting(1, 1, noon())],
            deliveries: vec![delivery(1, noon())],
            disabled: Some("It said so.".to_owned()),
            ..round(0, 1, noon())
        };
        let refused = async |holder| -> Checked {
            assert_eq!(recorded(store, holder, &full).await?, Recorded::Lost);
            let after = found(store, 1).await?;
            assert_eq!((after.endpoint, after.cursor), (endpoint(1), place(0)));
            assert_eq!(due(store, noon(), 9).await?, [0; 0]);
            assert_eq!(store.deliveries(id(1), 9).await, Ok(Vec::new()));
            Ok(())
        };
        refused(ONE).await?;
        lease(store, ONE, noon(), 9).await?;
        refused(TWO).await?;
        // The holder loses an expired lease only when another worker takes it.
        let later = noon() + hours(1);
        lease(store, TWO, later, 9).await?;
        refused(ONE).await?;
        for (from, expect) in [(0, Recorded::Done), (1, Recorded::Lost)] {
            let round = round(from, from + 1, later);
            assert_eq!(recorded(store, TWO, &round).await?, expect);
        }
        lease(store, TWO, later, 9).await?;
        let late = round(1, 2, later + hours(1));
        assert_eq!(recorded(store, TWO, &late).await?, Recorded::Done);
    },
    async fn a_round_that_was_moved_back_is_not_recorded(store: &S) {
        insert(store, [1]).await?;
        record(store, noon(), |round| round.to = place(5)).await?;
        lease(store, ONE, noon(), 9).await?;
        assert_eq!(store.replay(id(1), place(3), None).await, Ok(true));
        assert_eq!(
            recorded(store, ONE, &round(5, 6, noon())).await?,
            Recorded::Lost
        );
        assert_eq!(found(store, 1).await?.cursor, place(3));
        assert_eq!(
            recorded(store, ONE, &round(3, 6, noon())).await?,
            Recorded::Done
        );
    },
    /// The worker decides again, because the round concerns the former endpoint. The lease stays.
    async fn a_round_of_another_version_is_not_recorded(store: &S) {
        insert(store, [1]).await?;
        lease(store, ONE, noon(), 9).await?;
        let write = moved(&endpoint(1), noon() + SECOND);
        store.update(&write, None).await?;
        let mut round = round(0, 3, noon());
        round.disabled = Some("It said so.".to_owned());
        round.waiting = vec![waiting(1, 1, noon())];
        round.deliveries = vec![delivery(1, noon())];
        assert_eq!(recorded(store, TWO, &round).await?, Recorded::Lost);
        assert_eq!(recorded(store, ONE, &round).await?, Recorded::Changed);
        let mut expect = TrackedEndpoint {
            endpoint: write.endpoint,
            cursor: place(0),
            health: Health::default(),
        };
        assert_eq!(found(store, 1).await?, expect);
        assert_eq!(due(store, noon(), 9).await?, [0; 0]);
        assert_eq!(store.deliveries(id(1), 9).await, Ok(Vec::new()));
        round.version = expect.endpoint.version;
        round.disabled = None;
        assert_eq!(recorded(store, ONE, &round).await?, Recorded::Done);
        expect.cursor = place(3);
        assert_eq!(found(store, 1).await?, expect);
        assert_eq!(due(store, noon(), 9).await?, [1]);
    },
    async fn a_round_disables(store: &S) {
        insert(store, [1]).await?;
        let at = noon() + minutes(1);
        record(store, at, |round| {
            round.disabled = Some("It said so.".to_owned());
        })
        .await?;
        let after = found(store, 1).await?;
        assert_eq!(after.endpoint, endpoint(1).disable("It said so.", at));
        assert_eq!(after.cursor, place(1));
        assert_eq!(lease(store, ONE, noon() + hours(99), 9).await?, []);
    },
    async fn waiting_subjects_are_due_and_found(store: &S) {
        insert(store, [1]).await?;
        let at = |minute| noon() + minutes(minute);
        let all = vec![
            waiting(1, 1, at(2)),
            WaitingSubject {
                later: vec![event(4), event(5)],
                ..waiting(2, 2, at(1))
            },
            waiting(6, 3, at(2)),
        ];
        record(store, noon(), |round| round.waiting.clone_from(&all)).await?;
        assert_eq!(due(store, at(1) - SECOND, 9).await?, [0; 0]);
        assert_eq!(due(store, at(1), 9).await?, [2]);
        assert_eq!(due(store, at(9), 9).await?, [2, 1, 6]);
        assert_eq!(due(store, at(9), 2).await?, [2, 1]);
        let subjects = [1, 2, 4].map(uuid);
        let mut among = store.waiting_among(id(1), &HashSet::from(subjects)).await?;
        among.sort_by_key(|waiting| waiting.next.cursor);
        assert_eq!(among, all[..2]);
        let among = store.waiting_among(id(2), &HashSet::from(subjects)).await;
        assert_eq!(among, Ok(Vec::new()));
        for (n, limit, count) in [(1, 9, 3), (1, 3, 3), (1, 2, 2), (2, 9, 0)] {
            assert_eq!(store.count_waiting(id(n), limit).await, Ok(count));
        }
    },
    async fn an_endpoint_that_answers_again_gets_what_was_not_answered(store: &S) {
        insert(store, [1]).await?;
        let at = |minute| noon() + minutes(minute);
        let silent = |waiting| WaitingSubject {
            is_silent: true,
            ..waiting
        };
        record(store, noon(), |round| {
            round.waiting = vec![
                silent(waiting(1, 1, at(60))),
                waiting(3, 2, at(60)),
                silent(waiting(4, 3, at(1))),
            ];
        })
        .await?;
        record(store, at(2), |round| round.wakes_silent = true).await?;
        assert_eq!(due(store, at(1), 9).await?, [4]);
        assert_eq!(due(store, at(2), 9).await?, [4, 1]);
        // A subject that the same round adds.
        record(store, at(2), |round| {
            round.wakes_silent = true;
            round.waiting = vec![silent(waiting(5, 2, at(60)))];
        })
        .await?;
        assert_eq!(due(store, at(2), 9).await?, [4, 1, 5]);
    },
    async fn the_newest_deliveries_are_kept(store: &S) {
        insert(store, [1]).await?;
        let most = u64::try_from(DELIVERIES_KEPT)?;
        for batch in [1..=most - 1, most..=most + 1, most + 2..=most * 3] {
            let last = *batch.end();
            record(store, noon(), |round| {
                // Deliveries of the same time keep their order.
                round.deliveries = batch.map(|n| delivery(n, noon())).collect();
            })
            .await?;
            for limit in [1, DELIVERIES_KEPT, DELIVERIES_KEPT * 2] {
                let kept = store.deliveries(id(1), limit).await?;
                let numbers: Vec<_> = kept.iter().map(|row| row.event.sequence).collect();
                let all: Vec<_> = (1..=last).rev().collect();
                let expect = all.len().min(limit).min(DELIVERIES_KEPT);
                assert_eq!(numbers, all[..expect]);
            }
        }
    },
    /// Subjects whose events are after the new cursor no longer wait: their events are read again.
    async fn a_replay_goes_back_and_never_forward(store: &S) {
        insert(store, [1]).await?;
        record(store, noon(), |round| {
            round.to = place(9);
            round.waiting = vec![waiting(2, 1, noon()), waiting(3, 2, noon())];
        })
        .await?;
        for (to, cursor, left) in [
            (place(10), place(9), &[2, 3][..]),
            (place(9), place(9), &[2, 3]),
            (place(2), place(2), &[2]),
            (place(3), place(2), &[2]),
        ] {
            assert_eq!(store.replay(id(1), to, None).await, Ok(true));
            assert_eq!(found(store, 1).await?.cursor, cursor);
            assert_eq!(due(store, noon(), 9).await?, left);
        }
        assert_eq!(store.replay(id(2), place(1), None).await, Ok(false));
    },
);

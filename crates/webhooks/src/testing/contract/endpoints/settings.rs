use std::time::Duration;

use domain::posting::event::{COMPANY_UPDATED, JOB_POSTING_CREATED};
use kernel::{
    ClientId, Prefixes, StoreError,
    audit::AuditLog,
    event::Cursor,
    testing::{by_ann, entries, hours, minutes, noon, text, uuid},
};

use super::{
    ONE, TWO, delivery, due, event, find, found, id, insert, lease, moved, paused, place, record,
    recorded, round, waiting,
};
use crate::{
    Endpoint, EndpointState, Health, MOST_ENDPOINTS, Owner, PreviousSecret, Recorded, Secret,
    TrackedEndpoint, WaitingSubject, Webhooks, audit, testing::endpoint,
};

kernel::contract_cases!(
    endpoints::settings,
    impl Webhooks + AuditLog,
    async fn an_endpoint_comes_back(store: &S) {
        let full = Endpoint {
            owner: Owner::Client(ClientId::new(uuid(7))),
            names: Some(vec![COMPANY_UPDATED, JOB_POSTING_CREATED]),
            prefixes: Prefixes::new(&["acme-", "ü\"\\,%_"])?,
            include_posting: true,
            description: Some(text(255)),
            state: EndpointState::Disabled,
            state_reason: Some("It said so.".to_owned()),
            previous_secret: Some(PreviousSecret {
                secret: Secret::new([0; 24])?,
                until: noon() + hours(1),
            }),
            updated_at: noon() + minutes(1),
            version: 7,
            ..endpoint(2)
        };
        let none = Endpoint {
            names: Some(Vec::new()),
            ..endpoint(1)
        };
        for endpoint in [full, none] {
            let start = Cursor {
                transaction: 5,
                sequence: u64::from(endpoint.include_posting),
            };
            store.insert(&endpoint, start, None).await?;
            let expect = TrackedEndpoint {
                endpoint: endpoint.clone(),
                cursor: start,
                health: Health::default(),
            };
            assert_eq!(find(store, endpoint.id).await?, Some(expect));
        }
        assert_eq!(find(store, id(3)).await?, None);
    },
    async fn endpoints_are_listed_by_owner_and_by_pages(store: &S) {
        let owners = [1, 2].map(|n| Owner::Client(ClientId::new(uuid(n))));
        for n in [3, 1, 5, 2, 4] {
            let owner = match n {
                1 => Owner::Operator,
                n => owners[usize::from(n % 2)],
            };
            let endpoint = Endpoint {
                owner,
                ..endpoint(n)
            };
            store.insert(&endpoint, Cursor::START, None).await?;
        }
        for (owner, after, limit, expect) in [
            (None, None, 9, &[1, 2, 3, 4, 5][..]),
            (None, None, 2, &[1, 2]),
            (None, Some(2), 2, &[3, 4]),
            (None, Some(5), 2, &[]),
            (Some(Owner::Operator), None, 9, &[1]),
            (Some(owners[0]), None, 9, &[2, 4]),
            (Some(owners[1]), None, 1, &[3]),
            (Some(owners[1]), Some(3), 9, &[5]),
        ] {
            let listed = Webhooks::list(store, owner, after.map(id), limit).await?;
            let ids: Vec<_> = listed.iter().map(|row| row.endpoint.id).collect();
            let expect: Vec<_> = expect.iter().map(|n| id(*n)).collect();
            assert_eq!(ids, expect, "{owner:?} {after:?}");
        }
    },
    /// The limit counts each owner's endpoints. An endpoint above the limit is not written.
    async fn an_owner_has_a_limited_number_of_endpoints(store: &S) {
        let most = u8::try_from(MOST_ENDPOINTS)?;
        insert(store, 1..=most).await?;
        let one_more = endpoint(most + 1);
        let entry = by_ann(1)
            .entry(audit::WEBHOOKS_CREATE, noon())
            .about(one_more.id);
        let refused = store.insert(&one_more, Cursor::START, Some(&entry)).await;
        assert_eq!(refused, Err(StoreError::Conflict));
        assert_eq!(find(store, one_more.id).await?, None);
        assert_eq!(entries(store).await?, [], "nothing was done");
        let of_another = Endpoint {
            owner: Owner::Client(ClientId::new(uuid(1))),
            ..one_more.clone()
        };
        store.insert(&of_another, Cursor::START, None).await?;
        assert_eq!(store.delete(id(1), None).await, Ok(true));
        let last = endpoint(most + 2);
        store.insert(&last, Cursor::START, None).await?;
    },
    async fn a_change_needs_the_version(store: &S) {
        insert(store, [1]).await?;
        let at = noon() + minutes(1);
        let mut health = Health::default();
        health.back_off(1.0, noon());
        record(store, at, |round| round.health = health).await?;
        let rotated = endpoint(1).rotate(Secret::new([9; 64])?, at);
        store.update(&rotated, None).await?;
        let expect = TrackedEndpoint {
            endpoint: rotated.endpoint.clone(),
            cursor: place(1),
            health,
        };
        assert_eq!(found(store, 1).await?, expect);
        for late in [rotated, paused(&endpoint(1)), paused(&endpoint(2))] {
            assert_eq!(store.update(&late, None).await, Err(StoreError::Conflict));
        }
        assert_eq!(found(store, 1).await?, expect);
    },
    /// This includes the subjects that wait for a retry.
    async fn starting_over_clears_the_record(store: &S) {
        insert(store, [1]).await?;
        let mut health = Health::default();
        health.back_off(1.0, noon());
        record(store, noon(), |round| {
            round.health = health;
            round.waiting = vec![waiting(1, 1, noon() + hours(9)), waiting(3, 2, noon())];
        })
        .await?;
        let write = moved(&endpoint(1), noon() + minutes(1));
        store.update(&write, None).await?;
        let after = found(store, 1).await?;
        assert_eq!((after.endpoint, after.cursor), (write.endpoint, place(1)));
        assert_eq!(after.health, Health::default());
        assert_eq!(due(store, noon(), 9).await?, [3]);
        assert_eq!(due(store, noon() + minutes(1), 9).await?, [3, 1]);
    },
    async fn a_deleted_endpoint_is_gone_with_its_work(store: &S) {
        insert(store, [1, 2]).await?;
        record(store, noon(), |round| {
            round.waiting = vec![waiting(1, 1, noon())];
            round.deliveries = vec![delivery(1, noon())];
        })
        .await?;
        lease(store, ONE, noon(), 9).await?;
        assert_eq!(store.delete(id(1), None).await, Ok(true));
        assert_eq!(store.delete(id(1), None).await, Ok(false));
        assert_eq!(find(store, id(1)).await?, None);
        assert!(find(store, id(2)).await?.is_some());
        assert_eq!(
            recorded(store, ONE, &round(1, 2, noon())).await?,
            Recorded::Lost
        );
        // A new endpoint with the same id has no data of the old endpoint.
        insert(store, [1]).await?;
        assert_eq!(due(store, noon(), 9).await?, [0; 0]);
        assert_eq!(store.deliveries(id(1), 9).await, Ok(Vec::new()));
        assert_eq!(lease(store, TWO, noon(), 9).await?, [id(1)]);
    },
    /// The event keeps its place in the order, and the endpoint gets its next version.
    async fn an_event_waits_again(store: &S) {
        insert(store, [1]).await?;
        let at = |minute| noon() + minutes(minute);
        record(store, noon(), |round| {
            round.to = place(9);
            round.waiting = vec![WaitingSubject {
                later: vec![event(6)],
                ..waiting(4, 1, at(60))
            }];
            round.health.back_off(1.0, noon());
        })
        .await?;
        let mut expect = found(store, 1).await?;
        for (n, subject, minute, first) in [
            (5, 1, 1, &[4][..]),
            (2, 1, 2, &[2]),
            (3, 2, 3, &[2, 3]),
            (9, 3, 4, &[2, 3, 9]),
            (3, 2, 5, &[2, 9, 3]),
        ] {
            let again = WaitingSubject {
                attempts: 0,
                ..waiting(n, subject, at(minute))
            };
            assert_eq!(store.resend(id(1), &again, None).await, Ok(true));
            assert_eq!(due(store, at(minute), 9).await?, first);
            expect.endpoint.version += 1;
            expect.health.open_until = None;
            assert_eq!(found(store, 1).await?, expect);
        }
        let rows = store.due(id(1), at(9), 9).await?;
        assert!(rows.iter().all(|row| row.attempts == 0));
        assert_eq!(rows[0].later, [4, 5, 6].map(event));
        assert_eq!(store.count_waiting(id(1), 9).await, Ok(3));
        // An event after the cursor is not added. An unknown endpoint is refused.
        let later = waiting(10, 4, noon());
        assert_eq!(store.resend(id(1), &later, None).await, Ok(true));
        assert_eq!(store.count_waiting(id(1), 9).await, Ok(3));
        assert_eq!(found(store, 1).await?, expect);
        assert_eq!(store.resend(id(2), &later, None).await, Ok(false));
        // A pause that the receiver requested stays.
        expect.health.answer(Some(Duration::from_mins(1)), at(5));
        let mut asked = round(9, 9, at(5));
        (asked.version, asked.health) = (expect.endpoint.version, expect.health);
        lease(store, ONE, at(5), 9).await?;
        assert_eq!(recorded(store, ONE, &asked).await?, Recorded::Done);
        let again = waiting(2, 1, at(5));
        assert_eq!(store.resend(id(1), &again, None).await, Ok(true));
        assert_eq!(found(store, 1).await?.health, expect.health);
    },
    /// The entry is in the same commit, and exists only if the call has an effect.
    async fn what_operators_do_is_recorded(store: &S) {
        let entry = |n: u8, action| {
            let entry = by_ann(n.into()).entry(action, noon() + minutes(n.into()));
            entry.about(id(1))
        };
        let create = entry(1, audit::WEBHOOKS_CREATE);
        let pause = entry(2, audit::WEBHOOKS_UPDATE);
        let replay = entry(3, audit::WEBHOOKS_REPLAY);
        let resend = entry(4, audit::WEBHOOKS_RESEND);
        let delete = entry(5, audit::WEBHOOKS_DELETE);
        let write = paused(&endpoint(1));
        let mut expect = Vec::new();
        for known in [false, true, false] {
            if known {
                store.insert(&endpoint(1), place(1), Some(&create)).await?;
                expect = [&delete, &resend, &replay, &pause, &create]
                    .map(Clone::clone)
                    .to_vec();
            }
            let updated = store.update(&write, Some(&pause)).await;
            assert_eq!(updated.is_ok(), known);
            let replayed = store.replay(id(1), place(0), Some(&replay)).await;
            assert_eq!(replayed, Ok(known));
            let event = waiting(1, 1, noon());
            let resent = store.resend(id(1), &event, Some(&resend)).await;
            assert_eq!(resent, Ok(known));
            assert_eq!(store.delete(id(1), Some(&delete)).await, Ok(known));
            assert_eq!(entries(store).await?, expect);
        }
    },
);

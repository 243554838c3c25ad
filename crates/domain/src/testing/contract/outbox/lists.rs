use kernel::{
    outbox::{Backlog, Effect, Outbox},
    testing::{hours, minutes, noon, rows, uuid},
};

use super::{BULK_EAST, FETCH, KINDS, LEASE, MOVE, TELL, WEST, ask, claim_one, effect, tellings};
use crate::{
    posting::ENRICH,
    store::{Store, WriteSet},
};

kernel::contract_cases!(
    outbox::lists,
    impl Store + Outbox,
    async fn rows_are_listed(store: &S) {
        ask(store, &[effect(1)], noon()).await?;
        for queue in [WEST, MOVE] {
            ask(store, &[Effect::new(queue, uuid(3))], noon()).await?;
        }
        store.claim(ENRICH, 1, LEASE, uuid(1), noon()).await?;
        let rows = rows(store, false).await?;
        let rows = rows.iter().map(|row| {
            let error = row.last_error.as_deref();
            (row.kind.as_str(), row.key, row.attempts, row.next_at, error)
        });
        let expect = [
            ("enrich", uuid(1), 1, noon() + LEASE, None),
            ("tell", uuid(3), 0, noon(), None),
            ("move", uuid(3), 0, noon(), None),
        ];
        assert_eq!(rows.collect::<Vec<_>>(), expect);
    },
    async fn rows_are_listed_by_pages(store: &S) {
        for n in 1..=5 {
            ask(store, &[effect(n)], noon()).await?;
        }
        let mut keys = Vec::new();
        let mut after = None;
        loop {
            let page = Outbox::list(store, false, after, 2).await?;
            assert!(page.len() <= 2);
            let Some(last) = page.last() else { break };
            after = Some(last.id);
            keys.extend(page.into_iter().map(|row| row.key));
        }
        let expect: Vec<_> = (1..=5).map(uuid).collect();
        assert_eq!(keys, expect);
    },
    async fn the_tasks_of_a_subject_are_listed(store: &S) {
        let id = uuid(1);
        ask(store, &[Effect::new(MOVE, id)], noon()).await?;
        let claimed = store.claim(MOVE, 1, minutes(1), uuid(9), noon()).await?;
        store.give_up(claimed[0].token, "no luck", noon()).await?;
        let mut writes = WriteSet::new(noon());
        writes.tasks.ask(Effect::new(FETCH, id));
        writes.tasks.ask(Effect::new(FETCH, uuid(2)));
        store.commit(writes).await?;
        let tasks = store.tasks_of(id, &KINDS, 100).await?;
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
        assert_eq!(store.tasks_of(id, &KINDS, 1).await, Ok(tasks[..1].to_vec()));
        assert_eq!(store.tasks_of(uuid(404), &KINDS, 100).await, Ok(Vec::new()));
    },
    async fn dead_tasks_are_found_by_their_effects(store: &S) {
        let moving = |n| Effect::new(MOVE, uuid(n));
        let [sync, _] = tellings(2);
        ask(store, &[moving(1), moving(2), moving(3), sync], noon()).await?;
        let claimed = store.claim(MOVE, 2, LEASE, uuid(9), noon()).await;
        for task in claimed? {
            store.give_up(task.token, "hopeless", noon()).await?;
        }
        let named = [sync, moving(4), moving(3), moving(2)];
        assert_eq!(store.dead_among(&named).await, Ok(vec![moving(2)]));
        assert_eq!(store.dead_among(&[]).await, Ok(vec![]));
    },
    async fn the_backlog_is_counted(store: &S) {
        ask(store, &[effect(1)], noon()).await?;
        ask(store, &[effect(2)], noon() + hours(1)).await?;
        let claimed = claim_one(store, 1, noon()).await?;
        store.give_up(claimed.token, "hopeless", noon()).await?;
        // Bulk work counts as waiting, but its age does not count.
        let bulk = Effect::new(BULK_EAST, uuid(5));
        ask(store, &[bulk], noon()).await?;
        let backlog = store.backlog(&KINDS).await?;
        let tells_of = |backlog: &[Backlog]| {
            let of = backlog.iter().find(|of| of.kind == TELL);
            of.map(|of| (of.waiting, of.oldest))
        };
        assert_eq!(tells_of(&backlog), Some((1, None)));
        // The tasks of both accounts are found.
        let [first, _] = tellings(3);
        let [_, second] = tellings(4);
        ask(store, &[first, second], noon() + hours(2)).await?;
        let backlog = store.backlog(&KINDS).await?;
        let row = |kind, waiting, dead, oldest| Backlog {
            kind,
            waiting,
            dead,
            oldest,
        };
        let expect = [
            row(ENRICH.kind(), 1, 1, Some(noon() + hours(1))),
            row(TELL, 3, 0, Some(noon() + hours(2))),
            row(MOVE.kind(), 0, 0, None),
            row(FETCH.kind(), 0, 0, None),
        ];
        assert_eq!(backlog, expect);
    },
);

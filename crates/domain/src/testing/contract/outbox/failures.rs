use kernel::{
    StoreError,
    audit::{AuditLog, OUTBOX_DISMISS, OUTBOX_RETRY},
    outbox::{Dismissal, Outbox, Revive},
    testing::{Absent, by_ann, entries, hours, minutes, noon, rows},
};
use time::Duration;

use super::{ask, claim, claim_crashed, claim_one, effect, finish};
use crate::store::{Store, WriteSet};

kernel::contract_cases!(
    outbox::failures,
    impl Store + AuditLog + Outbox,
    async fn what_is_given_back_is_no_failure(store: &S) {
        ask(store, &[effect(1), effect(2)], noon()).await?;
        let claimed = claim(store, 1, noon()).await?;
        let tokens: Vec<_> = claimed.iter().map(|claimed| claimed.token).collect();
        let due = noon() + minutes(1);
        store.give_back(&tokens, due).await?;
        assert_eq!(claim(store, 2, noon()).await?, []);
        let again = claim(store, 3, due).await?;
        assert_eq!(again.len(), 2);
        assert!(again.iter().all(|task| task.first_failed_at.is_none()));
        store.give_back(&tokens, noon()).await?;
        assert_eq!(claim(store, 4, due).await?, []);
        assert_eq!(finish(store, tokens[0]).await, Err(StoreError::Conflict));
    },
    async fn a_failed_task_waits_and_counts(store: &S) {
        ask(store, &[effect(1)], noon()).await?;
        let claimed = claim_one(store, 1, noon()).await?;
        let due = noon() + minutes(5);
        store.retry(claimed.token, due, "refused", noon()).await?;
        assert_eq!(claim(store, 2, due - Duration::SECOND).await?, []);
        let again = claim_one(store, 3, due).await?;
        assert_eq!((again.attempts, again.first_failed_at), (2, Some(noon())));
        store.retry(again.token, due, "again", due).await?;
        let third = claim_one(store, 4, due).await?;
        assert_eq!((third.attempts, third.first_failed_at), (3, Some(noon())));

        ask(store, &[effect(1)], due).await?;
        store.retry(third.token, due + hours(9), "no", due).await?;
        claim_one(store, 5, due).await?;
    },
    async fn a_dead_lettered_task_is_dead_until_revived(store: &S) {
        ask(store, &[effect(1), effect(2)], noon()).await?;
        for claimed in claim(store, 1, noon()).await? {
            store.give_up(claimed.token, "hopeless", noon()).await?;
        }
        assert_eq!(claim(store, 2, noon() + hours(9)).await?, []);
        assert_eq!(rows(store, false).await?, []);
        let dead = rows(store, true).await?;
        assert_eq!(dead.len(), 2);
        assert_eq!(dead[0].last_error.as_deref(), Some("hopeless"));
        let one = Revive::Tasks(vec![dead[0].id]);
        // The audit records a revival with the revived tasks, and records none without such tasks.
        for (n, revived) in [(1, 1), (2, 0)] {
            let entry = by_ann(n).entry(OUTBOX_RETRY, noon());
            let found = store.revive(&one, Some(&entry), noon()).await;
            assert_eq!(found, Ok(revived));
            let expect = by_ann(1).entry(OUTBOX_RETRY, noon());
            let expect = expect.with("tasks", 1).with("ids", vec![dead[0].id.0]);
            assert_eq!(entries(store).await?, [expect]);
        }
        let claimed = claim_one(store, 3, noon()).await?;
        assert_eq!((claimed.token.task, claimed.attempts), (dead[0].id, 1));
        assert_eq!(store.revive(&Revive::All, None, noon()).await, Ok(1));
        claim_one(store, 4, noon()).await?;
    },
    async fn a_commit_gives_a_task_up(store: &S) {
        let give_up = async |token| {
            let mut writes = WriteSet::new(noon());
            writes.tasks.ask(effect(2));
            let error = "hopeless".to_owned();
            writes.tasks.given_up.push((token, error));
            store.commit(writes).await
        };
        ask(store, &[effect(1)], noon()).await?;
        let late = claim_one(store, 1, noon()).await?.token;
        let later = noon() + hours(9);
        let token = claim_crashed(store, 2, later).await?.token;
        assert_eq!(give_up(late).await, Err(StoreError::Conflict));
        assert_eq!(
            (
                rows(store, false).await?.len(),
                rows(store, true).await?.len()
            ),
            (1, 0)
        );
        give_up(token).await?;
        let dead = rows(store, true).await?;
        assert_eq!((dead[0].key, dead.len()), (effect(1).key(), 1));
        assert_eq!(dead[0].last_error.as_deref(), Some("hopeless"));

        ask(store, &[effect(1)], noon()).await?;
        let tasks = claim(store, 3, noon()).await?;
        let token = tasks.iter().find(|task| task.effect == effect(1));
        let token = token.ok_or(Absent)?.token;
        ask(store, &[effect(1)], noon()).await?;
        give_up(token).await?;
        assert_eq!(rows(store, true).await?, []);
    },
    async fn a_commit_ends_a_task_in_any_state(store: &S) {
        ask(store, &[1, 2].map(effect), noon()).await?;
        for task in claim(store, 1, noon()).await? {
            if task.effect == effect(1) {
                store.give_up(task.token, "hopeless", noon()).await?;
            } else {
                let mut writes = WriteSet::new(noon());
                writes.tasks.ended.push(effect(2));
                writes.tasks.ask(effect(2));
                store.commit(writes).await?;
                assert_eq!(finish(store, task.token).await, Err(StoreError::Conflict));
                let again = claim_one(store, 2, noon()).await?;
                assert_eq!((again.effect, again.attempts), (effect(2), 1));
            }
        }
        ask(store, &[3, 4].map(effect), noon()).await?;
        let mut writes = WriteSet::new(noon());
        writes.tasks.ended.extend([1, 2, 3, 9].map(effect));
        store.commit(writes).await?;
        assert_eq!(rows(store, true).await?, []);
        let left = rows(store, false).await?;
        assert_eq!((left[0].key, left.len()), (effect(4).key(), 1));
    },
    async fn dead_tasks_are_dismissed_and_no_others(store: &S) {
        ask(store, &[1, 2, 3, 4].map(effect), noon()).await?;
        let mut tokens = claim(store, 1, noon()).await?;
        tokens.sort_unstable_by_key(|task| task.effect);
        for task in &tokens[..2] {
            store.give_up(task.token, "hopeless", noon()).await?;
        }
        store.give_back(&[tokens[2].token], noon()).await?;
        let dismissal = Dismissal {
            by: by_ann(1),
            reason: "it is gone".to_owned(),
            at: noon(),
        };
        let ids: Vec<_> = [0, 2, 3].map(|n| tokens[n].token.task).to_vec();
        assert_eq!(store.dismiss(&ids, &dismissal).await, Ok(1));
        assert_eq!(store.dismiss(&ids, &dismissal).await, Ok(0), "it is gone");
        assert_eq!(rows(store, true).await?[0].key, effect(2).key());
        assert_eq!(rows(store, false).await?.len(), 2);
        let second = [tokens[1].token.task];
        assert_eq!(store.dismiss(&second, &dismissal).await, Ok(1));

        let mut entries = entries(store).await?;
        entries.sort_unstable_by_key(|entry| entry.subject.clone());
        assert_eq!(entries.len(), 2, "each has one of its own");
        for (entry, task) in entries.iter().zip(&tokens) {
            assert_eq!(entry.action, OUTBOX_DISMISS);
            assert_eq!(entry.subject, Some(task.effect.key().to_string()));
            assert_eq!(entry.details["kind"], "enrich");
            assert_eq!(entry.details["reason"], "it is gone");
        }
    },
    async fn asking_for_a_dead_effect_revives_it(store: &S) {
        ask(store, &[effect(1)], noon()).await?;
        let claimed = claim_one(store, 1, noon()).await?;
        store.give_up(claimed.token, "hopeless", noon()).await?;
        ask(store, &[effect(1)], noon() + hours(1)).await?;
        let again = claim_one(store, 2, noon() + hours(1)).await?;
        assert_eq!((again.attempts, again.first_failed_at), (1, None));
        assert_eq!(rows(store, true).await?, []);
    },
);

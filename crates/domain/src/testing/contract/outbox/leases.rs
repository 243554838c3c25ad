use kernel::{
    StoreError,
    outbox::{Outbox, Revive},
    testing::{hours, minutes, noon, rows, uuid},
    trace::TraceParent,
};
use time::Duration;

use super::{LEASE, ask, claim, claim_crashed, claim_one, effect, finish, none_crashed};
use crate::{
    posting::ENRICH,
    store::{Store, WriteSet},
};

kernel::contract_cases!(
    outbox::leases,
    impl Store + Outbox,
    async fn an_effect_is_claimed_once(store: &S) {
        for _ in 0..3 {
            ask(store, &[effect(1)], noon()).await?;
        }
        assert_eq!(claim(store, 1, noon() - minutes(1)).await?, []);
        let claimed = claim_one(store, 1, noon()).await?;
        assert_eq!(claimed.effect, effect(1));
        assert_eq!((claimed.attempts, claimed.first_failed_at), (1, None));
        assert_eq!(claim(store, 2, noon()).await?, []);
        finish(store, claimed.token).await?;
        assert_eq!(claim(store, 3, noon() + hours(1)).await?, []);
        assert_eq!(rows(store, false).await?, []);
    },
    async fn asking_again_while_it_is_leased_makes_it_due_once_more(store: &S) {
        ask(store, &[effect(1)], noon()).await?;
        let first = claim_one(store, 1, noon()).await?;
        ask(store, &[effect(1)], noon()).await?;
        assert_eq!(claim(store, 2, noon()).await?, [], "the lease holds");
        finish(store, first.token).await?;
        let second = claim_one(store, 3, noon()).await?;
        assert_eq!(second.attempts, 1, "it starts with a clean record");
        finish(store, second.token).await?;
        assert_eq!(claim(store, 4, noon()).await?, []);

        ask(store, &[effect(2)], noon()).await?;
        let claimed = claim_one(store, 5, noon()).await?;
        let mut both = WriteSet::new(noon());
        both.tasks.ask(effect(2));
        both.tasks.done.push(claimed.token);
        store.commit(both).await?;
        assert_eq!(claim(store, 6, noon()).await?.len(), 1);
    },
    async fn claims_are_limited_and_longest_due_first(store: &S) {
        for (n, minute) in [(1, 3), (2, 1), (3, 2)] {
            ask(store, &[effect(n)], noon() + minutes(minute)).await?;
        }
        let now = noon() + hours(1);
        for (lease, expect) in [(1, &[2, 3][..]), (2, &[1])] {
            let claimed = store.claim(ENRICH, 2, LEASE, uuid(lease), now).await?;
            let claimed = claimed.iter().map(|task| task.effect);
            assert!(claimed.eq(expect.iter().copied().map(effect)), "{lease}");
        }
    },
    async fn a_renewed_lease_holds(store: &S) {
        ask(store, &[effect(1)], noon()).await?;
        let claimed = claim_one(store, 1, noon()).await?;
        store.renew(&[claimed.token], noon() + hours(1)).await?;
        assert_eq!(claim(store, 2, noon() + minutes(59)).await?, []);
        claim_crashed(store, 3, noon() + hours(1)).await?;
        store.renew(&[claimed.token], noon() + hours(9)).await?;
        claim_crashed(store, 4, noon() + hours(2)).await?;
    },
    async fn a_worker_without_the_lease_reports_nothing(store: &S) {
        ask(store, &[effect(1)], noon()).await?;
        let slow = claim_one(store, 1, noon()).await?;
        let fast = claim_crashed(store, 2, noon() + LEASE).await?;
        let mut late = WriteSet::new(noon());
        late.tasks.done.push(slow.token);
        late.tasks.ask(effect(9));
        assert_eq!(store.commit(late).await, Err(StoreError::Conflict));
        store.retry(slow.token, noon(), "slow", noon()).await?;
        store.give_up(slow.token, "slow", noon()).await?;
        assert_eq!(rows(store, true).await?, []);
        finish(store, fast.token).await?;
        assert_eq!(
            finish(store, fast.token).await,
            Err(StoreError::Conflict),
            "it is finished"
        );
        assert_eq!(rows(store, false).await?, []);
    },
    async fn a_task_whose_lease_lapsed_has_crashed(store: &S) {
        ask(store, &[effect(1), effect(2)], noon()).await?;
        assert_eq!(claim(store, 1, noon()).await?.len(), 2);
        ask(store, &[effect(4)], noon()).await?;
        none_crashed(store, noon() + LEASE - Duration::SECOND).await;
        let later = noon() + LEASE;
        let fresh = claim_one(store, 2, later).await?;
        assert_eq!(fresh.effect, effect(4), "the crashed are not among them");
        let mut effects = Vec::new();
        for lease in 3..=4 {
            let crashed = claim_crashed(store, lease, later).await?;
            assert_eq!((crashed.attempts, crashed.lost), (2, 1));
            effects.push(crashed.effect);
            finish(store, crashed.token).await?;
        }
        assert_eq!(effects, [effect(1), effect(2)]);
        none_crashed(store, later).await;
    },
    async fn lost_claims_are_counted(store: &S) {
        ask(store, &[effect(1)], noon()).await?;
        let mut claimed = claim_one(store, 1, noon()).await?;
        let mut now = noon();
        for lost in 1..=3 {
            assert!(!claimed.is_poison(), "{claimed:?}");
            now += LEASE;
            claimed = claim_crashed(store, 1 + u128::from(lost), now).await?;
            assert_eq!(claimed.lost, lost);
        }
        assert!(claimed.is_poison());
        store.give_up(claimed.token, "poison", now).await?;
        none_crashed(store, now + hours(1)).await;
        let dead = rows(store, true).await?;
        assert_eq!(dead.len(), 1);
        assert_eq!(store.revive(&Revive::All, None, now).await, Ok(1));
        claim_one(store, 9, now).await?;
        assert_eq!(claim_crashed(store, 10, now + LEASE).await?.lost, 1);
    },
    async fn any_report_clears_a_crash(store: &S) {
        let later = noon() + LEASE;
        for n in 1..=4 {
            ask(store, &[effect(n)], noon()).await?;
            claim_one(store, 1, noon()).await?;
            let crashed = claim_crashed(store, 2, later).await?;
            let token = crashed.token;
            match n {
                1 => store.retry(token, later, "busy", later).await,
                2 => store.give_back(&[token], later).await,
                3 => {
                    ask(store, &[effect(n)], later).await?;
                    store.give_up(token, "no", later).await
                }
                _ => {
                    ask(store, &[effect(n)], later).await?;
                    finish(store, token).await
                }
            }?;
            none_crashed(store, later + hours(1)).await;
            let again = claim_one(store, 3, later + hours(1)).await?;
            assert_eq!(again.lost, 0, "{n}");
            finish(store, again.token).await?;
        }
    },
    async fn a_task_keeps_the_trace_that_asked_for_it_last(store: &S) {
        let [first, last] = [1, 2].map(|span| TraceParent::new(7, span, true));
        for trace in [first, last, None, last] {
            let mut writes = WriteSet::new(noon());
            writes.tasks.trace = trace;
            writes.tasks.ask(effect(1));
            writes.tasks.trace = first;
            writes.tasks.ask(effect(2));
            store.commit(writes).await?;
        }
        let claimed = claim(store, 1, noon()).await?;
        let traces: Vec<_> = claimed.iter().map(|task| task.trace).collect();
        assert_eq!(traces, [last, first]);
        // A lost claim keeps the trace, too. A commit without a trace clears it.
        let late = noon() + LEASE;
        assert_eq!(claim_crashed(store, 2, late).await?.trace, last);
        ask(store, &[effect(2)], late).await?;
        assert_eq!(claim_crashed(store, 3, late).await?.trace, None);
    },
);

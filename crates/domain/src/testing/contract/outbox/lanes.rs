use kernel::{
    outbox::{Claimed, Effect, Outbox, Queue},
    testing::{Checked, hours, noon, rows, uuid},
};

use super::{
    BULK_EAST, BULK_WEST, EAST, FETCH, LEASE, MOVE, QUEUES, WEST, ask, claim, claim_one, finish,
    tellings,
};
use crate::{
    posting::enrich,
    store::{Store, WriteSet},
    testing::{contract::put, create, put_id},
};

async fn claim_from<S: Outbox>(store: &S, queue: Queue, lease: u128) -> Checked<Vec<Claimed>> {
    Ok(store.claim(queue, 10, LEASE, uuid(lease), noon()).await?)
}

kernel::contract_cases!(
    outbox::lanes,
    impl Store + Outbox,
    async fn queues_are_claimed_apart(store: &S) {
        put(store, &[create("a", "acme")]).await?;
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
        ask(store, &effects, noon()).await?;
        effects.push(enrich(put_id("a")));
        for (lease, queue) in (1..).zip(QUEUES) {
            let claimed = claim_from(store, queue, lease).await?;
            assert_eq!(claimed.len(), 1, "{queue:?}: {claimed:?}");
            let effect = claimed[0].effect;
            assert!(effects.contains(&effect), "{effect:?}");
            assert_eq!(effect.queue(), queue);
        }
    },
    async fn a_bulk_sync_moves_up_and_never_back(store: &S) {
        let [sync, _] = tellings(1);
        let first = Effect::new(BULK_EAST, uuid(1));
        ask(store, &[first], noon()).await?;
        assert_eq!(claim_from(store, EAST, 1).await?, []);
        for effect in [sync, first] {
            ask(store, &[effect], noon()).await?;
            assert_eq!(claim_from(store, BULK_EAST, 2).await?, []);
        }
        let claimed = claim_one(store, 3, noon()).await?;
        assert_eq!(claimed.effect, sync);
        store.give_up(claimed.token, "hopeless", noon()).await?;
        ask(store, &[first], noon()).await?;
        let again = claim_one(store, 4, noon()).await?;
        assert_eq!((again.effect, again.attempts), (first, 1));
    },
    async fn asking_for_another_account_moves_a_sync(store: &S) {
        let [east, west] = tellings(1);
        ask(store, &[east], noon()).await?;
        ask(store, &[west], noon() + hours(1)).await?;
        assert_eq!(claim_from(store, EAST, 1).await?, []);
        let claimed = claim_from(store, WEST, 2).await?;
        assert_eq!(claimed.len(), 1, "it keeps its turn");
        assert_eq!(claimed[0].effect, west);
        finish(store, claimed[0].token).await?;
        assert_eq!(rows(store, false).await?, []);

        for effect in [west, east] {
            ask(store, &[effect], noon()).await?;
        }
        let claimed = claim_one(store, 3, noon()).await?;
        assert_eq!(claimed.effect, east);
    },
    async fn asking_for_another_account_while_it_is_leased_moves_it_afterwards(store: &S) {
        let [east, west] = tellings(1);
        ask(store, &[east], noon()).await?;
        let first = claim_one(store, 1, noon()).await?;
        let mut both = WriteSet::new(noon());
        both.tasks.ask(west);
        both.tasks.done.push(first.token);
        ask(store, &[west], noon()).await?;
        assert_eq!(claim(store, 2, noon()).await?, [], "the lease holds");
        store.commit(both).await?;
        assert_eq!(claim_from(store, EAST, 3).await?, []);
        let second = claim_one(store, 4, noon()).await?;
        assert_eq!((second.effect, second.attempts), (west, 1));
    },
);

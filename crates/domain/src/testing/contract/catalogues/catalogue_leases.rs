use kernel::{
    Status, StoreError,
    event::EventLog,
    testing::{AddClient, hours, identifier, minutes, noon},
};

use super::{
    super::{events::put_events, load, posting},
    ask, catalogue, found, held, lease, listed, name, of, past, query, with_clients,
};
use crate::{
    catalogue::{
        Catalogue, CatalogueLease, CatalogueQuery, Catalogues, Forgotten, Leased, Patience,
    },
    import::Summary,
    posting::{Lifetime, enrich},
    store::{Store, WriteSet},
    testing::{create, put_id},
    usecase::{Batch, Delisted, delist_missing},
};

async fn write_line<S: Store>(
    store: &S,
    id: &str,
    company: &str,
    leases: &[CatalogueLease],
) -> Result<(), StoreError> {
    let (put, now) = (create(id, company), noon() + hours(1));
    let mut batch = Batch::new(Lifetime::days(60), now);
    batch.load(store, &[&put], true).await?;
    let decided = batch.decide(&put, now);
    assert_eq!(
        batch.record(&put, decided, now),
        None,
        "it is in the commit"
    );
    for lease in leases {
        batch.require(*lease);
    }
    batch.commit(store).await.map(drop)
}

kernel::contract_cases!(
    catalogues::catalogue_leases,
    impl Store + Catalogues + AddClient + EventLog,
    async fn a_lease_makes_the_catalogue_unless_it_may_not(store: &S) {
        with_clients(store).await?;
        let question = CatalogueQuery {
            new_id: None,
            ..query("jobs", 1, noon())
        };
        assert_eq!(ask(store, &question).await?, Leased::Unknown);
        let unknown = Catalogues::find(store, of(1), &name("jobs"), noon()).await;
        assert_eq!(unknown, Ok(None));
        assert_eq!(lease(store, "jobs", 1, noon()).await?, held(1, 1));
        let expect = Catalogue {
            id: catalogue(1),
            client: of(1),
            name: name("jobs"),
            postings: 0,
            is_running: true,
            imports: Vec::new(),
            held: None,
            can_undo: false,
        };
        assert_eq!(found(store, "jobs", noon()).await?, expect);
    },
    /// Other names and other clients have catalogues of their own.
    async fn a_catalogue_has_one_import_at_a_time(store: &S) {
        with_clients(store).await?;
        lease(store, "jobs", 1, noon()).await?;
        let running = Leased::Running(noon() + hours(1));
        for n in [1, 2] {
            let late = query("jobs", n, noon() + minutes(59));
            assert_eq!(ask(store, &late).await?, running);
        }
        assert_eq!(
            lease(store, "Jobs", 3, noon()).await?.catalogue,
            catalogue(3)
        );
        let of_another = CatalogueQuery {
            client: of(2),
            ..query("jobs", 4, noon())
        };
        assert_eq!(ask(store, &of_another).await?, Leased::Held(held(4, 4)));
    },
    async fn a_lease_whose_time_is_over_is_taken(store: &S) {
        with_clients(store).await?;
        lease(store, "jobs", 1, noon()).await?;
        let end = noon() + hours(1);
        assert!(found(store, "jobs", end - minutes(1)).await?.is_running);
        assert!(!found(store, "jobs", end).await?.is_running);
        let taken = lease(store, "jobs", 2, end).await?;
        assert_eq!(taken, held(1, 2), "the catalogue is the same");
        assert!(found(store, "jobs", end).await?.is_running);
    },
    async fn a_lease_is_renewed_while_it_is_held(store: &S) {
        with_clients(store).await?;
        let held = lease(store, "jobs", 1, noon()).await?;
        let later = noon() + hours(3);
        assert_eq!(store.renew(held, later).await, Ok(true));
        let other = query("jobs", 2, noon() + hours(2));
        assert_eq!(ask(store, &other).await?, Leased::Running(later));
        // The lease has expired, but no other import has taken it.
        assert_eq!(store.renew(held, later + hours(2)).await, Ok(true));
        assert!(found(store, "jobs", later + hours(1)).await?.is_running);
    },
    async fn a_lost_lease_neither_renews_nor_finishes(store: &S) {
        with_clients(store).await?;
        let lost = lease(store, "jobs", 1, noon()).await?;
        let later = noon() + hours(1);
        let held = lease(store, "jobs", 2, later).await?;
        let import = past(Summary::default());
        let refuses = async |lease| {
            let renewed = store.renew(lease, later + hours(9)).await;
            let finished = store.finish(lease, &import, false).await;
            assert_eq!((renewed, finished), (Ok(false), Ok(false)));
        };
        refuses(lost).await;
        let unchanged = found(store, "jobs", later).await?;
        assert_eq!((unchanged.is_running, unchanged.imports), (true, vec![]));
        assert_eq!(store.finish(held, &import, false).await, Ok(true));
        refuses(held).await;
        assert!(!found(store, "jobs", later).await?.is_running);
    },
    /// The first import expires nothing once a second began or the catalogue was deleted.
    async fn a_commit_with_a_lost_lease_is_a_conflict(store: &S) {
        with_clients(store).await?;
        let lost = lease(store, "jobs", 1, noon()).await?;
        put_events(store, &listed(&["a", "b"], lost)).await?;
        let before = load(store, &["a", "b"]).await?;
        let end = EventLog::end(store).await;
        let held = lease(store, "jobs", 2, noon() + hours(1)).await?;
        let missing = ["a", "b"].map(identifier);
        let delist = async |lease, missing| {
            let now = noon() + hours(1);
            let patience = Patience::default();
            delist_missing(store, store, lease, &name("jobs"), patience, missing, now).await
        };
        assert_eq!(delist(lost, &missing).await, Err(StoreError::Conflict));
        assert_eq!(load(store, &["a", "b"]).await?.postings, before.postings);
        assert_eq!(EventLog::end(store).await, end);
        let mut writes = WriteSet::new(noon());
        writes.optional.leases.insert(lost);
        writes.tasks.ask(enrich(put_id("c")));
        assert_eq!(store.commit(writes).await, Err(StoreError::Conflict));
        // A commit with a lost lease conflicts even if its other leases are valid.
        let other = lease(store, "other", 3, noon()).await?;
        for leases in [&[lost][..], &[held, lost], &[lost, other]] {
            for id in ["a", "new"] {
                let written = write_line(store, id, "two", leases).await;
                assert_eq!(written, Err(StoreError::Conflict), "{id}");
            }
        }
        assert_eq!(
            load(store, &["a", "b", "new"]).await?.postings,
            before.postings
        );
        for (company, leases) in [("two", &[held][..]), ("three", &[held, other])] {
            write_line(store, "a", company, leases).await?;
        }

        let one = Delisted {
            missing: 1,
            expired: 1,
        };
        // The second call repeats a commit that was in doubt.
        for _ in 0..2 {
            assert_eq!(delist(held, &missing[..1]).await, Ok(one));
        }
        assert_eq!(posting(store, "a").await?.status(), Status::Expired);
        let until = noon() + hours(2);
        for (now, expect) in [
            (noon(), Forgotten::Running(until)),
            (until, Forgotten::Done),
        ] {
            let deleted = Catalogues::delete(store, of(1), &name("jobs"), now, None).await;
            assert_eq!(deleted, Ok(expect));
        }
        assert_eq!(delist(held, &missing).await, Err(StoreError::Conflict));
        let pending = Status::PendingEnrichment;
        assert_eq!(posting(store, "b").await?.status(), pending);
    },
);

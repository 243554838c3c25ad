use kernel::{
    audit::AuditLog,
    testing::{AddClient, Checked, by_ann, entries, hours, noon},
};

use super::{
    super::{posting, put},
    ask, catalogue, found, lease, listed, name, of, past, query, with_clients,
};
use crate::{
    audit::CATALOGUES_FORGET,
    catalogue::{CatalogueQuery, Catalogues, Forgotten, Leased, MOST_CATALOGUES},
    import::{HeldBecause, Missing, Summary},
    store::Store,
};

kernel::contract_cases!(
    catalogues::catalogue_lists,
    impl Store + AuditLog + Catalogues + AddClient,
    async fn a_deleted_catalogue_leaves_its_postings(store: &S) {
        with_clients(store).await?;
        let lease_before = lease(store, "jobs", 1, noon()).await?;
        put(store, &listed(&["a"], lease_before)).await?;
        let before = posting(store, "a").await?;
        let until = noon() + hours(1);
        for (client, text, now, expect) in [
            (of(2), "jobs", until, Forgotten::Unknown),
            (of(1), "Jobs", until, Forgotten::Unknown),
            (of(1), "jobs", noon(), Forgotten::Running(until)),
            (of(1), "jobs", until, Forgotten::Done),
            (of(1), "jobs", until, Forgotten::Unknown),
        ] {
            let deleted = Catalogues::delete(store, client, &name(text), now, None).await;
            assert_eq!(deleted, Ok(expect), "{text}");
        }
        let gone = Catalogues::find(store, of(1), &name("jobs"), noon()).await;
        assert_eq!(gone, Ok(None));
        assert_eq!(posting(store, "a").await?, before);
        let renewed = store.renew(lease_before, noon() + hours(9)).await;
        assert_eq!(renewed, Ok(false));
        let lease_after = lease(store, "jobs", 2, noon()).await?;
        assert_ne!(lease_after.catalogue, lease_before.catalogue);
        assert_eq!(found(store, "jobs", noon()).await?.postings, 0);
    },
    async fn an_operator_who_deletes_a_catalogue_is_recorded(store: &S) {
        with_clients(store).await?;
        lease(store, "jobs", 1, noon()).await?;
        let entry = |n| by_ann(n).entry(CATALOGUES_FORGET, noon());
        let until = noon() + hours(1);
        for (n, text, now, expect) in [
            (1, "other", until, Forgotten::Unknown),
            (4, "jobs", noon(), Forgotten::Running(until)),
            (2, "jobs", until, Forgotten::Done),
            (3, "jobs", until, Forgotten::Unknown),
        ] {
            let entry = entry(n);
            let deleted = Catalogues::delete(store, of(1), &name(text), now, Some(&entry)).await;
            assert_eq!(deleted, Ok(expect), "{n} {text}");
        }
        assert_eq!(entries(store).await?, [entry(2)]);
    },
    async fn catalogues_are_listed_by_name(store: &S) {
        with_clients(store).await?;
        for (n, text) in (1..).zip(["b", "a-b", "B", "a", "a.b", "a_b", "ab", "0"]) {
            lease(store, text, n, noon()).await?;
        }
        let of_another = CatalogueQuery {
            client: of(2),
            ..query("c", 20, noon())
        };
        ask(store, &of_another).await?;
        let names = async |client| -> Checked<Vec<_>> {
            let listed = Catalogues::list(store, client, noon()).await?;
            let names = listed.into_iter().map(|it| it.name.to_string());
            Ok(names.collect())
        };
        let expect = ["0", "B", "a", "a-b", "a.b", "a_b", "ab", "b"];
        assert_eq!(names(of(1)).await?, expect);
        assert_eq!(names(of(2)).await?, ["c"]);
        assert_eq!(names(of(3)).await?, [""; 0]);
    },
    async fn a_client_has_a_limited_number_of_catalogues(store: &S) {
        with_clients(store).await?;
        let many = (1..).take(MOST_CATALOGUES);
        for n in many {
            lease(store, &format!("c{n}"), n, noon()).await?;
        }
        let one_more = query("one-more", 1_000, noon());
        assert_eq!(ask(store, &one_more).await?, Leased::TooMany);
        let unknown = Catalogues::find(store, of(1), &name("one-more"), noon()).await;
        assert_eq!(unknown, Ok(None));
        lease(store, "c1", 1_001, noon() + hours(1)).await?;
        let of_another = CatalogueQuery {
            client: of(2),
            ..one_more.clone()
        };
        assert!(matches!(ask(store, &of_another).await?, Leased::Held(_)));
        let listed = Catalogues::list(store, of(1), noon()).await;
        assert_eq!(listed?.len(), MOST_CATALOGUES);
        let until = noon() + hours(1);
        let deleted = Catalogues::delete(store, of(1), &name("c2"), until, None).await;
        assert_eq!(deleted, Ok(Forgotten::Done));
        let last = CatalogueQuery {
            new_id: Some(catalogue(2_000)),
            ..one_more
        };
        assert!(matches!(ask(store, &last).await?, Leased::Held(_)));
    },
    async fn last_imports_are_listed(store: &S) {
        with_clients(store).await?;
        let imports = ["a", "b", "c"];
        for (n, text) in (1..).zip(imports) {
            let held = lease(store, text, n, noon()).await?;
            let import = past(Summary {
                missing: Some(Missing {
                    count: 7,
                    held: Some(HeldBecause::Share),
                    ..Missing::default()
                }),
                ..Summary::default()
            });
            if text != "b" {
                assert_eq!(store.finish(held, &import, false).await, Ok(true));
            }
        }
        let listed = store.last_imports(9).await?;
        let named: Vec<_> = listed
            .iter()
            .map(|it| (it.client, it.name.clone()))
            .collect();
        assert_eq!(named, [(of(1), name("a")), (of(1), name("c"))]);
        assert_eq!(listed[0].id, catalogue(1));
        assert_eq!(listed[0].held_back(), Some(7));
        assert_eq!(store.last_imports(1).await.as_deref(), Ok(&listed[..1]));
    },
);

use access::{Clients, testing::client};
use domain::{
    catalogue::{
        CatalogueId, CatalogueLease, CatalogueQuery, Catalogues, Leased, MOST_CATALOGUES,
        PastImport,
    },
    import::Summary,
};
use kernel::{
    CatalogueName,
    testing::{hours, noon, uuid},
};

use super::{Shell, races::at_once};

pub fn query(name: &str, n: u128) -> CatalogueQuery {
    CatalogueQuery {
        client: client(1).id,
        name: CatalogueName::new(name).expect("it is a name"),
        new_id: Some(CatalogueId::new(uuid(n))),
        holder: uuid(n),
        now: noon(),
        until: noon() + hours(1),
    }
}

pub async fn leased<S: Clients + Catalogues>(store: &S, name: &str) -> CatalogueLease {
    let inserted = store.insert(&client(1), None).await;
    inserted.expect("it is new");
    match store.lease(&query(name, 1)).await {
        Ok(Leased::Held(lease)) => lease,
        other => panic!("{other:?}"),
    }
}

const REFUSED: [&str; 9] = [
    "UPDATE catalogues SET client_id = {id}",
    "UPDATE catalogues SET holder = NULL",
    "UPDATE catalogues SET leased_until = NULL",
    "UPDATE catalogue_imports SET finished_at = NULL",
    "UPDATE catalogue_imports SET failed = NULL",
    "UPDATE catalogue_imports SET missing = 1",
    "UPDATE catalogue_imports SET missing_expired = 1",
    "UPDATE catalogue_imports SET held_because = 'share'",
    "INSERT INTO catalogues SELECT * FROM catalogues",
];

/// Checks that the table refuses rows that only hand-written SQL could insert.
pub async fn the_table_refuses_what_has_no_meaning<S: Clients + Catalogues + Shell>(store: &S) {
    let ended = leased(store, "jobs").await;
    let import = PastImport {
        started_at: noon(),
        finished_at: noon(),
        summary: Summary::default(),
    };
    assert_eq!(store.finish(ended, &import, false).await, Ok(true));
    let held = store.lease(&query("jobs", 2)).await;
    assert!(matches!(held, Ok(Leased::Held(_))));
    for statement in REFUSED {
        assert!(store.shell(statement).await.is_err(), "{statement}");
    }
}

pub async fn of_imports_at_two_stores_one_gets_the_catalogue<S>(one: &S, other: &S)
where
    S: Clients + Catalogues + Clone + 'static,
{
    let inserted = one.insert(&client(1), None).await;
    inserted.expect("it is new");
    for round in 0..10 {
        let import = |store: S, n| async move {
            let query = query(&format!("jobs-{round}"), round * 10 + n);
            (query.holder, store.lease(&query).await)
        };
        let mut held = Vec::new();
        for (holder, leased) in at_once(one, other, 8, import).await {
            match leased.expect("the store works") {
                Leased::Held(lease) => {
                    assert_eq!((lease.catalogue.uuid(), lease.holder), (holder, holder));
                    held.push(lease);
                }
                Leased::Running(until) => assert_eq!(until, noon() + hours(1)),
                Leased::TooMany | Leased::Unknown => panic!("it is the {round}th"),
            }
        }
        assert_eq!(held.len(), 1, "{held:?}");
        for store in [one, other] {
            assert_eq!(store.renew(held[0], noon() + hours(1)).await, Ok(true));
        }
    }
}

pub async fn imports_at_two_stores_keep_the_limit<S>(one: &S, other: &S)
where
    S: Clients + Catalogues + Clone + 'static,
{
    let inserted = one.insert(&client(1), None).await;
    inserted.expect("it is new");
    let import = |store: S, n| async move {
        let query = query(&format!("jobs-{n}"), n);
        store.lease(&query).await
    };
    let (mut held, mut refused) = (0, 0);
    for leased in at_once(one, other, MOST_CATALOGUES as u128 + 20, import).await {
        match leased.expect("the store works") {
            Leased::Held(_) => held += 1,
            Leased::TooMany => refused += 1,
            other => panic!("each has a name of its own: {other:?}"),
        }
    }
    assert_eq!((held, refused), (MOST_CATALOGUES, 20));
    let listed = Catalogues::list(one, client(1).id, noon()).await;
    assert_eq!(listed.expect("the store works").len(), MOST_CATALOGUES);
}

use std::collections::BTreeMap;

use kernel::{
    ClientId, CompanyId, Prefixes,
    outbox::Outbox as _,
    testing::{AddClient as _, by_ann, hours, identifier, noon, uuid},
};
use proptest::prelude::*;
use time::{Duration, OffsetDateTime};

use crate::{
    company::{CompanyReader as _, PairKind},
    posting::{COMPANIES, Lifetime},
    store::Reads as _,
    testing::{MemoryStore, company, create, push_by, renaming},
    usecase::{
        CompanyError, Settling, ingest, merge_companies, settle_batch, tell_companies_apart,
        unmerge_company,
    },
};

pub(super) async fn put(store: &MemoryStore, identifier: &str, host: &str) {
    let put = create(identifier, host);
    let answers = ingest(store, &[put], Lifetime::NEVER, noon()).await;
    assert!(answers.unwrap()[0].is_ok());
}

pub(super) async fn merge(store: &MemoryStore, from: &str, into: &str) -> Result<(), CompanyError> {
    let ids = (company(from).id, company(into).id);
    merge_companies((store, store), ids, "one employer", &by_ann(1), noon()).await
}

pub(super) async fn unmerge(store: &MemoryStore, alias: &str) -> Result<(), CompanyError> {
    unmerge_company(store, company(alias).id, "two", &by_ann(2), noon()).await
}

/// Works on all due tasks; returns how many were postponed.
pub(super) async fn settle(store: &MemoryStore, now: OffsetDateTime) -> usize {
    let lease = Duration::MINUTE;
    let claimed = store.claim(COMPANIES, 100, lease, uuid(1), now).await;
    let mut put_off = 0;
    for task in claimed.unwrap() {
        let id = CompanyId::new(task.effect.key());
        let mut after = None;
        loop {
            let batch = settle_batch((store, store), (task.token, id), (after, 2), now).await;
            match batch.unwrap() {
                Settling::After(posting) => after = Some(posting),
                Settling::Again(at) => {
                    put_off += 1;
                    store.give_back(&[task.token], at).await.unwrap();
                    break;
                }
                Settling::Done => break,
            }
        }
    }
    put_off
}

async fn hosts(store: &MemoryStore, names: &[String]) -> BTreeMap<String, String> {
    let identifiers: Vec<_> = names.iter().map(|name| identifier(name)).collect();
    let known = store.load(&identifiers, &[]).await.unwrap();
    let host = |id: CompanyId| {
        let host = ["a", "b", "c"].into_iter().find(|it| company(it).id == id);
        host.unwrap().to_owned()
    };
    let postings = known.postings.into_values();
    postings
        .map(|it| (it.source_identifier.to_string(), host(it.company_id)))
        .collect()
}

#[pollster::test]
async fn a_merge_is_made_once_and_never_with_itself() {
    let store = MemoryStore::new();
    for host in ["a", "b", "c"] {
        put(&store, host, host).await;
    }
    assert_eq!(merge(&store, "x", "a").await, Err(CompanyError::NotFound));
    assert_eq!(merge(&store, "a", "a").await, Err(CompanyError::Same));
    assert_eq!(unmerge(&store, "a").await, Err(CompanyError::NoAlias));
    merge(&store, "a", "b").await.unwrap();
    assert_eq!(merge(&store, "a", "b").await, Ok(()));
    assert_eq!(merge(&store, "b", "a").await, Err(CompanyError::Same));
    assert_eq!(
        merge(&store, "a", "c").await,
        Err(CompanyError::AliasOfAnother)
    );
    merge(&store, "b", "c").await.unwrap();
    let aliases = store.aliases(company("c").id, 9).await.unwrap();
    let aliases: Vec<_> = aliases.iter().map(|view| &*view.company.name).collect();
    assert_eq!(aliases, ["a", "b"]);
    settle(&store, noon()).await;
    let names = ["a", "b", "c"].map(str::to_owned);
    assert!(hosts(&store, &names).await.values().all(|host| host == "c"));
    unmerge(&store, "a").await.unwrap();
    settle(&store, noon() + hours(1)).await;
    let hosts: Vec<_> = hosts(&store, &names).await.into_values().collect();
    assert_eq!(hosts, ["a", "c", "c"]);
}

/// A push that was decided before a merge or an unmerge may be committed after it.
#[pollster::test]
async fn the_task_of_a_merge_stays_for_a_while() {
    let store = MemoryStore::new();
    put(&store, "a", "a").await;
    put(&store, "b", "b").await;
    settle(&store, noon()).await;
    merge(&store, "a", "b").await.unwrap();
    assert_eq!(settle(&store, noon()).await, 1);
    unmerge(&store, "a").await.unwrap();
    let renamed = renaming(create("a", "a"), "A Ltd");
    let answers = ingest(&store, &[renamed], Lifetime::NEVER, noon()).await;
    assert!(answers.unwrap()[0].is_ok());
    // An unmerge does not wait for the end of the merge's task.
    assert_eq!(settle(&store, noon() + Duration::seconds(3)).await, 1);
    assert_eq!(hosts(&store, &["a".to_owned()]).await["a"], "a");
    assert_eq!(settle(&store, noon() + hours(1)).await, 0);
    let rest = store.claim(COMPANIES, 9, Duration::MINUTE, uuid(1), noon() + hours(9));
    assert_eq!(rest.await, Ok(vec![]));
}

#[pollster::test]
async fn pairs_are_found_and_marked_as_different() {
    let store = MemoryStore::new();
    for (id, prefixes) in [(1, Prefixes::ALL), (2, Prefixes::new(&["x"]).unwrap())] {
        let id = ClientId::new(uuid(id));
        store.add_client(id, prefixes).await.unwrap();
    }
    let mut now = noon();
    for (n, name, website) in [
        (1, "Acme", "https://acme.example"),
        (1, "ACME Inc.", "https://acme.example/careers"),
        (2, "Acme Gates", "https://acme.example/jobs"),
        (1, "Acme", "https://boards.greenhouse.io/acme"),
        (1, "Acme", "https://other.example"),
    ] {
        let body = format!(
            r#"{{"title": "T", "raw_description": "D", "application_email": "a@b.example",
                "company": {{"name": "{name}", "website_url": "{website}"}}}}"#
        );
        let mut put = push_by(ClientId::new(uuid(n)), &format!("x{website}"), &body);
        put.by.is_fenced = n == 2;
        now += hours(1);
        ingest(&store, &[put], Lifetime::NEVER, now).await.unwrap();
        settle(&store, now).await;
    }
    let pairs = async |kind| {
        let found = store.company_pairs(kind, None, 99).await.unwrap();
        let pair = |view: crate::company::CompanyPairView| {
            let mut both = view.companies.map(|it| it.company.website.to_string());
            both.sort();
            both.join(" ").replace("https://", "")
        };
        let mut found: Vec<_> = found.into_iter().map(pair).collect();
        found.sort();
        found
    };
    let expect = [
        "acme.example acme.example/careers",
        "acme.example boards.greenhouse.io/acme",
        "acme.example/careers boards.greenhouse.io/acme",
        "boards.greenhouse.io/acme other.example",
    ];
    assert_eq!(pairs(PairKind::Similar).await, expect);
    let lookalikes = pairs(PairKind::Lookalike).await;
    let expect_lookalikes = [
        "acme.example acme.example/jobs",
        "acme.example/careers acme.example/jobs",
    ];
    assert_eq!(lookalikes, expect_lookalikes);
    let [first, ..] = &*store
        .company_pairs(PairKind::Similar, None, 1)
        .await
        .unwrap()
    else {
        panic!("there are some");
    };
    let ann = by_ann(1);
    let told = tell_companies_apart(&store, first.pair.companies, &ann, noon());
    told.await.unwrap();
    assert_eq!(pairs(PairKind::Similar).await.len(), 3);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]
    #[test]
    fn what_came_by_an_alias_is_given_back(
        before in proptest::collection::vec((0..6_u8, 0..3_usize), 0..12),
        between in proptest::collection::vec((0..9_u8, 0..3_usize), 0..12),
        settles in any::<bool>(),
    ) {
        pollster::block_on(async {
            const HOSTS: [&str; 3] = ["a", "b", "c"];
            let store = MemoryStore::new();
            for host in HOSTS {
                put(&store, host, host).await;
            }
            let mut names: Vec<_> = HOSTS.map(str::to_owned).into();
            let mut came: BTreeMap<_, _> = HOSTS.map(|it| (it.to_owned(), it)).into();
            let mut is_merged = false;
            let company_of = |host, is_merged| if is_merged && host == "a" { "b" } else { host };
            for (stage, pushes) in [(0, before), (1, between)] {
                if stage == 1 {
                    merge(&store, "a", "b").await.unwrap();
                    is_merged = true;
                    if settles {
                        settle(&store, noon()).await;
                    }
                }
                for (n, host) in pushes {
                    let (name, host) = (format!("p{n}"), HOSTS[host]);
                    put(&store, &name, host).await;
                    let known = came.get(&name).copied();
                    let stays = known.is_some_and(|known| {
                        company_of(known, is_merged) == company_of(host, is_merged)
                    });
                    if !stays {
                        came.insert(name.clone(), host);
                    }
                    names.push(name);
                }
            }
            settle(&store, noon() + hours(1)).await;
            let merged = hosts(&store, &names).await;
            let expect = came.iter().map(|(it, host)| (it.clone(), company_of(host, true).to_owned()));
            prop_assert_eq!(merged, expect.collect::<BTreeMap<_, _>>());
            unmerge(&store, "a").await.unwrap();
            settle(&store, noon() + hours(2)).await;
            let given_back = hosts(&store, &names).await;
            let expect = came.iter().map(|(it, host)| (it.clone(), (*host).to_owned()));
            prop_assert_eq!(given_back, expect.collect::<BTreeMap<_, _>>());
            Ok(())
        })?;
    }
}

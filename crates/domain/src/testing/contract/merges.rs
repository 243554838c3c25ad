//! Merged companies, and pairs of companies.

use std::collections::{BTreeMap, BTreeSet};

use kernel::{
    Actor, CompanyId, Status, StoreError,
    event::{CompanyState, EventLog, LogQuery, Subject},
    testing::{Absent, Checked, by_ann, identifier, minutes, noon},
};
use kernel::{Prefixes, event::Event};

use super::{put as push, run, versions::judge, view};
use crate::{
    browse::{PostingBrowser, WindowOrder},
    company::{Company, CompanyPair, CompanyReader, CompanyWrite, PairKind, pair},
    decision::merge::settle,
    posting::event::COMPANY_MERGED,
    store::{PostingReader, Store, WriteSet},
    testing::{company, company_write, create, push as put_body},
};

fn id(host: &str) -> CompanyId {
    company(host).id
}

fn merging(alias: &str, into: Option<&str>) -> WriteSet {
    let mut writes = WriteSet::new(noon());
    let company = Company {
        alias_of: into.map(id),
        ..company(alias)
    };
    let write = CompanyWrite {
        sets_alias: true,
        by: Actor::Operator(Some(by_ann(1).operator)),
        ..company_write(&company, false, false)
    };
    writes.companies.insert(company.id, write);
    writes
}

async fn hosts<S: CompanyReader>(store: &S, after: &str, limit: usize) -> Checked<Vec<String>> {
    let found = store.companies(after, limit).await?.into_iter();
    Ok(found.map(|view| view.company.name).collect())
}

kernel::contract_cases!(
    merges,
    impl Store + CompanyReader + PostingReader + PostingBrowser + EventLog,
    async fn an_alias_comes_with_its_company_and_is_in_no_list(store: &S) {
        push(
            store,
            &[create("a", "a"), create("b", "b"), create("c", "c")],
        )
        .await?;
        store.commit(merging("a", Some("b"))).await?;
        for identifiers in [&[][..], &[identifier("a")]] {
            let known = store.load(identifiers, &[id("a")]).await?;
            assert_eq!(known.companies.len(), 2);
            assert_eq!(known.companies[&id("a")].alias_of, Some(id("b")));
            assert_eq!(known.meant(id("a")), id("b"));
        }
        assert_eq!(hosts(store, "", 9).await?, ["b", "c"]);
        assert_eq!(hosts(store, "b.example", 9).await?, ["c"]);
        let aliases = store.aliases(id("b"), 9).await?;
        assert_eq!(aliases.len(), 1);
        assert_eq!(store.company(id("a")).await?.as_ref(), aliases.first());
        assert_eq!(store.aliases(id("a"), 9).await?, []);
        store.commit(merging("b", Some("c"))).await?;
        let known = store.load(&[], &[id("a")]).await?;
        assert_eq!((known.companies.len(), known.meant(id("a"))), (3, id("c")));
        store.commit(merging("b", None)).await?;
        assert_eq!(hosts(store, "", 9).await?, ["b", "c"]);
    },
    async fn an_alias_takes_no_write_but_that_which_ends_it(store: &S) {
        push(store, &[create("a", "a"), create("b", "b")]).await?;
        store.commit(merging("a", Some("b"))).await?;
        let mut writes = WriteSet::new(noon());
        let named = Company {
            name: "Other".to_owned(),
            ..company("a")
        };
        writes
            .companies
            .insert(named.id, company_write(&named, true, false));
        assert_eq!(
            store.commit(writes.clone()).await,
            Err(StoreError::Conflict)
        );
        store.commit(merging("a", None)).await?;
        store.commit(writes).await?;
    },
    async fn an_event_says_what_a_company_was_merged_into(store: &S) {
        push(store, &[create("a", "a"), create("b", "b")]).await?;
        let mut writes = merging("a", Some("b"));
        let state = writes.companies[&id("a")].state();
        writes.tasks.events.push(Event {
            name: COMPANY_MERGED,
            subject: Subject::Company(state.clone()),
            at: noon(),
            trace: None,
        });
        store.commit(writes).await?;
        super::events::until_all_readable(store).await?;
        let query = LogQuery {
            after: None,
            names: vec![COMPANY_MERGED],
            prefixes: Prefixes::ALL,
            reader: None,
            limit: 9,
        };
        let page = store.read(&query).await?;
        let told = page.events.into_iter().map(|it| it.event.subject);
        let expect = CompanyState {
            merged_into: Some(id("b")),
            ..state
        };
        assert_eq!(told.collect::<Vec<_>>(), [Subject::Company(expect)]);
    },
    async fn postings_know_the_alias_that_they_came_by(store: &S) {
        push(store, &[create("a", "a"), create("b", "b")]).await?;
        store.commit(merging("a", Some("b"))).await?;
        push(store, &[create("new", "a")]).await?;
        let new = super::posting(store, "new").await?;
        assert_eq!((new.company_id, new.came_by), (id("b"), Some(id("a"))));
        let a = super::posting(store, "a").await?;
        let alias = store.company(id("a")).await?.ok_or(Absent)?.company;
        let misplaced = store.misplaced(&alias, None, 9).await?;
        assert_eq!(misplaced, [(a.id, identifier("a"))]);
        assert_eq!(store.misplaced(&alias, Some(a.id), 9).await?, []);
        let own = Company {
            alias_of: None,
            ..alias
        };
        let came = [(new.id, identifier("new"))];
        assert_eq!(store.misplaced(&own, None, 9).await?, came);
        assert_eq!(store.misplaced(&own, None, 0).await?, []);
    },
    /// Meanwhile the pushed company waits for a verdict.
    async fn what_is_shown_follows_its_company(store: &S) {
        push(store, &[create("p", "a"), create("c", "c")]).await?;
        judge(store, "p", "Good", false, 1).await?;
        let moves = r#"{"company":{"name":"b","website_url":"https://b.example"}}"#;
        push(store, &[put_body("p", moves)]).await?;
        for (into, shown) in [(Some("c"), "c"), (None, "a"), (Some("b"), "b"), (None, "a")] {
            store.commit(merging("a", into)).await?;
            let alias = store.company(id("a")).await?.ok_or(Absent)?.company;
            let p = super::posting(store, "p").await?;
            let misplaced = store.misplaced(&alias, None, 9).await?;
            assert_eq!(misplaced, [(p.id, identifier("p"))]);
            assert_eq!(store.misplaced(&alias, Some(p.id), 9).await?, []);
            let mut snapshot = store.load(&[identifier("p")], &[id("a")]).await?;
            let change = settle(&snapshot, &p, id("a"), Actor::Operator(None), noon());
            let mut writes = WriteSet::new(noon());
            change.ok_or(Absent)?.record(&mut snapshot, &mut writes);
            store.commit(writes).await?;
            let seen = view(store, "p").await?;
            assert_eq!(seen.company.company.name, shown);
            assert_eq!(seen.posting.company_id, id(shown));
            let pending = seen.pending.and_then(|it| it.company);
            let pending = pending.map(|it| it.company.name);
            assert_eq!(pending.as_deref(), Some("b").filter(|it| *it != shown));
        }
    },
    async fn a_company_has_postings_by_status(store: &S) {
        let names = ["p", "q", "r"];
        let batch: Vec<_> = names.iter().map(|name| create(name, "a")).collect();
        push(store, &batch).await?;
        push(
            store,
            &[create("x", "b"), put_body("p", r#"{"expiration":{}}"#)],
        )
        .await?;
        let counts = store.count_postings(id("a"), 9).await?;
        let expect = [(Status::PendingEnrichment, 2), (Status::Expired, 1)];
        assert_eq!(counts, BTreeMap::from(expect));
        let counts = store.count_postings(id("a"), 2).await?;
        assert_eq!(counts.values().sum::<usize>(), 2);
        let mut ids = Vec::new();
        for name in names {
            ids.push(super::posting(store, name).await?.id);
        }
        ids.sort();
        ids.reverse();
        for (before, limit, expect) in [
            (None, 9, &ids[..]),
            (None, 1, &ids[..1]),
            (Some(ids[0]), 9, &ids[1..]),
        ] {
            let company = id("a");
            let order = WindowOrder::Company { company, before };
            let found = store.window(&order, limit).await?.into_iter();
            assert_eq!(found.map(|one| one.id).collect::<Vec<_>>(), expect);
        }
    },
    async fn companies_are_found_by_name_and_site(store: &S) {
        for (n, name, website) in [
            (0, "Acme Inc.", "https://acme.example"),
            (1, "ACME", "https://acme.example/careers"),
            (2, "Acme Gates", "https://jobs.acme.example"),
            (3, "acme", "https://other.example"),
            (4, "Bolt", "https://bolt.example"),
        ] {
            let body = format!(
                r#"{{"title": "T", "raw_description": "D", "application_email": "a@b.example",
                    "company": {{"name": "{name}", "website_url": "{website}"}}}}"#
            );
            let put = put_body(website, &body);
            for answer in run(store, &[put], noon() + minutes(n)).await? {
                answer?;
            }
        }
        let named = async |beginning: &str, limit| {
            let found = store.companies_named(beginning, limit).await?.into_iter();
            let name = |view: crate::company::CompanyView| view.company.website.to_string();
            Checked::Ok(
                found
                    .map(name)
                    .collect::<Vec<_>>()
                    .join(" ")
                    .replace("https://", ""),
            )
        };
        let all = "acme.example acme.example/careers other.example jobs.acme.example";
        assert_eq!(named("acme", 9).await?, all);
        assert_eq!(named("acme", 1).await?, "acme.example");
        assert_eq!(named("acmeg", 9).await?, "jobs.acme.example");
        assert_eq!(named("c", 9).await?, "");
        let posting = super::posting(store, "https://acme.example").await?;
        let acme = store
            .company(posting.company_id)
            .await?
            .ok_or(Absent)?
            .company;
        let alike = async |limit| {
            let found = store.alike(&acme, limit).await?.into_iter();
            let found = found.map(|view| view.company.website.to_string());
            Checked::Ok(found.collect::<BTreeSet<_>>())
        };
        let neighbours = ["https://acme.example/careers", "https://jobs.acme.example"];
        let mut expect = BTreeSet::from(neighbours.map(str::to_owned));
        expect.insert("https://other.example".to_owned());
        assert_eq!(alike(9).await?, expect);
        assert_eq!(alike(1).await?, [neighbours[0].to_owned()].into());
    },
    async fn pairs_are_replaced_and_marked_as_different(store: &S) {
        push(
            store,
            &[create("a", "a"), create("b", "b"), create("c", "c")],
        )
        .await?;
        let found = |one: &str, other: &str, lookalike: Option<&str>, minute| CompanyPair {
            companies: pair(id(one), id(other)),
            is_similar: lookalike.is_none(),
            lookalike: lookalike.map(id),
            since: noon() + minutes(minute),
        };
        let note = |company: &str, minute, pairs: Vec<CompanyPair>| {
            let mut writes = WriteSet::new(noon() + minutes(minute));
            writes.optional.pairs.insert(id(company), pairs);
            store.commit(writes)
        };
        let pairs = async |kind, after| {
            let found = store.company_pairs(kind, after, 9).await?.into_iter();
            let pair = |view: crate::company::CompanyPairView| {
                let companies = view.companies.map(|it| it.company.id);
                assert_eq!(companies, view.pair.companies);
                view.pair
            };
            Checked::Ok(found.map(pair).collect::<Vec<_>>())
        };
        let (ab, ac) = (found("a", "b", None, 1), found("a", "c", Some("c"), 1));
        note("a", 1, vec![ab, ac]).await?;
        assert_eq!(pairs(PairKind::Similar, None).await?, [ab]);
        assert_eq!(pairs(PairKind::Similar, Some(ab.companies)).await?, []);
        assert_eq!(pairs(PairKind::Lookalike, None).await?, [ac]);
        // A pair that is found again keeps its age. A pair that is not found again is removed.
        let cb = found("b", "c", None, 2);
        note("c", 2, vec![cb]).await?;
        note(
            "b",
            3,
            vec![found("a", "b", None, 3), found("b", "c", None, 3)],
        )
        .await?;
        let mut both = [ab, cb];
        both.sort_by_key(|pair| pair.companies);
        assert_eq!(pairs(PairKind::Similar, None).await?, both);
        assert_eq!(pairs(PairKind::Lookalike, None).await?, []);
        let mut writes = WriteSet::new(noon() + minutes(4));
        writes.optional.apart.insert(ab.companies);
        store.commit(writes.clone()).await?;
        store.commit(writes).await?;
        note("a", 5, vec![found("a", "b", None, 5)]).await?;
        assert_eq!(pairs(PairKind::Similar, None).await?, [cb]);
        store.commit(merging("c", Some("a"))).await?;
        assert_eq!(pairs(PairKind::Similar, None).await?, []);
    },
);

//! Catalogues: leases, the postings that belong to them, and the last import.

use access::{Clients, testing::client};
use kernel::{
    CatalogueName, ClientId, PostingId, Prefixes, Status, StoreError,
    audit::{Action, AuditLog},
    event::EventLog,
    testing::{Absent, Checked, by_ann, entries, hours, identifier, minutes, noon, uuid, valid},
};
use time::OffsetDateTime;

use super::{change, events::put_events, load, posting, put};
use crate::{
    catalogue::{
        Catalogue, CatalogueId, CatalogueLease, CatalogueQuery, Catalogues, ExpiredPosting, Leased,
        MOST_CATALOGUES, PastImport, Patience, Undone,
    },
    import::{Counts, Missing, Summary},
    posting::{PutPosting, enrich},
    store::{Store, WriteSet},
    testing::{create, push, put_id},
    usecase::{Delisted, UndoOrder, delist_missing, undo_expiries},
};

fn name(text: &str) -> CatalogueName {
    valid(CatalogueName::new(text))
}

fn catalogue(n: u128) -> CatalogueId {
    CatalogueId::new(uuid(n))
}

fn of(n: u128) -> ClientId {
    client(n).id
}

/// The lease of a catalogue by a holder.
fn held(catalogue: u128, holder: u128) -> CatalogueLease {
    CatalogueLease {
        catalogue: CatalogueId::new(uuid(catalogue)),
        holder: uuid(holder),
    }
}

/// Clients 1 and 2, without which no catalogue can be.
async fn with_clients<S: Clients>(store: &S) -> Checked {
    for n in [1, 2] {
        let inserted = store.insert(&client(n), None).await;
        inserted?;
    }
    Ok(())
}

/// Asks for the catalogue `text` of client 1 for an hour, as the holder `n` at this time. A new
/// catalogue has the id `n`.
fn query(text: &str, n: u128, now: OffsetDateTime) -> CatalogueQuery {
    CatalogueQuery {
        client: of(1),
        name: name(text),
        new_id: Some(catalogue(n)),
        holder: uuid(n),
        now,
        until: now + hours(1),
    }
}

async fn ask<S: Catalogues>(store: &S, query: &CatalogueQuery) -> Checked<Leased> {
    Ok(store.lease(query).await?)
}

/// Leases a catalogue that is free.
async fn lease<S: Catalogues>(
    store: &S,
    text: &str,
    n: u128,
    now: OffsetDateTime,
) -> Checked<CatalogueLease> {
    Ok(match ask(store, &query(text, n, now)).await? {
        Leased::Held(lease) => lease,
        other => panic!("{text}: {other:?}"),
    })
}

async fn found<S: Catalogues>(store: &S, text: &str, now: OffsetDateTime) -> Checked<Catalogue> {
    let found = Catalogues::find(store, of(1), &name(text), now).await;
    Ok(found?.ok_or(Absent)?)
}

/// Postings are pushed as lines of a catalogue.
fn listed(ids: &[&str], lease: CatalogueLease) -> Vec<PutPosting> {
    let put = |id: &&str| create(id, "acme").listed_in(lease.catalogue);
    ids.iter().map(put).collect()
}

/// A complete import that expires these postings if it is the second in a row that misses them.
async fn misses<S: Store + Catalogues>(store: &S, n: u128, missing: &[&str]) -> Checked {
    let lease = lease(store, "jobs", n, noon()).await?;
    let patience = Patience::new(2).ok_or(Absent)?;
    let missing: Vec<_> = missing.iter().map(|id| identifier(id)).collect();
    let jobs = name("jobs");
    let delisted = delist_missing(store, store, lease, &jobs, patience, &missing, noon());
    let Delisted { missing, expired } = delisted.await?;
    finish(store, lease, missing, expired, false).await
}

async fn finish<S: Catalogues>(
    store: &S,
    lease: CatalogueLease,
    count: u64,
    expired: u64,
    held: bool,
) -> Checked {
    let import = past(Summary {
        missing: Some(Missing {
            count,
            expired,
            held,
        }),
        complete: true,
        ..Summary::default()
    });
    assert_eq!(store.finish(lease, &import).await, Ok(true));
    Ok(())
}

/// How many imports in a row have missed postings of the catalogue.
async fn counted<S: Catalogues>(store: &S, ids: [&str; 2]) -> Checked<[Option<u8>; 2]> {
    let id = found(store, "jobs", noon()).await?.id;
    let misses = store.misses(id, &ids.map(put_id)).await?;
    Ok(ids.map(|id| misses.get(&put_id(id)).copied()))
}

fn past(summary: Summary) -> PastImport {
    PastImport {
        started_at: noon(),
        finished_at: noon() + minutes(7),
        summary,
    }
}

kernel::contract_cases!(
    catalogues,
    impl Store + AuditLog + Catalogues + Clients + EventLog,
    async fn a_lease_makes_the_catalogue(store: &S) {
        with_clients(store).await?;
        let unknown = Catalogues::find(store, of(1), &name("jobs"), noon()).await;
        assert_eq!(unknown, Ok(None));
        assert_eq!(lease(store, "jobs", 1, noon()).await?, held(1, 1));
        let expect = Catalogue {
            id: catalogue(1),
            name: name("jobs"),
            postings: 0,
            is_running: true,
            last_import: None,
        };
        assert_eq!(found(store, "jobs", noon()).await?, expect);
    },
    /// Of each catalogue: other names and other clients have catalogues of their own.
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
    /// It ends exactly at its end.
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
        // Nobody has taken it, although its time is over.
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
            let finished = store.finish(lease, &import).await;
            assert_eq!((renewed, finished), (Ok(false), Ok(false)));
        };
        refuses(lost).await;
        let unchanged = found(store, "jobs", later).await?;
        assert_eq!((unchanged.is_running, unchanged.last_import), (true, None));
        assert_eq!(store.finish(held, &import).await, Ok(true));
        // Nor one that was ended.
        refuses(held).await;
        assert!(!found(store, "jobs", later).await?.is_running);
    },
    /// So a second import, or a deletion, ends what the first one may expire.
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
        // Whatever the commit writes.
        let mut writes = WriteSet::new(noon());
        writes.import = Some(lost);
        writes.tasks.ask(enrich(put_id("c")));
        assert_eq!(store.commit(writes).await, Err(StoreError::Conflict));

        let one = Delisted {
            missing: 1,
            expired: 1,
        };
        assert_eq!(delist(held, &missing[..1]).await, Ok(one));
        assert_eq!(posting(store, "a").await?.status, Status::Expired);
        let deleted = Catalogues::delete(store, of(1), &name("jobs"), None).await;
        assert_eq!(deleted, Ok(true));
        assert_eq!(delist(held, &missing).await, Err(StoreError::Conflict));
        let pending = Status::PendingEnrichment;
        assert_eq!(posting(store, "b").await?.status, pending);
    },
    /// Also the next time, and of a catalogue that had another result before.
    async fn the_last_import_comes_back(store: &S) {
        with_clients(store).await?;
        let counts = Counts {
            lines: 36,
            created: 1,
            updated: 2,
            unchanged: 3_000_000_000,
            expired: 4,
            reopened: 5,
            refused: 6,
            failed: 7,
            ..Counts::default()
        };
        let missing = |count, expired, held| {
            Some(Missing {
                count,
                expired,
                held,
            })
        };
        for (n, missing, complete) in [
            (1, None, false),
            (2, missing(8, 9, true), false),
            (3, missing(0, 0, false), true),
            (4, None, true),
        ] {
            let lease = lease(store, "jobs", n, noon()).await?;
            let import = past(Summary {
                counts,
                missing,
                complete,
            });
            assert_eq!(store.finish(lease, &import).await, Ok(true));
            let expect = Catalogue {
                id: catalogue(1),
                name: name("jobs"),
                postings: 0,
                is_running: false,
                last_import: Some(import),
            };
            assert_eq!(found(store, "jobs", noon()).await?, expect);
            assert_eq!(
                Catalogues::list(store, of(1), noon()).await,
                Ok(vec![expect])
            );
        }
        // An import that is running does not hide the one before.
        lease(store, "jobs", 5, noon()).await?;
        let running = found(store, "jobs", noon()).await?;
        assert!(running.is_running && running.last_import.is_some());
    },
    /// Without expired, rejected and other catalogues' ones.
    async fn open_postings_are_read_by_pages(store: &S) {
        with_clients(store).await?;
        let jobs = lease(store, "jobs", 1, noon()).await?;
        let other = lease(store, "other", 2, noon()).await?;
        put(store, &[create("none", "acme")]).await?;
        put(store, &listed(&["elsewhere"], other)).await?;
        let ids = ["a", "b", "c", "d", "e", "f"];
        put(store, &listed(&ids, jobs)).await?;
        for (id, status) in [
            ("b", Status::Rejected),
            ("d", Status::Approved),
            ("e", Status::Expired),
        ] {
            change(store, id, |posting| {
                posting.status = status;
                posting.expired_at = (status == Status::Expired).then(noon);
            })
            .await?;
        }
        let mut expect = ["a", "c", "d", "f"].map(|id| (put_id(id), identifier(id)));
        expect.sort();
        let read = async |after: Option<PostingId>, limit| -> Checked<Vec<_>> {
            let page = store.open_postings(jobs.catalogue, after, limit).await?;
            let page = page.into_iter();
            Ok(page.map(|it| (it.id, it.identifier)).collect())
        };
        assert_eq!(read(None, 9).await?, expect);
        assert_eq!(read(None, 3).await?, expect[..3]);
        assert_eq!(read(Some(expect[2].0), 3).await?, expect[3..]);
        assert_eq!(read(Some(expect[3].0), 3).await?, []);
        assert_eq!(found(store, "jobs", noon()).await?.postings, 4);
        assert_eq!(found(store, "other", noon()).await?.postings, 1);
        let unknown = store.open_postings(catalogue(404), None, 9).await;
        assert_eq!(unknown, Ok(Vec::new()));
    },
    /// By imports that are complete and not held; naming a posting writes nothing.
    async fn misses_are_counted_in_a_row(store: &S) {
        with_clients(store).await?;
        let first = lease(store, "jobs", 1, noon()).await?;
        put(store, &listed(&["a", "b"], first)).await?;
        let before = load(store, &["a", "b"]).await?;
        finish(store, first, 0, 0, false).await?;
        misses(store, 2, &["a"]).await?;
        let ids = ["a", "b"];
        assert_eq!(counted(store, ids).await?, [Some(1), None]);
        // Neither one that is held, nor one that ends early, whatever it has counted.
        let held = lease(store, "jobs", 3, noon()).await?;
        finish(store, held, 2, 0, true).await?;
        let early = lease(store, "jobs", 4, noon()).await?;
        let both = ids.map(identifier);
        let (jobs, patience) = (name("jobs"), Patience::new(9).ok_or(Absent)?);
        delist_missing(store, store, early, &jobs, patience, &both, noon()).await?;
        assert_eq!(
            store.finish(early, &past(Summary::default())).await,
            Ok(true)
        );
        assert_eq!(counted(store, ids).await?, [Some(1), None]);
        misses(store, 5, &["b"]).await?;
        assert_eq!(counted(store, ids).await?, [None, Some(1)]);
        assert_eq!(store.forget_missed(1).await, Ok(1));
        assert_eq!(store.forget_missed(9).await, Ok(2));
        assert_eq!(store.forget_missed(9).await, Ok(0));
        assert_eq!(counted(store, ids).await?, [None, Some(1)]);
        assert_eq!(load(store, &ids).await?.postings, before.postings);
        misses(store, 6, &["b"]).await?;
        assert_eq!(posting(store, "b").await?.status, Status::Expired);
        assert_eq!(counted(store, ids).await?, [None, None]);
    },
    /// As far as nothing has changed it since, in parts, and of the last import that expired any.
    async fn an_undo_reopens_what_is_unchanged(store: &S) {
        with_clients(store).await?;
        let first = lease(store, "jobs", 1, noon()).await?;
        let ids = ["a", "b", "c", "d", "e"];
        put(store, &listed(&ids, first)).await?;
        finish(store, first, 0, 0, false).await?;
        misses(store, 2, &["e"]).await?;
        misses(store, 3, &ids).await?;
        misses(store, 4, &["a", "b", "c", "d"]).await?;
        misses(store, 5, &[]).await?;
        let reopen = push("a", r#"{"expiration":null}"#);
        put(
            store,
            &[reopen, push("b", r#"{"title":"New"}"#), push("c", "{}")],
        )
        .await?;
        let undo = async |lease: CatalogueLease, after, by| {
            let order = UndoOrder {
                client: of(1),
                name: name("jobs"),
                prefixes: Prefixes::ALL,
                by,
            };
            let expired = store.expired_last(lease.catalogue, after, 3).await?;
            let first = after.is_none();
            undo_expiries(store, lease, &order, &expired, first, noon()).await?;
            // As after a commit in doubt, which was made.
            undo_expiries(store, lease, &order, &expired, false, noon()).await?;
            Ok::<_, StoreError>(expired)
        };
        let lost = lease(store, "jobs", 6, noon()).await?;
        let mut part = undo(lost, None, None).await?;
        let held = lease(store, "jobs", 7, noon() + hours(1)).await?;
        assert_eq!(undo(lost, None, None).await, Err(StoreError::Conflict));
        assert_eq!(store.finish_undo(lost).await, Ok(None));
        let after = part.iter().map(|one| one.id).max();
        assert_eq!(store.expired_last(held.catalogue, None, 3).await?.len(), 1);
        part.extend(undo(held, after, None).await?);
        assert_eq!(undo(held, None, Some(by_ann(1))).await?, []);
        part.sort_by_key(|one| one.identifier.clone());
        let expired = ["a", "b", "c", "d"].map(|id| ExpiredPosting {
            id: put_id(id),
            identifier: Some(identifier(id)),
        });
        assert_eq!(part, expired);
        let undone = Undone {
            reopened: 2,
            left: 2,
        };
        assert_eq!(store.finish_undo(held).await, Ok(Some(undone)));
        assert_eq!(entries(store).await?.len(), 1);
        let mut open = Vec::new();
        for id in ids {
            open.push(posting(store, id).await?.status.is_open());
        }
        assert_eq!(open, [true, false, true, true, false]);
        assert_eq!(counted(store, ["c", "d"]).await?, [None, None]);
        let again = lease(store, "jobs", 8, noon()).await?;
        let nothing = store.expired_last(again.catalogue, None, 9).await;
        assert_eq!(nothing, Ok(vec![]));
        let nothing = Undone::default();
        assert_eq!(store.finish_undo(again).await, Ok(Some(nothing)));
        assert_eq!(store.forget_missed(99).await, Ok(10));
        assert_eq!(store.forget_missed(9).await, Ok(0));
    },
    async fn a_question_may_make_no_catalogue(store: &S) {
        with_clients(store).await?;
        let question = CatalogueQuery {
            new_id: None,
            ..query("jobs", 1, noon())
        };
        assert_eq!(ask(store, &question).await?, Leased::Unknown);
        let unknown = Catalogues::find(store, of(1), &name("jobs"), noon()).await;
        assert_eq!(unknown, Ok(None));
    },
    /// A catalogue of the same name that is made afterwards is another one.
    async fn a_deleted_catalogue_leaves_its_postings(store: &S) {
        with_clients(store).await?;
        let lease_before = lease(store, "jobs", 1, noon()).await?;
        put(store, &listed(&["a"], lease_before)).await?;
        let before = posting(store, "a").await?;
        for (client, text, is_there) in [
            (of(2), "jobs", false),
            (of(1), "Jobs", false),
            (of(1), "jobs", true),
            (of(1), "jobs", false),
        ] {
            let deleted = Catalogues::delete(store, client, &name(text), None).await;
            assert_eq!(deleted, Ok(is_there), "{text}");
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
    /// In the commit that deletes it, and only of one that was there.
    async fn an_operator_who_deletes_a_catalogue_is_recorded(store: &S) {
        with_clients(store).await?;
        lease(store, "jobs", 1, noon()).await?;
        let entry = |n| by_ann(n).entry(Action::CATALOGUES_FORGET, noon());
        for (n, text, expect) in [(1, "other", false), (2, "jobs", true), (3, "jobs", false)] {
            let deleted = Catalogues::delete(store, of(1), &name(text), Some(&entry(n))).await;
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
    /// Those that are there can be leased all the same.
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
        let deleted = Catalogues::delete(store, of(1), &name("c2"), None).await;
        assert_eq!(deleted, Ok(true));
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
                    expired: 0,
                    held: true,
                }),
                ..Summary::default()
            });
            // The second one is still running.
            if text != "b" {
                assert_eq!(store.finish(held, &import).await, Ok(true));
            }
        }
        let listed = store.last_imports(9).await?;
        let named: Vec<_> = listed
            .iter()
            .map(|it| (it.client, it.name.clone()))
            .collect();
        assert_eq!(named, [(of(1), name("a")), (of(1), name("c"))]);
        let missing = listed[0].import.summary.missing.ok_or(Absent)?;
        assert!(missing.held && missing.count == 7);
        assert_eq!(store.last_imports(1).await.as_deref(), Ok(&listed[..1]));
    },
);

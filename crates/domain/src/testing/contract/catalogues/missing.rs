use kernel::{
    PostingId, Prefixes, Status, StoreError,
    audit::AuditLog,
    event::EventLog,
    testing::{Absent, AddClient, Checked, by_ann, entries, hours, identifier, noon},
};
use time::OffsetDateTime;

use super::{
    super::{change, load, posting, put},
    ask, catalogue, found, lease, listed, name, of, past, query, with_clients,
};
use crate::{
    catalogue::{
        Catalogue, CatalogueLease, CatalogueQuery, Catalogues, ExpiredPosting, Forgotten, Leased,
        Missed, Patience, Released, Undone,
    },
    import::{Changes, HeldBecause, LineCounts, Missing, Summary},
    posting::NoticeCode,
    store::Store,
    testing::{create, push, put_id, state},
    usecase::{
        CorrectionOrder, Delisted, delist_missing, record_missed, release_held, undo_expiries,
    },
};

/// A complete import that expires these postings at the second consecutive miss.
async fn misses<S: Store + Catalogues>(store: &S, n: u128, missing: &[&str]) -> Checked {
    let lease = lease(store, "jobs", n, noon()).await?;
    let patience = Patience::new(2).ok_or(Absent)?;
    let missing: Vec<_> = missing.iter().map(|id| identifier(id)).collect();
    let jobs = name("jobs");
    let delisted = delist_missing(store, store, lease, &jobs, patience, &missing, noon());
    let Delisted { missing, expired } = delisted.await?;
    finish(store, lease, missing, expired, None).await
}

const SHARE: Option<HeldBecause> = Some(HeldBecause::Share);

const fn missing(count: u64, expired: u64, held: Option<HeldBecause>) -> Missing {
    Missing {
        count,
        expired,
        held,
        released: false,
        first: Vec::new(),
    }
}

async fn finish<S: Catalogues>(
    store: &S,
    lease: CatalogueLease,
    count: u64,
    expired: u64,
    held: Option<HeldBecause>,
) -> Checked {
    let import = past(Summary {
        missing: Some(missing(count, expired, held)),
        complete: true,
        ..Summary::default()
    });
    assert_eq!(store.finish(lease, &import, false).await, Ok(true));
    Ok(())
}

async fn counted<S: Catalogues>(store: &S, ids: [&str; 2]) -> Checked<[Option<u8>; 2]> {
    let id = found(store, "jobs", noon()).await?.id;
    let misses = store.misses(id, &ids.map(put_id)).await?;
    Ok(ids.map(|id| misses.get(&put_id(id)).copied()))
}

async fn correction<S: Catalogues>(
    store: &S,
    n: u128,
    now: OffsetDateTime,
) -> Checked<CatalogueLease> {
    let query = CatalogueQuery {
        new_id: None,
        ..query("jobs", n, now)
    };
    match ask(store, &query).await? {
        Leased::Held(lease) => Ok(lease),
        other => panic!("{other:?}"),
    }
}

kernel::contract_cases!(
    catalogues::missing,
    impl Store + AuditLog + Catalogues + AddClient + EventLog,
    async fn the_last_import_comes_back(store: &S) {
        with_clients(store).await?;
        let counts = LineCounts {
            lines: 36,
            created: 1,
            updated: 2,
            unchanged: 3_000_000_000,
            expired: 4,
            reopened: 5,
            refused: 6,
            failed: 7,
            unattributed: 8,
            notices: [(NoticeCode::TakenDown, 9), (NoticeCode::UnknownField, 10)]
                .into_iter()
                .collect(),
        };
        let mut imports = Vec::new();
        for (n, missing, complete) in [
            (1, None, false),
            (
                2,
                Some(missing(8, 9, Some(HeldBecause::Unattributed))),
                false,
            ),
            (3, Some(missing(0, 0, None)), true),
            (4, None, true),
        ] {
            let lease = lease(store, "jobs", n, noon()).await?;
            let mut import = past(Summary {
                counts,
                missing,
                changes: complete.then(|| Changes {
                    lost: [("salary_min".to_owned(), 2)].into(),
                    same_text: 11,
                    ..Changes::default()
                }),
                complete,
            });
            import.finished_at += hours(i64::try_from(n)?);
            assert_eq!(store.finish(lease, &import, true).await, Ok(true));
            imports.insert(0, import);
            let expect = Catalogue {
                id: catalogue(1),
                client: of(1),
                name: name("jobs"),
                postings: 0,
                is_running: false,
                imports: imports.clone(),
                held: None,
                can_undo: false,
            };
            assert_eq!(found(store, "jobs", noon()).await?, expect);
            assert_eq!(
                Catalogues::list(store, of(1), noon()).await,
                Ok(vec![expect])
            );
        }
        lease(store, "jobs", 5, noon()).await?;
        let running = found(store, "jobs", noon()).await?;
        assert!(running.is_running && running.imports == imports);
        let by_id = store.find_by_id(running.id, noon()).await;
        assert_eq!(by_id, Ok(Some(running)));
        assert_eq!(store.find_by_id(catalogue(404), noon()).await, Ok(None));
    },
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
                posting.put_in(state(status), None);
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
    async fn misses_are_counted_in_a_row(store: &S) {
        with_clients(store).await?;
        let first = lease(store, "jobs", 1, noon()).await?;
        put(store, &listed(&["a", "b"], first)).await?;
        let before = load(store, &["a", "b"]).await?;
        finish(store, first, 0, 0, None).await?;
        misses(store, 2, &["a"]).await?;
        let ids = ["a", "b"];
        assert_eq!(counted(store, ids).await?, [Some(1), None]);
        // Misses of held imports and early ends do not count.
        let held = lease(store, "jobs", 3, noon()).await?;
        finish(store, held, 2, 0, Some(HeldBecause::Share)).await?;
        let early = lease(store, "jobs", 4, noon()).await?;
        let both = ids.map(identifier);
        let (jobs, patience) = (name("jobs"), Patience::new(9).ok_or(Absent)?);
        delist_missing(store, store, early, &jobs, patience, &both, noon()).await?;
        assert_eq!(
            store.finish(early, &past(Summary::default()), false).await,
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
        assert_eq!(posting(store, "b").await?.status(), Status::Expired);
        assert_eq!(counted(store, ids).await?, [None, None]);
    },
    async fn an_undo_reopens_what_is_unchanged(store: &S) {
        with_clients(store).await?;
        let first = lease(store, "jobs", 1, noon()).await?;
        let ids = ["a", "b", "c", "d", "e"];
        put(store, &listed(&ids, first)).await?;
        finish(store, first, 0, 0, None).await?;
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
            let order = CorrectionOrder {
                client: of(1),
                name: name("jobs"),
                prefixes: Prefixes::ALL,
                by,
            };
            let expired = store.expired_last(lease.catalogue, after, 3).await?;
            let first = after.is_none();
            undo_expiries(store, lease, &order, &expired, first, noon()).await?;
            // The second call repeats a commit that was in doubt.
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
            restored: 0,
            reopened: 2,
            left: 2,
        };
        assert!(found(store, "jobs", noon()).await?.can_undo);
        assert_eq!(store.finish_undo(held).await, Ok(Some(undone)));
        assert!(!found(store, "jobs", noon()).await?.can_undo);
        assert_eq!(entries(store).await?.len(), 1);
        let mut open = Vec::new();
        for id in ids {
            open.push(posting(store, id).await?.is_open());
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
    async fn a_catalogue_keeps_its_last_imports(store: &S) {
        with_clients(store).await?;
        for n in 1..=40_u32 {
            let lease = lease(store, "jobs", n.into(), noon()).await?;
            let mut import = past(Summary {
                missing: Some(missing(n.into(), 0, SHARE.filter(|_| n == 3))),
                complete: n == 3,
                ..Summary::default()
            });
            import.finished_at += hours(n.into());
            assert_eq!(store.finish(lease, &import, true).await, Ok(true));
        }
        let found = found(store, "jobs", noon()).await?;
        let counts = found.imports.iter();
        let counts = counts.filter_map(|it| Some(it.summary.missing.as_ref()?.count));
        assert!(counts.eq((11..=40).rev()));
        assert_eq!(found.held, Some(3));
        let deleted = Catalogues::delete(store, of(1), &name("jobs"), noon(), None).await;
        assert_eq!(deleted, Ok(Forgotten::Done));
    },
    async fn what_is_held_back_is_released(store: &S) {
        with_clients(store).await?;
        let first = lease(store, "jobs", 1, noon()).await?;
        let ids = ["a", "b", "c", "d"];
        put(store, &listed(&ids, first)).await?;
        record_missed(store, first, ids.map(put_id), Missed::Held, noon()).await?;
        finish(store, first, 4, 0, SHARE).await?;
        let held = async |is_held: bool| -> Checked<Vec<_>> {
            let page = store.missing(first.catalogue, None, 9).await?;
            let page = page.into_iter().filter(|it| it.is_held == is_held);
            let mut named: Vec<_> = page
                .map(|it| (it.identifier.to_string(), it.status))
                .collect();
            named.sort();
            Ok(named
                .into_iter()
                .map(|(name, status)| format!("{name} {status}"))
                .collect())
        };
        let open = |ids: &[&str]| -> Vec<_> {
            ids.iter()
                .map(|id| format!("{id} {}", Status::PendingEnrichment))
                .collect()
        };
        assert_eq!(held(true).await?, open(&ids));
        assert_eq!(found(store, "jobs", noon()).await?.held, Some(4));
        let early = lease(store, "jobs", 2, noon()).await?;
        record_missed(store, early, [put_id("a")], Missed::Kept, noon()).await?;
        assert_eq!(held(true).await?, open(&["b", "c", "d"]));
        let broken = past(Summary::default());
        assert_eq!(store.finish(early, &broken, true).await, Ok(true));

        let order = CorrectionOrder {
            client: of(1),
            name: name("jobs"),
            prefixes: Prefixes::ALL,
            by: Some(by_ann(1)),
        };
        let release = async |lease, is_first| {
            let mut page = store.missing(first.catalogue, None, 9).await?;
            page.retain(|it| it.is_held);
            page.truncate(2);
            for _ in 0..2 {
                // The second call repeats a commit that was in doubt.
                release_held(store, lease, &order, &page, is_first, noon()).await?;
            }
            Ok::<_, StoreError>(page.len())
        };
        let lost = correction(store, 3, noon()).await?;
        assert_eq!(release(lost, true).await, Ok(2));
        let last = correction(store, 4, noon() + hours(1)).await?;
        let late = release_held(store, lost, &order, &[], true, noon());
        assert_eq!(late.await, Err(StoreError::Conflict));
        assert_eq!(store.finish_release(lost).await, Ok(None));
        assert_eq!(release(last, false).await, Ok(1));
        assert_eq!(release(last, false).await, Ok(0));
        assert_eq!(held(true).await?, [""; 0]);
        assert_eq!(held(false).await?.len(), 3);
        let released = Released {
            expired: 3,
            left: 1,
        };
        assert_eq!(store.finish_release(last).await, Ok(Some(released)));
        assert_eq!(entries(store).await?.len(), 1);
        let after = found(store, "jobs", noon()).await?;
        assert_eq!((after.held, after.can_undo), (None, true));
        let said = after
            .imports
            .iter()
            .find_map(|it| it.summary.missing.clone());
        let said_released = Missing {
            released: true,
            ..missing(4, 3, None)
        };
        assert_eq!(said, Some(said_released));
        assert_eq!(held(false).await?.len(), 3);
        assert!(posting(store, "a").await?.is_open());
        let again = correction(store, 5, noon()).await?;
        let nothing = Released::default();
        assert_eq!(store.finish_release(again).await, Ok(Some(nothing)));
        let expired = store.expired_last(first.catalogue, None, 9).await?;
        assert_eq!(expired.len(), 3);
        assert_eq!(store.forget_missed(9).await, Ok(0));
    },
    async fn an_undo_after_a_release_counts_its_own(store: &S) {
        with_clients(store).await?;
        let first = lease(store, "jobs", 1, noon()).await?;
        put(store, &listed(&["a"], first)).await?;
        record_missed(store, first, [put_id("a")], Missed::Held, noon()).await?;
        record_missed(store, first, [put_id("b")], Missed::Expired, noon()).await?;
        finish(store, first, 1, 0, SHARE).await?;
        let undo = correction(store, 2, noon()).await?;
        record_missed(store, undo, [put_id("c")], Missed::Restored, noon()).await?;
        let restored = Undone {
            restored: 1,
            ..Undone::default()
        };
        assert_eq!(store.finish_undo(undo).await, Ok(Some(restored)));
        let release = correction(store, 3, noon()).await?;
        record_missed(store, release, [put_id("a")], Missed::Released, noon()).await?;
        store.finish_release(release).await?;
        assert!(found(store, "jobs", noon()).await?.can_undo);
        let next = correction(store, 4, noon()).await?;
        assert_eq!(store.finish_undo(next).await, Ok(Some(Undone::default())));
    },
    async fn what_an_import_does_not_keep_is_held_no_more(store: &S) {
        with_clients(store).await?;
        for n in [1, 3] {
            let first = lease(store, "jobs", n, noon()).await?;
            record_missed(store, first, [put_id("a")], Missed::Held, noon()).await?;
            finish(store, first, 1, 0, SHARE).await?;
            assert_eq!(found(store, "jobs", noon()).await?.held, Some(1));
            let next = lease(store, "jobs", n + 1, noon()).await?;
            assert_eq!(found(store, "jobs", noon()).await?.held, Some(1));
            if n == 1 {
                let broken = past(Summary::default());
                assert_eq!(store.finish(next, &broken, false).await, Ok(true));
            } else {
                finish(store, next, 0, 0, None).await?;
            }
            assert_eq!(found(store, "jobs", noon()).await?.held, None);
        }
        assert_eq!(store.forget_missed(9).await, Ok(2));
        // Nothing is held back after an import that never ended.
        let first = lease(store, "jobs", 5, noon()).await?;
        finish(store, first, 1, 0, SHARE).await?;
        lease(store, "jobs", 6, noon()).await?;
        let lapsed = lease(store, "jobs", 7, noon() + hours(1)).await?;
        let broken = past(Summary::default());
        assert_eq!(store.finish(lapsed, &broken, true).await, Ok(true));
        assert_eq!(found(store, "jobs", noon()).await?.held, None);
    },
);

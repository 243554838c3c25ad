//! The audit: written with changes, read by pages.

use kernel::{
    StoreError,
    audit::{Action, AuditLog, AuditPosition, AuditQuery, Entry},
    outbox::{ClaimToken, TaskId},
    testing::{by_ann, entries, hours, identifier, minutes, noon, text, uuid},
};
use time::OffsetDateTime;

use super::{posting, put as push, touching};
use crate::{
    audit::POSTINGS_REJECT,
    posting::{Ground, Lifetime, moderation::Moderation},
    store::{Store, WriteSet},
    testing::create,
    usecase::moderate,
};

fn entry(n: u128, at: OffsetDateTime) -> Entry {
    by_ann(n).entry(POSTINGS_REJECT, at)
}

fn writing(entries: impl IntoIterator<Item = Entry>) -> WriteSet {
    let mut writes = WriteSet::new(noon());
    writes.tasks.audit.extend(entries);
    writes
}

kernel::contract_cases!(
    audit,
    impl Store + AuditLog,
    async fn an_entry_is_written_with_its_commit(store: &S) {
        let full = entry(1, noon())
            .about("somebody")
            .with(
                "reason",
                format!("\"asked\" by 'phone' \\ 🦀 {}", text(1000)),
            )
            .with("created", 7);
        push(store, &[create("a", "acme")]).await?;
        let before = posting(store, "a").await?;
        let mut writes = touching(&before, |posting| posting.is_featured = true);
        writes.tasks.audit.push(full.clone());
        store.commit(writes.clone()).await?;
        assert_eq!(entries(store).await?, std::slice::from_ref(&full));
        assert!(posting(store, "a").await?.is_featured);

        writes.tasks.audit = vec![entry(2, noon())];
        assert_eq!(store.commit(writes).await, Err(StoreError::Conflict));
        let mut finished = writing([entry(3, noon())]);
        finished.tasks.done.push(ClaimToken {
            task: TaskId(77),
            generation: 1,
            lease: uuid(5),
        });
        assert_eq!(store.commit(finished).await, Err(StoreError::Conflict));
        assert_eq!(entries(store).await?, [full]);
    },
    async fn a_run_that_ends_replaces_its_details(store: &S) {
        let begun = entry(1, noon()).with("file", "people.csv");
        let other = entry(2, noon() - hours(1));
        store
            .commit(writing([begun.clone(), other.clone()]))
            .await?;
        let ended = entry(1, noon() + hours(1)).with("created", 3);
        store.commit(writing([ended.clone()])).await?;
        let expect = Entry {
            at: noon(),
            ..ended
        };
        assert_eq!(entries(store).await?, [expect, other]);
    },
    async fn entries_are_read_newest_first_by_pages(store: &S) {
        let mut newest_first: Vec<_> = (1..=9)
            .map(|n| {
                entry(
                    n,
                    noon() + minutes(i64::try_from(n / 3).unwrap_or_default()),
                )
            })
            .collect();
        for one in [4, 0, 8, 2, 6, 1, 7, 3, 5] {
            store.commit(writing([newest_first[one].clone()])).await?;
        }
        newest_first.reverse();
        assert_eq!(entries(store).await?, newest_first);
        let mut query = AuditQuery {
            limit: 2,
            ..AuditQuery::default()
        };
        let mut paged = Vec::new();
        loop {
            let page = store.entries(&query).await?;
            let Some(last) = page.last() else { break };
            query.before = Some(AuditPosition::from(last));
            paged.extend(page);
        }
        assert_eq!(paged, newest_first);

        let since = AuditQuery {
            since: Some(noon() + minutes(2)),
            limit: 100,
            ..AuditQuery::default()
        };
        assert_eq!(store.entries(&since).await?, newest_first[..4]);
    },
    async fn each_posting_of_a_run_has_its_entry(store: &S) {
        let ids = ["a", "b", "c"];
        push(store, &ids.map(|id| create(id, "acme"))).await?;
        let reject = Moderation::Reject {
            reason: "A scam.".to_owned(),
            ground: Ground::Terms,
        };
        for id in ids.iter().chain(&ids) {
            let (id, by) = (identifier(id), by_ann(1));
            moderate(store, &id, &reject, None, &by, Lifetime::NEVER, noon()).await?;
        }
        let found = entries(store).await?;
        let mut subjects: Vec<_> = found
            .iter()
            .filter_map(|it| it.subject.as_deref())
            .collect();
        subjects.sort_unstable();
        assert_eq!(subjects, ids);
        assert!(found.iter().all(|entry| entry.run == by_ann(1).id));
    },
    async fn entries_are_of_an_operator_an_action_and_a_subject(store: &S) {
        let rejects = entry(1, noon());
        // A newer program may write actions that this program does not know.
        let frames = Action::from_store("postings.frame".to_owned());
        let frames = by_ann(2).entry(frames, noon() + minutes(1));
        let other = Entry {
            by: "bob".to_owned(),
            ..entry(3, noon() + minutes(2))
        };
        let frames = frames.about("a");
        let other = other.about("a");
        let all = [&other, &frames, &rejects].map(Entry::clone);
        store.commit(writing(all.clone())).await?;
        let (reject, frame) = (Some("postings.reject"), Some("postings.frame"));
        for (by, action, subject, expect) in [
            (None, None, None, &all[..]),
            (Some("ann"), None, None, &all[1..]),
            (None, frame, None, &all[1..2]),
            (Some("bob"), reject, None, &all[..1]),
            (Some("bob"), frame, None, &[]),
            (None, None, Some("a"), &all[..2]),
            (Some("bob"), None, Some("a"), &all[..1]),
            (None, frame, Some("a"), &all[1..2]),
            (Some("bob"), frame, Some("a"), &[]),
            (None, None, Some("A"), &[]),
        ] {
            let query = AuditQuery {
                by: by.map(str::to_owned),
                action: action.map(str::to_owned),
                subject: subject.map(str::to_owned),
                limit: 100,
                ..AuditQuery::default()
            };
            assert_eq!(store.entries(&query).await?, expect, "{query:?}");
        }
    },
);

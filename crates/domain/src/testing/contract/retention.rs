//! Deletion of expired postings' data.

use kernel::{
    DecisionCode, EventDecision, PostingId, Prefixes, Status, StoreError,
    audit::{Action, Attribution, AuditLog},
    event::{Event, EventLog, LogQuery, PostingState, Subject},
    outbox::{ClaimToken, Outbox, TaskWrites},
    testing::{Absent, Checked, by_ann, entries, hours, identifier, minutes, noon, uuid},
};
use time::{Duration, OffsetDateTime};

use super::{
    change,
    events::{end, until_all_readable, until_readable},
    posting, put, run, touching, view, writing,
};
use crate::{
    audit::{POSTINGS_ERASE, POSTINGS_PURGE, POSTINGS_REJECT},
    catalogue::CatalogueId,
    posting::{
        ContentHash, Coordinates, ENRICH, EnrichedTexts, Ground, Lifetime, Notice, Rejection,
        State, TextsDigest,
        event::{JOB_POSTING_ERASED, JOB_POSTING_REJECTED, PUBLIC},
        moderation::Moderation,
    },
    report::Reports,
    store::{Erasure, PostingReader, Purge, Retention, Store, WriteSet},
    testing::{create, push, state},
    usecase::{ModerationError, erase, moderate},
};

fn texts() -> (EnrichedTexts, Option<Coordinates>) {
    let texts = EnrichedTexts {
        markdown: "# Text".to_owned(),
        redacted_markdown: "# [company]".to_owned(),
        redacted_title: Some("Title".to_owned()),
    };
    let place = Coordinates {
        latitude: 48.2,
        longitude: 16.4,
    };
    (texts, Some(place))
}

async fn enriched<S: Store>(
    store: &S,
    name: &str,
    status: Status,
    expired: OffsetDateTime,
) -> Checked {
    put(store, &[create(name, "acme")]).await?;
    let (texts, place) = texts();
    let writes = writing(&posting(store, name).await?, |write| {
        let posting = &mut write.posting;
        let state = match status {
            Status::Expired => State::Expired {
                at: expired,
                moderated: false,
            },
            _ => state(status),
        };
        posting.put_in(state, None);
        posting.enriched_hash = Some(ContentHash::from_bytes([1; 32]));
        posting.texts_digest = Some(TextsDigest::of(&texts, place, &write.findings));
        write.enriched = Some((texts, place));
    });
    Ok(store.commit(writes).await?)
}

async fn purge<S: Store + Retention>(store: &S, names: &[&str], earlier: u64) -> Checked<usize> {
    let mut postings = Vec::new();
    for name in names {
        let posting = posting(store, name).await?;
        postings.push((posting.id, posting.version));
    }
    let purge = Purge {
        postings,
        before: noon(),
        archive: Some("old.ndjson".to_owned()),
        earlier,
        by: by_ann(1),
        at: noon(),
    };
    Ok(store.purge(&purge).await?)
}

async fn events<S: EventLog>(store: &S) -> Checked<Vec<Event>> {
    let query = LogQuery {
        after: None,
        names: PUBLIC.to_vec(),
        prefixes: Prefixes::ALL,
        reader: None,
        limit: 99,
    };
    let page = store.read(&query).await?;
    Ok(page
        .events
        .into_iter()
        .map(|recorded| recorded.event)
        .collect())
}

async fn erase_a<S: Store + Retention + Reports>(
    store: &S,
    by: &Attribution,
    now: OffsetDateTime,
) -> Result<bool, ModerationError> {
    let ports = (store as _, store as _, store as _);
    erase(ports, &identifier("a"), "a request", Ground::Law, by, now).await
}

async fn finish<S: Store>(store: &S, token: ClaimToken) -> Result<(), StoreError> {
    let mut writes = WriteSet::new(noon());
    writes.tasks.done.push(token);
    store.commit(writes).await
}

kernel::contract_cases!(
    retention,
    impl PostingReader + Store + AuditLog + EventLog + Outbox + Reports + Retention,
    async fn texts_of_expired_postings_are_dropped(store: &S) {
        let late = noon() + hours(2);
        for (name, status, expired) in [
            ("second", Status::Expired, noon() + hours(1)),
            ("first", Status::Expired, noon()),
            ("third", Status::Expired, late - Duration::MICROSECOND),
            ("later", Status::Expired, late),
            ("approved", Status::Approved, noon()),
            ("rejected", Status::Rejected, noon()),
        ] {
            enriched(store, name, status, expired).await?;
        }
        put(store, &[create("bare", "acme")]).await?;
        change(store, "bare", |posting| {
            posting.put_in(state(Status::Expired), None);
        })
        .await?;

        let before = view(store, "first").await?;
        assert_eq!(store.drop_texts(late, 2).await, Ok(2));
        let mut expect = before.clone();
        expect.posting.forget_texts();
        (expect.texts, expect.coordinates) = (None, None);
        assert_eq!(view(store, "first").await?, expect);
        assert_eq!(view(store, "second").await?.texts, None);
        assert_eq!(view(store, "third").await?.texts, Some(texts().0));
        assert_eq!(store.drop_texts(late, 2).await, Ok(1));
        assert_eq!(store.drop_texts(late, 2).await, Ok(0));
        for (name, has_texts) in [
            ("third", false),
            ("later", true),
            ("approved", true),
            ("rejected", true),
        ] {
            let view = view(store, name).await?;
            assert_eq!(view.texts.is_some(), has_texts, "{name}");
            assert_eq!(view.coordinates.is_some(), has_texts, "{name}");
        }
        assert_eq!(posting(store, "bare").await?.version, 2);
    },
    async fn purged_postings_leave_nothing(store: &S) {
        for (name, status) in [
            ("a", Status::Expired),
            ("b", Status::Expired),
            ("open", Status::Approved),
        ] {
            enriched(store, name, status, noon()).await?;
        }
        let first = posting(store, "a").await?.id;
        let tasks = async || {
            let tasks = store.tasks_of(first.uuid(), &[ENRICH.kind()], 9).await;
            tasks.map(|tasks| tasks.len())
        };
        assert_eq!(tasks().await, Ok(1));
        assert_eq!(purge(store, &["a", "open"], 0).await?, 1);
        assert_eq!(purge(store, &["b"], 1).await?, 1);
        let snapshot = store.load_by_id(&[first]).await?;
        assert!(snapshot.postings.is_empty());
        assert_eq!(tasks().await, Ok(0));
        assert_eq!(view(store, "open").await?.texts, Some(texts().0));

        let mut again = create("a", "acme");
        again.new_id = PostingId::new(uuid(77));
        put(store, &[again]).await?;
        let again = view(store, "a").await?;
        assert_eq!(again.posting.id, PostingId::new(uuid(77)));
        assert_eq!((again.history.len(), again.texts), (1, None));

        let entries = entries(store).await?;
        assert_eq!(entries.len(), 1);
        assert_eq!(entries[0].action, POSTINGS_PURGE);
        assert_eq!(entries[0].details["postings"], 2);
        assert_eq!(entries[0].details["archive"], "old.ndjson");
    },
    /// Otherwise the archived version would differ from the deleted version.
    async fn a_posting_that_changed_is_not_purged(store: &S) {
        enriched(store, "a", Status::Expired, noon()).await?;
        let judged = posting(store, "a").await?;
        let writes = touching(&judged, |_| {});
        store.commit(writes).await?;
        let purge = Purge {
            postings: vec![(judged.id, judged.version)],
            before: noon(),
            archive: None,
            earlier: 0,
            by: by_ann(1),
            at: noon(),
        };
        assert_eq!(store.purge(&purge).await, Ok(0));
        assert!(view(store, "a").await?.texts.is_some());
        assert_eq!(entries(store).await?, []);
    },
    /// Status and version do not show that an operator took the posting down.
    async fn a_posting_that_an_operator_took_down_is_not_purged(store: &S) {
        for name in ["own", "scam"] {
            put(
                store,
                &[create(name, "acme"), push(name, r#"{"expiration":{}}"#)],
            )
            .await?;
        }
        let expire = Moderation::Expire {
            reason: "A scam.".to_owned(),
            ground: Ground::Terms,
        };
        let (id, by) = (identifier("scam"), by_ann(2));
        moderate(store, &id, &expire, None, &by, Lifetime::NEVER, noon()).await?;
        assert_eq!(purge(store, &["own", "scam"], 0).await?, 1);
        let listed = create("scam", "acme").listed_in(CatalogueId::new(uuid(3)));
        let answer = run(store, &[listed], noon()).await?.remove(0)?;
        assert_eq!(answer.status, Status::Expired);
        assert_eq!(answer.notices, [Notice::TakenDown]);
    },
    async fn an_erased_posting_leaves_nothing_but_its_event(store: &S) {
        let by = by_ann(1);
        for (name, n) in [("a", 1), ("b", 2)] {
            enriched(store, name, Status::Approved, noon()).await?;
            let reject = Moderation::Reject {
                reason: format!("the words of {name}"),
                ground: Ground::Terms,
            };
            let (id, by) = (identifier(name), by_ann(10 + n));
            moderate(store, &id, &reject, None, &by, Lifetime::NEVER, noon()).await?;
        }
        let a = posting(store, "a").await?;
        let mut writes = WriteSet::new(noon());
        writes.tasks.ask(crate::posting::enrich(a.id));
        store.commit(writes).await?;
        let leased = store
            .claim(ENRICH, 9, hours(1), uuid(1), noon() + hours(1))
            .await?
            .remove(0)
            .token;
        until_all_readable(store).await?;
        let before = events(store).await?;
        let view_of_b = view(store, "b").await?;

        let (last, later) = (end(store).await?, noon() + hours(1));
        let erased = erase_a(store, &by, later).await;
        assert_eq!(erased, Ok(true));
        until_readable(store, last).await?;
        assert_eq!(PostingReader::find(store, &identifier("a")).await, Ok(None));
        assert_eq!(view(store, "b").await?, view_of_b);
        let tasks = store.tasks_of(a.id.uuid(), &[ENRICH.kind()], 9).await;
        assert_eq!(tasks, Ok(Vec::new()));
        assert_eq!(finish(store, leased).await, Err(StoreError::Conflict));

        let mut after = events(store).await?;
        let erasure = after.pop();
        let state = PostingState {
            version: a.version + 1,
            status_reason: None,
            decision: Some(EventDecision {
                code: DecisionCode::OPERATOR,
                ground: Some(Ground::Law),
                by_notice: false,
            }),
            ..PostingState::from(&a)
        };
        let expect = Event {
            name: JOB_POSTING_ERASED,
            subject: Subject::Posting(state),
            at: later,
            trace: None,
        };
        assert_eq!(erasure, Some(expect));
        let mut expect = before;
        for event in &mut expect {
            if let Subject::Posting(posting) = &mut event.subject
                && posting.id == a.id
            {
                if event.name == JOB_POSTING_REJECTED {
                    assert!(posting.status_reason.is_some() && posting.decision.is_some());
                }
                posting.status_reason = None;
                posting.decision = None;
            }
        }
        assert_eq!(after, expect, "they stay, without reasons and codes");

        let audit = entries(store).await?;
        let of = |action: &Action, subject: &str| {
            let mut found = audit.iter().filter(|entry| entry.action == *action);
            found.find(|entry| entry.subject.as_deref() == Some(subject))
        };
        let details = &of(&POSTINGS_ERASE, "a").ok_or(Absent)?.details;
        assert_eq!(details["reason"], "a request");
        assert_eq!(details["status"], "rejected");
        assert_eq!(details["company"], "https://acme.example");
        let rejections = ["a", "b"].map(|name| of(&POSTINGS_REJECT, name));
        let reasons =
            rejections.map(|entry| entry.map(|entry| entry.details.get("reason").cloned()));
        assert_eq!(reasons, [Some(None), Some(Some("the words of b".into()))]);

        let again = erase_a(store, &by, later).await;
        assert_eq!(again, Err(ModerationError::Rejected(Rejection::NotFound)));
        let mut again = create("a", "acme");
        again.new_id = PostingId::new(uuid(77));
        put(store, &[again]).await?;
        assert_eq!(view(store, "a").await?.history.len(), 1);
    },
    async fn what_was_under_way_does_not_bring_an_erased_posting_back(store: &S) {
        put(store, &[create("a", "acme")]).await?;
        let decided = touching(&posting(store, "a").await?, |_| {});
        let (by, later) = (by_ann(1), noon() + minutes(1));
        let erased = erase_a(store, &by, later).await;
        assert_eq!(erased, Ok(true));
        assert_eq!(store.commit(decided).await, Err(StoreError::Conflict));
    },
    async fn a_posting_that_changed_is_not_erased(store: &S) {
        put(store, &[create("a", "acme")]).await?;
        let judged = posting(store, "a").await?;
        let writes = touching(&judged, |_| {});
        store.commit(writes).await?;
        let erasure = Erasure {
            posting: judged.id,
            version: judged.version,
            identifier: identifier("a"),
            statement: None,
            reports: Vec::new(),
            tasks: TaskWrites::new(noon()),
        };
        assert_eq!(store.erase(&erasure).await, Err(StoreError::Conflict));
        assert_eq!(view(store, "a").await?.history.len(), 1);
    },
);

//! What is taken away of postings that expired.

use time::{Duration, OffsetDateTime};

use super::{posting, put, run, touching};
use crate::{
    audit::{Action, AuditLog, AuditQuery},
    enrichment::{Coordinates, EnrichedTexts},
    outbox::Outbox,
    posting::{ContentHash, ENRICH, PostingId, PostingView, Status, TextsDigest},
    store::{PostingReader, Purge, Retention, Store, StoreError},
    testing::{by_ann, create, hours, identifier, minutes, noon, push, uuid},
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

/// Makes a posting that has had an outcome, in this status.
async fn enriched<S: Store>(store: &S, name: &str, status: Status, expired: OffsetDateTime) {
    put(store, &[create(name, "acme")]).await;
    let (texts, place) = texts();
    let mut writes = touching(&posting(store, name).await, |posting| {
        posting.status = status;
        posting.expired_at = (status == Status::Expired).then_some(expired);
        posting.enriched_hash = Some(ContentHash::from_bytes([1; 32]));
        posting.texts_digest = Some(TextsDigest::of(&texts, place));
    });
    for write in writes.postings.values_mut() {
        write.enriched = Some((texts.clone(), place));
    }
    store.commit(writes).await.expect("the version is right");
}

async fn view<S: PostingReader>(store: &S, name: &str) -> PostingView {
    let found = store.find(&identifier(name)).await;
    let found = found.expect("the store works");
    found.expect("the posting is there")
}

async fn drop_texts<S: Retention>(store: &S, before: OffsetDateTime, limit: usize) -> usize {
    let dropped = store.drop_texts(before, limit).await;
    dropped.expect("the store works")
}

/// The longest expired first, and of no others; everything else of them stays.
pub async fn texts_of_expired_postings_are_dropped<S: Store + PostingReader + Retention>(
    store: &S,
) {
    let late = noon() + hours(2);
    for (name, status, expired) in [
        ("second", Status::Expired, noon() + hours(1)),
        ("first", Status::Expired, noon()),
        ("third", Status::Expired, late - Duration::MICROSECOND),
        ("later", Status::Expired, late),
        ("approved", Status::Approved, noon()),
        ("rejected", Status::Rejected, noon()),
    ] {
        enriched(store, name, status, expired).await;
    }
    put(store, &[create("bare", "acme")]).await;
    let writes = touching(&posting(store, "bare").await, |posting| {
        posting.status = Status::Expired;
        posting.expired_at = Some(noon());
    });
    store.commit(writes).await.expect("the version is right");

    let before = view(store, "first").await;
    assert_eq!(drop_texts(store, late, 2).await, 2);
    let mut expect = before.clone();
    expect.posting.forget_texts();
    (expect.texts, expect.coordinates) = (None, None);
    assert_eq!(view(store, "first").await, expect);
    assert_eq!(view(store, "second").await.texts, None);
    assert_eq!(view(store, "third").await.texts, Some(texts().0));
    assert_eq!(drop_texts(store, late, 2).await, 1);
    assert_eq!(drop_texts(store, late, 2).await, 0);
    for (name, has_texts) in [
        ("third", false),
        ("later", true),
        ("approved", true),
        ("rejected", true),
    ] {
        let view = view(store, name).await;
        assert_eq!(view.texts.is_some(), has_texts, "{name}");
        assert_eq!(view.coordinates.is_some(), has_texts, "{name}");
    }
    assert_eq!(posting(store, "bare").await.version, 2);
}

/// It would bring back the outcome without its texts.
pub async fn a_decision_from_before_the_drop_is_a_conflict<S: Store + PostingReader + Retention>(
    store: &S,
) {
    enriched(store, "a", Status::Expired, noon()).await;
    let decided = touching(&posting(store, "a").await, |_| {});
    assert_eq!(drop_texts(store, noon() + hours(1), 9).await, 1);
    assert_eq!(store.commit(decided).await, Err(StoreError::Conflict));
    assert!(!posting(store, "a").await.has_texts());
}

/// It waits for enrichment as a new one does.
pub async fn a_reopened_posting_gets_its_texts_again<S: Store + PostingReader + Retention>(
    store: &S,
) {
    enriched(store, "a", Status::Expired, noon()).await;
    assert_eq!(drop_texts(store, noon() + hours(1), 9).await, 1);
    let reopen = push("a", r#"{"expiration":null}"#);
    for answer in run(store, &[reopen], noon() + minutes(90)).await {
        answer.expect("the command is valid");
    }
    let reopened = view(store, "a").await;
    assert_eq!(reopened.posting.status, Status::PendingEnrichment);
    assert_eq!(reopened.texts, None);
    let (again, place) = texts();
    let mut writes = touching(&reopened.posting, |posting| {
        posting.texts_digest = Some(TextsDigest::of(&again, place));
    });
    for write in writes.postings.values_mut() {
        write.enriched = Some((again.clone(), place));
    }
    store.commit(writes).await.expect("the version is right");
    assert_eq!(view(store, "a").await.texts, Some(again));
    assert_eq!(drop_texts(store, noon() + hours(9), 9).await, 0);
}

/// Deletes these postings, in the versions that they have.
async fn purge<S: Store + Retention>(store: &S, names: &[&str], earlier: u64) -> usize {
    let mut postings = Vec::new();
    for name in names {
        let posting = posting(store, name).await;
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
    store.purge(&purge).await.expect("the store works")
}

/// Texts, history and tasks go too; the identifier is free; others stay; one entry counts all.
pub async fn purged_postings_leave_nothing<
    S: Store + PostingReader + Outbox + AuditLog + Retention,
>(
    store: &S,
) {
    for (name, status) in [
        ("a", Status::Expired),
        ("b", Status::Expired),
        ("open", Status::Approved),
    ] {
        enriched(store, name, status, noon()).await;
    }
    let first = posting(store, "a").await.id;
    let tasks = async || {
        let tasks = store.tasks_of(first.uuid(), &[ENRICH.kind()], 9).await;
        tasks.expect("the store works").len()
    };
    assert_eq!(tasks().await, 1);
    assert_eq!(purge(store, &["a", "open"], 0).await, 1);
    assert_eq!(purge(store, &["b"], 1).await, 1);
    let known = store.load_by_id(&[first]).await.expect("the store works");
    assert!(known.postings.is_empty());
    assert_eq!(tasks().await, 0);
    assert_eq!(view(store, "open").await.texts, Some(texts().0));

    let mut again = create("a", "acme");
    again.new_id = PostingId::new(uuid(77));
    put(store, &[again]).await;
    let again = view(store, "a").await;
    assert_eq!(again.posting.id, PostingId::new(uuid(77)));
    assert_eq!((again.history.len(), again.texts), (1, None));

    let entries = store
        .entries(&AuditQuery {
            limit: 9,
            ..AuditQuery::default()
        })
        .await;
    let entries = entries.expect("the store works");
    assert_eq!(entries.len(), 1);
    assert_eq!(entries[0].action, Action::POSTINGS_PURGE);
    assert_eq!(entries[0].details["postings"], 2);
    assert_eq!(entries[0].details["archive"], "old.ndjson");
}

/// What was archived of it would not be what is deleted.
pub async fn a_posting_that_changed_is_not_purged<
    S: Store + PostingReader + AuditLog + Retention,
>(
    store: &S,
) {
    enriched(store, "a", Status::Expired, noon()).await;
    let judged = posting(store, "a").await;
    let writes = touching(&judged, |_| {});
    store.commit(writes).await.expect("the version is right");
    let purge = Purge {
        postings: vec![(judged.id, judged.version)],
        before: noon(),
        archive: None,
        earlier: 0,
        by: by_ann(1),
        at: noon(),
    };
    assert_eq!(store.purge(&purge).await, Ok(0));
    assert!(view(store, "a").await.texts.is_some());
    let entries = store
        .entries(&AuditQuery {
            limit: 9,
            ..AuditQuery::default()
        })
        .await;
    assert_eq!(entries, Ok(Vec::new()));
}

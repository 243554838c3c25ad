use std::{fs, path::Path};

use access::{
    ActivityLog as _, Clients as _,
    activity::{ActivityWrites, Refusal},
    testing::client,
};
use domain::{
    posting::{
        ENRICH, EnrichedTexts, Enrichment, Ground, Lifetime, ReasonCode, Verdict,
        moderation::Moderation,
    },
    store::Retention as _,
    testing::push,
    usecase::{Outcome, assignments, erase, ingest, moderate, record_outcomes},
};
use enrichment::{DraftCache as _, DraftKey};
use kernel::testing::identifier;
use kernel::{
    PostingId,
    outbox::{ClaimToken, Outbox as _},
    testing::{by_ann, hours, noon, uuid},
};

use newsletter::{
    store::{Store as People, WriteSet},
    subscriber::departure::Purge,
};
use sql_common::testing::sample::subscribe;

use super::fixture;
use crate::SqliteStore;

fn long(word: &str) -> String {
    format!("<p>{}</p>", format!("{word} ").repeat(900))
}

async fn put(store: &SqliteStore, body: &str) {
    let answers = ingest(store, &[push("a", body)], Lifetime::NEVER, noon()).await;
    answers.unwrap().remove(0).unwrap();
}

async fn enrich(store: &SqliteStore, words: &str, lease: u128) {
    let now = noon() + hours(1);
    let claimed = store.claim(ENRICH, 1, hours(1), uuid(lease), now).await;
    let claimed = claimed.unwrap().remove(0);
    let task: (ClaimToken, _) = (claimed.token, PostingId::new(claimed.effect.key()));
    let assignment = assignments(store, &[task], now).await.unwrap().remove(0);
    let outcome = Outcome {
        token: assignment.token,
        posting: assignment.submission.posting.source_identifier,
        content: assignment.content,
        enrichment: Enrichment {
            texts: EnrichedTexts {
                markdown: long(words),
                redacted_markdown: format!("{words} redacted"),
                redacted_title: Some(format!("{words} titled")),
            },
            verdict: Verdict::Reject {
                code: ReasonCode::Spam,
                text: "Rosemary".to_owned(),
                passages: vec!["Saffron".to_owned()],
            },
            ..Enrichment::bare()
        },
        trace: None,
    };
    let recorded = record_outcomes(store, &[outcome], Lifetime::NEVER, now).await;
    recorded.unwrap();
}

fn found(folder: &Path, words: &[&'static str]) -> Vec<&'static str> {
    let files = fs::read_dir(folder).unwrap();
    let bytes: Vec<_> = files
        .map(|file| fs::read(file.unwrap().path()).unwrap())
        .collect();
    let is_there = |word: &str| {
        let mut windows = bytes.iter().flat_map(|bytes| bytes.windows(word.len()));
        windows.any(|window| window == word.as_bytes())
    };
    let mut words = words.to_vec();
    words.retain(|word| is_there(word));
    words
}

#[tokio::test]
async fn no_word_of_an_erased_posting_is_left_in_the_files() {
    let words = [
        "Elderflower",
        "Foxtrotting",
        "Gooseberry",
        "hemlock@",
        "Juniperus",
        "Kohlrabi",
        "Lavender",
        "Marjoram",
        "Nasturtium",
        "Oleander",
        "Peppermint",
        "Quillwort",
        "Rosemary",
        "Saffron",
    ];
    let (dir, store) = fixture().await;
    let folder = dir.path().join("data");
    store.insert(&client(1), None).await.unwrap();
    for word in ["Elderflower", "Gooseberry"] {
        let body = format!(
            r#"{{"title": "{word} cook", "raw_description": "{}",
                "application_email": "hemlock@a.example", "metadata": {{"note": "Juniperus"}},
                "company": {{"name": "Stays", "website_url": "https://stays.example"}}}}"#,
            long(word)
        );
        put(&store, &body).await;
        let texts = if word == "Gooseberry" {
            "Kohlrabi"
        } else {
            "Foxtrotting"
        };
        enrich(&store, texts, word.len() as u128).await;
    }
    put(
        &store,
        r#"{"raw_description":"Lavender","location_city":"Marjoram"}"#,
    )
    .await;
    let reject = Moderation::Reject {
        reason: "Nasturtium".to_owned(),
        ground: Ground::Terms,
    };
    let (a, lifetime) = (identifier("a"), Lifetime::NEVER);
    let rejected = moderate(&store, &a, &reject, None, &by_ann(1), lifetime, noon()).await;
    let id = rejected.unwrap().id;
    let refusal = Refusal::new(uuid(1), noon(), "a", 422, "Oleander", None);
    let writes = ActivityWrites {
        refusals: vec![(client(1).id, refusal)],
        ..ActivityWrites::default()
    };
    store.record(&writes).await.unwrap();
    let drafts = [(1, Some(id), "Peppermint"), (2, None, "Quillwort")];
    for (n, of, draft) in drafts {
        let key = DraftKey::from_bytes([n; 32]);
        store.keep(&key, draft, of, noon()).await.unwrap();
    }
    put(&store, r#"{"title":"Last"}"#).await;
    assert_eq!(found(&folder, &words), words);

    let erased = erase(
        (&store, &store, &store),
        &a,
        "request 17",
        Ground::Terms,
        &by_ann(2),
        noon(),
    )
    .await;
    assert_eq!(erased, Ok(true));
    assert_eq!(found(&folder, &words), [""; 0]);
    let left = [
        "Stays",
        "https://stays.example",
        "request 17",
        "JobPostingErased",
    ];
    assert_eq!(found(&folder, &left), left);
}

fn forget_person() -> WriteSet {
    let mut writes = WriteSet::new(noon());
    let subscriber = subscribe()
        .subscribers
        .into_values()
        .next()
        .unwrap()
        .subscriber;
    let purge = Purge {
        expected: subscriber.version,
        email: subscriber.email,
        remember: None,
    };
    writes.purges.insert(subscriber.id, purge);
    writes
}

#[tokio::test]
async fn nothing_of_an_erased_person_is_left_in_the_files() {
    let (dir, store) = fixture().await;
    let folder = dir.path().join("data");
    People::commit(&store, subscribe()).await.unwrap();
    let words = ["Norway", "a@example.com"];
    assert_eq!(found(&folder, &words), words);
    People::commit(&store, forget_person()).await.unwrap();
    assert_eq!(found(&folder, &words), [""; 0]);
}

#[tokio::test]
async fn an_erased_person_goes_from_a_log_in_use_with_the_next_overwriting() {
    let (dir, _) = super::place();
    let folder = dir.path().join("data");
    let path = folder.join("posthaste.db");
    let store = SqliteStore::open_with(&path, std::time::Duration::from_millis(10)).unwrap();
    store.migrate().await.unwrap();
    People::commit(&store, subscribe()).await.unwrap();
    let reader = store.connections.connect(crate::connection::Role::Reader);
    let mut reader = reader.unwrap();
    super::begin_reading(&mut reader);
    People::commit(&store, forget_person()).await.unwrap();
    assert_eq!(found(&folder, &["Norway"]), ["Norway"]);
    drop(reader);
    assert_eq!(store.overwrite_deleted().await, Ok(true));
    assert_eq!(found(&folder, &["Norway"]), [""; 0]);
}

/// The log still has data that a reader may need.
#[tokio::test]
async fn a_log_in_use_is_not_emptied_and_is_by_the_next_call() {
    let (dir, _) = super::place();
    let path = dir.path().join("data").join("posthaste.db");
    let store = SqliteStore::open_with(&path, std::time::Duration::from_millis(10)).unwrap();
    store.migrate().await.unwrap();
    let folder = dir.path().join("data");
    put(
        &store,
        r#"{"title":"Elderflower","raw_description":"x","application_url":"https://a.example",
            "company":{"name":"Stays","website_url":"https://stays.example"}}"#,
    )
    .await;
    let reader = store.connections.connect(crate::connection::Role::Reader);
    let mut reader = reader.unwrap();
    super::begin_reading(&mut reader);
    let (a, by) = (identifier("a"), by_ann(1));
    assert_eq!(
        erase(
            (&store, &store, &store),
            &a,
            "request",
            Ground::Terms,
            &by,
            noon()
        )
        .await,
        Ok(false)
    );
    assert_eq!(found(&folder, &["Elderflower"]), ["Elderflower"]);
    drop(reader);
    let again = erase(
        (&store, &store, &store),
        &a,
        "request",
        Ground::Terms,
        &by,
        noon(),
    )
    .await;
    assert!(again.is_err(), "it is gone");
    assert_eq!(found(&folder, &["Elderflower"]), [""; 0]);
}

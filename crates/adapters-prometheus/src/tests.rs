use std::{sync::Arc, time::Duration};

use ::webhooks::{EndpointState, Webhooks, testing::endpoint};
use async_trait::async_trait;
use domain::{
    catalogue::{CatalogueId, CatalogueQuery, Catalogues, Leased, PastImport},
    import::{HeldBecause, LineCounts, Missing, Summary},
    posting::{DUPLICATES, ENRICH, Lifetime, enrich},
    store::{Health, Store as _, WriteSet},
    testing::create,
    usecase,
};
use kernel::{
    CatalogueName, ClientId, StoreError,
    event::Cursor,
    outbox::{Kind, Outbox as _},
    testing::noon,
};
use newsletter::{
    store::{AccountState, Accounts as _, SubscriberCount, SubscriberQuery, SubscriberReader},
    subscriber::{Account, MigrationSource, Subscriber, SubscriberStatus},
    tasks::SYNC,
    testing::{MemoryStore, email, notice, report},
};
use runtime::Clock;
use stores::Stores;
use uuid::Uuid;

use super::*;

/// The lines of a page, without comments.
fn samples(page: &str) -> Vec<&str> {
    let lines = page.lines().filter(|line| !line.is_empty());
    lines.filter(|line| !line.starts_with('#')).collect()
}

#[track_caller]
fn assert_says(page: &str, expected: &[&str]) {
    let samples = samples(page);
    for line in expected {
        assert!(samples.contains(line), "no {line} in\n{page}");
    }
}

struct Away;

const KINDS: [Kind; 3] = [ENRICH.kind(), DUPLICATES.kind(), SYNC];

#[async_trait]
impl Health for Away {
    async fn ready(&self) -> Result<(), StoreError> {
        std::future::pending().await
    }
}

#[async_trait]
impl SubscriberReader for Away {
    async fn list(&self, _: &SubscriberQuery) -> Result<Vec<Subscriber>, StoreError> {
        std::future::pending().await
    }

    async fn counts(&self) -> Result<Vec<SubscriberCount>, StoreError> {
        std::future::pending().await
    }
}

/// A page at 90 seconds after noon.
fn page(stores: Stores, serving: Option<Serving>) -> Page {
    let later: Clock = Arc::new(|| noon() + time::Duration::seconds(90));
    let recorder = recorder().unwrap();
    let ports = PagePorts {
        stores,
        kinds: &KINDS,
        has_newsletter: true,
        serving,
        clock: later,
    };
    Page::new(recorder.handle(), ports)
}

#[tokio::test]
async fn the_page_says_what_waits_and_since_when() {
    let store = Arc::new(MemoryStore::new());
    let puts = [create("a", "acme"), create("b", "acme")];
    let answers = usecase::ingest(store.as_ref(), &puts, Lifetime::NEVER, noon()).await;
    assert!(answers.unwrap().iter().all(Result::is_ok));
    let (lease, now) = (time::Duration::SECOND, noon());
    let claimed = store.claim(ENRICH, 1, lease, Uuid::now_v7(), now).await;
    let token = claimed.unwrap()[0].token;
    store.give_up(token, "no use", now).await.unwrap();

    let serving = Serving {
        pushes: Arc::new(|| 7),
        signing_keys: Arc::new(|| 2),
        signing_keys_age: Arc::new(|| 1),
    };
    let page = page(Stores::of(&store), Some(serving)).make().await;
    assert_says(
        &page,
        &[
            "posthaste_store_up 1",
            r#"posthaste_outbox_tasks{kind="enrich",state="waiting"} 1"#,
            r#"posthaste_outbox_tasks{kind="enrich",state="dead"} 1"#,
            r#"posthaste_outbox_oldest_seconds{kind="enrich"} 90"#,
            r#"posthaste_outbox_oldest_seconds{kind="sync"} 0"#,
            "posthaste_pushes_under_way 7",
            "posthaste_signing_keys 2",
            "posthaste_signing_keys_age_seconds 1",
        ],
    );
    assert!(page.contains("# TYPE posthaste_store_up gauge\n"), "{page}");
}

#[tokio::test(start_paused = true)]
async fn the_page_says_how_far_behind_webhooks_are() {
    let store = Arc::new(MemoryStore::new());
    let mut paused = endpoint(2);
    paused.state = EndpointState::Paused;
    for endpoint in [endpoint(1), paused] {
        let inserted = Webhooks::insert(&*store, &endpoint, Cursor::START, None).await;
        inserted.unwrap();
    }
    let puts = [create("a", "acme")];
    let answers = usecase::ingest(store.as_ref(), &puts, Lifetime::NEVER, noon()).await;
    assert!(answers.unwrap()[0].is_ok());
    let page = page(Stores::of(&store), None);
    let expect = [
        r#"posthaste_webhook_endpoints{state="active"} 1"#,
        r#"posthaste_webhook_endpoints{state="paused"} 1"#,
        r#"posthaste_webhook_endpoints{state="disabled"} 0"#,
        "posthaste_webhook_waiting_events 0",
        "posthaste_webhook_lag_seconds 90",
    ];
    assert_says(&page.make().await, &expect);
}

#[tokio::test(start_paused = true)]
async fn a_store_that_does_not_answer_leaves_the_rest() {
    let stores = Stores {
        health: Arc::new(Away),
        subscribers: Arc::new(Away),
        ..Stores::of(&Arc::<MemoryStore>::default())
    };
    let page = page(stores, None).make().await;
    let waiting = r#"posthaste_outbox_tasks{kind="enrich",state="waiting"} 0"#;
    assert_says(&page, &["posthaste_store_up 0", waiting]);
    for missing in [
        "posthaste_subscribers",
        "posthaste_pushes_under_way",
        "posthaste_signing_keys",
    ] {
        let found = samples(&page).iter().any(|line| line.starts_with(missing));
        assert!(!found, "{page}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_store_that_counts_slowly_is_up() {
    let stores = Stores {
        subscribers: Arc::new(Away),
        ..Stores::of(&Arc::<MemoryStore>::default())
    };
    let page = page(stores, None).make().await;
    assert_says(&page, &["posthaste_store_up 1"]);
    assert!(!page.contains("posthaste_subscribers{"), "{page}");
}

#[tokio::test(start_paused = true)]
async fn what_waits_is_counted_now_and_then() {
    let store = Arc::new(MemoryStore::new());
    let page = page(Stores::of(&store), None);
    let waiting = |count| {
        let line = r#"posthaste_outbox_tasks{kind="enrich",state="waiting"}"#;
        format!("{line} {count}")
    };
    assert_says(&page.make().await, &[&waiting(0)]);
    let mut writes = WriteSet::new(noon());
    let posting = domain::testing::put_id("a");
    writes.tasks.ask(enrich(posting));
    store.commit(writes).await.unwrap();
    tokio::time::advance(Duration::from_secs(4)).await;
    assert_says(&page.make().await, &[&waiting(0)]);
    tokio::time::advance(Duration::from_secs(1)).await;
    assert_says(&page.make().await, &[&waiting(1)]);
}

#[tokio::test(start_paused = true)]
async fn the_page_has_the_states_of_subscribers_and_accounts() {
    let store = Arc::new(MemoryStore::new());
    let addresses = ["a@x.example", "b@x.example", "c@x.example"];
    let puts = addresses.map(|address| report(address, "{}"));
    let put = newsletter::usecase::put_subscribers(&*store, &puts, noon());
    put.await.unwrap();
    let notices = [notice(addresses[0], SubscriberStatus::Unsubscribed)];
    let done = newsletter::usecase::notice_events(&*store, &notices, noon());
    done.await.unwrap();
    let (moving, source) = ([email(addresses[1])], MigrationSource::Manual);
    let moved = newsletter::usecase::migrate(&*store, &moving, source, noon());
    moved.await.unwrap();
    let state = AccountState {
        paused_until: Some(noon() + time::Duration::minutes(5)),
        pause_reason: None,
        reconciled_at: Some(noon() - time::Duration::DAY),
    };
    let kept = store.keep_account_state(Account::Old, &state);
    kept.await.unwrap();

    let page = page(Stores::of(&store), None);
    let text = page.make().await;
    let subscribers = |account, status, under_way| {
        let labels = format!("account=\"{account}\",status=\"{status}\"");
        format!("posthaste_subscribers{{{labels},under_way=\"{under_way}\"}}")
    };
    let active = subscribers("old", "active", "false");
    assert_says(
        &text,
        &[
            &format!("{active} 1"),
            &format!("{} 1", subscribers("old", "unsubscribed", "false")),
            &format!("{} 1", subscribers("new", "active", "true")),
            &format!("{} 0", subscribers("new", "bounced", "false")),
            r#"posthaste_provider_list_age_seconds{account="old"} 86490"#,
            r#"posthaste_provider_paused_for_seconds{account="old"} 210"#,
            r#"posthaste_provider_paused_for_seconds{account="new"} 0"#,
        ],
    );
    let never = r#"posthaste_provider_list_age_seconds{account="new"}"#;
    assert!(!text.contains(never), "{text}");
}

#[tokio::test(start_paused = true)]
async fn the_page_counts_postings_and_says_how_imports_ended() {
    let store = Arc::new(MemoryStore::new());
    let puts = [create("a", "acme"), create("b", "acme")];
    let ingested = usecase::ingest(&*store, &puts, Lifetime::NEVER, noon());
    ingested.await.unwrap();
    let lease = CatalogueQuery {
        client: ClientId::new(Uuid::from_u128(5)),
        name: CatalogueName::new("jobs").unwrap(),
        new_id: Some(CatalogueId::new(Uuid::from_u128(6))),
        holder: Uuid::from_u128(7),
        now: noon(),
        until: noon() + time::Duration::HOUR,
    };
    let Leased::Held(lease) = Catalogues::lease(&*store, &lease).await.unwrap() else {
        panic!("it is free");
    };
    let counts = LineCounts {
        lines: 9,
        created: 1,
        updated: 2,
        unchanged: 3,
        refused: 3,
        ..LineCounts::default()
    };
    let summary = Summary {
        counts,
        missing: Some(Missing {
            count: 40,
            held: Some(HeldBecause::Share),
            ..Missing::default()
        }),
        changes: None,
        complete: true,
    };
    let import = PastImport {
        started_at: noon(),
        finished_at: noon(),
        summary,
    };
    assert!(store.finish(lease, &import, false).await.unwrap());
    let page = page(Stores::of(&store), None);
    let of = r#"client="00000000-0000-0000-0000-000000000005",catalogue="jobs""#;
    let at = noon().unix_timestamp_nanos();
    assert_eq!(at % 1_000_000_000, 123_456_000);
    let pending = r#"posthaste_postings{status="PendingEnrichment"}"#;
    assert_says(
        &page.make().await,
        &[
            &format!("{pending} 2"),
            r#"posthaste_postings{status="approved"} 0"#,
            &format!("posthaste_catalogue_postings{{{of}}} 6"),
            &format!("posthaste_catalogue_held_back{{{of}}} 40"),
            &format!("posthaste_catalogue_last_import_timestamp_seconds{{{of}}} 1772366400.123456"),
        ],
    );
}

use domain::{
    store::RowLocks,
    testing::{push, put_id},
};
use fields::Website;
use kernel::CompanyId;
use tokio::{
    task::JoinHandle,
    time::{Instant, sleep},
};

use super::*;

type Pushed = JoinHandle<Result<Answer, IngestError>>;

async fn with<const N: usize>(
    identifiers: [&'static str; N],
) -> (Arc<FaultyStore>, Arc<Lanes>, Loops) {
    let store = FaultyStore::new();
    let (lane, tasks) = start(&store, LaneSettings::default());
    for answer in Pushes::of(&lane, identifiers).answers().await {
        answer.unwrap();
    }
    (store, lane, tasks)
}

fn posting(identifier: &str) -> RowLocks {
    RowLocks {
        postings: [put_id(identifier)].into(),
        ..RowLocks::default()
    }
}

fn company() -> CompanyId {
    CompanyId::of(&Website::parse("https://acme.example").unwrap().key())
}

async fn begin(lane: &Arc<Lanes>, identifier: &str, body: &str) -> Pushed {
    let (lane, put) = (Arc::clone(lane), push(identifier, body));
    let pushed = tokio::spawn(async move { lane.put(put).await });
    sleep(Duration::from_millis(1)).await;
    pushed
}

async fn retitle(lane: &Arc<Lanes>, identifier: &str, title: &str) -> Pushed {
    begin(lane, identifier, &format!(r#"{{"title":"{title}"}}"#)).await
}

async fn title(store: &FaultyStore, identifier: &str) -> String {
    let identifier = create(identifier, "acme").identifier;
    let found = store.memory.find(&identifier).await.unwrap();
    found.unwrap().posting.details.title
}

#[tokio::test(start_paused = true)]
async fn a_push_that_waits_for_a_locked_row_delays_no_other() {
    let (store, lane, _tasks) = with(["a", "b"]).await;
    store.lock(posting("a"));
    let start = Instant::now();
    let first = block_commit(&store, &lane).await;
    let held = retitle(&lane, "a", "New").await;
    let free = retitle(&lane, "b", "New").await;
    store.open_gate();
    assert!(first.answers().await[0].is_ok());
    assert!(free.await.unwrap().is_ok());
    assert!(start.elapsed() < Duration::from_millis(100));
    sleep(Duration::from_secs(8)).await;
    assert!(!held.is_finished());
    store.lock(RowLocks::default());
    assert!(held.await.unwrap().is_ok());
    assert!(start.elapsed() < Duration::from_secs(10));
    assert_eq!(title(&store, "a").await, "New");
}

#[tokio::test(start_paused = true)]
async fn a_push_to_a_row_that_stays_locked_fails_in_time() {
    let (store, lane, _tasks) = with(["a"]).await;
    store.lock(posting("a"));
    let start = Instant::now();
    let held = retitle(&lane, "a", "New").await;
    let answer = held.await.unwrap();
    assert!(
        matches!(answer, Err(IngestError::Unavailable(_))),
        "{answer:?}"
    );
    assert_eq!(start.elapsed().as_secs(), 10);
    store.lock(RowLocks::default());
    sleep(Duration::from_secs(5)).await;
    assert_eq!(title(&store, "a").await, "Engineer a");
}

#[tokio::test(start_paused = true)]
async fn a_batch_pays_for_a_locked_row_once() {
    let (store, lane, _tasks) = with(["a", "b"]).await;
    store.lock(posting("a"));
    let mut held = vec![retitle(&lane, "a", "First").await];
    for n in 0..5 {
        let before = store.tries();
        let first = block_commit_again(&store, &lane, before).await;
        held.push(retitle(&lane, "a", &format!("More {n}")).await);
        let free = retitle(&lane, "b", &format!("More {n}")).await;
        store.open_gate();
        assert!(first.await.unwrap().is_ok());
        assert!(free.await.unwrap().is_ok());
        assert_eq!(store.tries(), before + 2, "a batch failed");
        sleep(Duration::from_secs(1)).await;
    }
    store.lock(RowLocks::default());
    for held in held {
        assert!(held.await.unwrap().is_ok());
    }
}

async fn block_commit_again(store: &FaultyStore, lane: &Arc<Lanes>, before: usize) -> Pushed {
    store.close_gate();
    let first = retitle(lane, "b", &format!("First {before}")).await;
    eventually("one is committing", async || store.tries() == before + 1).await;
    first
}

#[tokio::test(start_paused = true)]
async fn commands_for_a_locked_posting_keep_their_order() {
    let (store, lane, _tasks) = with(["a"]).await;
    store.lock(posting("a"));
    let mut pushes = Vec::new();
    for title in ["1", "2", "Engineer a", "3"] {
        pushes.push(retitle(&lane, "a", title).await);
        sleep(Duration::from_millis(400)).await;
    }
    assert!(pushes.iter().all(|push| !push.is_finished()));
    let before = store.commits().len();
    store.lock(RowLocks::default());
    for push in pushes {
        assert_eq!(
            plain(push.await.unwrap()),
            Ok(answered("a", PutOutcome::Updated))
        );
    }
    assert_eq!(
        store.commits().len(),
        before + 4,
        "none took part in another's"
    );
    assert_eq!(title(&store, "a").await, "3");
}

#[tokio::test(start_paused = true)]
async fn only_so_many_wait_for_locked_rows() {
    let (store, lane, _tasks) = with(["a", "b"]).await;
    store.lock(posting("a"));
    let mut pushes = Vec::new();
    for n in 0..60 {
        pushes.push(retitle(&lane, "a", &format!("{n}")).await);
    }
    sleep(Duration::from_millis(100)).await;
    let refused = pushes.iter().filter(|push| push.is_finished()).count();
    assert_eq!(refused, 60 - 33);
    assert!(retitle(&lane, "b", "New").await.await.unwrap().is_ok());
    store.lock(RowLocks::default());
    let mut fates = [0, 0];
    for push in pushes {
        fates[usize::from(push.await.unwrap().is_ok())] += 1;
    }
    assert_eq!(fates, [60 - 33, 33]);
}

/// A transaction does not see rows that another is about to add.
#[tokio::test(start_paused = true)]
async fn a_row_that_cannot_be_seen_is_waited_for_aside() {
    let (store, lane, _tasks) = with(["b"]).await;
    let locked = Fault::Fail(StoreError::Locked("a row".to_owned()));
    store.poison("new", locked);
    let first = block_commit_again(&store, &lane, store.tries()).await;
    let new = {
        let lane = Arc::clone(&lane);
        tokio::spawn(async move { lane.put(create("new", "acme")).await })
    };
    sleep(Duration::from_millis(1)).await;
    let free = retitle(&lane, "b", "New").await;
    store.open_gate();
    assert!(first.await.unwrap().is_ok());
    assert!(free.await.unwrap().is_ok());
    sleep(Duration::from_secs(3)).await;
    assert!(!new.is_finished());
    store.heal();
    assert_eq!(
        plain(new.await.unwrap()),
        Ok(answered("new", PutOutcome::Created))
    );
}

#[tokio::test(start_paused = true)]
async fn a_locked_company_delays_only_pushes_that_write_it() {
    let (store, lane, _tasks) = with(["a", "b", "c"]).await;
    store.lock(RowLocks {
        companies: [company()].into(),
        ..RowLocks::default()
    });
    let rename = |name: &str| format!(r#"{{"company":{{"name":"{name}"}}}}"#);
    let mut held = vec![begin(&lane, "a", &rename("One")).await];
    let before = store.tries();
    held.push(begin(&lane, "b", &rename("Two")).await);
    assert_eq!(store.tries(), before, "it is remembered");
    let same = r#"{"title":"New","company":{"name":"acme"}}"#;
    let free = begin(&lane, "c", same).await;
    assert!(free.await.unwrap().is_ok());
    let start = Instant::now();
    assert!(lane.put(create("d", "acme")).await.is_ok());
    assert!(start.elapsed() < Duration::from_millis(100));
    assert!(held.iter().all(|push| !push.is_finished()));
    store.lock(RowLocks::default());
    for push in held {
        assert!(push.await.unwrap().is_ok());
    }
}

#[tokio::test(start_paused = true)]
async fn a_stop_does_not_wait_for_locked_rows() {
    let (store, lane, tasks) = with(["a"]).await;
    store.lock(posting("a"));
    let held = [
        retitle(&lane, "a", "1").await,
        retitle(&lane, "a", "2").await,
    ];
    let start = Instant::now();
    tasks.stop().await;
    assert!(start.elapsed() < Duration::from_secs(1));
    for push in held {
        assert!(push.await.unwrap().is_err());
    }
}

use tokio::{task::JoinHandle, time::sleep};

use super::*;

type Pushed = JoinHandle<Result<Answer, IngestError>>;

const EIGHT: [&str; 8] = ["b", "c", "d", "e", "f", "g", "h", "i"];

/// A lane with overlapping commits, on a store with the company, and a running commit of a posting
/// "a".
async fn with_one_under_way() -> (Arc<FaultyStore>, Arc<Lanes>, Loops, Pushed) {
    let store = FaultyStore::new();
    let settings = settings(|it| (it.pushes.commits, it.pushes.batch) = (2, 8));
    let (lane, tasks) = start(&store, settings);
    lane.put(create("a", "acme")).await.unwrap();
    store.close_gate();
    let first = begin(&lane, "a", r#"{"title": "One"}"#).await;
    assert_eq!(store.tries(), 2);
    (store, lane, tasks, first)
}

async fn begin(lane: &Arc<Lanes>, identifier: &str, body: &str) -> Pushed {
    let (lane, put) = (Arc::clone(lane), push(identifier, body));
    let pushed = tokio::spawn(async move { lane.put(put).await });
    sleep(Duration::from_millis(1)).await;
    pushed
}

#[tokio::test(start_paused = true)]
async fn a_commit_overlaps_another_one_if_a_full_batch_waits() {
    let (store, lane, _tasks, first) = with_one_under_way().await;
    let seven = Pushes::of(&lane, ["b", "c", "d", "e", "f", "g", "h"]);
    sleep(Duration::from_millis(1)).await;
    assert_eq!(store.tries(), 2, "too few");
    let eighth = Pushes::of(&lane, ["i"]);
    sleep(Duration::from_millis(1)).await;
    assert_eq!(store.tries(), 3);
    let more = Pushes::of(&lane, EIGHT.map(|_| "k"));
    sleep(Duration::from_millis(100)).await;
    assert_eq!(store.tries(), 3, "two are under way");
    store.open_gate();
    assert!(first.await.unwrap().is_ok());
    for pushes in [seven, eighth, more] {
        assert!(pushes.answers().await.iter().all(Result::is_ok));
    }
    let mut commits = store.commits();
    commits.sort_unstable();
    assert_eq!(commits, [1, 1, 1, 8]);
}

#[tokio::test(start_paused = true)]
async fn a_commit_that_takes_long_holds_up_no_other() {
    let (store, lane, _tasks, first) = with_one_under_way().await;
    let second = Pushes::of(&lane, ["b"]);
    sleep(Duration::from_millis(10)).await;
    assert_eq!(store.tries(), 2);
    sleep(Duration::from_millis(40)).await;
    assert_eq!(store.tries(), 3);
    store.open_gate();
    assert!(second.answers().await[0].is_ok());
    assert!(first.await.unwrap().is_ok());
}

#[tokio::test(start_paused = true)]
async fn a_command_waits_for_a_commit_that_writes_its_company() {
    let (store, lane, _tasks, first) = with_one_under_way().await;
    store.open_gate();
    assert!(first.await.unwrap().is_ok());
    store.close_gate();
    let renames = begin(&lane, "a", r#"{"company": {"name": "Acme"}}"#).await;
    let of_it = Pushes::of(&lane, ["b"]);
    let of_another = {
        let lane = Arc::clone(&lane);
        tokio::spawn(async move { lane.put(create("x", "other")).await })
    };
    sleep(Duration::from_millis(50)).await;
    assert_eq!(store.tries(), 4);
    store.open_gate();
    assert!(renames.await.unwrap().is_ok());
    assert!(of_another.await.unwrap().is_ok());
    assert!(of_it.answers().await[0].is_ok());
    let found = store.memory.find(&create("b", "acme").identifier).await;
    assert_eq!(found.unwrap().unwrap().company.company.name, "acme");
}

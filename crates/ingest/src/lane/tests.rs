mod held;
mod imports;
mod overlap;

use domain::{
    store::{LockedRows, PostingReader as _},
    testing::{answered, create, push, put_id},
    usecase,
};
use kernel::{PutOutcome, StoreError};
use runtime::clock;
use tokio::task::JoinSet;
use workers::testing::{Fault, FaultyStore, eventually};

use super::{job::unavailable, *};

fn start(store: &Arc<FaultyStore>, settings: LaneSettings) -> (Arc<Lanes>, Loops) {
    let locks: Arc<dyn LockedRows> = Arc::clone(store) as _;
    let store: Arc<dyn Store> = Arc::clone(store) as _;
    let lifetime = Lifetime::days(60);
    let (lane, task) = Lanes::start(&store, &locks, lifetime, &clock::system(), settings);
    (Arc::new(lane), task)
}

fn settings(change: impl FnOnce(&mut LaneSettings)) -> LaneSettings {
    let mut settings = LaneSettings::default();
    change(&mut settings);
    settings
}

fn small(queue: usize, batch: usize) -> LaneSettings {
    settings(|it| (it.pushes.queue, it.pushes.batch) = (queue, batch))
}

fn impatient() -> LaneSettings {
    settings(|it| it.deadline = Duration::from_millis(150))
}

struct Pushes(JoinSet<(usize, Result<Answer, IngestError>)>);

impl Pushes {
    fn of<const N: usize>(lane: &Arc<Lanes>, identifiers: [&'static str; N]) -> Self {
        let mut pushes = JoinSet::new();
        for (at, identifier) in identifiers.into_iter().enumerate() {
            let lane = Arc::clone(lane);
            pushes.spawn(async move { (at, lane.put(create(identifier, "acme")).await) });
        }
        Self(pushes)
    }

    async fn answers(self) -> Vec<Result<Answer, IngestError>> {
        let mut answers = self.0.join_all().await;
        answers.sort_by_key(|(at, _)| *at);
        answers
            .into_iter()
            .map(|(_, answer)| plain(answer))
            .collect()
    }
}

fn plain(answer: Result<Answer, IngestError>) -> Result<Answer, IngestError> {
    answer.map(|answer| Answer {
        basis: None,
        effects: None,
        fields: 0,
        ..answer
    })
}

/// Closes the gate before a commit, so that later commands wait together.
async fn block_commit(store: &FaultyStore, lane: &Arc<Lanes>) -> Pushes {
    store.close_gate();
    let first = Pushes::of(lane, ["first"]);
    eventually("the first one is committing", async || store.tries() == 1).await;
    first
}

async fn waiting(lane: &Lanes, commands: usize) {
    eventually("commands wait", async || {
        (lane.under_way())() == commands + 1
    })
    .await;
}

async fn exists(store: &FaultyStore, identifier: &str) -> bool {
    store
        .memory
        .find(&create(identifier, "acme").identifier)
        .await
        .unwrap()
        .is_some()
}

#[tokio::test]
async fn a_single_push_is_a_batch_of_one_and_is_read_once() {
    let store = FaultyStore::new();
    let (lane, _task) = start(&store, LaneSettings::default());
    assert_eq!(
        plain(lane.put(create("a", "acme")).await),
        Ok(answered("a", PutOutcome::Created))
    );
    assert_eq!(
        plain(lane.put(create("a", "acme")).await),
        Ok(answered("a", PutOutcome::Unchanged))
    );
    assert_eq!((store.commits(), store.loaded()), (vec![1], 2));
}

#[tokio::test]
async fn what_waits_shares_a_commit() {
    let store = FaultyStore::new();
    let (lane, _task) = start(&store, small(100, 3));
    let first = block_commit(&store, &lane).await;
    let others = Pushes::of(&lane, ["a", "b", "c", "d"]);
    waiting(&lane, 4).await;
    store.open_gate();

    assert!(first.answers().await.iter().all(Result::is_ok));
    assert!(others.answers().await.iter().all(Result::is_ok));
    assert_eq!(store.commits(), [1, 3, 1]);
}

#[tokio::test]
async fn each_change_of_a_posting_has_its_own_version() {
    let store = FaultyStore::new();
    let (lane, _task) = start(&store, LaneSettings::default());
    let first = block_commit(&store, &lane).await;
    let mut others = JoinSet::new();
    for title in ["A", "B", "C"] {
        let lane = Arc::clone(&lane);
        let put = push("first", &format!(r#"{{"title":"{title}"}}"#));
        others.spawn(async move { lane.put(put).await });
    }
    waiting(&lane, 3).await;
    store.open_gate();
    assert!(first.answers().await.iter().all(Result::is_ok));
    assert!(others.join_all().await.iter().all(Result::is_ok));
    let posting = create("first", "acme").identifier;
    let versions = store.memory.versions(&posting, None, 9).await;
    let versions: Vec<_> = versions.unwrap().unwrap_or_default();
    let versions: Vec<_> = versions.iter().map(|it| it.version).collect();
    assert_eq!(versions, [4, 3, 2]);
}

#[tokio::test]
async fn neighbours_of_a_failing_command_succeed() {
    for (fault, expected) in [
        (
            Fault::Fail(StoreError::Broken("bad row".into())),
            "the store failed: bad row",
        ),
        (
            Fault::Fail(StoreError::Unavailable("lost".into())),
            "the store is not available: lost",
        ),
        (
            Fault::Panic,
            "the store failed: it panicked: a poisoned commit",
        ),
    ] {
        let store = FaultyStore::new();
        store.poison("b", fault);
        let (lane, _task) = start(&store, LaneSettings::default());
        let first = block_commit(&store, &lane).await;
        let batch = Pushes::of(&lane, ["a", "b", "c"]);
        waiting(&lane, 3).await;
        store.open_gate();

        assert!(first.answers().await.iter().all(Result::is_ok));
        let answers = batch.answers().await;
        assert_eq!(answers[0], Ok(answered("a", PutOutcome::Created)));
        assert_eq!(answers[1].as_ref().unwrap_err().to_string(), expected);
        assert_eq!(answers[2], Ok(answered("c", PutOutcome::Created)));
        assert_eq!(store.commits(), [1, 1, 1]);
    }
}

async fn commits_after_conflicts(conflicts: usize) -> Vec<usize> {
    let store = FaultyStore::new();
    let (lane, _task) = start(&store, LaneSettings::default());
    let first = block_commit(&store, &lane).await;
    store.fail_next(vec![Fault::Fail(StoreError::Conflict); conflicts]);
    let batch = Pushes::of(&lane, ["a", "b", "c"]);
    waiting(&lane, 3).await;
    store.open_gate();
    assert!(first.answers().await.iter().all(Result::is_ok));
    assert!(batch.answers().await.iter().all(Result::is_ok));
    store.commits().split_off(1)
}

#[tokio::test]
async fn a_batch_in_conflict_is_decided_again_and_then_run_one_by_one() {
    assert_eq!(commits_after_conflicts(2).await, [3]);
    assert_eq!(commits_after_conflicts(6).await, [1, 1, 1]);
}

#[tokio::test]
async fn what_changes_nothing_after_a_conflict_is_answered() {
    let store = FaultyStore::new();
    let write = async |identifier| {
        let puts = [create(identifier, "acme")];
        usecase::ingest(&*store.memory, &puts, Lifetime::NEVER, clock::now()).await
    };
    write("before").await.unwrap();
    let (lane, _task) = start(&store, LaneSettings::default());
    let first = block_commit(&store, &lane).await;
    let batch = Pushes::of(&lane, ["a", "b"]);
    eventually("both are decided", async || store.loaded() == 3).await;
    write("a").await.unwrap();
    store.open_gate();
    assert!(first.answers().await.iter().all(Result::is_ok));
    let answers: Vec<_> = batch.answers().await.into_iter().map(plain).collect();
    let outcomes = [("a", PutOutcome::Unchanged), ("b", PutOutcome::Created)];
    assert_eq!(
        answers,
        outcomes.map(|(it, outcome)| Ok(answered(it, outcome)))
    );
}

#[tokio::test]
async fn a_conflict_that_stays_ends_at_the_deadline() {
    let store = FaultyStore::new();
    store.poison("a", Fault::Fail(StoreError::Conflict));
    let (lane, _task) = start(&store, impatient());
    let answer = lane.put(create("a", "acme")).await;
    assert!(
        matches!(answer, Err(IngestError::Unavailable(_))),
        "{answer:?}"
    );
    assert!(store.tries() > 1);
    assert!(
        lane.put(create("b", "acme")).await.is_ok(),
        "the lane goes on"
    );
}

#[tokio::test]
async fn a_store_that_hangs_is_not_waited_for() {
    let store = FaultyStore::new();
    store.close_gate();
    let (lane, _task) = start(&store, impatient());
    let answers = Pushes::of(&lane, ["a", "b"]).answers().await;
    for answer in answers {
        assert_eq!(answer, Err(unavailable("it took too long")));
    }
}

#[tokio::test]
async fn a_command_that_waited_past_its_deadline_is_not_carried_out() {
    let store = FaultyStore::new();
    let mut settings = impatient();
    settings.pushes.batch = 1;
    let (lane, task) = start(&store, settings);
    let first = block_commit(&store, &lane).await;
    let second = Pushes::of(&lane, ["late"]);
    assert!(first.answers().await[0].is_err());
    assert!(second.answers().await[0].is_err());
    store.open_gate();
    task.stop().await;
    assert!(exists(&store, "first").await);
    assert!(!exists(&store, "late").await);
}

#[tokio::test]
async fn four_pushes_under_way_are_load() {
    let store = FaultyStore::new();
    let (lane, _task) = start(&store, LaneSettings::default());
    let is_busy = lane.is_busy();
    let first = block_commit(&store, &lane).await;
    let two = Pushes::of(&lane, ["a", "b"]);
    waiting(&lane, 2).await;
    assert!(!is_busy());
    let fourth = Pushes::of(&lane, ["c"]);
    waiting(&lane, 3).await;
    assert!(is_busy());
    store.open_gate();
    for pushes in [first, two, fourth] {
        assert!(pushes.answers().await.iter().all(Result::is_ok));
    }
    eventually("their slots are free", async || !is_busy()).await;
}

#[tokio::test]
async fn a_full_queue_refuses_at_once() {
    let store = FaultyStore::new();
    let (lane, _task) = start(&store, small(3, 1));
    let first = block_commit(&store, &lane).await;
    let others = Pushes::of(&lane, ["a", "b"]);
    waiting(&lane, 2).await;
    assert_eq!(
        lane.put(create("c", "acme")).await,
        Err(IngestError::Overloaded)
    );
    store.open_gate();
    assert!(first.answers().await.iter().all(Result::is_ok));
    assert!(others.answers().await.iter().all(Result::is_ok));
    assert!(!exists(&store, "c").await);
}

#[tokio::test]
async fn a_stop_answers_everything_that_was_accepted() {
    let store = FaultyStore::new();
    let (lane, task) = start(&store, small(100, 2));
    let first = block_commit(&store, &lane).await;
    let accepted = Pushes::of(&lane, ["a", "b", "c", "d"]);
    waiting(&lane, 4).await;
    let stopped = tokio::spawn(task.stop());
    store.open_gate();
    assert!(first.answers().await.iter().all(Result::is_ok));
    assert!(accepted.answers().await.iter().all(Result::is_ok));
    stopped.await.unwrap();
    let refused = lane.put(create("late", "acme")).await;
    assert_eq!(refused, Err(unavailable("the service is stopping")));
    assert_eq!(store.commits().iter().sum::<usize>(), 5);
}

#[tokio::test]
async fn a_dropped_request_is_still_committed() {
    let store = FaultyStore::new();
    store.close_gate();
    let (lane, task) = start(&store, LaneSettings::default());
    let mut requests = JoinSet::new();
    for identifier in ["a", "b"] {
        let lane = Arc::clone(&lane);
        requests.spawn(async move { lane.put(create(identifier, "acme")).await });
    }
    eventually("they are on their way", async || store.tries() == 1).await;
    requests.shutdown().await;
    store.open_gate();
    task.stop().await;
    assert!(exists(&store, "a").await && exists(&store, "b").await);
}

#[tokio::test]
async fn a_push_that_changes_nothing_does_not_wait_for_commits() {
    let store = FaultyStore::new();
    let (lane, _task) = start(&store, LaneSettings::default());
    assert!(lane.put(create("a", "acme")).await.is_ok());
    store.close_gate();
    let first = Pushes::of(&lane, ["first"]);
    eventually("the first one is committing", async || store.tries() == 2).await;
    assert_eq!(
        plain(lane.put(create("a", "acme")).await),
        Ok(answered("a", PutOutcome::Unchanged))
    );
    store.open_gate();
    assert!(first.answers().await[0].is_ok());
}

#[tokio::test]
async fn a_commit_in_doubt_is_not_tried_again() {
    let store = FaultyStore::new();
    let (lane, _task) = start(&store, LaneSettings::default());
    let first = block_commit(&store, &lane).await;
    store.fail_next([Fault::Fail(StoreError::InDoubt("lost".into()))]);
    let batch = Pushes::of(&lane, ["a", "b"]);
    waiting(&lane, 2).await;
    store.open_gate();

    assert!(first.answers().await[0].is_ok());
    for (answer, id) in batch.answers().await.into_iter().zip(["a", "b"]) {
        let Err(IngestError::InDoubt { why, answer }) = answer else {
            panic!("{answer:?}");
        };
        assert_eq!((&*why, answer.id), ("lost", put_id(id)));
        assert_eq!(answer.outcome, PutOutcome::Created);
    }
    assert_eq!(store.tries(), 2);
}

#[tokio::test]
async fn an_unreadable_store_is_reported_at_once() {
    let store = FaultyStore::new();
    let (lane, _task) = start(&store, LaneSettings::default());
    store.fail_loads(Some(StoreError::Unavailable("away".into())));
    for answer in Pushes::of(&lane, ["a", "b"]).answers().await {
        assert_eq!(answer, Err(unavailable("away")));
    }
    store.fail_loads(Some(StoreError::Broken("a bad row".into())));
    assert_eq!(
        lane.put(create("a", "acme")).await,
        Err(IngestError::Broken("a bad row".into()))
    );
    store.fail_loads(None);
    assert!(lane.put(create("a", "acme")).await.is_ok());
}

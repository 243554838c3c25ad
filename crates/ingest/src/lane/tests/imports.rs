use tokio::task::JoinHandle;

use super::*;

type Line = Result<Answer, IngestError>;

async fn import(lane: &Arc<Lanes>, identifiers: &[String]) -> JoinHandle<Vec<Line>> {
    let puts = identifiers
        .iter()
        .map(|identifier| Arc::new(create(identifier, "acme")));
    let (lane, puts) = (Arc::clone(lane), puts.collect());
    let answers = tokio::spawn(async move { lane.put_all(puts, false, None).await });
    tokio::time::sleep(Duration::from_millis(1)).await;
    answers
}

fn identifiers(count: usize) -> Vec<String> {
    (0..count).map(|n| format!("line {n}")).collect()
}

fn all_plain(answers: Vec<Line>) -> Vec<Line> {
    answers.into_iter().map(plain).collect()
}

fn created(identifiers: &[String]) -> Vec<Line> {
    let created = |identifier: &String| Ok(answered(identifier, PutOutcome::Created));
    identifiers.iter().map(created).collect()
}

// Virtual time is paused, so that no store call seems slow.
#[tokio::test(start_paused = true)]
async fn lines_share_commits_and_are_answered_in_order() {
    let store = FaultyStore::new();
    let (lane, _task) = start(&store, LaneSettings::default());
    let many = identifiers(600);
    assert_eq!(
        all_plain(import(&lane, &many).await.await.unwrap()),
        created(&many)
    );
    assert_eq!(store.commits(), [256, 256, 88]);
    assert_eq!(lane.put_all(Vec::new(), false, None).await, []);
    let dry = ["line 1", "x"].map(|identifier| Arc::new(create(identifier, "acme")));
    let outcomes = lane.put_all(dry.to_vec(), true, None).await;
    let outcomes = outcomes.into_iter().map(|answer| answer.unwrap().outcome);
    let expect = [PutOutcome::Unchanged, PutOutcome::Created];
    assert_eq!(outcomes.collect::<Vec<_>>(), expect);
    assert_eq!(store.tries(), 3);
}

#[tokio::test(start_paused = true)]
async fn lines_wait_for_slots_of_their_own() {
    let store = FaultyStore::new();
    let settings = settings(|it| (it.pushes.queue, it.lines.queue) = (1, 8));
    let (lane, _task) = start(&store, settings);
    store.close_gate();
    let many = identifiers(30);
    let lines = import(&lane, &many).await;
    assert_eq!((lane.under_way())(), 8);
    assert!(lane.is_busy()());
    let push = Pushes::of(&lane, ["a"]);
    eventually("it is on its way", async || store.tries() == 2).await;
    assert_eq!(
        lane.put(create("b", "acme")).await,
        Err(IngestError::Overloaded)
    );
    // The deadline of waiting lines begins when they are queued.
    tokio::time::sleep(Duration::from_secs(8)).await;
    store.open_gate();
    assert!(push.answers().await[0].is_ok());
    assert_eq!(all_plain(lines.await.unwrap()), created(&many));
    assert!(!lane.is_busy()());
}

#[tokio::test(start_paused = true)]
async fn lines_that_wait_too_long_are_answered_and_free_their_slots() {
    let store = FaultyStore::new();
    let mut settings = impatient();
    settings.lines.batch = 2;
    let (lane, _task) = start(&store, settings);
    store.close_gate();
    let lines = import(&lane, &identifiers(4)).await.await.unwrap();
    assert_eq!(lines, vec![Err(unavailable("it took too long")); 4]);
    store.open_gate();
    eventually("their slots are free", async || (lane.under_way())() == 0).await;
    assert!(exists(&store, "line 0").await);
    assert!(!exists(&store, "line 3").await);
}

#[tokio::test(start_paused = true)]
async fn lines_give_way_to_many_pushes() {
    let store = FaultyStore::new();
    let settings = settings(|it| (it.pushes.batch, it.lines.lanes) = (4, 2));
    let (lane, _task) = start(&store, settings);
    store.close_gate();
    let pushes = Pushes::of(&lane, ["a", "b", "c", "d", "e", "f", "g", "h"]);
    eventually("one commits", async || store.tries() == 1).await;
    let many = identifiers(100);
    let lines = import(&lane, &many).await;
    tokio::time::sleep(Duration::from_secs(1)).await;
    assert_eq!(store.tries(), 2, "one of the lanes of lines commits");
    store.open_gate();
    assert!(pushes.answers().await.iter().all(Result::is_ok));
    assert_eq!(all_plain(lines.await.unwrap()), created(&many));
    // The first commits are small. Then all lanes commit at full size.
    let commits = store.commits();
    assert!(commits[..3].iter().all(|size| *size <= 4), "{commits:?}");
    assert!(commits.len() <= 7, "{commits:?}");
}

#[tokio::test]
async fn a_stop_answers_lines_that_were_queued() {
    let store = FaultyStore::new();
    let settings = settings(|it| it.lines.queue = 4);
    let (lane, task) = start(&store, settings);
    store.close_gate();
    let many = identifiers(6);
    let lines = import(&lane, &many).await;
    let stopped = tokio::spawn(task.stop());
    tokio::time::sleep(Duration::from_millis(10)).await;
    store.open_gate();
    stopped.await.unwrap();
    let lines = all_plain(lines.await.unwrap());
    assert_eq!(lines[..4], created(&many[..4]));
    assert_eq!(
        lines[4..],
        vec![Err(unavailable("the service is stopping")); 2]
    );
}

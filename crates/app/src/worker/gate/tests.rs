use futures_util::FutureExt as _;

use super::*;

const SECOND: Duration = Duration::from_secs(1);

fn gate() -> Arc<Gate> {
    Arc::default()
}

fn refuse(gate: &Gate, asked: Option<Duration>) {
    gate.refused(gate.begin().unwrap(), "503", asked);
}

/// The seconds until somebody may pass.
async fn wait(gate: &Arc<Gate>) -> u64 {
    let start = Instant::now();
    drop(gate.pass().await);
    start.elapsed().as_secs()
}

fn is_open(gate: &Arc<Gate>) -> bool {
    gate.pass().now_or_never().is_some()
}

#[tokio::test(start_paused = true)]
async fn refusals_close_it_for_longer_and_longer() {
    let gate = gate();
    assert_eq!(wait(&gate).await, 0);
    let mut waits = Vec::new();
    for _ in 0..8 {
        refuse(&gate, None);
        waits.push(wait(&gate).await);
    }
    assert_eq!(waits, [1, 2, 4, 8, 16, 32, 60, 60]);
    gate.answered(gate.begin().unwrap());
    refuse(&gate, None);
    assert_eq!(wait(&gate).await, 1, "an answer starts anew");
}

#[tokio::test(start_paused = true)]
async fn it_stays_closed_for_as_long_as_was_asked_for_and_an_hour_at_most() {
    let hour = Duration::from_hours(1);
    for (asked, pause) in [
        (Duration::from_secs(90), Duration::from_secs(90)),
        (Duration::from_millis(1), SECOND),
        (Duration::ZERO, SECOND),
        (24 * hour, hour),
    ] {
        let gate = gate();
        refuse(&gate, Some(asked));
        assert!(gate.begin().is_err_and(|left| left == pause), "{asked:?}");
        assert_eq!(wait(&gate).await, pause.as_secs(), "{asked:?}");
        assert!(gate.begin().is_ok());
    }
}

#[tokio::test(start_paused = true)]
async fn calls_that_fail_together_count_once() {
    let gate = gate();
    let calls = [(); 4].map(|()| gate.begin().unwrap());
    for call in calls {
        gate.refused(call, "503", None);
    }
    assert_eq!(wait(&gate).await, 1);
    // One of them was told to wait for longer.
    gate.refused(calls[0], "429", Some(Duration::from_secs(30)));
    assert_eq!(wait(&gate).await, 30);
}

#[tokio::test(start_paused = true)]
async fn an_answer_to_a_call_from_before_opens_nothing() {
    let gate = gate();
    let early = gate.begin().unwrap();
    refuse(&gate, None);
    gate.answered(early);
    assert!(!is_open(&gate));
    assert_eq!(wait(&gate).await, 1);
    let probe = gate.pass().await;
    gate.answered(early);
    assert!(!is_open(&gate), "only the one that was let through counts");
    drop(probe);
}

#[tokio::test(start_paused = true)]
async fn after_a_pause_one_goes_through_until_one_is_answered() {
    let gate = gate();
    refuse(&gate, None);
    let probe = gate.pass().await;
    assert!(!is_open(&gate));
    // It found nothing to do: somebody else's turn.
    drop(probe);
    let probe = gate.pass().await;
    assert!(!is_open(&gate));
    refuse(&gate, None);
    drop(probe);
    assert_eq!(wait(&gate).await, 2);

    let probe = gate.pass().await;
    let waiting = {
        let gate = Arc::clone(&gate);
        tokio::spawn(async move { drop(gate.pass().await) })
    };
    tokio::task::yield_now().await;
    gate.answered(gate.begin().unwrap());
    assert!(is_open(&gate), "although the one is still at work");
    waiting.await.unwrap();
    drop(probe);
    assert!(is_open(&gate));
}

use futures_util::FutureExt as _;

use super::*;

const SECOND: Duration = Duration::from_secs(1);

fn breaker() -> Arc<ModelBreaker> {
    Arc::default()
}

fn refuse(breaker: &ModelBreaker, asked: Option<Duration>) {
    breaker.refused(breaker.begin().unwrap(), "503", asked);
}

async fn wait(breaker: &Arc<ModelBreaker>) -> u64 {
    let start = Instant::now();
    drop(breaker.permit().await);
    start.elapsed().as_secs()
}

fn is_open(breaker: &Arc<ModelBreaker>) -> bool {
    breaker.permit().now_or_never().is_some()
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
        let breaker = breaker();
        refuse(&breaker, Some(asked));
        assert!(
            breaker.begin().is_err_and(|left| left == pause),
            "{asked:?}"
        );
        assert_eq!(wait(&breaker).await, pause.as_secs(), "{asked:?}");
        assert!(breaker.begin().is_ok());
    }
}

#[tokio::test(start_paused = true)]
async fn of_calls_that_fail_together_the_longest_pause_counts() {
    let breaker = breaker();
    let calls = [(); 2].map(|()| breaker.begin().unwrap());
    breaker.refused(calls[0], "503", None);
    breaker.refused(calls[1], "429", Some(Duration::from_secs(30)));
    assert_eq!(wait(&breaker).await, 30);
}

#[tokio::test(start_paused = true)]
async fn after_a_pause_one_goes_through_until_one_is_answered() {
    let breaker = breaker();
    refuse(&breaker, None);
    let probe = breaker.permit().await;
    assert!(!is_open(&breaker));
    // The probe found nothing to do.
    drop(probe);
    let probe = breaker.permit().await;
    assert!(!is_open(&breaker));
    refuse(&breaker, None);
    drop(probe);
    assert_eq!(wait(&breaker).await, 2);

    let probe = breaker.permit().await;
    let waiting = {
        let breaker = Arc::clone(&breaker);
        tokio::spawn(async move { drop(breaker.permit().await) })
    };
    tokio::task::yield_now().await;
    breaker.answered(breaker.begin().unwrap());
    assert!(is_open(&breaker), "although the probe is still running");
    waiting.await.unwrap();
    drop(probe);
    assert!(is_open(&breaker));
}

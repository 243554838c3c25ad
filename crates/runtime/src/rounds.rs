//! A loop of background work that backs off while the store is unavailable.

use std::fmt::Display;

use tokio::time::sleep;
use tokio_util::sync::CancellationToken;

use crate::waits::{self, Waits};

pub struct Rounds {
    work: String,
    stop: CancellationToken,
    /// Set while rounds have failed since the last success.
    failing: Option<Waits>,
}

impl Rounds {
    pub fn new(work: impl Into<String>, stop: CancellationToken) -> Self {
        Self {
            work: work.into(),
            stop,
            failing: None,
        }
    }

    pub fn go_on(&self) -> bool {
        !self.stop.is_cancelled()
    }

    /// Waits for `needed`. Returns `None` if the loop is stopped first.
    pub async fn wait<T>(&self, needed: impl Future<Output = T>) -> Option<T> {
        self.stop.run_until_cancelled(needed).await
    }

    /// Waits after a round: its pause after a success, longer after failures. A stop ends the wait.
    pub async fn end<E: Display>(&mut self, round: Result<impl Future<Output = ()>, E>) {
        match round {
            Ok(pause) => {
                self.failing = None;
                self.wait(pause).await;
            }
            Err(error) => {
                let waits = self.failing.get_or_insert_with(waits::after_failures);
                let wait = waits.next().unwrap_or_default();
                let seconds = wait.as_secs_f64();
                tracing::warn!(%error, seconds, "{} failed and is retried", self.work);
                self.wait(sleep(wait)).await;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::{future::ready, time::Duration};

    use tokio::time::Instant;

    use super::*;

    const FAILED: Result<std::future::Ready<()>, &str> = Err("down");

    #[tokio::test(start_paused = true)]
    async fn waits_grow_while_rounds_fail_and_restart_after_a_success() {
        let mut rounds = Rounds::new("work", CancellationToken::new());
        let mut waits = Vec::new();
        for round in [FAILED, FAILED, FAILED, FAILED, Ok(ready(())), FAILED] {
            let start = Instant::now();
            rounds.end(round).await;
            waits.push(start.elapsed());
        }
        assert!(waits[0] >= Duration::from_millis(250) && waits[3] >= Duration::from_secs(2));
        assert!(waits[4].is_zero() && waits[5] <= Duration::from_millis(500));
    }

    #[tokio::test(start_paused = true)]
    async fn a_stop_cuts_every_wait_short() {
        let stop = CancellationToken::new();
        let mut rounds = Rounds::new("work", stop.clone());
        assert_eq!(rounds.wait(ready(7)).await, Some(7));
        assert!(rounds.go_on());
        let start = Instant::now();
        let stopping = async {
            sleep(Duration::from_millis(1)).await;
            stop.cancel();
        };
        tokio::join!(rounds.end(Ok::<_, &str>(std::future::pending())), stopping);
        rounds.end(FAILED).await;
        assert_eq!(rounds.wait(std::future::pending::<()>()).await, None);
        assert!(!rounds.go_on() && start.elapsed() < Duration::from_millis(10));
    }
}

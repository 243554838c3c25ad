use std::time::Duration;

use tokio::{task::JoinSet, time::timeout};
use tokio_util::sync::CancellationToken;

/// Running loops. Dropping this value ends them at once.
#[derive(Debug)]
pub struct Loops {
    running: JoinSet<()>,
    stop: CancellationToken,
    /// How long a stop waits for the loops, and the log's text if they take longer.
    grace: Duration,
    late: &'static str,
}

impl Loops {
    /// A stop waits for `grace`. Then it cuts off the remaining loops, and logs `late`.
    pub fn new(grace: Duration, late: &'static str) -> Self {
        Self {
            running: JoinSet::new(),
            stop: CancellationToken::new(),
            grace,
            late,
        }
    }

    /// Starts a loop, which must end when its token is cancelled.
    pub fn spawn<F>(&mut self, work: impl FnOnce(CancellationToken) -> F)
    where
        F: Future<Output = ()> + Send + 'static,
    {
        self.running.spawn(work(self.token()));
    }

    pub fn token(&self) -> CancellationToken {
        self.stop.clone()
    }

    pub async fn stop(mut self) {
        self.stop.cancel();
        let ended = async {
            while let Some(ended) = self.running.join_next().await {
                if let Err(error) = ended {
                    tracing::error!(%error, "a background loop panicked");
                }
            }
        };
        if timeout(self.grace, ended).await.is_err() {
            tracing::warn!("a background loop was cut off: {}", self.late);
        }
    }
}

#[cfg(test)]
mod tests {
    use tokio::time::{Instant, sleep};

    use super::*;

    #[tokio::test(start_paused = true)]
    async fn a_stop_waits_for_all_ends_but_not_for_ever() {
        for (takes, waited) in [(3, 3), (60, 10)] {
            let mut loops = Loops::new(Duration::from_secs(10), "a test");
            loops.spawn(async |_| panic!("a defect"));
            loops.spawn(move |stop| async move {
                stop.cancelled().await;
                sleep(Duration::from_secs(takes)).await;
            });
            let start = Instant::now();
            loops.stop().await;
            assert_eq!(start.elapsed().as_secs(), waited);
        }
    }
}

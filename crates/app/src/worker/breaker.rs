//! The circuit breaker of a language model, shared by the loops of a process, which wait for it before
//! they claim a posting.

use std::{sync::Arc, time::Duration};

use outbound::{Admission, Call, CircuitBreaker, RetryPolicy};
use tokio::{
    sync::Notify,
    time::{Instant, sleep_until},
};

use crate::metrics;

/// An endpoint that is away may be back within seconds, and a posting is waited for.
const PAUSES: RetryPolicy = RetryPolicy {
    first: Duration::from_secs(1),
    longest: Duration::from_mins(1),
};
/// No pause that was asked for is longer than this: an endpoint that asks for a day may mean it for
/// a day's quota, which an operator can raise.
const LONGEST_ASKED: Duration = Duration::from_hours(1);

/// The breaker.
pub struct ModelBreaker {
    breaker: CircuitBreaker,
    /// Called whenever the loops that wait should look again.
    changed: Notify,
}

/// Leave to work on a posting, for as long as it is held.
pub(super) struct Pass {
    /// The breaker that waits for the end of this probe.
    probed: Option<Arc<ModelBreaker>>,
}

impl Default for ModelBreaker {
    fn default() -> Self {
        Self {
            breaker: CircuitBreaker::new(PAUSES),
            changed: Notify::new(),
        }
    }
}

fn now() -> std::time::Instant {
    Instant::now().into_std()
}

impl ModelBreaker {
    /// Waits for leave.
    pub(super) async fn pass(self: &Arc<Self>) -> Pass {
        loop {
            // Before the look, so that no change goes unnoticed after it.
            let changed = self.changed.notified();
            match self.breaker.admit(now()) {
                Admission::Closed => return Pass { probed: None },
                Admission::Probe => {
                    let probed = Some(Arc::clone(self));
                    return Pass { probed };
                }
                Admission::Open(until) => tokio::select! {
                    () = sleep_until(until.into()) => {}
                    () = changed => {}
                },
                Admission::Probed => changed.await,
            }
        }
    }

    /// Begins a call, or says how long there must be none.
    pub fn begin(&self) -> Result<Call, Duration> {
        let now = now();
        let left = |until: std::time::Instant| until.saturating_duration_since(now);
        self.breaker.begin(now).map_err(left)
    }

    /// The model has answered.
    pub fn answered(&self, call: Call) {
        if self.breaker.succeeded(call) {
            tracing::info!("the enricher answers again");
            metrics::enricher_paused(false);
            self.changed.notify_waiters();
        }
    }

    /// The model has no time for anybody, and may have asked to be left alone for a while.
    pub fn refused(&self, call: Call, error: &str, asked: Option<Duration>) {
        let asked = asked
            .filter(|asked| !asked.is_zero())
            .map(|asked| asked.clamp(PAUSES.first, LONGEST_ASKED));
        if let Some(pause) = self.breaker.failed(call, asked, now()) {
            tracing::warn!(error, ?pause, "the enricher is left alone");
            metrics::enricher_paused(true);
        } else if let Some(asked) = asked {
            self.breaker.pause(asked, now());
        }
        self.changed.notify_waiters();
    }
}

impl Drop for Pass {
    fn drop(&mut self) {
        if let Some(ModelBreaker { breaker, changed }) = self.probed.as_deref() {
            breaker.end_probe();
            changed.notify_waiters();
        }
    }
}

#[cfg(test)]
mod tests;

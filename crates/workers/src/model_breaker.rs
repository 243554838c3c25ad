//! The circuit breaker of a language model, which all loops of a process share. A loop waits for
//! the breaker before it claims a posting.

use std::{sync::Arc, time::Duration};

use outbound::{Admission, Call, CircuitBreaker};
use runtime::RetryPolicy;
use tokio::{
    sync::Notify,
    time::{Instant, sleep_until},
};

use crate::metrics;

/// The first pause is short, because an endpoint may recover within seconds and postings wait.
const PAUSES: RetryPolicy = RetryPolicy::doubling(Duration::from_secs(1), Duration::from_mins(1));
/// The longest pause that an endpoint can request. An endpoint may request a day because of a quota
/// that an operator can raise sooner.
const LONGEST_ASKED: Duration = Duration::from_hours(1);

pub struct ModelBreaker {
    breaker: CircuitBreaker,
    /// Signals waiting loops to check again.
    changed: Notify,
}

pub(super) struct Permit {
    /// For a probe: the breaker to notify when the probe ends.
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
    pub(super) async fn permit(self: &Arc<Self>) -> Permit {
        loop {
            // The waiter is registered before the check, so that it misses no change.
            let changed = self.changed.notified();
            match self.breaker.admit(now()) {
                Admission::Closed => return Permit { probed: None },
                Admission::Probe => {
                    let probed = Some(Arc::clone(self));
                    return Permit { probed };
                }
                Admission::Open(until) => tokio::select! {
                    () = sleep_until(until.into()) => {}
                    () = changed => {}
                },
                Admission::Probed => changed.await,
            }
        }
    }

    /// Begins a call. While the breaker is open, returns the time left.
    pub fn begin(&self) -> Result<Call, Duration> {
        let now = now();
        let left = |until: std::time::Instant| until.saturating_duration_since(now);
        self.breaker.begin(now).map_err(left)
    }

    pub fn answered(&self, call: Call) {
        if self.breaker.succeeded(call) {
            tracing::info!("the enricher answers again");
            metrics::enricher_paused(false);
            self.changed.notify_waiters();
        }
    }

    /// Opens the breaker. `asked` is the pause that the model requested.
    pub fn refused(&self, call: Call, error: &str, asked: Option<Duration>) {
        let asked = asked
            .filter(|asked| !asked.is_zero())
            .map(|asked| asked.clamp(PAUSES.first, LONGEST_ASKED));
        if let Some(pause) = self.breaker.failed(call, asked, now()) {
            let seconds = pause.as_secs_f64();
            tracing::warn!(error, seconds, "the enricher is paused");
            metrics::enricher_paused(true);
        } else if let Some(asked) = asked {
            self.breaker.pause(asked, now());
        }
        self.changed.notify_waiters();
    }
}

impl Drop for Permit {
    fn drop(&mut self) {
        if let Some(ModelBreaker { breaker, changed }) = self.probed.as_deref() {
            breaker.end_probe();
            changed.notify_waiters();
        }
    }
}

#[cfg(test)]
mod tests;

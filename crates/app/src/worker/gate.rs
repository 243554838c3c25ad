//! The gate to an enricher that is somewhere else: shared by the loops of a process, closed while
//! the enricher is to be left alone, and after that ajar: one posting goes through, and the others
//! when it was answered.

use std::{
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use tokio::{
    sync::Notify,
    time::{Instant, sleep_until},
};

use super::door::{Door, Pauses};
use crate::metrics;

/// An endpoint that is away may be back within seconds, and a posting is waited for.
const PAUSES: Pauses = Pauses {
    first: Duration::from_secs(1),
    longest: Duration::from_mins(1),
};
/// No pause that was asked for is longer than this: who asks for a day may mean it for a day's
/// quota, which an operator can raise.
const LONGEST_ASKED: Duration = Duration::from_hours(1);

/// The gate.
pub struct Gate {
    door: Door,
    state: Mutex<State>,
    /// Called whenever those who wait should look again.
    changed: Notify,
}

#[derive(Default)]
struct State {
    /// Whether somebody is through to see whether the enricher answers.
    is_probed: bool,
    /// How often it was closed.
    closings: u64,
}

/// Leave to work on a posting, for as long as it is held.
pub(super) struct Pass {
    gate: Arc<Gate>,
    is_probe: bool,
}

/// A call that is under way: what it brings counts for nothing if the gate was closed meanwhile.
#[derive(Clone, Copy, Debug)]
pub struct Call {
    closings: u64,
}

impl Default for Gate {
    fn default() -> Self {
        Self {
            door: Door::new(PAUSES),
            state: Mutex::default(),
            changed: Notify::new(),
        }
    }
}

impl Gate {
    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Waits for leave.
    pub(super) async fn pass(self: &Arc<Self>) -> Pass {
        loop {
            // Before the look, so that no change goes unnoticed after it.
            let changed = self.changed.notified();
            if let Some(pass) = self.try_pass() {
                return pass;
            }
            match self.door.closed_until() {
                Some(until) => tokio::select! {
                    () = sleep_until(until) => {}
                    () = changed => {}
                },
                None => changed.await,
            }
        }
    }

    fn try_pass(self: &Arc<Self>) -> Option<Pass> {
        let mut state = self.state();
        if self.door.closed_until().is_some() {
            return None;
        }
        let is_probe = self.door.is_doubtful();
        if is_probe && std::mem::replace(&mut state.is_probed, true) {
            return None;
        }
        Some(Pass {
            gate: Arc::clone(self),
            is_probe,
        })
    }

    /// Begins a call, or says how long there must be none.
    pub fn begin(&self) -> Result<Call, Duration> {
        match self.door.closed_until() {
            Some(until) => Err(until.saturating_duration_since(Instant::now())),
            None => Ok(Call {
                closings: self.state().closings,
            }),
        }
    }

    /// The enricher has answered.
    pub fn answered(&self, call: Call) {
        let state = self.state();
        if state.closings == call.closings && self.door.answered() {
            tracing::info!("the enricher answers again");
            metrics::enricher_paused(false);
            self.changed.notify_waiters();
        }
    }

    /// The enricher has no time for anybody, and may have asked to be left alone for a while.
    pub fn refused(&self, call: Call, error: &str, asked: Option<Duration>) {
        let mut state = self.state();
        let asked = asked
            .filter(|asked| !asked.is_zero())
            .map(|asked| asked.clamp(PAUSES.first, LONGEST_ASKED));
        if state.closings == call.closings {
            state.closings += 1;
            let pause = self.door.refused(asked);
            tracing::warn!(error, ?pause, "the enricher is left alone");
            metrics::enricher_paused(true);
        } else if let Some(asked) = asked {
            self.door.leave_alone(asked);
        }
        self.changed.notify_waiters();
    }
}

impl Drop for Pass {
    fn drop(&mut self) {
        if self.is_probe {
            self.gate.state().is_probed = false;
            self.gate.changed.notify_waiters();
        }
    }
}

#[cfg(test)]
mod tests;

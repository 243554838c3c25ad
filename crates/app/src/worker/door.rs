//! When somebody outside is to be left alone: after refusals for longer and longer, or for as
//! long as was asked for.

use std::{
    sync::{Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use tokio::time::Instant;

/// How long to pause.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Pauses {
    /// After the first refusal; each further one doubles it.
    pub first: Duration,
    /// No pause after refusals is longer than this.
    pub longest: Duration,
}

/// A door: nobody should go through while it is closed.
pub(super) struct Door {
    pauses: Pauses,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    closed_until: Option<Instant>,
    /// How often we were refused in a row.
    refusals: u32,
}

impl Door {
    pub const fn new(pauses: Pauses) -> Self {
        Self {
            pauses,
            state: Mutex::new(State {
                closed_until: None,
                refusals: 0,
            }),
        }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Until when it is closed, if it is.
    pub fn closed_until(&self) -> Option<Instant> {
        let now = Instant::now();
        self.state().closed_until.filter(|until| *until > now)
    }

    /// Whether the last that was heard is a refusal.
    pub fn is_doubtful(&self) -> bool {
        self.state().refusals > 0
    }

    /// Closes after a refusal, for as long as was asked for or else for longer each time. Says
    /// how long.
    pub fn refused(&self, asked: Option<Duration>) -> Duration {
        let mut state = self.state();
        let doubled = 2_u32.saturating_pow(state.refusals);
        let grown = self.pauses.first.saturating_mul(doubled);
        state.refusals = state.refusals.saturating_add(1);
        let pause = asked.unwrap_or_else(|| grown.min(self.pauses.longest));
        state.close(pause);
        pause
    }

    /// Closes for a while, which is no refusal.
    pub fn leave_alone(&self, pause: Duration) {
        self.state().close(pause);
    }

    /// Forgets refusals; says whether there were any.
    pub fn answered(&self) -> bool {
        std::mem::take(&mut self.state().refusals) > 0
    }
}

impl State {
    fn close(&mut self, pause: Duration) {
        let until = Instant::now() + pause;
        self.closed_until = self.closed_until.max(Some(until));
    }
}

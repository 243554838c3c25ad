use std::{
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::{Duration, Instant},
};

/// How long a stall lasts before it is reported.
const PATIENCE: Duration = Duration::from_secs(2);

#[derive(Clone, Debug)]
pub struct Progress(Arc<Mutex<State>>);

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Snapshot {
    pub length: Option<u64>,
    pub position: u64,
    pub lines: u64,
    pub waits_for: Option<String>,
}

#[derive(Debug)]
struct State {
    /// The progress without `waits_for`, which a snapshot computes.
    now: Snapshot,
    furthest: u64,
    doing: Doing,
    moved: Instant,
}

#[derive(Debug)]
enum Doing {
    Reading,
    Sending,
    AwaitingAnswer,
    Waiting {
        why: String,
        until: Instant,
        attempt: u32,
    },
}

impl Default for Progress {
    fn default() -> Self {
        Self(Arc::new(Mutex::new(State {
            now: Snapshot::default(),
            furthest: 0,
            doing: Doing::Reading,
            moved: Instant::now(),
        })))
    }
}

impl Progress {
    fn state(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn change(&self, doing: Doing, change: impl FnOnce(&mut State)) {
        let mut state = self.state();
        state.doing = doing;
        state.moved = Instant::now();
        change(&mut state);
    }

    pub(crate) fn begin(&self, length: Option<u64>) {
        self.change(Doing::Sending, |state| {
            state.now = Snapshot {
                length,
                ..Snapshot::default()
            };
        });
    }

    pub(crate) fn send(&self, position: u64, lines: u64) {
        self.change(Doing::Sending, |state| {
            state.now.position = position;
            state.now.lines = lines;
            state.furthest = state.furthest.max(position);
        });
    }

    pub(crate) fn await_input(&self) {
        if !matches!(self.state().doing, Doing::Reading) {
            self.change(Doing::Reading, |_| {});
        }
    }

    pub(crate) fn await_answer(&self) {
        self.change(Doing::AwaitingAnswer, |_| {});
    }

    pub(crate) fn wait(&self, why: &str, wait: Duration, attempt: u32) {
        let doing = Doing::Waiting {
            why: why.to_owned(),
            until: Instant::now() + wait,
            attempt,
        };
        self.change(doing, |_| {});
    }

    pub(crate) fn furthest(&self) -> u64 {
        self.state().furthest
    }

    pub(crate) fn idle_time(&self) -> Duration {
        let state = self.state();
        match state.doing {
            Doing::Reading => Duration::ZERO,
            _ => state.moved.elapsed(),
        }
    }

    pub fn snapshot(&self) -> Snapshot {
        self.state().at(Instant::now())
    }
}

impl State {
    fn at(&self, now: Instant) -> Snapshot {
        Snapshot {
            waits_for: self.waits_for(now),
            ..self.now
        }
    }

    fn waits_for(&self, now: Instant) -> Option<String> {
        let idle = now.saturating_duration_since(self.moved);
        let what = match &self.doing {
            Doing::Waiting {
                why,
                until,
                attempt,
            } => {
                let left = until.saturating_duration_since(now).as_secs_f64().ceil();
                return Some(format!(
                    "{why}; trying again in {left:.0} s (attempt {attempt})"
                ));
            }
            _ if idle < PATIENCE => return None,
            Doing::Reading => "waiting for input",
            Doing::Sending => "waiting for the service to take more in",
            Doing::AwaitingAnswer => "waiting for the service to answer",
        };
        Some(format!("{what} ({} s)", idle.as_secs()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_snapshot_says_how_far_it_is_and_what_it_waits_for() {
        let progress = Progress::default();
        let at = |after| {
            let state = progress.state();
            state.at(state.moved + Duration::from_secs(after))
        };
        let waits_for = |after| at(after).waits_for.unwrap_or_default();
        assert_eq!(waits_for(3), "waiting for input (3 s)");
        progress.begin(Some(3_000));
        progress.send(1_000, 20);
        let expect = Snapshot {
            length: Some(3_000),
            position: 1_000,
            lines: 20,
            waits_for: None,
        };
        assert_eq!(at(1), expect);
        assert_eq!(
            waits_for(2),
            "waiting for the service to take more in (2 s)"
        );
        progress.await_answer();
        assert_eq!(waits_for(12), "waiting for the service to answer (12 s)");
        progress.wait("the service answered 503", Duration::from_secs(8), 4);
        let again = "the service answered 503; trying again in 8 s (attempt 4)";
        assert_eq!(waits_for(0), again);
        progress.begin(None);
        assert_eq!((at(0).position, progress.furthest()), (0, 1_000));
    }
}

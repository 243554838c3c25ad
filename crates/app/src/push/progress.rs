//! What a push is doing, for whoever watches: a bar on a terminal, elsewhere a line every ten
//! seconds.

use std::{
    io::{self, IsTerminal as _},
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::{Duration, Instant},
};

use indicatif::ProgressBar;
use tokio::{task::JoinHandle, time};

use super::counts::Counts;
use crate::{output, progress};

/// How long nothing may move before it is said.
const PATIENCE: Duration = Duration::from_secs(2);
const REDRAW: Duration = Duration::from_millis(200);
const REPORT: Duration = Duration::from_secs(10);

/// What is known of a push while it goes on, shared by all that takes part in it.
#[derive(Clone, Debug)]
pub struct Progress(Arc<Mutex<State>>);

#[derive(Debug)]
struct State {
    /// The length of the input, in packed bytes.
    length: Option<u64>,
    /// How far it was sent.
    position: u64,
    /// Lines that were sent, while their outcomes are not known.
    lines: u64,
    counts: Counts,
    doing: Doing,
    moved: Instant,
}

#[derive(Debug)]
enum Doing {
    Reading,
    Sending,
    /// Everything is sent.
    AwaitingAnswer,
    Waiting {
        why: String,
        until: Instant,
        attempt: u32,
    },
}

impl Progress {
    pub fn new() -> Self {
        Self(Arc::new(Mutex::new(State {
            length: None,
            position: 0,
            lines: 0,
            counts: Counts::default(),
            doing: Doing::Reading,
            moved: Instant::now(),
        })))
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn now(&self, doing: Doing) {
        let mut state = self.state();
        state.doing = doing;
        state.moved = Instant::now();
    }

    /// Notes that an input of this length is sent from its beginning.
    pub fn start(&self, length: Option<u64>) {
        let mut state = self.state();
        state.length = length;
        state.position = 0;
    }

    /// Notes that lines are awaited.
    pub fn read(&self) {
        self.now(Doing::Reading);
    }

    /// Notes that a request begins.
    pub fn send(&self) {
        self.now(Doing::Sending);
    }

    /// Notes how far the input was sent, and how many lines if their outcomes are not known yet.
    pub fn sent(&self, position: u64, lines: u64) {
        let mut state = self.state();
        // A chunk that is sent again moves nothing back.
        state.position = state.position.max(position);
        state.lines = lines;
        state.moved = Instant::now();
    }

    /// Notes that a body was sent to its end.
    pub fn await_answer(&self) {
        self.now(Doing::AwaitingAnswer);
    }

    /// Notes that a part of an answer has come.
    pub fn moved(&self) {
        self.state().moved = Instant::now();
    }

    /// Notes a wait before the next attempt.
    pub fn wait(&self, why: &str, wait: Duration, attempt: u32) {
        self.now(Doing::Waiting {
            why: why.to_owned(),
            until: Instant::now() + wait,
            attempt,
        });
    }

    /// Notes the outcomes so far.
    pub fn count(&self, counts: &Counts) {
        let mut state = self.state();
        state.counts = *counts;
        state.lines = 0;
    }

    /// How long nothing has moved.
    pub fn idle_time(&self) -> Duration {
        self.state().moved.elapsed()
    }
}

impl State {
    /// What is waited for, else the outcomes: a bar leaves no room for both.
    fn message(&self, now: Instant) -> String {
        self.waits_for(now).unwrap_or_else(|| self.outcomes())
    }

    fn outcomes(&self) -> String {
        let mut parts: Vec<_> = self
            .counts
            .named()
            .iter()
            .filter(|(_, count)| *count > 0)
            .map(|(name, count)| format!("{count} {name}"))
            .collect();
        if self.lines > 0 {
            parts.push(format!("{} lines sent", self.lines));
        }
        parts.join(", ")
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

    /// One line for a log.
    fn line(&self, now: Instant) -> String {
        let place = match self.length {
            Some(length) if length > 0 => {
                format!(
                    "{} %",
                    u128::from(self.position.min(length)) * 100 / u128::from(length)
                )
            }
            _ => format!("{} bytes", self.position),
        };
        let parts = [Some(place), Some(self.outcomes()), self.waits_for(now)];
        let parts = parts.into_iter().flatten().filter(|part| !part.is_empty());
        format!("push: {}", parts.collect::<Vec<_>>().join("; "))
    }
}

/// Shows the progress until it is dropped.
pub struct Display {
    bar: Option<ProgressBar>,
    task: JoinHandle<()>,
}

impl Display {
    pub fn start(progress: &Progress) -> Self {
        let progress = progress.clone();
        if !io::stderr().is_terminal() {
            let task = tokio::spawn(report(progress));
            return Self { bar: None, task };
        }
        let bar = progress::of_input(None);
        Self {
            bar: Some(bar.clone()),
            task: tokio::spawn(draw(progress, bar)),
        }
    }
}

impl Drop for Display {
    fn drop(&mut self) {
        self.task.abort();
        if let Some(bar) = &self.bar {
            bar.finish_and_clear();
        }
    }
}

async fn draw(progress: Progress, bar: ProgressBar) {
    loop {
        {
            let state = progress.state();
            if let Some(length) = state.length
                && bar.length().is_none()
            {
                progress::set_length(&bar, length);
            }
            bar.set_position(state.position);
            bar.set_message(state.message(Instant::now()));
        }
        time::sleep(REDRAW).await;
    }
}

async fn report(progress: Progress) {
    loop {
        time::sleep(REPORT).await;
        let line = progress.state().line(Instant::now());
        output::complain(line);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_says_how_far_it_is_and_what_it_waits_for() {
        let progress = Progress::new();
        let line = |after| {
            let state = progress.state();
            state.line(state.moved + Duration::from_secs(after))
        };
        assert_eq!(line(0), "push: 0 bytes");
        assert_eq!(line(3), "push: 0 bytes; waiting for input (3 s)");
        progress.start(Some(3_000));
        progress.send();
        progress.sent(1_000, 0);
        progress.sent(500, 20);
        assert_eq!(line(1), "push: 33 %; 20 lines sent");
        progress.await_answer();
        let waiting = "push: 33 %; 20 lines sent; waiting for the service to answer (12 s)";
        assert_eq!(line(12), waiting);
        progress.count(&Counts {
            created: 7,
            refused: 1,
            ..Counts::default()
        });
        progress.wait("the service answered 503", Duration::from_secs(8), 4);
        let again = "push: 33 %; 7 created, 1 refused; the service answered 503; \
                     trying again in 8 s (attempt 4)";
        assert_eq!(line(0), again);
        progress.start(None);
        assert!(line(0).starts_with("push: 0 bytes; 7 created"));
    }
}

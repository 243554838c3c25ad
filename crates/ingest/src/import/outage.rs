//! Commands that the store could not answer, and the time of their retry.

use runtime::{Waits, waits};
use tokio::time::Instant;

use super::{execute::Command, ports::PATIENCE};

/// How many commands may fail permanently while others succeed, for example at locked rows. If more
/// fail, the store cannot be written.
const MOST_GIVEN_UP: usize = 16;

pub(super) struct Outage {
    commands: Vec<Command>,
    waits: Waits,
    again: Option<Instant>,
    answered: Option<Instant>,
    /// Whether all commands of the last batch failed, and none is being retried.
    is_away: bool,
    given_up: usize,
}

pub(super) enum Verdict {
    Again,
    /// The command failed for too long, while others succeeded.
    GivenUp,
    TimedOut,
}

impl Outage {
    pub const fn new() -> Self {
        Self {
            commands: Vec::new(),
            waits: waits::after_failures(),
            again: None,
            answered: None,
            is_away: false,
            given_up: 0,
        }
    }

    pub fn note_answer(&mut self) {
        self.answered = Some(Instant::now());
        self.is_away = false;
        self.waits = waits::after_failures();
    }

    pub const fn is_away(&self) -> bool {
        self.is_away
    }

    pub fn judge(&mut self, command: &mut Command) -> Verdict {
        let now = Instant::now();
        let since = *command.failing_since.get_or_insert(now);
        if now - since < PATIENCE {
            return Verdict::Again;
        }
        self.given_up += 1;
        let are_others_answered = self.answered.is_some_and(|answered| answered > since);
        if are_others_answered && self.given_up <= MOST_GIVEN_UP {
            Verdict::GivenUp
        } else {
            Verdict::TimedOut
        }
    }

    pub fn keep(&mut self, failed: Vec<Command>, is_any_answered: bool) {
        if failed.is_empty() {
            return;
        }
        self.commands.extend(failed);
        self.is_away = !is_any_answered;
        let oldest = self.commands.iter().filter_map(|one| one.failing_since);
        let end = oldest.min().map(|since| since + PATIENCE);
        if self.again.is_none() {
            let wait = self.waits.next().unwrap_or_default();
            let again = Instant::now() + wait;
            // The last retry takes place when `PATIENCE` ends.
            self.again = Some(end.map_or(again, |end| again.min(end.max(Instant::now()))));
        }
    }

    pub const fn again(&self) -> Option<Instant> {
        self.again
    }

    pub fn take(&mut self) -> Vec<Command> {
        self.again = None;
        // New commands run beside the retried ones, because perhaps only the retried ones fail.
        self.is_away = false;
        let mut commands = std::mem::take(&mut self.commands);
        commands.sort_unstable_by_key(|command| command.offset);
        commands
    }
}

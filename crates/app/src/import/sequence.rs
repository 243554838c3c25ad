//! The order of an import's commands for the same posting.

use std::collections::{HashMap, VecDeque};

use domain::posting::SourceIdentifier;
use tokio::time::Instant;

use super::{ledger::Place, parse::Work};

/// A command, and the place of its line.
pub(super) struct Command {
    pub place: Place,
    pub work: Work,
    /// When it began to fail.
    pub failing_since: Option<Instant>,
}

/// The commands that wait, of which those with the same identifier are under way one at a time, in
/// the order of their lines. So a command that is tried again is overtaken by none.
#[derive(Default)]
pub(super) struct Sequence {
    ready: VecDeque<Command>,
    /// The identifiers of commands that are ready or under way, with those that wait for them.
    busy: HashMap<SourceIdentifier, VecDeque<Command>>,
}

impl Sequence {
    /// Adds the command of the next line.
    pub fn add(&mut self, command: Command) {
        if let Some(behind) = self.busy.get_mut(command.work.identifier()) {
            behind.push_back(command);
        } else {
            let identifier = command.work.identifier().clone();
            self.busy.insert(identifier, VecDeque::new());
            self.ready.push_back(command);
        }
    }

    /// How many commands can be carried out now.
    pub fn ready(&self) -> usize {
        self.ready.len()
    }

    /// The next commands to carry out.
    pub fn next(&mut self, most: usize) -> Vec<Command> {
        let count = most.min(self.ready.len());
        self.ready.drain(..count).collect()
    }

    /// Notes that a command for a posting was answered: the next one for it is ready.
    pub fn end(&mut self, identifier: &SourceIdentifier) {
        let behind = self.busy.get_mut(identifier);
        match behind.and_then(VecDeque::pop_front) {
            Some(next) => self.ready.push_back(next),
            None => {
                self.busy.remove(identifier);
            }
        }
    }

    /// Takes out all commands that are not under way.
    pub fn drain(&mut self) -> Vec<Command> {
        let behind = self.busy.drain().flat_map(|(_, behind)| behind);
        self.ready.drain(..).chain(behind).collect()
    }
}

//! The order of an import's commands for the same posting.

use std::collections::{HashMap, VecDeque};

use kernel::SourceIdentifier;
use tokio::time::Instant;

use super::{ledger::Place, naming::CompanyKey, parse::Work};

/// A command, and the place of its line.
pub(super) struct Command {
    pub place: Place,
    pub work: Work,
    /// The company that it names, if that is known.
    pub company: Option<CompanyKey>,
    /// When it began to fail.
    pub failing_since: Option<Instant>,
}

/// The commands that wait, of which those with the same identifier are under way one at a time, in
/// the order of their lines. So a command that is tried again is overtaken by none.
#[derive(Default)]
pub(super) struct Sequence {
    ready: VecDeque<Command>,
    /// The identifiers of commands that are ready or under way.
    busy: HashMap<SourceIdentifier, Busy>,
}

/// The commands for a posting after the one that is ready or under way.
#[derive(Default)]
struct Busy {
    behind: VecDeque<Command>,
    /// The company of the posting after all of these, if one of them names it.
    company: Option<CompanyKey>,
}

impl Sequence {
    /// Adds the command of the next line.
    pub fn add(&mut self, command: Command) {
        if let Some(busy) = self.busy.get_mut(command.work.identifier()) {
            busy.company = command.company.or(busy.company);
            busy.behind.push_back(command);
        } else {
            let busy = Busy {
                company: command.company,
                ..Busy::default()
            };
            self.busy.insert(command.work.identifier().clone(), busy);
            self.ready.push_back(command);
        }
    }

    /// The company that commands for a posting which have no answer yet give it.
    pub fn company_of(&self, identifier: &SourceIdentifier) -> Option<CompanyKey> {
        self.busy.get(identifier)?.company
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
        let busy = self.busy.get_mut(identifier);
        match busy.and_then(|busy| busy.behind.pop_front()) {
            Some(next) => self.ready.push_back(next),
            None => {
                self.busy.remove(identifier);
            }
        }
    }

    /// Takes out all commands that are not under way.
    pub fn drain(&mut self) -> Vec<Command> {
        let behind = self.busy.drain().flat_map(|(_, busy)| busy.behind);
        self.ready.drain(..).chain(behind).collect()
    }
}

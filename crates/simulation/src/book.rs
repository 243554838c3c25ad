//! The record of everything sent and done, which the checks compare with the store.

use std::collections::{BTreeMap, BTreeSet};

use kernel::SourceIdentifier;
use newsletter::subscriber::{Email, SubscriberStatus};
use tokio::time::Instant;

use crate::reached::Reached;

/// A push. Its number is its title.
#[derive(Clone, Debug)]
pub struct Sent {
    pub identifier: SourceIdentifier,
    pub at: Instant,
    /// The channel of each attempt: a process, whose pushes keep their order, or an import.
    pub channels: Vec<String>,
    pub is_dry_run: bool,
    /// The processes that got the push. Each may commit it together with later commands.
    pub processes: Vec<String>,
    /// How often the posting had been erased before.
    pub erasures: u32,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Word {
    Down,
    /// No operator has decided, so the rules decide.
    None,
    /// An operator's command is in progress.
    Unknown,
}

#[derive(Debug, Default)]
pub struct Told {
    pub left: BTreeSet<Email>,
    /// The persons who may have left under an address.
    pub may_have_left: BTreeSet<usize>,
    /// The provider's statuses that no process has received.
    pub unheard: Vec<(Email, SubscriberStatus)>,
}

#[derive(Debug, Default)]
pub struct Book {
    pub log: Vec<String>,
    pub violations: Vec<String>,
    pub sent: BTreeMap<u64, Sent>,
    pub titles: BTreeMap<SourceIdentifier, Vec<u64>>,
    /// Numbers that undos took back, perhaps before their line was answered.
    pub undone: BTreeSet<u64>,
    pub words: BTreeMap<SourceIdentifier, Word>,
    pub erasures: BTreeMap<SourceIdentifier, u32>,
    /// How often a number was committed with a lost or late answer.
    pub in_doubt: BTreeMap<u64, usize>,
    pub reached: BTreeSet<Reached>,
    pub subscribers: Told,
}

impl Book {
    pub fn word(&self, identifier: &SourceIdentifier) -> Word {
        self.words.get(identifier).copied().unwrap_or(Word::None)
    }

    pub fn erasures(&self, identifier: &SourceIdentifier) -> u32 {
        self.erasures.get(identifier).copied().unwrap_or_default()
    }

    /// Whether the push is stored, undone or erased, or a push that may replace it is stored.
    pub fn stands(&self, number: u64) -> bool {
        let Some(sent) = self.sent.get(&number) else {
            return false;
        };
        if self.erasures(&sent.identifier) > sent.erasures || self.undone.contains(&number) {
            return true;
        }
        let is_later = |other: &u64| {
            let is_there = |process: &String| sent.processes.contains(process);
            let comes_with_it = |it: &Sent| it.processes.iter().any(is_there);
            // Lines of two imports may reach a lane in another order than they were sent in.
            let is_on_import = sent
                .channels
                .iter()
                .any(|channel| channel.contains("import"));
            let is_late = *other >= number || sent.channels.len() > 1 || is_on_import;
            *other == number || is_late && self.sent.get(other).is_some_and(comes_with_it)
        };
        let titles = self.titles.get(&sent.identifier);
        titles.is_some_and(|titles| titles.iter().any(is_later))
    }
}

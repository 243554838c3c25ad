//! The book of what was said and done, which the checks compare with what is there.

use std::collections::{BTreeMap, BTreeSet};

use kernel::SourceIdentifier;
use newsletter::subscriber::{Email, SubscriberStatus};

use crate::reached::Reached;

/// What was sent under a number, which its title carries.
#[derive(Clone, Debug)]
pub struct Sent {
    /// The posting.
    pub identifier: SourceIdentifier,
    /// What keeps its order: the pushes to a process, or an import. Of each time that it was sent.
    pub channels: Vec<String>,
    /// Whether it must change nothing.
    pub is_dry_run: bool,
    /// The processes that it was sent to, which may commit it together with what came after it.
    pub processes: Vec<String>,
    /// How often the posting had been erased by then.
    pub erasures: u32,
}

/// What an operator said last about a posting.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Word {
    /// It must not be shown.
    Down,
    /// Whatever the rules say.
    None,
    /// An operator is speaking.
    Unknown,
}

/// What is known of those who get the newsletter.
#[derive(Debug, Default)]
pub struct Told {
    /// The addresses that want no mail.
    pub left: BTreeSet<Email>,
    /// The persons who may have left under an address.
    pub may_have_left: BTreeSet<usize>,
    /// What the provider says until it is heard.
    pub unheard: Vec<(Email, SubscriberStatus)>,
}

/// The book.
#[derive(Debug, Default)]
pub struct Book {
    /// The steps, in words.
    pub log: Vec<String>,
    /// What must not be.
    pub violations: Vec<String>,
    /// What was sent, by its number.
    pub sent: BTreeMap<u64, Sent>,
    /// The numbers that postings had one after the other.
    pub titles: BTreeMap<SourceIdentifier, Vec<u64>>,
    /// What operators said last.
    pub words: BTreeMap<SourceIdentifier, Word>,
    /// How often postings were erased.
    pub erasures: BTreeMap<SourceIdentifier, u32>,
    /// How often a commit of a number was done, and its answer lost.
    pub in_doubt: BTreeMap<u64, usize>,
    /// The rare states that were visited.
    pub reached: BTreeSet<Reached>,
    /// Those who get the newsletter.
    pub subscribers: Told,
}

impl Book {
    /// What an operator said last about a posting.
    pub fn word(&self, identifier: &SourceIdentifier) -> Word {
        self.words.get(identifier).copied().unwrap_or(Word::None)
    }

    /// How often a posting was erased.
    pub fn erasures(&self, identifier: &SourceIdentifier) -> u32 {
        self.erasures.get(identifier).copied().unwrap_or_default()
    }

    /// Whether what was sent under a number is there, or something later that was sent to the same
    /// process and came with it.
    pub fn stands(&self, number: u64) -> bool {
        let Some(sent) = self.sent.get(&number) else {
            return false;
        };
        if self.erasures(&sent.identifier) > sent.erasures {
            return true;
        }
        let is_later = |other: &u64| {
            let is_there = |process: &String| sent.processes.contains(process);
            let comes_with_it = |it: &Sent| it.processes.iter().any(is_there);
            // Lines of two imports may come to a lane in another order than they were sent in.
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

//! What the neighbours of a token see of it.

use super::{
    senses::Senses,
    token::{Token, hash},
};
use crate::redact::cues::Cues;

/// The parts of a token that its neighbours see.
#[derive(Clone, Copy)]
pub(super) struct Seen {
    pub(super) word: u64,
    pub(super) shape: u64,
    pub(super) cues: u32,
    pub(super) senses: Senses,
    /// Whether the name, the city or the title has it, and whether a word of the name begins alike.
    pub(super) known: u64,
    /// A hash of the first letters.
    pub(super) head: u64,
    /// A hash of the last letters.
    pub(super) tail: u64,
    /// A word, or a find of the rules.
    pub(super) is_named: bool,
}

/// A neighbour beyond the text.
pub(super) const OUTSIDE: Seen = Seen {
    word: 7,
    shape: 7,
    cues: 0,
    senses: Senses::empty(),
    known: 0,
    head: 0,
    tail: 0,
    is_named: false,
};
/// Of [`Seen::known`].
pub(super) const OF_TITLE: u64 = 1 << 1;
/// The letters of a beginning.
pub(super) const HEAD: usize = 4;
/// Small words and languages tell nothing about a neighbour.
const NO_CUES: Cues = Cues::LANGUAGES.union(Cues::SMALL);

impl Seen {
    pub(super) fn new(token: &Token<'_>, senses: Senses) -> Self {
        const TAIL: usize = 3;
        let cues = token.cues.difference(NO_CUES).bits();
        let start = token.lower.char_indices().nth_back(TAIL - 1);
        Self {
            word: token.id,
            shape: token.shape,
            cues,
            senses,
            known: 0,
            head: head(&token.lower),
            tail: hash(start.map_or(&token.lower, |(start, _)| &token.lower[start..])),
            is_named: token.is_word() || !token.is_open(),
        }
    }
}

pub(super) fn head(lower: &str) -> u64 {
    hash(beginning(lower, HEAD))
}

pub(super) fn beginning(lower: &str, letters: usize) -> &str {
    let end = lower.char_indices().nth(letters);
    end.map_or(lower, |(end, _)| &lower[..end])
}

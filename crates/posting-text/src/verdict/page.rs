//! What a text has of a page and of a job: entries of menus and lists, notices, pay, hours.

use std::{collections::HashSet, sync::LazyLock};

use super::{
    notice::{Seen, normalised},
    refusal::Refusal,
};
use crate::redact::{List, Word, words};

/// A text with at most this many unknown words may be a name: `Borrowdale Logistik GmbH`.
const MAX_NAME: usize = 6;
/// The most letters of a name in a script without capitals.
const MAX_PLAIN_NAME: usize = 6;

/// Whether a text is a list of short lines and at least half of them are entries of menus.
pub(super) fn is_menu(parts: &[&str]) -> bool {
    static ENTRIES: LazyLock<HashSet<&str>> = LazyLock::new(|| {
        let lines = include_str!("tables/menu.txt").lines();
        lines.flat_map(|line| line.split(" | ")).collect()
    });
    const MANY: usize = 5;
    let is_short = |part: &&str| words(part).len() <= MANY && !has_pay(part);
    let is_entry = |part: &&&str| ENTRIES.contains(&*normalised(part));
    parts.len() >= MANY
        && parts.iter().all(is_short)
        && parts.iter().filter(is_entry).count() * 2 >= parts.len()
}

/// Whether a text lists several ads with their ages: `Cook – Leeds – 2 days ago`.
pub(super) fn is_results(parts: &[&str]) -> bool {
    static AGOS: List = List::new(include_str!("tables/agos.txt"));
    static UNITS: List = List::new(include_str!("tables/ages.txt"));
    const MANY: usize = 3;
    const MAX_WORDS: usize = 6;
    let is_age = |part: &&&str| {
        let words = words(part);
        let is_ago = words.iter().any(|it| AGOS.has(&it.lower));
        let is_other =
            |it: &Word<'_>| !(it.is_number() || AGOS.has(&it.lower) || UNITS.has(&it.lower));
        is_ago && words.len() <= MAX_WORDS && !words.iter().any(is_other)
    };
    !parts.iter().any(|part| has_pay(part)) && parts.iter().filter(is_age).count() >= MANY
}

/// Whether most of a text is a page beside or instead of a job, although it has other words.
pub(super) fn is_page(seen: &[Seen], refusal: Refusal, has_job: bool) -> bool {
    let tells_reader = seen.iter().any(|seen| seen.tells_reader);
    let notices: Vec<_> = seen.iter().filter(|seen| seen.refusal.is_some()).collect();
    let whole = notices.iter().filter(|seen| seen.unknown == 0).count();
    let letters: usize = seen.iter().map(|seen| seen.letters).sum();
    let known = letters - seen.iter().map(|seen| seen.unknown).sum::<usize>();
    // The share of the letters that must be known, in percent. It is larger for menus and
    // references, because real ads have them, too. The strict rule decides about a text of one
    // sentence.
    let share = match (refusal, whole, notices.len()) {
        (Refusal::NoContent, ..) => return false,
        (Refusal::Navigation, _, 0..=1) if seen.len() == 1 => return false,
        (Refusal::Navigation, _, 0..=1) => 75,
        (Refusal::Navigation, _, 3..) if !has_job => 45,
        (Refusal::Navigation, ..) => 60,
        (_, 0, _) if seen.len() == 1 => return false,
        (_, 0, 2..) if tells_reader && !has_job => 60,
        (_, 0, _) if tells_reader => 70,
        (_, 0, 1) if seen.len() > 2 && !has_job => 60,
        (_, 0, 1) => 80,
        (_, 0, _) => 50,
        _ if tells_reader => 60,
        _ => 35,
    };
    known.saturating_mul(100) >= letters.saturating_mul(share)
}

pub(super) fn describes(seen: &Seen, refusal: Refusal) -> bool {
    let is_name = seen.plain_words == 0 && seen.unknown_words <= MAX_NAME;
    if seen.unknown == 0 || is_name {
        return false;
    }
    // A menu or a reference is short, so a single unknown word may be the job.
    if seen.tells_reader || matches!(refusal, Refusal::NoContent | Refusal::Navigation) {
        return true;
    }
    if seen.refusal.is_some() {
        let share = if seen.plain_words > 1 { 6 } else { 3 };
        return seen.unknown.saturating_mul(share) > seen.letters;
    }
    let is_slack = seen.plain_words == 1 && seen.unknown.saturating_mul(3) <= seen.letters;
    !is_slack && seen.unknown > MAX_PLAIN_NAME
}

pub(super) fn has_pay(sentence: &str) -> bool {
    sentence.contains(['€', '£', '$', '¥', '₽', '₴', '₺', '₪', '₩'])
        && sentence.contains(|c: char| c.is_ascii_digit())
}

/// Whether a text has hours, such as `30 hours`.
pub(super) fn has_hours(text: &str) -> bool {
    static HOURS: List = List::new(include_str!("tables/hours.txt"));
    let words = words(text);
    let mut pairs = words.windows(2);
    pairs.any(|pair| pair[0].is_number() && HOURS.has(&pair[1].lower))
}

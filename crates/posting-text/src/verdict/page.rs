//! What a text has of a page and of a job: notices, pay, hours.

use super::{
    notice::{PAGES, Seen},
    refusal::Refusal,
};
use crate::redact::{List, words};

/// A text with at most this many unknown words may be a name: `Borrowdale Logistik GmbH`.
const MAX_NAME: usize = 6;
/// The most letters of a name in a script without capitals.
const MAX_PLAIN_NAME: usize = 6;

/// Whether most letters of a text are those of a page, although it has other words, too.
pub(super) fn is_page(seen: &[Seen], refusal: Refusal) -> bool {
    const SHARE: usize = 65;
    let letters: usize = seen.iter().map(|seen| seen.letters).sum();
    let known = letters - seen.iter().map(|seen| seen.unknown).sum::<usize>();
    refusal != Refusal::NoContent && seen.len() > 1 && known * 100 >= letters * SHARE
}

pub(super) fn describes(seen: &Seen, refusal: Refusal) -> bool {
    let is_name = seen.plain_words == 0 && seen.unknown_words <= MAX_NAME;
    if seen.unknown == 0 || is_name {
        return false;
    }
    // A menu or a reference is short, so a single unknown word may be the job.
    if matches!(refusal, Refusal::NoContent | Refusal::Navigation) {
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

/// The text without its menus and footers, unless it has nothing else but names.
pub(super) fn without_menus(text: &str) -> String {
    let is_number = |word: &str| word.contains(|c: char| c.is_ascii_digit());
    let seen = |sentence| (sentence, PAGES.look(sentence, is_number));
    let is_menu = |(sentence, seen): &(&str, Seen)| {
        let is_other = seen.refusal.is_some_and(|it| it != Refusal::Navigation);
        !is_other && (seen.unknown == 0 || sentence.contains('©'))
    };
    let is_name = |seen: &Seen| match seen.plain_words {
        0 => true,
        1 => seen.unknown <= MAX_PLAIN_NAME,
        _ => false,
    };
    let rest = sentences(text).map(seen).filter(|it| !is_menu(it));
    let (rest, seen): (Vec<_>, Vec<_>) = rest.unzip();
    if seen.iter().all(is_name) {
        text.to_owned()
    } else {
        rest.join("\n")
    }
}

pub(super) fn sentences(text: &str) -> impl Iterator<Item = &str> {
    let ends = |(at, c): (usize, char)| match c {
        '。' | '！' | '？' => true,
        '.' | '!' | '?' | '…' | '؟' | '।' => {
            let next = text[at + c.len_utf8()..].chars().next();
            next.is_none_or(char::is_whitespace)
        }
        '/' | '-' | '–' | '—' => {
            text[..at].ends_with(' ') && text[at + c.len_utf8()..].starts_with(' ')
        }
        _ => c.is_control() || matches!(c, '|' | '•' | '·' | '»' | '›' | ';'),
    };
    let mut rest = 0;
    let mut parts = Vec::new();
    for (at, c) in text.char_indices() {
        if ends((at, c)) {
            parts.push(&text[rest..at + c.len_utf8()]);
            rest = at + c.len_utf8();
        }
    }
    parts.push(&text[rest..]);
    let separators = |c: char| c.is_control() || c.is_whitespace() || "|•·»›;/–—-".contains(c);
    let parts = parts
        .into_iter()
        .map(move |part| part.trim_matches(separators));
    parts.filter(|part| !part.is_empty())
}

//! Finds e-mail addresses, also those that are spelled out: `jobs [at] example [dot] org`,
//! `jobs małpa example kropka org`.

use std::cmp::Reverse;

use crate::{
    Budget, Range, Result,
    pattern::patterns,
    redact::{
        cues::{self, Cues},
        vocabulary::is_among,
        web::is_suffix,
        words::Word,
    },
};

/// A local part, a label, and the signs between them, as patterns.
const NAME: &str = r"[\p{L}\p{N}][\p{L}\p{N}._%+'’-]*";
const LABEL: &str = r"[\p{L}\p{N}][\p{L}\p{N}-]*";
const AT: &str = r"(?:\s?[@＠]\s?|\s*[\[({<]\s*(?:at|a|@|ät|æt|arobase|arroba|snabel-?a|krøllalfa|alfakrøll)\s*[\])}>]\s*)";
const DOT: &str = concat!(
    r"(?:\.|\s*[\[({]\s*(?:dot|point|punkt|punto|prikk|punktum|\.)\s*[\])}]\s*",
    r"|\s+(?:dot|point|punkt)\s+)"
);

patterns! {
    /// `jobs (at) example.org`
    WITH_SPOKEN_AT = format!(r"(?i){NAME}{AT}{LABEL}(?:\.{LABEL})+");
    /// `jobs (at) example (dot) org`
    WITH_SPOKEN_SIGNS = format!(r"(?i){NAME}{AT}{LABEL}(?:{DOT}{LABEL})+");
}

/// Finds what is certainly an e-mail address: letters, digits and `._%+'’-` with at least one letter
/// or digit; an `@`; and two or more labels of letters, digits and hyphens, of which one after the
/// first starts with two letters.
pub(crate) fn certain(text: &str) -> impl Iterator<Item = Range> {
    plain(text, true)
}

/// Finds addresses with an `@`; with `needs_name` only those with a label that starts with two
/// letters, as the last one of a domain does.
fn plain(text: &str, needs_name: bool) -> impl Iterator<Item = Range> {
    let mut free = 0;
    text.match_indices('@').filter_map(move |(at, sign)| {
        let after = at + sign.len();
        let start = at - local_part(&text[free..at])?;
        let (length, is_named) = domain(&text[after..])?;
        if needs_name && !is_named {
            return None;
        }
        free = after + length;
        Some(start..free)
    })
}

/// Whether a character may be in a local part.
fn is_local(c: char) -> bool {
    c.is_alphanumeric() || matches!(c, '.' | '_' | '%' | '+' | '\'' | '’' | '-')
}

/// The length in bytes of the local part at the end of a text.
fn local_part(before: &str) -> Option<usize> {
    let run = before.trim_end_matches(is_local).len();
    let start = before[run..].find(char::is_alphanumeric)?;
    Some(before.len() - run - start)
}

/// The length in bytes of a domain at the start of a text, and whether a label after its first one
/// starts with two letters.
fn domain(after: &str) -> Option<(usize, bool)> {
    let first = label(after)?.len();
    let (mut end, mut is_named) = (first, false);
    while let Some(next) = after[end..].strip_prefix('.').and_then(label) {
        is_named |= next.chars().take(2).filter(|c| c.is_alphabetic()).count() == 2;
        end += 1 + next.len();
    }
    (end > first).then_some((end, is_named))
}

fn label(text: &str) -> Option<&str> {
    let inside = |c: char| c.is_alphanumeric() || c == '-';
    let end = text.find(|c| !inside(c)).unwrap_or(text.len());
    text.starts_with(char::is_alphanumeric)
        .then(|| &text[..end])
}

/// Finds e-mail addresses, also obfuscated ones: `jobs [at] example [dot] org`.
pub(crate) fn emails(text: &str, words: &[Word<'_>], budget: &Budget) -> Result<Vec<Range>> {
    // Each `@` is looked at from both sides, and what may be in brackets from its start.
    budget.spend(text.len().saturating_mul(8))?;
    let mut out: Vec<Range> = plain(text, false).collect();
    let is_hidden = may_hide_address(text);
    let forms = [&WITH_SPOKEN_AT, &WITH_SPOKEN_SIGNS];
    for form in forms.into_iter().filter(|_| is_hidden) {
        let known = out.len();
        budget.spend(text.len().saturating_mul(4))?;
        for found in form.find_iter(text) {
            budget.spend(1 + found.len())?;
            let at = out[..known].partition_point(|other| other.end <= found.start());
            let is_free = out[..known]
                .get(at)
                .is_none_or(|other| other.start >= found.end());
            let is_sure = ends_in_suffix(found.as_str())
                && !found.as_str().contains(" the ")
                && !is_handle(found.as_str());
            if is_free && is_sure {
                out.push(found.range());
            }
        }
        out.sort_by_key(|range| range.start);
    }
    let spoken = spoken(text, words, budget)?;
    if !spoken.is_empty() {
        out.extend(spoken);
        out.sort_by_key(|range| (range.start, Reverse(range.end)));
        out.dedup_by(|next, last| next.start < last.end);
    }
    Ok(out)
}

/// Whether this is the name of a messenger and a handle: `Insta @example.team`.
fn is_handle(found: &str) -> bool {
    found.split_once(" @").is_some_and(|(before, _)| {
        let word = before.rsplit(|c: char| !c.is_alphanumeric()).next();
        cues::are_of(&word.unwrap_or_default().to_lowercase(), Cues::HANDLE)
    })
}

/// At signs that are also other words, and count only with a full stop in words.
const AMBIGUOUS: &str = "at a et eta arond malpa ctl";

/// Finds addresses whose signs are spelled out, with or without brackets around them.
fn spoken(text: &str, words: &[Word<'_>], budget: &Budget) -> Result<Vec<Range>> {
    /// The steps for one sign: the words around it.
    const SEARCH_STEPS: usize = 100;
    budget.spend(words.len())?;
    let mut out: Vec<Range> = Vec::new();
    for (at, word) in words.iter().enumerate() {
        if !word.is(Cues::AT) || word.text.len() == 1 && at == 0 {
            continue;
        }
        budget.spend(SEARCH_STEPS)?;
        let found = spoken_at(text, words, at);
        out.extend(found.filter(|found| out.last().is_none_or(|last| last.end <= found.start)));
    }
    Ok(out)
}

/// The address around a word for the at sign.
fn spoken_at(text: &str, words: &[Word<'_>], at: usize) -> Option<Range> {
    /// The most labels of a domain.
    const MAX_LABELS: usize = 5;
    let word = &words[at];
    let local = &words[at.checked_sub(1)?];
    // "snabel-a", "at-merkki"
    let is_tail = |next: &&Word<'_>| {
        &text[word.end()..next.start] == "-" && matches!(&*next.lower, "a" | "merkki" | "märk")
    };
    let tail = words.get(at + 1).filter(is_tail);
    let mut next = at + 1 + usize::from(tail.is_some());
    let end = tail.map_or(word.end(), Word::end);
    let before = &text[local.end()..word.start];
    let first = words.get(next).filter(|first| first.lower != "the")?;
    let is_bracketed = brackets(before, &text[end..first.start])?;
    let mut last = first;
    let mut is_spoken = is_bracketed;
    let mut labels = 1;
    while labels < MAX_LABELS {
        let Some(following) = words.get(next + 1) else {
            break;
        };
        let gap = &text[last.end()..following.start];
        if gap == "." || gap == "-" {
            (last, next) = (following, next + 1);
        } else if following.is(Cues::DOT)
            && let Some(label) = words.get(next + 2)
            && brackets(gap, &text[following.end()..label.start]).is_some()
        {
            is_spoken = true;
            (last, next) = (label, next + 2);
        } else {
            break;
        }
        labels += 1;
    }
    let is_sure = is_spoken || !is_among(AMBIGUOUS, &word.lower);
    if labels < 2 || !is_sure || !ends_in_suffix(last.text) {
        return None;
    }
    // The local part, with full stops and hyphens.
    let run: usize = text[..local.end()]
        .chars()
        .rev()
        .take(64)
        .take_while(|c| is_local(*c))
        .map(char::len_utf8)
        .sum();
    let start = local.end() - run;
    let start = start + text[start..].find(char::is_alphanumeric)?;
    Some(start..last.end())
}

/// Whether brackets are around a word, by what is before and after it, or only spaces; `None` if it
/// is anything else.
fn brackets(before: &str, after: &str) -> Option<bool> {
    let is_short = before.len() <= 4 && after.len() <= 4;
    let (open, close) = (before.trim(), after.trim());
    match (open, close) {
        ("", "") if is_short && !before.is_empty() && !after.is_empty() => Some(false),
        ("(", ")") | ("[", "]") | ("{", "}") | ("<", ">") if is_short => Some(true),
        _ => None,
    }
}

/// Whether a text has an at sign beside a space, or a bracket that may stand for one.
fn may_hide_address(text: &str) -> bool {
    let bracket = |at: usize| {
        let inside = text[at + 1..].trim_start();
        let word = inside
            .split(|c: char| !c.is_alphabetic() && c != '@')
            .next();
        let word = word.unwrap_or_default();
        (1..=12).contains(&word.len())
            && word.starts_with(['@', 'a', 'A', 'ä', 'Ä', 'æ', 'Æ', 's', 'S', 'k', 'K'])
            && inside[word.len()..]
                .trim_start()
                .starts_with([')', ']', '}', '>', '-'])
    };
    ["＠", " @", "@ ", "\n@", "@\n"]
        .iter()
        .any(|sign| text.contains(sign))
        || text
            .bytes()
            .enumerate()
            .any(|(at, byte)| matches!(byte, b'(' | b'[' | b'{' | b'<') && bracket(at))
}

/// Whether the last label is an existing top-level domain.
fn ends_in_suffix(address: &str) -> bool {
    let last = address
        .rsplit(|c: char| !c.is_alphanumeric())
        .next()
        .unwrap_or_default();
    is_suffix(&last.to_lowercase()) && last.chars().count() >= 2
}

//! Finds e-mail addresses, also `jobs [at] example [dot] org` and `jobs małpa example kropka org`.

use crate::{
    Budget, Range, Result,
    redact::{
        cues::Cues,
        found::apart,
        vocabulary::{List, listed},
        web::is_suffix,
        words::{Word, last_word, word_before},
    },
};

/// Finds certain addresses: letters, digits and `._%+'’-` with at least one letter or digit; an
/// `@`; and two or more labels, of which one after the first starts with two letters.
pub(crate) fn certain(text: &str) -> impl Iterator<Item = Range> {
    plain(text, true)
}

/// With `needs_name` only those with a label that starts with two letters.
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

fn is_local(c: char) -> bool {
    c.is_alphanumeric() || matches!(c, '.' | '_' | '%' | '+' | '\'' | '’' | '-')
}

/// Returns the length in bytes of the local part at the end of `before`.
fn local_part(before: &str) -> Option<usize> {
    let run = before.trim_end_matches(is_local).len();
    let start = before[run..].find(char::is_alphanumeric)?;
    Some(before.len() - run - start)
}

/// The length in bytes, and whether a label after the first one starts with two letters.
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

pub(crate) fn emails(text: &str, words: &[Word<'_>], budget: &Budget) -> Result<Vec<Range>> {
    const SEARCH_STEPS: usize = 100;
    // Each `@` is looked at from both sides.
    budget.spend(text.len().saturating_mul(8) + words.len())?;
    let mut out: Vec<Range> = plain(text, false).collect();
    let signs = text.match_indices(['@', '＠', '★', '☆', '●', '◎', '■', '◆']);
    let signs = signs.map(|(at, sign)| at..at + sign.len());
    let spelled = words.iter().filter(|word| word.is(Cues::AT));
    let spelled = spelled.map(|word| word.start..word.end());
    for sign in signs.chain(spelled) {
        budget.spend(SEARCH_STEPS)?;
        out.extend(around(text, words, sign));
    }
    Ok(apart(out))
}

/// These count only with a full stop in words.
static AMBIGUOUS: List = List::new("at a et eta arond malpa ctl");

/// Around an at sign beside spaces or in brackets, or a word for one.
fn around(text: &str, words: &[Word<'_>], sign: Range) -> Option<Range> {
    const MAX_LABELS: usize = 5;
    let mut next = words.partition_point(|word| word.start < sign.end);
    let local = word_before(
        words,
        words.partition_point(|word| word.end() <= sign.start),
    )?;
    let spelled = word_before(words, next).filter(|word| word.start == sign.start);
    // "snabel-a", "at-merkki"
    let is_tail = |next: &&Word<'_>| {
        &text[sign.end..next.start] == "-" && matches!(&*next.lower, "a" | "merkki" | "märk")
    };
    let tail = words.get(next).filter(|_| spelled.is_some());
    let tail = tail.filter(is_tail);
    next += usize::from(tail.is_some());
    let end = tail.map_or(sign.end, Word::end);
    let first = words.get(next).filter(|first| first.lower != "the")?;
    let (before, after) = (&text[local.end()..sign.start], &text[end..first.start]);
    let is_bracketed = brackets(before, after);
    let mut is_announced = match spelled {
        Some(_) => is_bracketed?,
        // "Insta @example.team" is a handle.
        None => {
            is_bracketed == Some(true)
                || before.len() + after.len() <= 2
                    && before.trim().is_empty()
                    && after.trim().is_empty()
                    && !(before == " " && local.is(Cues::HANDLE))
        }
    };
    if spelled.is_none() && !is_announced {
        return None;
    }
    let is_sure = spelled.is_none_or(|word| !AMBIGUOUS.has(&word.lower));
    let mut last = first;
    // The last label that ends a domain.
    let mut end_of_domain = None;
    for _ in 1..MAX_LABELS {
        let Some(following) = words.get(next + 1) else {
            break;
        };
        let gap = &text[last.end()..following.start];
        if matches!(gap.trim(), "." | "-" | "[.]" | "(.)" | "{.}")
            && (gap.len() == 1 || gap.len() > 2)
        {
            (last, next) = (following, next + 1);
        } else if following.is(Cues::DOT)
            && let Some(label) = words.get(next + 2)
            && let Some(is_bracketed) = brackets(gap, &text[following.end()..label.start])
            && (is_sure || is_bracketed || !is_prose(&following.lower, &label.lower))
        {
            is_announced = true;
            (last, next) = (label, next + 2);
        } else {
            break;
        }
        let suffix = last_word(last.text);
        if suffix.chars().nth(1).is_some() && is_suffix(&suffix.to_lowercase()) {
            end_of_domain = Some(last.end());
        }
    }
    let end = end_of_domain.filter(|_| is_announced || is_sure)?;
    Some(local.end() - local_part(&text[..local.end()])?..end)
}

/// `at any point in`, `a cada punto de`: such a word is no full stop, although a domain may follow.
fn is_prose(stop: &str, next: &str) -> bool {
    let words = match stop {
        "point" => "in it is to so me my us no at as",
        "punto" | "ponto" | "punct" | "punt" => "de es la se no",
        "pont" | "punkt" => "az ez is ha to do er",
        _ => "",
    };
    listed(words).any(|word| word == next)
}

/// Whether brackets surround a word, or only spaces; `None` for anything else.
fn brackets(before: &str, after: &str) -> Option<bool> {
    let is_short = before.len() <= 4 && after.len() <= 4;
    let (open, close) = (before.trim(), after.trim());
    match (open, close) {
        ("", "") if is_short && !before.is_empty() && !after.is_empty() => Some(false),
        ("(", ")") | ("[", "]") | ("{", "}") | ("<", ">") if is_short => Some(true),
        _ => None,
    }
}

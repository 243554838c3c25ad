//! Finds names in messengers and networks: `@example_jobs`, `微信：example123`.

use super::{
    cues::Cues,
    found::apart,
    script::is_unspaced,
    vocabulary::List,
    words::{Word, is_digits},
};
use crate::{Budget, Range, Result};

/// Annotations, rules of style sheets, packages.
static CODE: List = List::new(include_str!("tables/code_signs.txt"));

pub(super) fn handles(text: &str, words: &[Word<'_>], budget: &Budget) -> Result<Vec<Range>> {
    static CUES: List = List::new("微信 微信号 微信號 카톡 카카오톡");
    const SEARCH_STEPS: usize = 100;
    let mut out: Vec<Range> = Vec::new();
    budget.spend(text.len() + words.len())?;
    for (at, sign) in text.match_indices(['@', '＠']) {
        budget.spend(SEARCH_STEPS)?;
        out.extend(at_sign(text, at, sign.len()));
    }
    for (at, word) in words.iter().enumerate() {
        let ends = || word.is_unspaced() && CUES.ends(&word.lower);
        if word.is(Cues::HANDLE) || ends() {
            budget.spend(SEARCH_STEPS)?;
            out.extend(after_cue(text, words, at));
        }
    }
    Ok(apart(out))
}

fn at_sign(text: &str, at: usize, length: usize) -> Option<Range> {
    let before = &text[..at];
    let start = at + length;
    // A token may have hidden a letter or a digit before the sign.
    let is_inside = |c: char| c.is_alphanumeric() && !is_unspaced(c) || "._-/@]".contains(c);
    if before.ends_with(is_inside) {
        return None;
    }
    let mut end = start + name(&text[start..])?;
    let found = &text[start..end];
    // "@example@social.example": a name and its server.
    while let Some(server) = text[end..].strip_prefix('@').and_then(name) {
        end += 1 + server;
    }
    // "@angular/core", "@Override", "a @ 12 €"
    let is_code = text[end..].starts_with(['/', '(', '{'])
        || CODE.has(found)
        || (found.starts_with(|c: char| c.is_ascii_uppercase())
            && !found.contains(['_', '.'])
            && !found.contains(|c: char| c.is_ascii_digit())
            && found.chars().skip(1).any(|c| c.is_ascii_lowercase()));
    (!is_code).then_some(at..end)
}

/// ASCII letters, digits, `_`, `.` and `-`.
fn name(text: &str) -> Option<usize> {
    const MAX_LENGTH: usize = 32;
    let inside = |b: &u8| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'.' | b'-');
    let length = text.bytes().take(MAX_LENGTH + 1).take_while(inside).count();
    let name = text[..length].trim_end_matches(['.', '-']);
    let letters = name.bytes().filter(u8::is_ascii_alphanumeric).count();
    let begins = name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_');
    (begins && letters >= 3 && length <= MAX_LENGTH).then_some(name.len())
}

/// After the name of a messenger, and a colon or a word for a name.
fn after_cue(text: &str, words: &[Word<'_>], at: usize) -> Option<Range> {
    static NAMES: List = List::new("id 号 號 아이디 nick user name konto account 用户名 is кanal");
    let mut last = &words[at];
    let mut is_announced = false;
    for next in at + 1..=at + 2 {
        let word = words.get(next)?;
        let gap = &text[last.end()..word.start];
        is_announced |= gap.contains([':', '：']);
        if gap.len() > 8 || gap.contains(['\n', ',', '.', ';']) || gap.contains('@') {
            return None;
        }
        if NAMES.has(&word.lower) {
            is_announced = true;
            last = word;
            continue;
        }
        let rest = &text[word.start..];
        let number = word.text.len() >= 5 && is_digits(word.text);
        let length = if number {
            Some(word.text.len())
        } else {
            name(rest)
        }?;
        let found = &rest[..length];
        let is_sign = |c: char| c == '_' || c == '.' || c.is_ascii_digit();
        let is_short = text[words[at].end()..word.start].contains([':', '：']);
        // "Instagram is our stage": after a verb a word is none.
        let is_name = found.contains(is_sign)
            || (is_short
                && found.chars().all(|c| c.is_ascii_lowercase())
                && !word.is(Cues::LANGUAGES | Cues::SMALL | Cues::VERB)
                && !rest[length..]
                    .trim_start_matches(' ')
                    .starts_with(|c: char| c.is_alphanumeric() || c == '['));
        // A telephone number has more digits, or begins with a plus.
        let is_phone = number
            && (found.starts_with('0')
                || words[at].lower == "whatsapp"
                || words[at].lower == "viber");
        return ((is_announced || found.contains('_') || words[at].lower == "qq")
            && is_name
            && !is_phone)
            .then_some(word.start..word.start + length);
    }
    None
}

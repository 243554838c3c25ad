//! Repairs the source of a description: characters, excess escaping, and false tags.

use std::{borrow::Cow, collections::HashSet};

use regex::Captures;
use unicode_normalization::{IsNormalized, UnicodeNormalization, is_nfc_quick};

use super::{
    encoded,
    tags::{Tag, is_flag, is_word, tag},
};
use crate::{Budget, Result, document::is_unseen, pattern::patterns};

patterns! {
    /// A `<` before a name, in other spellings than `&lt;`.
    OTHER_TAG = r"&(?:#0*60|#[xX]0*3[cC]|LT);/?[A-Za-z!]";
    OTHER_SIGN = r"&(?:#0*(?:60|62|34|38)|#[xX]0*(?:3[cCeE]|22|26)|LT|GT|QUOT|AMP);";
    ESCAPED_TAG = r"(?i)&lt;(/?)([a-z][a-z0-9]*)\b[^<>]{0,500}?/?&gt;";
}

const MAX_UNESCAPES: usize = 4;

pub(super) fn repaired<'a>(raw: &'a str, budget: &Budget) -> Result<(Cow<'a, str>, TagCounts)> {
    let raw = encoded::decoded(raw, budget)?;
    budget.spend(raw.len().saturating_mul(8))?;
    let text = match raw {
        Cow::Borrowed(raw) => characters(raw),
        Cow::Owned(raw) => Cow::Owned(characters(&raw).into_owned()),
    };
    Ok(real_tags(unescape(text, budget)?))
}

/// Normalises line feeds, and removes invisible characters, which break words (`U<soft hyphen>ber`)
/// and change the direction of text.
pub(super) fn characters(raw: &str) -> Cow<'_, str> {
    let raw = if raw.contains('\r') {
        Cow::Owned(raw.replace("\r\n", "\n"))
    } else {
        Cow::Borrowed(raw)
    };
    let raw = match is_nfc_quick(unusual(&raw)) {
        IsNormalized::Yes => raw,
        _ => Cow::Owned(normalised(&raw)),
    };
    let odd = |c: &char| is_line_feed(*c) || is_invisible(*c);
    if !unusual(&raw).any(|c| odd(&c)) {
        return raw;
    }
    let mut text = String::with_capacity(raw.len());
    for piece in raw.split_inclusive(|c| !is_usual(c) && odd(&c)) {
        let last = piece.chars().next_back().filter(odd);
        let end = piece.len() - last.map_or(0, char::len_utf8);
        text.push_str(&piece[..end]);
        text.extend(last.filter(|c| is_line_feed(*c)).map(|_| '\n'));
    }
    Cow::Owned(text)
}

/// No mark joins a space, so each word can be normalised alone.
fn normalised(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for word in text.split_inclusive(' ') {
        match is_nfc_quick(unusual(word)) {
            IsNormalized::Yes => out.push_str(word),
            _ => out.extend(word.nfc()),
        }
    }
    out
}

/// The characters beside those of most texts, which are visible and normalised.
fn unusual(text: &str) -> impl Iterator<Item = char> {
    const PIECE: usize = 32;
    let mut rest = text;
    let pieces = std::iter::from_fn(move || {
        let (piece, after) = rest.split_at(rest.ceil_char_boundary(PIECE));
        rest = after;
        (!piece.is_empty()).then_some(piece)
    });
    // All bytes of a piece are compared at once.
    let is_odd = |b: u8| u8::from(!matches!(b, b'\n' | b'\t' | b' '..=b'~'));
    let odd = pieces.filter(move |it| it.bytes().fold(0, |sum, b| sum | is_odd(b)) > 0);
    odd.flat_map(str::chars).filter(|c| !is_usual(*c))
}

const fn is_usual(c: char) -> bool {
    matches!(c, '\n' | '\t' | ' '..='~' | '\u{a0}'..='\u{ac}' | '\u{ae}'..='\u{2ff}'
        | 'А'..='я' | '‐'..='…' | '€')
}

const fn is_line_feed(c: char) -> bool {
    matches!(
        c,
        '\r' | '\u{b}' | '\u{c}' | '\u{85}' | '\u{2028}' | '\u{2029}'
    )
}

fn is_invisible(c: char) -> bool {
    is_unseen(c) || (c.is_control() && !c.is_whitespace())
}

/// Resolves repeated escaping (`&amp;amp;`) and escaped markup (`&lt;p&gt;`).
fn unescape<'a>(mut text: Cow<'a, str>, budget: &Budget) -> Result<Cow<'a, str>> {
    for _ in 0..MAX_UNESCAPES {
        budget.spend(text.len().saturating_mul(MAX_UNESCAPES))?;
        for _ in 0..MAX_UNESCAPES {
            text = without_escaped_entities(text);
            if OTHER_TAG.is_match(&text) {
                let usual = |found: &Captures<'_>| match encoded::character(&found[0]).as_deref() {
                    Some("<") => "&lt;",
                    Some(">") => "&gt;",
                    Some("&") => "&amp;",
                    _ => "&quot;",
                };
                text = Cow::Owned(OTHER_SIGN.replace_all(&text, usual).into_owned());
            }
        }
        if !text.contains("&lt;") {
            break;
        }
        // The search for a tag may read 500 characters, and start at each of them again.
        budget.spend(text.len().saturating_mul(20))?;
        let Some(plain) = without_escaped_tags(&text) else {
            break;
        };
        text = Cow::Owned(plain);
    }
    Ok(text)
}

/// Unescapes pieces between tags that are escaped markup. `None` if there are none.
fn without_escaped_tags(text: &str) -> Option<String> {
    let mut out = String::new();
    let mut copied = 0;
    let mut at = 0;
    while at < text.len() {
        let start = at;
        let end = text[at..].find('<').map_or(text.len(), |tag| at + tag);
        // The piece ends at the next `<`, even if no tag begins there. The search continues after
        // the next `>`.
        at = text[end..]
            .find('>')
            .map_or(text.len(), |close| end + close + 1);
        let piece = &text[start..end];
        if !text[..start].ends_with("<code>") && is_escaped(piece, piece.len() == text.len()) {
            out.push_str(&text[copied..start]);
            out.push_str(
                &piece
                    .replace("&lt;", "<")
                    .replace("&gt;", ">")
                    .replace("&quot;", "\"")
                    .replace("&amp;", "&"),
            );
            copied = end;
        }
    }
    (copied > 0).then(|| out + &text[copied..])
}

/// Whether a text begins with an escaped tag, or has elements around words. A text about web
/// development may mention a tag or two.
fn is_escaped(piece: &str, is_whole: bool) -> bool {
    if !piece.contains("&lt;") {
        return false;
    }
    let (mut sure, mut around, mut begins) = (0, 0, false);
    let (mut last_end, mut has_value) = (0, false);
    for found in ESCAPED_TAG.captures_iter(piece) {
        let Some(tag) = tag(&found[2].to_ascii_lowercase()) else {
            continue;
        };
        let range = found.get(0).map_or(0..0, |whole| whole.range());
        let is_end = &found[1] == "/";
        begins |= last_end == 0 && piece[..range.start].trim().is_empty();
        let before = piece[last_end..range.start].chars().next_back();
        let rest = &piece[range.end..];
        let is_beside = |c: Option<char>| c.is_some_and(|c| !c.is_whitespace() && c != ',');
        // Before lower case, a comma or a full stop, the text only mentions the tag `<br>`.
        let begins_line = || {
            let next = rest.trim_start().chars().next();
            next.is_none_or(|c| !c.is_lowercase() && c != ',' && c != '.')
        };
        sure += usize::from(is_end || tag == Tag::Break);
        let is_around = match tag {
            Tag::Break => (is_beside(before) && !rest.starts_with([',', '.'])) || begins_line(),
            _ => is_end && last_end < range.start && is_beside(before),
        };
        // Several words, a link or a break within words are no example of the tag.
        let is_meant = match tag {
            Tag::Break => is_beside(before) && rest.starts_with(char::is_alphanumeric),
            Tag::Styled(_) | Tag::Link | Tag::Inline => {
                has_value || piece[last_end..range.start].trim().contains(' ')
            }
            _ => false,
        };
        around += usize::from(is_around) * (1 + usize::from(is_meant));
        has_value = found[0].contains('=');
        last_end = range.end;
    }
    sure > 0 && (begins || around > usize::from(!is_whole))
}

fn without_escaped_entities(text: Cow<'_, str>) -> Cow<'_, str> {
    replace_some(text, "&amp;", |text, at| {
        let rest = &text[at + "&amp;".len()..];
        let name = rest
            .bytes()
            .take(33)
            .take_while(|b| b.is_ascii_alphanumeric() || *b == b'#')
            .count();
        let is_known = || encoded::character(&format!("&{}", &rest[..=name])).is_some();
        (name > 0 && rest[name..].starts_with(';') && is_known()).then_some("&")
    })
}

pub(super) fn replace_some<'a>(
    text: Cow<'a, str>,
    sign: &str,
    mut with: impl FnMut(&str, usize) -> Option<&'static str>,
) -> Cow<'a, str> {
    let mut out = String::new();
    let mut copied = 0;
    // One character is found in far fewer steps than several. No sign overlaps itself.
    let first = sign.chars().next().unwrap_or_default();
    let found = text.match_indices(first);
    for (at, _) in found.filter(|(at, _)| text[*at..].starts_with(sign)) {
        if let Some(instead) = with(&text, at) {
            out.push_str(&text[copied..at]);
            out.push_str(instead);
            copied = at + sign.len();
        }
    }
    if copied == 0 {
        return text;
    }
    out.push_str(&text[copied..]);
    Cow::Owned(out)
}

#[derive(Clone, Copy, Debug, Default)]
pub(super) struct TagCounts {
    pub(super) all: usize,
    pub(super) blocks: usize,
    pub(super) breaks: usize,
    pub(super) raw: bool,
}

/// Escapes every `<` that starts no HTML tag, such as placeholders (`<your name>`), code
/// (`List<String>`), addresses (`<a@b.com>`) and an unfinished last tag.
fn real_tags(text: Cow<'_, str>) -> (Cow<'_, str>, TagCounts) {
    let mut seen = TagCounts::default();
    if !text.contains('<') {
        return (text, seen);
    }
    let (last_end, last_comment_end) = (text.rfind('>'), text.rfind("-->"));
    let mut ends: Option<HashSet<String>> = None;
    let text = replace_some(text, "<", |text, at| {
        let rest = &text[at + 1..];
        let has_end = last_end.is_some_and(|end| end > at);
        let is_kept = if rest.starts_with("!--") {
            last_comment_end.is_some_and(|end| end > at)
        } else if rest.starts_with(['!', '?']) {
            let name = rest[1..].get(..7).unwrap_or_default().to_ascii_lowercase();
            let begins = |start: &&str| name.starts_with(start);
            has_end && (name == "doctype" || ["xml", "[if", "[endif]"].iter().any(begins))
        } else {
            has_end
                && count(rest, &mut seen, || {
                    ends.get_or_insert_with(|| end_tags(text))
                })
        };
        (!is_kept).then_some("&lt;")
    });
    (text, seen)
}

fn end_tags(text: &str) -> HashSet<String> {
    let ends = text.match_indices("</");
    ends.filter_map(|(at, sign)| Some(name(&text[at + sign.len()..])?.to_ascii_lowercase()))
        .collect()
}

fn name(rest: &str) -> Option<&str> {
    let ends = |b: u8| b.is_ascii_whitespace() || b == b'>' || b == b'/';
    let end = rest.bytes().take(48).position(ends)?;
    rest.get(..end)
}

fn count<'e>(
    rest: &str,
    seen: &mut TagCounts,
    ends: impl FnOnce() -> &'e mut HashSet<String>,
) -> bool {
    let bare = rest.strip_prefix('/').unwrap_or(rest);
    let Some(name) = name(bare) else {
        return false;
    };
    let lower = name.to_ascii_lowercase();
    let Some(tag) = tag(&lower) else {
        return false;
    };
    let attributes = &bare[name.len()..];
    let is_end = bare.len() < rest.len();
    let is_placeholder = !is_end
        && (!has_attributes(attributes)
            || (attributes.starts_with('>') && is_word(&lower) && !ends().contains(&lower)));
    if is_placeholder {
        return false;
    }
    seen.all += 1;
    seen.blocks += usize::from(tag.is_block());
    seen.breaks += usize::from(tag == Tag::Break);
    seen.raw |= tag == Tag::DroppedRaw;
    true
}

/// Whether only attributes follow a tag's name, or nothing. `<Time to be agreed>` has words.
fn has_attributes(rest: &str) -> bool {
    const MAX_LENGTH: usize = 200;
    let rest = &rest[..rest.floor_char_boundary(MAX_LENGTH)];
    let Some(end) = rest.find('>') else {
        return rest.contains('=') || rest.starts_with('/');
    };
    let inner = rest[..end].trim_end_matches(['/', ' ']);
    inner.contains('=') || inner.split_whitespace().all(is_flag)
}

//! Mends the source of a description: characters, text that was escaped too often, and signs that
//! only look like tags.

use std::borrow::Cow;

use regex::Captures;
use unicode_normalization::{IsNormalized, UnicodeNormalization, is_nfc_quick};

use super::tags::{Tag, tag};
use crate::{Budget, Result, document::is_unseen, pattern::patterns};

patterns! {
    /// `\n` as two characters, or a path, which may have them.
    LINE_FEED = r"(?:[A-Za-z]:|\\)\\\S*|(?:\\r)?\\n";
    ESCAPED_TAG = r"(?i)&lt;(/?)([a-z][a-z0-9]*)\b[^<>]{0,500}?/?&gt;";
}

/// How many levels of escaping are undone.
const MAX_UNESCAPES: usize = 4;

/// Mends a description, and counts its tags.
pub(super) fn mended<'a>(raw: &'a str, budget: &Budget) -> Result<(Cow<'a, str>, TagCounts)> {
    // Each of the passes below reads every character once or twice.
    budget.spend(raw.len().saturating_mul(8))?;
    let text = literal_line_feeds(characters(raw));
    Ok(real_tags(without_cdata(unescape(text, budget)?)))
}

/// Normalises line feeds, and removes invisible characters, which break words (`U<soft hyphen>ber`)
/// and change the direction of text.
pub(super) fn characters(raw: &str) -> Cow<'_, str> {
    if raw.bytes().all(|b| matches!(b, b'\n' | b'\t' | 0x20..0x7f)) {
        return Cow::Borrowed(raw);
    }
    let odd = |c: char| {
        matches!(
            c,
            '\r' | '\u{b}' | '\u{c}' | '\u{85}' | '\u{2028}' | '\u{2029}'
        ) || unseen(c)
    };
    let raw = if is_nfc_quick(raw.chars()) == IsNormalized::Yes {
        Cow::Borrowed(raw)
    } else {
        Cow::Owned(raw.nfc().collect())
    };
    if !raw.contains(odd) {
        return raw;
    }
    let unified = raw.replace("\r\n", "\n");
    let text = unified
        .chars()
        .filter(|c| !unseen(*c))
        .map(|c| if odd(c) { '\n' } else { c })
        .collect();
    Cow::Owned(text)
}

fn unseen(c: char) -> bool {
    is_unseen(c) || (c.is_control() && !c.is_whitespace())
}

/// Replaces `\n` typed as two characters, unless it is part of a path such as `C:\new`.
fn literal_line_feeds(text: Cow<'_, str>) -> Cow<'_, str> {
    if !text.contains("\\n") {
        return text;
    }
    let replaced = LINE_FEED.replace_all(&text, |found: &Captures<'_>| {
        let found = &found[0];
        let is_path = found.len() > 4 || found.contains(':') || found.starts_with(r"\\");
        let is_feed = found.ends_with("\\n") && !is_path;
        if is_feed { "\n" } else { found }.to_owned()
    });
    Cow::Owned(replaced.into_owned())
}

/// Undoes escaping that was done too often: `&amp;amp;`, `&lt;p&gt;`.
fn unescape<'a>(mut text: Cow<'a, str>, budget: &Budget) -> Result<Cow<'a, str>> {
    for _ in 0..MAX_UNESCAPES {
        budget.spend(text.len().saturating_mul(MAX_UNESCAPES))?;
        for _ in 0..MAX_UNESCAPES {
            text = without_escaped_entities(text);
        }
        if !text.contains("&lt;") {
            break;
        }
        // The search for a tag may read 500 characters, at each of which another may start.
        budget.spend(text.len().saturating_mul(20))?;
        let mut escaped = 0;
        let mut sure = 0;
        for found in ESCAPED_TAG.captures_iter(&text) {
            if let Some(tag) = tag(&found[2].to_ascii_lowercase()) {
                escaped += 1;
                sure += usize::from(&found[1] == "/" || tag == Tag::Break);
            }
        }
        let (_, seen) = real_tags(Cow::Borrowed(&text));
        // An advertisement for a web developer may well mention a tag or two.
        let wrongly = sure > 0 && (seen.all == 0 || (sure > 1 && escaped > seen.all));
        if !wrongly {
            break;
        }
        text = Cow::Owned(
            text.replace("&lt;", "<")
                .replace("&gt;", ">")
                .replace("&quot;", "\"")
                .replace("&amp;", "&"),
        );
    }
    Ok(text)
}

/// Removes the marks of character data, which feeds leave around a description.
fn without_cdata(text: Cow<'_, str>) -> Cow<'_, str> {
    const START: &str = "<![CDATA[";
    if text.contains(START) || text.trim_end().ends_with("]]>") {
        Cow::Owned(text.replace(START, "").replace("]]>", ""))
    } else {
        text
    }
}

/// Replaces `&amp;nbsp;` by `&nbsp;`.
fn without_escaped_entities(text: Cow<'_, str>) -> Cow<'_, str> {
    replace_some(text, "&amp;", |text, at| {
        let rest = &text.as_bytes()[at + "&amp;".len()..];
        let name = rest
            .iter()
            .take(33)
            .take_while(|b| b.is_ascii_alphanumeric() || **b == b'#')
            .count();
        (name > 0 && rest.get(name) == Some(&b';')).then_some("&")
    })
}

/// Replaces each `sign` of a text for which `with` gives something else, by its place.
pub(super) fn replace_some<'a>(
    text: Cow<'a, str>,
    sign: &str,
    mut with: impl FnMut(&str, usize) -> Option<&'static str>,
) -> Cow<'a, str> {
    let mut out = String::new();
    let mut copied = 0;
    for (at, found) in text.match_indices(sign) {
        if let Some(instead) = with(&text, at) {
            out.push_str(&text[copied..at]);
            out.push_str(instead);
            copied = at + found.len();
        }
    }
    if copied == 0 {
        return text;
    }
    out.push_str(&text[copied..]);
    Cow::Owned(out)
}

/// How many tags of each sort a text has.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct TagCounts {
    pub(super) all: usize,
    pub(super) blocks: usize,
    pub(super) breaks: usize,
    /// Whether there is an element whose line feeds must be kept.
    pub(super) raw: bool,
}

/// Escapes every `<` that starts no HTML tag. Otherwise placeholders (`<your name>`), code
/// (`List<String>`), addresses (`<a@b.com>`) and an unfinished last tag would be lost.
fn real_tags(text: Cow<'_, str>) -> (Cow<'_, str>, TagCounts) {
    let mut seen = TagCounts::default();
    if !text.contains('<') {
        return (text, seen);
    }
    let (last_end, last_comment_end) = (text.rfind('>'), text.rfind("-->"));
    let text = replace_some(text, "<", |text, at| {
        let rest = &text[at + 1..];
        let ends = last_end.is_some_and(|end| end > at);
        let is_kept = if rest.starts_with("!--") {
            last_comment_end.is_some_and(|end| end > at)
        } else if rest.starts_with(['!', '?']) {
            let name = rest[1..].get(..7).unwrap_or_default().to_ascii_lowercase();
            let begins = |start: &&str| name.starts_with(start);
            ends && (name == "doctype" || ["xml", "[if", "[endif]"].iter().any(begins))
        } else {
            ends && count(rest, &mut seen)
        };
        (!is_kept).then_some("&lt;")
    });
    (text, seen)
}

/// Whether the text after a `<` makes it a tag; if so, counts it.
fn count(rest: &str, seen: &mut TagCounts) -> bool {
    let name = rest.strip_prefix('/').unwrap_or(rest);
    let end = name
        .bytes()
        .take(48)
        .position(|b| b.is_ascii_whitespace() || b == b'>' || b == b'/' || b == b'<');
    let Some(name) = end.and_then(|end| name.get(..end)) else {
        return false;
    };
    let Some(tag) = tag(&name.to_ascii_lowercase()) else {
        return false;
    };
    seen.all += 1;
    seen.blocks += usize::from(tag.is_block());
    seen.breaks += usize::from(tag == Tag::Break);
    seen.raw |= tag == Tag::DroppedRaw;
    true
}

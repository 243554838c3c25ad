//! Decodes descriptions that another program encoded: for an address, as a string, for an e-mail,
//! or as the document of an editor.
//!
//! A text that only mentions `%20`, `\u003c` or `\n` stays as it is.

mod editor;
mod garbled;
mod rtf;
mod shortcodes;

use std::borrow::Cow;

use base64::{Engine as _, engine::general_purpose::STANDARD as BASE64};
use percent_encoding::percent_decode_str;
use regex::{Captures, Regex};

use super::tags::{Tag, tag};
use crate::{
    Budget, Result,
    pattern::{one_of, patterns},
};

patterns! {
    PERCENT_TAG = r"(?i)%(?:25)*3C(%(?:25)*2F|/?)([a-z][a-z0-9]*)(?:%(?:25)*(?:20|2F|3E)|[+/>\s])";
    ESCAPED_SIGN = r"(?i)(?:\\[ux](?:00)?3c(\\?/)?|<(\\/))([a-z][a-z0-9]*)";
    /// Attributes or the last tag have escapes.
    ESCAPED_MARKUP = r#"^<(?:[^<>]*=\\"|(?s:.*)<\\/\w+>$)"#;
    ESCAPED_LINE = one_of(include_str!("encoded/tables/escaped_lines.txt"));
    NAMED_LINE = one_of(include_str!("encoded/tables/named_lines.txt"));
    /// A letter beyond ASCII, within a word.
    ESCAPED_LETTER = concat!(
        r"[A-Za-z]\\u(?:00[c-fC-F]|01[0-7]|201)[0-9a-fA-F]|\\u(?:00[c-fC-F]|01[0-7])[0-9a-fA-F][A-Za-z]",
        r"|(?:\\u0[3-6][0-9a-fA-F]{2}){2}|(?:\\u[3-9a-dA-D][0-9a-fA-F]{3}){2}",
    );
    QUOTED = r#"=3D["']|=(?:C[2-9A-F]|D[0-9A-F])=[89AB][0-9A-F]|=E[0-9A-F](?:=[89AB][0-9A-F]){2}"#;
    /// A letter of Latin-1, within a word.
    QUOTED_LATIN = r"(?:^|\s)\p{L}+=[CDEF][0-9A-F][a-z]";
    /// A space of a form, between words.
    PLUS = r"[\pL\pN.,]\+[\pL\pN%]";
    /// A word goes on in the next line.
    SOFT_BREAK = r"[^=\s] ?=\r?\n[\p{L}<]";
    RESIDUES = one_of(include_str!("encoded/tables/residues.txt"));
    /// The first of two references, or of a reference and another character of two bytes.
    GARBLED_REFERENCE = r"&(?:A(?:tilde|circ|ring|uml)|acirc|ETH|Ntilde|#(?:19[4-7]|20[6-9]|226|[xX](?:[cC][2-5efEF]|[dD][01]|[eE]2)));(?:&[A-Za-z#]|[\x{80}-\x{bf}])";
    REFERENCE = r"&(?:#[0-9]{1,7}|#[xX][0-9a-fA-F]{1,6}|[A-Za-z][A-Za-z0-9]{1,31});";
}

const MAX_LEVELS: usize = 8;

/// Decodes a description. A text with more than [`MAX_LEVELS`] encodings stays as it is.
pub(super) fn decoded<'a>(raw: &'a str, budget: &Budget) -> Result<Cow<'a, str>> {
    let mut text = Cow::Borrowed(raw);
    for _ in 0..=MAX_LEVELS {
        budget.spend(text.len().saturating_mul(4))?;
        let Some(next) = once(&text).filter(|next| next.len() < text.len()) else {
            return Ok(text);
        };
        budget.spend(text.len().saturating_mul(12))?;
        text = Cow::Owned(next);
    }
    Ok(Cow::Borrowed(raw))
}

fn once(text: &str) -> Option<String> {
    whole(text)
        .or_else(|| repaired(text))
        .or_else(|| percent(text))
        .or_else(|| escapes(text))
        .or_else(|| quoted_printable(text))
        .or_else(|| shortcodes::removed(text))
        .or_else(|| without_residues(text))
}

fn repaired(text: &str) -> Option<String> {
    let is_meant = |plain: &str| !plain.is_ascii();
    let has_references = GARBLED_REFERENCE.is_match(text);
    let plain = has_references.then(|| unreferenced(text, is_meant));
    garbled::repaired(plain.as_deref().unwrap_or(text))
}

fn whole(text: &str) -> Option<String> {
    let bare = unwrapped(text.trim());
    let has_references = bare.contains('&') && !bare.contains('<');
    form(bare).or_else(|| form(&has_references.then(|| unreferenced(bare, |_| true))?))
}

fn form(bare: &str) -> Option<String> {
    match bare.as_bytes().first()? {
        b'{' | b'[' if bare.starts_with("{\\rtf") => Some(rtf::text(bare)),
        b'{' | b'[' => editor::html(bare),
        b'b' | b'B' => byte_literal(bare),
        b'"' => serde_json::from_str(bare)
            .ok()
            .filter(|plain: &String| plain.len() + 2 < bare.len() || plain.contains('<')),
        byte if byte.is_ascii_alphanumeric() => base64(bare),
        _ => None,
    }
}

fn unwrapped(text: &str) -> &str {
    ["p", "div", "span"]
        .iter()
        .find_map(|name| {
            let inner = text.strip_prefix('<')?.strip_prefix(name)?;
            let (attributes, inner) = inner.split_once('>')?;
            let inner = inner
                .strip_suffix('>')?
                .strip_suffix(name)?
                .strip_suffix("</")?;
            let is_name = attributes.is_empty() || attributes.starts_with(char::is_whitespace);
            (is_name && !inner.contains('<')).then(|| inner.trim())
        })
        .unwrap_or(text)
}

/// Decodes bytes as Python prints them: `b'caf\xc3\xa9'`.
fn byte_literal(text: &str) -> Option<String> {
    let literal = text.get(1..)?;
    let quote = literal.chars().next().filter(|c| matches!(c, '\'' | '"'))?;
    let inner = literal.strip_prefix(quote)?.strip_suffix(quote)?;
    let mut bytes = Vec::with_capacity(inner.len());
    let mut rest = inner;
    while let Some(at) = rest.find('\\') {
        bytes.extend(&rest.as_bytes()[..at]);
        rest = &rest[at + 1..];
        let (byte, length) = match rest.as_bytes().first()? {
            b'n' => (b'\n', 1),
            b'r' => (b'\r', 1),
            b't' => (b'\t', 1),
            b'x' => (u8::from_str_radix(rest.get(1..3)?, 16).ok()?, 3),
            sign if sign.is_ascii() => (*sign, 1),
            _ => return None,
        };
        bytes.push(byte);
        rest = &rest[length..];
    }
    bytes.extend(rest.as_bytes());
    String::from_utf8(bytes).ok()
}

/// Decodes a text that is base64 as a whole, if the result has a tag or spaces.
fn base64(text: &str) -> Option<String> {
    /// A shorter text may be a word.
    const MIN_LENGTH: usize = 32;
    let is_of_base64 = |b: u8| b.is_ascii_alphanumeric() || matches!(b, b'+' | b'/' | b'=');
    let is_line_end = |b: u8| matches!(b, b'\n' | b'\r');
    if text.len() < MIN_LENGTH || !text.bytes().all(|b| is_of_base64(b) || is_line_end(b)) {
        return None;
    }
    let joined: Vec<u8> = text.bytes().filter(|b| is_of_base64(*b)).collect();
    let plain = String::from_utf8(BASE64.decode(joined).ok()?).ok()?;
    let is_text = |c: char| !c.is_control() || c.is_whitespace();
    (plain.contains([' ', '<']) && plain.chars().all(is_text)).then_some(plain)
}

fn count_tags<'a>(found: impl Iterator<Item = (bool, &'a str)>) -> (usize, usize) {
    let (mut all, mut sure) = (0, 0);
    for (is_end, name) in found {
        if let Some(tag) = tag(&name.to_ascii_lowercase()) {
            all += 1;
            sure += usize::from(is_end || tag == Tag::Break);
        }
    }
    (all, sure)
}

/// Decodes the percent-encoding of addresses and forms: `%3Cp%3ETasks%3C%2Fp%3E`.
fn percent(text: &str) -> Option<String> {
    if !text.contains('%') {
        return None;
    }
    let spaces = text.matches("%20").count();
    let literal = text.matches(' ').count();
    let found = PERCENT_TAG.captures_iter(text);
    let (all, sure) = count_tags(found.map(|found| {
        let [_, end, name] = [0, 1, 2].map(|group| found.get(group).map_or("", |it| it.as_str()));
        (!end.is_empty(), name)
    }));
    let begins = || {
        let start = text.trim_start();
        start.starts_with("%25")
            || start
                .get(..3)
                .is_some_and(|it| it.eq_ignore_ascii_case("%3c"))
    };
    let has_tags = all > 0 && (sure > 1 || (sure > 0 && (literal == 0 || begins())));
    let is_address = text.trim_start().starts_with("http");
    // A form writes a space as a plus sign.
    let is_form = literal == 0 && spaces == 0 && text.contains('+');
    let is_words = text.is_ascii() && !text.contains(['=', '?', '&', '/']);
    let is_words = is_form && is_words && PLUS.find_iter(text).nth(2).is_some();
    let is_text = is_words || (spaces >= 3 && literal * 3 <= spaces);
    if is_address || !(has_tags || is_text) {
        return None;
    }
    let text = if is_form {
        Cow::Owned(text.replace('+', " "))
    } else {
        Cow::Borrowed(text)
    };
    match String::from_utf8(percent_decode_str(&text).collect()) {
        Err(error) if text.is_ascii() => Some(garbled::of_latin(error.as_bytes())),
        plain => plain.ok(),
    }
}

/// Decodes escapes of JSON or JavaScript: `\u003cp\u003e`, `caf\u00e9`, `<\/p>`, `One\n\nTwo`.
fn escapes(text: &str) -> Option<String> {
    if !text.contains('\\') {
        return None;
    }
    let found = ESCAPED_SIGN.captures_iter(text);
    let (_, sure) = count_tags(found.map(|found| {
        let is_end = found.get(1).or(found.get(2)).is_some();
        (is_end, found.get(3).map_or("", |name| name.as_str()))
    }));
    let start = text.trim();
    let begins = start.starts_with("\\u003") || start.starts_with("\\x3");
    let has_tags = sure > 1 || (sure > 0 && begins) || ESCAPED_MARKUP.is_match(start);
    if !has_tags && !has_escaped_lines(start) && !ESCAPED_LETTER.is_match(text) {
        return None;
    }
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find('\\') {
        out.push_str(&rest[..at]);
        rest = &rest[at..];
        let (c, length) = escape(rest).unwrap_or(('\\', 1));
        out.push(c);
        rest = &rest[length..];
    }
    Some(out + rest)
}

/// Whether most lines begin behind an escaped line feed.
fn has_escaped_lines(text: &str) -> bool {
    let count = |pattern: &Regex| pattern.find_iter(text).count();
    text.contains("\\n")
        && count(&ESCAPED_LINE) > count(&NAMED_LINE).max(text.matches('\n').count())
}

fn escape(text: &str) -> Option<(char, usize)> {
    let code = |text: &str, from: usize, to: usize| {
        let digits = text.get(from..to)?;
        let is_hex = digits.bytes().all(|b| b.is_ascii_hexdigit());
        is_hex.then(|| u32::from_str_radix(digits, 16).ok())?
    };
    match text.as_bytes().get(1)? {
        b'u' => {
            let first = code(text, 2, 6)?;
            if !(0xD800..0xDC00).contains(&first) {
                return Some((char::from_u32(first)?, 6));
            }
            let second = text.get(6..).filter(|rest| rest.starts_with("\\u"))?;
            let second = code(second, 2, 6)?.checked_sub(0xDC00)?;
            let c = char::from_u32(0x1_0000 + ((first - 0xD800) << 10) + second)?;
            Some((c, 12))
        }
        b'x' => Some((char::from_u32(code(text, 2, 4)?)?, 4)),
        b'n' => Some(('\n', 2)),
        b'r' | b't' => Some((' ', 2)),
        sign @ (b'"' | b'\'' | b'/' | b'\\') => Some((char::from(*sign), 2)),
        _ => None,
    }
}

/// Decodes the quoted-printable text of an e-mail: `caf=C3=A9`, with lines that end in `=`.
fn quoted_printable(text: &str) -> Option<String> {
    let is_hex = |b: &u8| b.is_ascii_digit() || matches!(b, b'A'..=b'F');
    let is_byte = |(at, _)| {
        let hex = text.as_bytes().get(at + 1..at + 3);
        hex.is_some_and(|hex| hex.iter().all(is_hex))
    };
    let has_bytes = text.match_indices('=').any(is_byte);
    let is_wrapped = || text.contains("=\n") && SOFT_BREAK.find_iter(text).nth(1).is_some();
    let is_latin = || QUOTED_LATIN.find_iter(text).nth(2).is_some();
    if !(has_bytes && (QUOTED.is_match(text) || is_latin()) || is_wrapped()) {
        return None;
    }
    let mut bytes = Vec::with_capacity(text.len());
    let mut decoded = 0;
    let mut rest = text;
    while let Some(at) = rest.find('=') {
        bytes.extend(&rest.as_bytes()[..at]);
        rest = &rest[at + 1..];
        let hex = rest
            .get(..2)
            .filter(|hex| hex.as_bytes().iter().all(is_hex));
        if let Some(byte) = hex.and_then(|hex| u8::from_str_radix(hex, 16).ok()) {
            bytes.push(byte);
            rest = &rest[2..];
            decoded += 1;
        } else if let Some(next) = rest.strip_prefix("\r\n").or(rest.strip_prefix('\n')) {
            rest = next;
            decoded += 1;
        } else {
            bytes.push(b'=');
        }
    }
    bytes.extend(rest.as_bytes());
    let plain = String::from_utf8(bytes);
    let plain = plain.unwrap_or_else(|error| garbled::of_latin(error.as_bytes()));
    (decoded > 0).then_some(plain)
}

/// Replaces character references, also those escaped again, but keeps other signs: `AT&T`.
#[cfg(feature = "redact")]
pub(super) fn without_references(text: Cow<'_, str>) -> Cow<'_, str> {
    let mut text = text;
    for _ in 0..MAX_LEVELS {
        let plain = unreferenced(&text, |_| true);
        if plain == text {
            break;
        }
        text = Cow::Owned(plain.into_owned());
    }
    text
}

/// Replaces the character references whose characters are meant.
fn unreferenced(text: &str, is_meant: impl Fn(&str) -> bool) -> Cow<'_, str> {
    REFERENCE.replace_all(text, |found: &Captures<'_>| {
        let plain = character(&found[0]).filter(|plain| is_meant(plain));
        plain.unwrap_or_else(|| found[0].to_owned())
    })
}

/// The character of a reference that HTML knows.
pub(super) fn character(reference: &str) -> Option<String> {
    let plain = html5gum::Tokenizer::new(reference).find_map(|token| match token {
        Ok(html5gum::Token::String(text)) => String::from_utf8(text.to_vec()).ok(),
        _ => None,
    });
    plain.filter(|plain| plain != reference)
}

/// Removes text that other programs put before a text.
fn without_residues(text: &str) -> Option<String> {
    const SIGNS: [&str; 5] = ["Normal", "Style Definitions", "ontent-", "]]", "<!"];
    let has_some = SIGNS.iter().any(|sign| text.contains(sign));
    let rest = has_some.then(|| RESIDUES.replace_all(text, "$1$2$3$4$5").into_owned());
    rest.filter(|rest| rest.len() < text.len())
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::decoded;
    use crate::{Budget, testing::one_of};

    proptest! {
        #[test]
        fn decoding_again_changes_nothing(
            parts in prop::collection::vec(one_of(
                "%3Cp%3E|%3C%2Fp%3E|%20|%25|\\u003cp\\u003e|\\u003c/p\\u003e|\\u00e9|b'|'|\\x3c|=C3=A9|=3D\"|=\n|\
                 Ã©|â€“|Â|Ã|caf|[et_a b=\"c\"]|[/et_a]|{\"ops\":[{\"insert\":\"a\"}]}|\\nA|\\\"|\"|<\\/p>|&#60;|&Atilde;&copy;|Ã\u{83}Â\u{9f}|<![CDATA[|]]>|a+|{\"text\":\"a b\"}|{\\rtf1 |}| |PHA+YTwvcD4=|a|<p>"
            ), 0..12)
        ) {
            let budget = Budget::unlimited();
            let once = decoded(&parts.concat(), &budget).unwrap().into_owned();
            let again = decoded(&once, &budget).unwrap().into_owned();
            prop_assert_eq!(again, once);
        }
    }
}

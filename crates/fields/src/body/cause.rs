//! Explains why a text is not JSON, with a remedy.

use std::str;

use serde::de::IgnoredAny;

use super::tokens::{Token, TokenKind, Tokens};
use crate::line::shown;

/// The longest word that is shown, in characters.
const WORD: usize = 40;

/// An encoding of bytes that cannot be JSON.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Encoding {
    /// Packed by gzip (RFC 1952 §2.3.1).
    Gzip,
    /// Packed by Zstandard (RFC 8878 §3.1.1).
    Zstd,
    /// UTF-16, with or without a byte order mark.
    Utf16,
}

impl Encoding {
    pub fn of(start: &[u8]) -> Option<Self> {
        match start {
            [0x1F, 0x8B, ..] => Some(Self::Gzip),
            [0x28, 0xB5, 0x2F, 0xFD, ..] => Some(Self::Zstd),
            [0xFF, 0xFE, ..] | [0xFE, 0xFF, ..] | [0, 1..=255, ..] | [1..=255, 0, ..] => {
                Some(Self::Utf16)
            }
            _ => None,
        }
    }

    /// The encoding and a remedy. A compressed body needs an endpoint that accepts
    /// `Content-Encoding`.
    pub const fn cure(self, takes_packed: bool) -> &'static str {
        match (self, takes_packed) {
            (Self::Gzip, true) => "is packed by gzip; send `Content-Encoding: gzip` with it",
            (Self::Zstd, true) => "is packed by zstd; send `Content-Encoding: zstd` with it",
            (Self::Gzip, false) => "is packed by gzip; send it unpacked",
            (Self::Zstd, false) => "is packed by zstd; send it unpacked",
            (Self::Utf16, _) => "is UTF-16; send UTF-8",
        }
    }
}

/// Explains why a body or a line is not JSON. `otherwise` is the parser's message, for causes
/// without an explanation.
pub fn not_json(text: &[u8], is_line: bool, otherwise: &str) -> String {
    if let Some(encoding) = Encoding::of(text) {
        return format!("it {}", encoding.cure(is_line));
    }
    if let Err(error) = str::from_utf8(text) {
        let place = place(text, error.valid_up_to());
        return format!("it is not UTF-8; send UTF-8 ({place})");
    }
    if is_line && let Some(fragment) = fragment(text) {
        return fragment.to_owned();
    }
    if text.trim_ascii_start().starts_with(b"<") {
        return "it is HTML or XML".to_owned();
    }
    match fault(text, is_line) {
        Some((at, why)) => format!("{why} ({})", place(text, at)),
        None if is_line => otherwise.replace(" at line 1 column ", " at column "),
        None => otherwise.to_owned(),
    }
}

fn fragment(line: &[u8]) -> Option<&'static str> {
    let mut tokens = Tokens::from(line, 0);
    let first = tokens.next()?;
    let next = tokens.next();
    let is_member = matches!(first.kind, TokenKind::Text { .. })
        && next.is_some_and(|it| it.kind == TokenKind::Colon);
    match (first.text, next) {
        (b"[" | b"]", _) => Some(
            "it is a part of an array; write each object on its own line, without brackets and \
             commas",
        ),
        (b"{", None) => Some("an object begins and is spread over several lines; write it on one"),
        _ if is_member || first.kind == TokenKind::Close => {
            Some("it is a part of an object; write each object on one line")
        }
        _ => None,
    }
}

fn fault(text: &[u8], is_line: bool) -> Option<(usize, String)> {
    let mut open = 0_usize;
    let mut before: Option<Token<'_>> = None;
    let mut tokens = Tokens::from(text, 0).peekable();
    while let Some(token) = tokens.next() {
        let end = match token.kind {
            TokenKind::Word => token.at + token.text.len(),
            _ => token.at,
        };
        if let Some(fault) = space(text, behind(before), end) {
            return Some(fault);
        }
        let kind = before.map(|before| before.kind);
        let is_name = tokens.peek().is_some_and(|it| it.kind == TokenKind::Colon);
        let is_value = !matches!(
            token.kind,
            TokenKind::Close | TokenKind::Comma | TokenKind::Colon
        );
        let follows_value = matches!(
            kind,
            Some(TokenKind::Text { .. } | TokenKind::Word | TokenKind::Close)
        );
        let why = match token.kind {
            TokenKind::Word if is_comment(token.text) => {
                Some("comments are not JSON; remove them".to_owned())
            }
            _ if is_value && open == 0 && follows_value => Some(several(token, is_line)),
            _ if is_value && follows_value => Some(
                "a comma is missing, or a quotation mark in a string is not written as \\\""
                    .to_owned(),
            ),
            TokenKind::Close if kind == Some(TokenKind::Comma) => {
                Some("a comma has nothing behind it; remove it".to_owned())
            }
            TokenKind::Close | TokenKind::Comma if open == 0 && kind == Some(TokenKind::Close) => {
                let sign = String::from_utf8_lossy(token.text);
                Some(format!("{sign} follows its end; remove it"))
            }
            TokenKind::Word => word(token.text, is_name),
            TokenKind::Text { .. } => string(token),
            _ => None,
        };
        if let Some(why) = why {
            return Some((token.at, why));
        }
        match token.kind {
            TokenKind::Open => open += 1,
            TokenKind::Close => open = open.saturating_sub(1),
            _ => {}
        }
        before = Some(token);
    }
    let is_cut = (open > 0).then(|| (text.len(), ends(is_line).to_owned()));
    space(text, behind(before), text.len()).or(is_cut)
}

fn behind(token: Option<Token<'_>>) -> usize {
    token.map_or(0, |token| token.at + token.text.len())
}

/// Finds a character outside strings that looks like white space but is none in JSON (RFC 8259 §2).
fn space(text: &[u8], start: usize, end: usize) -> Option<(usize, String)> {
    let gap = str::from_utf8(text.get(start..end)?).ok()?;
    let is_blank = |it: char| it.is_whitespace() || it.is_control() || is_invisible(it);
    let is_other = |it: &(usize, char)| is_blank(it.1) && !" \t\r\n".contains(it.1);
    let (at, other) = gap.char_indices().find(is_other)?;
    let why = format!(
        "U+{:04X} is outside of a string, where only spaces, tabs and line breaks may be; \
         remove it",
        u32::from(other)
    );
    Some((start + at, why))
}

/// Whether a character has no width: a byte order mark, a zero-width space or joiner.
const fn is_invisible(character: char) -> bool {
    matches!(character, '\u{feff}' | '\u{200b}'..='\u{200f}' | '\u{2060}')
}

fn is_comment(word: &[u8]) -> bool {
    [&b"//"[..], b"/*", b"#"]
        .iter()
        .any(|it| word.starts_with(it))
}

fn several(token: Token<'_>, is_line: bool) -> String {
    match (token.kind, is_line) {
        (TokenKind::Open, true) => "several objects are on one line; write each on its own line",
        (TokenKind::Open, false) => "it has several objects; send each by itself",
        _ => "something follows its end",
    }
    .to_owned()
}

const fn ends(is_line: bool) -> &'static str {
    if is_line {
        "it ends before its object does: it was cut off, or the object is spread over several \
         lines; write each object on one line"
    } else {
        "it ends before its object does"
    }
}

fn word(text: &[u8], is_name: bool) -> Option<String> {
    let text = String::from_utf8_lossy(text);
    if is_name {
        let name = shown(&text, WORD);
        return Some(format!("the name {name} needs double quotes"));
    }
    if matches!(&*text, "null" | "true" | "false") {
        return None;
    }
    let is_numeric = |byte: u8| byte.is_ascii_digit() || b"+-.eE".contains(&byte);
    if text.bytes().all(is_numeric) {
        return number(&text);
    }
    let cure = match text
        .trim_start_matches(['+', '-'])
        .to_ascii_lowercase()
        .as_str()
    {
        "nan" | "inf" | "infinity" | "none" | "null" | "nil" | "undefined" | "na" | "n/a" => {
            "send null"
        }
        "true" => "send true",
        "false" => "send false",
        _ => "a text needs double quotes",
    };
    Some(format!("{} is not JSON; {cure}", shown(&text, WORD)))
}

fn number(text: &str) -> Option<String> {
    if serde_json::from_str::<IgnoredAny>(text).is_ok() {
        return None;
    }
    let digits = text.trim_start_matches(['+', '-']);
    let cure = if text.starts_with('+') {
        "remove the +"
    } else if digits.starts_with('0') && digits[1..].starts_with(|it: char| it.is_ascii_digit()) {
        "remove its leading zeros, or send it as a text in double quotes"
    } else if digits.starts_with('.') || digits.ends_with('.') {
        "the point needs a digit on both sides"
    } else {
        "a text needs double quotes"
    };
    Some(format!(
        "{} is not a JSON number; {cure}",
        shown(text, WORD)
    ))
}

/// Describes an escape that JSON lacks (RFC 8259 §7).
fn escape(literal: &[u8]) -> Option<String> {
    let mut rest = literal;
    while let Some(at) = rest.iter().position(|byte| *byte == b'\\') {
        rest = rest.get(at + 1..)?;
        let is_whole = |hex: &[u8]| hex.iter().all(u8::is_ascii_hexdigit);
        match *rest.first()? {
            b'"' | b'\\' | b'/' | b'b' | b'f' | b'n' | b'r' | b't' => {}
            b'u' if rest.get(1..5).is_some_and(is_whole) => {}
            b'u' => {
                let why = "\\u needs four hexadecimal digits; write \\\\u if a backslash is meant";
                return Some(why.to_owned());
            }
            b'\'' => return Some("\\' is not an escape of JSON; write '".to_owned()),
            _ => {
                let text = String::from_utf8_lossy(rest);
                let sign = text.chars().find(|it| !it.is_control())?;
                return Some(format!(
                    "\\{sign} is not an escape of JSON; write \\\\{sign} if a backslash is meant"
                ));
            }
        }
        rest = rest.get(1..)?;
    }
    None
}

fn string(token: Token<'_>) -> Option<String> {
    if token.text.starts_with(b"'") {
        return Some("strings need double quotes, not single ones".to_owned());
    }
    let escape = escape(token.text);
    if escape.is_some() {
        return escape;
    }
    let control = token
        .text
        .iter()
        .find(|byte| byte.is_ascii_control() && **byte != 0x7F)?;
    Some(match control {
        b'\n' => "a string has a line break; write \\n".to_owned(),
        b'\r' => "a string has a carriage return; write \\r".to_owned(),
        b'\t' => "a string has a tab; write \\t".to_owned(),
        other => format!("a string has a control character; write \\u{other:04x}, or remove it"),
    })
}

fn place(text: &[u8], at: usize) -> String {
    let before = String::from_utf8_lossy(text.get(..at).unwrap_or(text));
    let line = before.rsplit('\n').next().unwrap_or_default();
    let column = line.chars().count() + 1;
    match before.matches('\n').count() {
        0 => format!("column {column}"),
        lines => format!("line {}, column {column}", lines + 1),
    }
}

#[cfg(test)]
mod tests;

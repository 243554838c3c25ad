//! The reason why a text is not JSON, and what to do about it.

use super::tokens::{Token, TokenKind, Tokens};
use crate::line::shown;

/// The longest word that is shown, in characters.
const WORD: usize = 40;

/// An encoding of bytes that cannot be JSON, with what to do about it.
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
    /// Detects an encoding by the first bytes.
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

    /// The encoding, and what to do about it: packed bodies can be sent only where a
    /// `Content-Encoding` is taken.
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

/// Describes why a body, or a line of one, is not JSON. `otherwise` is what the parser says of it.
pub fn not_json(text: &[u8], is_line: bool, otherwise: &str) -> String {
    if let Some(encoding) = Encoding::of(text) {
        return format!("it {}", encoding.cure(is_line));
    }
    if let Err(error) = std::str::from_utf8(text) {
        let place = place(text, error.valid_up_to());
        return format!("it is not UTF-8; send UTF-8 ({place})");
    }
    if is_line && is_fragment(text) {
        return "it is a part of an object; write each object on one line".to_owned();
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

/// Whether a line is a part of an object that is spread over several lines.
fn is_fragment(line: &[u8]) -> bool {
    let mut tokens = Tokens::from(line, 0);
    let first = tokens.next().map(|token| token.kind);
    let is_member = matches!(first, Some(TokenKind::Text { .. }))
        && tokens.next().is_some_and(|it| it.kind == TokenKind::Colon);
    is_member || matches!(first, Some(TokenKind::Close)) || line.trim_ascii() == b"{"
}

/// Returns the first fault with a known cause, and its offset.
fn fault(text: &[u8], is_line: bool) -> Option<(usize, String)> {
    let mut open = 0_usize;
    let mut before: Option<Token<'_>> = None;
    let mut tokens = Tokens::from(text, 0).peekable();
    while let Some(token) = tokens.next() {
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
            _ if is_value && open == 0 && follows_value => Some(several(token, is_line)),
            _ if is_value && follows_value => Some(
                "a comma is missing, or a quotation mark in a string is not written as \\\""
                    .to_owned(),
            ),
            TokenKind::Close if kind == Some(TokenKind::Comma) => {
                Some("a comma has nothing behind it; remove it".to_owned())
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
    (open > 0).then(|| (text.len(), ends(is_line).to_owned()))
}

/// Describes the text after the end of the object.
fn several(token: Token<'_>, is_line: bool) -> String {
    match (token.kind, is_line) {
        (TokenKind::Open, true) => "several objects are on one line; write each on its own line",
        (TokenKind::Open, false) => "it has several objects; send each by itself",
        _ => "something follows its end",
    }
    .to_owned()
}

/// Describes a text that ends too early.
const fn ends(is_line: bool) -> &'static str {
    if is_line {
        "it ends before its object does: it was cut off, or the object is spread over several lines"
    } else {
        "it ends before its object does"
    }
}

/// Describes the fault of a word.
fn word(text: &[u8], is_name: bool) -> Option<String> {
    let text = String::from_utf8_lossy(text);
    if is_name {
        let name = shown(&text, WORD);
        return Some(format!("the name {name} needs double quotes"));
    }
    let is_number = text
        .bytes()
        .all(|byte| byte.is_ascii_digit() || b"+-.eE".contains(&byte));
    if is_number || matches!(&*text, "null" | "true" | "false") {
        return None;
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

/// Describes the fault of a string.
fn string(token: Token<'_>) -> Option<String> {
    if token.text.starts_with(b"'") {
        return Some("strings need double quotes, not single ones".to_owned());
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

/// The place of an offset for people.
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
mod tests {
    use super::*;

    /// A text, the cause as of a body, and as of a line where that differs.
    const CAUSES: &[(&str, &str, Option<&str>)] = &[
        (
            r#"{"é":NaN}"#,
            "NaN is not JSON; send null (column 6)",
            None,
        ),
        (
            r#"{"a":[1,-Infinity]}"#,
            "-Infinity is not JSON; send null (column 9)",
            None,
        ),
        (
            r#"{"a":None}"#,
            "None is not JSON; send null (column 6)",
            None,
        ),
        (
            r#"{"a":True}"#,
            "True is not JSON; send true (column 6)",
            None,
        ),
        (
            r#"{"a":undefined}"#,
            "undefined is not JSON; send null (column 6)",
            None,
        ),
        (
            r#"{"a":full-time}"#,
            "full-time is not JSON; a text needs double quotes (column 6)",
            None,
        ),
        (
            "{'a': 1}",
            "strings need double quotes, not single ones (column 2)",
            None,
        ),
        ("{a: 1}", "the name a needs double quotes (column 2)", None),
        (
            r#"{"a":1,}"#,
            "a comma has nothing behind it; remove it (column 8)",
            None,
        ),
        (
            "{\n \"a\": [1,\n ]\n}",
            "a comma has nothing behind it; remove it (line 3, column 2)",
            None,
        ),
        (
            "{\"a\":\"b\tc\"}",
            "a string has a tab; write \\t (column 6)",
            None,
        ),
        (
            "{\"a\":\"b\nc\"}",
            "a string has a line break; write \\n (column 6)",
            None,
        ),
        (
            "{\"a\":\"\u{1}\"}",
            "a string has a control character; write \\u0001, or remove it (column 6)",
            None,
        ),
        (
            r#"{"a":"5" pipe"}"#,
            "a comma is missing, or a quotation mark in a string is not written as \\\" (column 10)",
            None,
        ),
        (
            r#"{"a":1}{"a":2}"#,
            "it has several objects; send each by itself (column 8)",
            Some("several objects are on one line; write each on its own line (column 8)"),
        ),
        ("{} x", "something follows its end (column 4)", None),
        (
            r#"{"a":"#,
            "it ends before its object does (column 6)",
            Some(
                "it ends before its object does: it was cut off, or the object is spread over \
                     several lines (column 6)",
            ),
        ),
        (
            r#""a": 1,"#,
            "otherwise at line 1 column 9",
            Some("it is a part of an object; write each object on one line"),
        ),
        (
            "},",
            "otherwise at line 1 column 9",
            Some("it is a part of an object; write each object on one line"),
        ),
        ("<html>", "it is HTML or XML", None),
        (
            r#"{"a":1.2.3}"#,
            "otherwise at line 1 column 9",
            Some("otherwise at column 9"),
        ),
        (
            r#"{"a" 1e5}"#,
            "a comma is missing, or a quotation mark in a string is not written as \\\" (column 6)",
            None,
        ),
    ];

    #[test]
    fn a_cause_names_its_cure_and_its_place() {
        for (text, of_body, of_line) in CAUSES {
            let why = |is_line| not_json(text.as_bytes(), is_line, "otherwise at line 1 column 9");
            assert_eq!(why(false), *of_body, "{text}");
            assert_eq!(why(true), of_line.unwrap_or(of_body), "{text}");
        }
    }

    #[test]
    fn a_byte_order_mark_is_skipped() {
        assert_eq!(crate::body::text(b"\xEF\xBB\xBF{}"), Ok("{}"));
    }

    #[test]
    fn bytes_of_another_encoding_are_named() {
        for (bytes, expect) in [
            (
                &b"\x1F\x8B\x08"[..],
                "it is packed by gzip; send it unpacked",
            ),
            (
                b"\x28\xB5\x2F\xFD",
                "it is packed by zstd; send it unpacked",
            ),
            (b"\xFF\xFE{\0", "it is UTF-16; send UTF-8"),
            (b"{\0\"\0", "it is UTF-16; send UTF-8"),
            (b"\0{\0\"", "it is UTF-16; send UTF-8"),
            (
                b"{\"a\":\"caf\xe9\"}",
                "it is not UTF-8; send UTF-8 (column 10)",
            ),
        ] {
            assert_eq!(not_json(bytes, false, ""), expect);
        }
    }
}

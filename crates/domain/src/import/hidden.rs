//! Signs that a damaged line contains the object of another line, whose identifier may be lost.

use std::{collections::HashMap, str};

use fields::body::Nesting;

/// Whether a byte may be between or after objects without belonging to one.
pub(super) const fn is_separator(byte: u8) -> bool {
    byte.is_ascii_whitespace() || matches!(byte, b',' | b';' | b'}' | b']' | b')')
}

pub(super) fn has_garbage(line: &[u8]) -> bool {
    let is_garbage = |byte: &u8| byte.is_ascii_control() && !byte.is_ascii_whitespace();
    str::from_utf8(line).is_err() || line.iter().any(is_garbage)
}

pub(super) fn keys(line: &[u8]) -> impl Iterator<Item = (&[u8], usize)> {
    let colons = (0..line.len()).filter(|at| line.get(*at) == Some(&b':'));
    colons.filter_map(|colon| Some((key_before(line, colon)?, colon + 1)))
}

fn key_before(line: &[u8], colon: usize) -> Option<&[u8]> {
    let text = line.get(..colon)?.trim_ascii_end();
    let quote = *text.last()?;
    let is_quoted = matches!(quote, b'"' | b'\'');
    let text = if is_quoted {
        &text[..text.len() - 1]
    } else {
        text
    };
    let is_name = |byte: &u8| byte.is_ascii_alphanumeric() || *byte == b'_';
    let start = text.iter().rposition(|byte| !is_name(byte))?;
    let (before, name) = text.split_at(start + 1);
    let may_begin = if is_quoted {
        before.ends_with(&[quote]) && !before.ends_with(&[b'\\', quote])
    } else {
        matches!(before.trim_ascii_end().last(), Some(b'{' | b','))
    };
    (may_begin && !name.is_empty()).then_some(name)
}

/// Whether a member occurs more often than `id` in a damaged line: a sign of several objects.
pub(super) fn has_rests(line: &[u8]) -> bool {
    let mut counts = HashMap::<_, usize>::new();
    for (key, _) in keys(line) {
        *counts.entry(key).or_default() += 1;
    }
    let ids = counts.get(&b"id"[..]).copied().unwrap_or_default();
    counts.into_values().any(|count| count > ids.max(1))
}

/// A line that is passed in pieces. Only its beginning is kept.
#[derive(Debug, Default)]
pub struct LongLine {
    nesting: Nesting,
    objects: usize,
    ids: usize,
    payloads: usize,
    /// Whether anything lies outside objects.
    has_other: bool,
    /// The last bytes that are not white space, the latest in the lowest bits.
    last: u128,
}

impl LongLine {
    /// Passes the next bytes.
    pub fn pass(&mut self, part: &[u8]) {
        for &byte in part {
            let is_outside = self.nesting.is_outside();
            let begins = is_outside && byte == b'{';
            self.objects += usize::from(begins);
            self.has_other |= byte == 0 || (is_outside && !begins && !is_separator(byte));
            if byte == b':' {
                self.note_key();
            }
            self.nesting.pass(byte);
            if !byte.is_ascii_whitespace() {
                self.last = self.last << 8 | u128::from(byte);
            }
        }
    }

    fn note_key(&mut self) {
        let last = self.last.to_be_bytes();
        let ends = |keys: &[&[u8]]| keys.iter().any(|key| last.ends_with(key));
        let is_bare = !self.nesting.is_in_string() && ends(&[b"{id", b",id"]);
        self.ids += usize::from(is_bare || ends(&[b"\"id\"", b"'id'"]));
        self.payloads += usize::from(ends(&[b"\"payload\"", b"'payload'"]));
    }

    /// Whether the line may concern postings other than the one with its first identifier.
    pub const fn has_more(&self) -> bool {
        self.has_other
            || self.objects != 1
            || self.ids > 1
            || self.payloads > 1
            || !self.nesting.is_outside()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn has_more(line: &[u8]) -> bool {
        let all = [1, 3, line.len()].map(|length| {
            let mut long = LongLine::default();
            line.chunks(length).for_each(|piece| long.pass(piece));
            long.has_more()
        });
        assert!(all.iter().all(|has_more| *has_more == all[0]));
        all[0]
    }

    #[test]
    fn a_long_line_is_one_complete_object_or_may_hide_others() {
        for (line, expect) in [
            (
                r#"{"id":"a","payload":{"x":[1,{"y":"}{\"id\":{id:"}]}}"#,
                false,
            ),
            (r#"{'id':'a',"payload":{"x":NaN,}} ,"#, false),
            (
                "{\"payload\":{\"x\":\"\u{e9}, id: 7\"},\r\n\"id\":\"a\"}\r",
                false,
            ),
            // The string is never closed.
            (r#"{"id":"a","payload":{"x":"cut of"#, true),
            (
                r#"{"id":"a","payload":{"x":"cut of{"id":"b","payload":{"x":"y"}}"#,
                true,
            ),
            (
                r#"{"id":"a","payload":{"x":"5" pipe"}},{"id":"b","payload":{}}"#,
                true,
            ),
            // Two strings are unclosed, so quotation marks and brackets balance.
            (
                r#"{"id":"a","x":"cut{"x":"cut{"id":"b","payload":[]]}"#,
                true,
            ),
            (r#"{id:1,"x":{ , id : 2}}"#, true),
            (r#"{"id":"a","payload":{"x":{"payload":{}}}}"#, true),
            (r#"{"id":"a","payload":{}}{"#, true),
            (r#"{"id":"a","payload":{}} x"#, true),
            (r#"[{"id":"a","payload":{}}]"#, true),
            ("{\"id\":\"a\",\"payload\":{\"x\":\"\0\"}}", true),
        ] {
            assert_eq!(has_more(line.as_bytes()), expect, "{line}");
        }
    }
}

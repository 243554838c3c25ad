//! The lines of an import.

use domain::import::{Line, LineText};
use memchr::memchr;

/// The mark that some programs put before UTF-8.
const BYTE_ORDER_MARK: &[u8] = b"\xEF\xBB\xBF";

/// Cuts a body into lines, of which each may have a number of bytes.
pub struct Lines {
    limit: usize,
    /// The number of the line that has begun, from 1.
    number: u64,
    /// The beginning of that line.
    partial: Vec<u8>,
    /// Whether that line is longer than the limit, and not kept.
    is_too_long: bool,
}

impl Lines {
    /// Lines of at most this many bytes.
    pub const fn new(limit: usize) -> Self {
        Self {
            limit,
            number: 1,
            partial: Vec::new(),
            is_too_long: false,
        }
    }

    /// Adds the lines that end in a piece of the body.
    pub fn push(&mut self, mut piece: &[u8], lines: &mut Vec<Line>) {
        while let Some(end) = memchr(b'\n', piece) {
            let (rest, next) = piece.split_at(end);
            self.end(rest, lines);
            piece = &next[1..];
        }
        self.keep(piece);
    }

    /// Adds the last line, if the body does not end with the end of a line.
    pub fn finish(&mut self, lines: &mut Vec<Line>) {
        self.end(b"", lines);
    }

    /// Ends the line that has begun.
    fn end(&mut self, rest: &[u8], lines: &mut Vec<Line>) {
        self.keep(rest);
        let mut text = std::mem::take(&mut self.partial);
        if self.number == 1 && text.starts_with(BYTE_ORDER_MARK) {
            text.drain(..BYTE_ORDER_MARK.len());
        }
        let text = if std::mem::take(&mut self.is_too_long) {
            Some(LineText::TooLong(self.limit))
        } else {
            let is_blank = text.iter().all(u8::is_ascii_whitespace);
            (!is_blank).then_some(LineText::Whole(text))
        };
        lines.extend(text.map(|text| Line {
            number: self.number,
            text,
        }));
        self.number += 1;
    }

    fn keep(&mut self, part: &[u8]) {
        if self.is_too_long || self.partial.len() + part.len() > self.limit {
            self.is_too_long = true;
            self.partial = Vec::new();
        } else {
            self.partial.extend_from_slice(part);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The lines of a body that arrives in pieces of this length; `None` for one that is too long.
    fn lines(body: &[u8], length: usize) -> Vec<(u64, Option<String>)> {
        let (mut cut, mut lines) = (Lines::new(8), Vec::new());
        for piece in body.chunks(length) {
            cut.push(piece, &mut lines);
        }
        cut.finish(&mut lines);
        let shown = |line: Line| match line.text {
            LineText::Whole(text) => (line.number, Some(String::from_utf8(text).unwrap())),
            LineText::TooLong(limit) => {
                assert_eq!(limit, 8);
                (line.number, None)
            }
        };
        lines.into_iter().map(shown).collect()
    }

    #[test]
    fn a_body_is_cut_at_the_ends_of_lines_however_it_arrives() {
        let body = b"\xEF\xBB\xBFa\r\n\r\n \t\nb\n12345678\n123456789\n\n\xEF\xBB\xBFc\nlast";
        let whole = |n, text: &str| (n, Some(text.to_owned()));
        let expect = [
            whole(1, "a\r"),
            whole(4, "b"),
            whole(5, "12345678"),
            (6, None),
            whole(8, "\u{feff}c"),
            whole(9, "last"),
        ];
        for length in 1..=body.len() {
            assert_eq!(lines(body, length), expect, "{length}");
        }
        for body in [&b""[..], b"\n", b"\r\n\n", b"\xEF\xBB\xBF\n"] {
            assert_eq!(lines(body, 1), [], "{body:?}");
        }
    }

    #[test]
    fn a_line_without_an_end_is_not_kept() {
        let (mut cut, mut lines) = (Lines::new(8), Vec::new());
        for _ in 0..1_000 {
            cut.push(b"1234", &mut lines);
            assert!(cut.partial.capacity() <= 16);
        }
        assert_eq!(lines, []);
    }
}

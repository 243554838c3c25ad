use domain::import::{Line, LineText, LongLine, TooLong};
use fields::body::BYTE_ORDER_MARK;
use memchr::memchr;

pub struct Lines {
    limit: usize,
    number: u64,
    partial: Vec<u8>,
    /// The state of a line that is longer than allowed.
    too_long: Option<LongLine>,
}

impl Lines {
    pub const fn new(limit: usize) -> Self {
        Self {
            limit,
            number: 1,
            partial: Vec::new(),
            too_long: None,
        }
    }

    pub fn push(&mut self, mut piece: &[u8], lines: &mut Vec<Line>) {
        while let Some(end) = memchr(b'\n', piece) {
            let (rest, next) = piece.split_at(end);
            self.end(rest, lines);
            piece = &next[1..];
        }
        self.keep(piece);
    }

    pub fn finish(&mut self, lines: &mut Vec<Line>) {
        self.end(b"", lines);
    }

    fn end(&mut self, rest: &[u8], lines: &mut Vec<Line>) {
        self.keep(rest);
        let mut text = std::mem::take(&mut self.partial);
        if text.starts_with(BYTE_ORDER_MARK) {
            text.drain(..BYTE_ORDER_MARK.len());
        }
        let text = match self.too_long.take() {
            Some(line) => Some(LineText::TooLong(TooLong {
                limit: self.limit,
                beginning: text,
                has_more: line.has_more(),
            })),
            None if text.trim_ascii().is_empty() => None,
            None => Some(LineText::Whole(text)),
        };
        lines.extend(text.map(|text| Line {
            number: self.number,
            text,
        }));
        self.number += 1;
    }

    fn keep(&mut self, part: &[u8]) {
        if let Some(line) = &mut self.too_long {
            return line.pass(part);
        }
        self.partial.extend_from_slice(part);
        if self.partial.len() > self.limit {
            let mut line = LongLine::default();
            let text = self.partial.strip_prefix(BYTE_ORDER_MARK);
            line.pass(text.unwrap_or(&self.partial));
            self.too_long = Some(line);
            self.partial.truncate(TooLong::KEPT);
            self.partial.shrink_to_fit();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(body: &[u8], length: usize) -> Vec<(u64, Option<String>)> {
        let (mut cut, mut lines) = (Lines::new(8), Vec::new());
        for piece in body.chunks(length) {
            cut.push(piece, &mut lines);
        }
        cut.finish(&mut lines);
        let shown = |line: Line| match line.text {
            LineText::Whole(text) => (line.number, Some(String::from_utf8(text).unwrap())),
            LineText::TooLong(long) => {
                assert_eq!(long.limit, 8);
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
            whole(8, "c"),
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
    fn of_a_line_that_is_too_long_the_beginning_is_kept() {
        for (end, has_more) in [("]}", false), ("]}{", true), ("", true)] {
            let (mut cut, mut lines) = (Lines::new(8), Vec::new());
            cut.push(br#"{"id":"a","payload":[{"x":"}}{{"}"#, &mut lines);
            for _ in 0..10_000 {
                cut.push(b",{\"x\":1}", &mut lines);
                assert!(cut.partial.capacity() <= TooLong::KEPT);
            }
            cut.push(end.as_bytes(), &mut lines);
            assert_eq!(lines, []);
            cut.finish(&mut lines);
            let [
                Line {
                    text: LineText::TooLong(long),
                    ..
                },
            ] = &lines[..]
            else {
                panic!("{lines:?}");
            };
            assert!(long.beginning.starts_with(b"{\"id\":\"a\","));
            assert_eq!((long.limit, long.has_more), (8, has_more), "{end}");
        }
    }
}

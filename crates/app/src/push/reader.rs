//! Reads a file of postings line by line, in constant memory.

use std::io::{self, BufRead};

use serde::Deserialize;
use serde_json::value::RawValue;
use tokio::sync::mpsc;

use crate::input::{LineReader, read_ahead, without_mark};

/// The longest line in bytes. Far above what any service accepts, it limits the memory for files
/// without lines.
const LONGEST_LINE: usize = 64 << 20;

/// Lines that are read ahead.
const READ_AHEAD: usize = 64;

/// A line that is not blank.
#[derive(Debug)]
pub struct Line {
    /// Its number in the file, from 1.
    pub number: u64,
    /// The offset of its end in the file, in bytes.
    pub end: u64,
    /// The parsed line.
    pub content: Result<Entry, Unusable>,
}

impl Line {
    /// The identifier of a line that can be pushed.
    pub fn id(&self) -> Option<&str> {
        self.content.as_ref().ok().map(|entry| entry.id.as_str())
    }
}

/// A line that can be pushed.
#[derive(Debug, Deserialize)]
pub struct Entry {
    /// The unique source identifier.
    pub id: String,
    /// The request body, spelled as in the file.
    pub payload: Box<RawValue>,
}

/// A line that cannot be pushed.
#[derive(Debug)]
pub struct Unusable {
    /// The unique source identifier, if the line has one nevertheless.
    pub id: Option<String>,
    /// The line; empty if it is too long.
    pub text: String,
    /// The reason.
    pub message: String,
}

/// An iterator over the lines of an input.
#[derive(Debug)]
pub struct Lines<R> {
    input: LineReader<R>,
    buffer: Vec<u8>,
}

impl<R: BufRead> Lines<R> {
    pub const fn new(input: R) -> Self {
        Self::bounded(input, LONGEST_LINE)
    }

    const fn bounded(input: R, longest: usize) -> Self {
        Self {
            input: LineReader::new(input, longest),
            buffer: Vec::new(),
        }
    }

    fn next_line(&mut self) -> io::Result<Option<Line>> {
        loop {
            self.buffer.clear();
            if !self.input.append_line(&mut self.buffer)? {
                return Ok(None);
            }
            let (number, end) = (self.input.number, self.input.end);
            let mut text = self.buffer.as_slice();
            if number == 1 {
                text = without_mark(text);
            }
            let text = text.trim_ascii();
            let content = if self.input.is_cut {
                let message = format!("line {number}: is longer than {} bytes", self.input.longest);
                Err(Unusable {
                    id: None,
                    text: String::new(),
                    message,
                })
            } else if text.is_empty() {
                continue;
            } else {
                parse(number, text)
            };
            return Ok(Some(Line {
                number,
                end,
                content,
            }));
        }
    }
}

impl<R: BufRead> Iterator for Lines<R> {
    type Item = io::Result<Line>;

    fn next(&mut self) -> Option<Self::Item> {
        self.next_line().transpose()
    }
}

fn parse(number: u64, text: &[u8]) -> Result<Entry, Unusable> {
    serde_json::from_slice(text).map_err(|_| {
        let (id, problem) = problem(text);
        Unusable {
            id,
            text: String::from_utf8_lossy(text).into_owned(),
            message: format!("line {number}: {problem}"),
        }
    })
}

/// The fields of a line that is no [`Entry`].
#[derive(Deserialize)]
struct Fields<'a> {
    #[serde(borrow)]
    id: Option<&'a RawValue>,
    #[serde(borrow)]
    payload: Option<&'a RawValue>,
}

/// The identifier of a line that cannot be pushed, if it has one, and the reason.
fn problem(line: &[u8]) -> (Option<String>, String) {
    let Ok(text) = str::from_utf8(line) else {
        return (None, "is not UTF-8".to_owned());
    };
    if let Err(error) = serde_json::from_str::<&RawValue>(text) {
        let problem = if error.is_eof() {
            "is not JSON: it ends too early".to_owned()
        } else {
            format!("is not JSON, from column {} on", error.column())
        };
        return (None, problem);
    }
    if !text.starts_with('{') {
        return (None, "is not an object with `id` and `payload`".to_owned());
    }
    let Ok(Fields { id, payload }) = serde_json::from_str(text) else {
        return (None, "has `id` or `payload` twice".to_owned());
    };
    let Some(id) = id else {
        return (None, "has no `id`".to_owned());
    };
    match serde_json::from_str(id.get()) {
        Ok(id) if payload.is_none() => (Some(id), "has no `payload`".to_owned()),
        Ok(id) => (Some(id), "is not a line of a posting".to_owned()),
        Err(_) => (None, "`id` is not a string".to_owned()),
    }
}

/// Reads lines ahead, in a thread.
pub fn spawn(input: impl BufRead + Send + 'static) -> mpsc::Receiver<io::Result<Line>> {
    read_ahead(READ_AHEAD, || Ok(Lines::new(input)))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The identifier and payload of a line, or the reason.
    type Content = Result<(String, String), String>;

    fn read(input: &[u8]) -> Vec<(u64, Content)> {
        let entry = |entry: Entry| (entry.id, entry.payload.get().to_owned());
        Lines::new(input)
            .map(Result::unwrap)
            .map(|line| {
                (
                    line.number,
                    line.content.map(entry).map_err(|bad| bad.message),
                )
            })
            .collect()
    }

    fn entry(id: &str, payload: &str) -> (String, String) {
        (id.to_owned(), payload.to_owned())
    }

    #[test]
    fn blank_lines_crlf_a_byte_order_mark_and_a_missing_last_newline_do_no_harm() {
        let input = b"\xEF\xBB\xBF{\"id\":\"a\",\"payload\":{}}\r\n\r\n  \n \t{\"payload\":null,\"id\":\"b\",\"more\":1} \n{\"id\":\"c\",\"payload\":[]}";
        let expect = [
            (1, Ok(entry("a", "{}"))),
            (4, Ok(entry("b", "null"))),
            (5, Ok(entry("c", "[]"))),
        ];
        assert_eq!(read(input), expect);
        assert!(read(b"").is_empty());
        assert!(read(b"\n\n").is_empty());
    }

    #[test]
    fn payloads_keep_their_spelling() {
        let payload = r#"{"salary_min":1.50e3, "big":123456789012345678901234567890,"t":"\u00e9"}"#;
        let line = format!(r#"{{"id":"a", "payload": {payload} }}"#);
        assert_eq!(read(line.as_bytes()), [(1, Ok(entry("a", payload)))]);
    }

    #[test]
    fn deep_nesting_is_passed_on() {
        let payload = format!("{}{}", "[".repeat(100_000), "]".repeat(100_000));
        let line = format!(r#"{{"id":"a","payload":{payload}}}"#);
        assert_eq!(read(line.as_bytes()), [(1, Ok(entry("a", &payload)))]);
    }

    #[test]
    fn lines_that_cannot_be_pushed_are_named_by_their_number() {
        let check = |line: &[u8], part: &str| {
            let input = [b"\n", line, b"\n{\"id\":\"z\",\"payload\":{}}"].concat();
            let lines = read(&input);
            let [(2, Err(message)), (3, Ok(_))] = lines.as_slice() else {
                panic!("{lines:?}")
            };
            assert!(
                message.starts_with("line 2: ") && message.contains(part),
                "{message}"
            );
        };
        check(b"nonsense", "is not JSON, from column 2 on");
        check(b"{\"id\":\"a\"}", "has no `payload`");
        check(b"{\"payload\":{}}", "has no `id`");
        check(b"{\"id\":7,\"payload\":{}}", "`id` is not a string");
        check(
            b"{\"id\":\"\\ud800\",\"payload\":{}}",
            "`id` is not a string",
        );
        check(b"{\"id\":null,\"payload\":{}}", "has no `id`");
        check(
            b"{\"id\":\"a\",\"payload\":{},\"id\":\"b\"}",
            "has `id` or `payload` twice",
        );
        check(
            b"{\"id\":\"a\",\"payload\":{}} x",
            "is not JSON, from column 25 on",
        );
        check(b"{\"id\":\"\xFF\",\"payload\":{}}", "is not UTF-8");
        check(
            b"{\"id\":\"a\",\"payload\":{",
            "is not JSON: it ends too early",
        );
        check(
            b"[{\"id\":\"a\",\"payload\":{}}]",
            "is not an object with `id`",
        );
        check(b"7", "is not an object with `id`");
    }

    #[test]
    fn an_identifier_is_known_even_if_the_line_cannot_be_pushed() {
        let id = |line: &[u8]| {
            let line = Lines::new(line).next().unwrap().unwrap();
            line.content.unwrap_err().id
        };
        assert_eq!(id(b"{\"id\":\"pp3\"}").as_deref(), Some("pp3"));
        assert_eq!(id(b"{\"id\":3}"), None);
        assert_eq!(id(b"nonsense"), None);
    }

    #[test]
    fn a_line_that_is_too_long_is_skipped() {
        let input = b"{\"id\":\"a\",\"payload\":\"far too long a payload\"}\n{\"id\":\"b\",\"payload\":{}}\n";
        let mut lines = Lines::bounded(input.as_slice(), 24);
        let bad = lines.next().unwrap().unwrap();
        assert_eq!(
            bad.content.unwrap_err().message,
            "line 1: is longer than 24 bytes"
        );
        let good = lines.next().unwrap().unwrap();
        assert_eq!((good.number, good.end), (2, input.len() as u64));
        assert_eq!(good.content.unwrap().id, "b");
        assert!(lines.next().is_none());
    }
}

//! The end marker of a body: a last line `{"end":{"lines":1400}}`.

use serde::Deserialize;
use serde_json::value::RawValue;

use super::{Line, LineText};

/// Why a body counts as incomplete although it ended properly.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum BrokenOff {
    /// The end marker states another number of lines.
    #[error("The end says that {said} lines came before it, but {came} did.")]
    OtherNumber {
        /// The stated number.
        said: u64,
        /// The non-blank lines before it.
        came: u64,
    },
    /// The end marker states no number.
    #[error("The end must be {{\"end\":{{\"lines\":N}}}} with the number of lines before it.")]
    NoNumber,
    /// A line follows the end marker.
    #[error("A line follows the end.")]
    LineAfterEnd,
    /// The end marker is required, but missing.
    #[error("The body has no end, which require_end asks for.")]
    NoEnd,
}

/// How the body of an import ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ending {
    /// Interrupted, or the import could not continue.
    Broken,
    /// Ended properly, without proof.
    Whole,
    /// Ended properly, and its last line stated the right number.
    Proven,
}

/// The known lines of a body, and its end.
#[derive(Debug, Default)]
pub struct Proof {
    lines: u64,
    has_end: bool,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct EndLine<'a> {
    #[serde(borrow)]
    end: &'a RawValue,
}

#[derive(Deserialize)]
struct End {
    lines: u64,
}

impl Proof {
    /// Notes the next lines. Removes the end marker and, after a fault, all following lines.
    pub fn note(&mut self, lines: &mut Vec<Line>) -> Result<(), BrokenOff> {
        if self.has_end && !lines.is_empty() {
            lines.clear();
            return Err(BrokenOff::LineAfterEnd);
        }
        let found = lines.iter().enumerate();
        let mut found = found.filter_map(|(at, line)| Some((at, end(line)?)));
        let Some((at, said)) = found.next() else {
            self.lines += lines.len() as u64;
            return Ok(());
        };
        self.has_end = true;
        self.lines += at as u64;
        let is_last = at + 1 == lines.len();
        lines.truncate(at);
        let came = self.lines;
        match said? {
            said if said != came => Err(BrokenOff::OtherNumber { said, came }),
            _ if !is_last => Err(BrokenOff::LineAfterEnd),
            _ => Ok(()),
        }
    }

    /// The ending if the body ends here.
    pub fn finish(&self, requires_end: bool) -> Result<Ending, BrokenOff> {
        match (self.has_end, requires_end) {
            (true, _) => Ok(Ending::Proven),
            (false, true) => Err(BrokenOff::NoEnd),
            (false, false) => Ok(Ending::Whole),
        }
    }
}

/// The number that an end marker states; `None` for any other line.
fn end(line: &Line) -> Option<Result<u64, BrokenOff>> {
    let LineText::Whole(text) = &line.text else {
        return None;
    };
    let members = text.trim_ascii_start().strip_prefix(b"{")?;
    if !members.trim_ascii_start().starts_with(b"\"end\"") {
        return None;
    }
    let EndLine { end } = serde_json::from_slice(text).ok()?;
    let end: Result<End, _> = serde_json::from_str(end.get());
    Some(end.map(|end| end.lines).map_err(|_| BrokenOff::NoNumber))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(texts: &[&str]) -> Vec<Line> {
        let texts = (1..).zip(texts);
        let lines = texts.map(|(number, text)| Line {
            number,
            text: LineText::Whole(text.as_bytes().to_vec()),
        });
        lines.collect()
    }

    #[test]
    fn the_end_says_how_many_lines_came_before_it() {
        let a = r#"{"id":"a","payload":{}}"#;
        let end = r#" { "end" : {"lines": 2, "more":1} } "#;
        for (body, taken, expect) in [
            (&[&[a][..], &["nonsense", end]][..], 2, Ok(())),
            (&[&[a], &[a], &[end]], 2, Ok(())),
            (
                &[&[a, end]],
                1,
                Err("The end says that 2 lines came before it, but 1 did."),
            ),
            (&[&[a, a, end, a]], 2, Err("A line follows the end.")),
            (&[&[a, a, end], &[end]], 2, Err("A line follows the end.")),
            (
                &[&[a, r#"{"end":{"lines":"1"}}"#]],
                1,
                Err(r#"The end must be {"end":{"lines":N}} with the number of lines before it."#),
            ),
            (&[&[r#"{"end":{"lines":0},"id":"a"}"#]], 1, Ok(())),
        ] {
            let (mut proof, mut count, mut result) = (Proof::default(), 0, Ok(()));
            for part in body {
                let mut part = lines(part);
                result = result.and(proof.note(&mut part));
                count += part.len();
            }
            let expect = expect.map_err(str::to_owned);
            assert_eq!(
                result.map_err(|error| error.to_string()),
                expect,
                "{body:?}"
            );
            assert_eq!(count, taken, "{body:?}");
        }
    }

    #[test]
    fn the_end_may_be_required() {
        let mut proof = Proof::default();
        assert_eq!(proof.finish(false), Ok(Ending::Whole));
        let missing = proof.finish(true).unwrap_err().to_string();
        assert_eq!(missing, "The body has no end, which require_end asks for.");
        let mut end = lines(&[r#"{"end":{"lines":0}}"#]);
        let ended = proof.note(&mut end).and(proof.finish(true));
        assert_eq!(ended, Ok(Ending::Proven));
    }
}

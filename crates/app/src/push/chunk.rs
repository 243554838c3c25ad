//! Chunks of lines: each is the body of one import, held in memory so that it can be sent again.

use std::{
    io,
    ops::Range,
    sync::{
        Arc,
        atomic::{AtomicU64, AtomicUsize, Ordering},
    },
    time::{Duration, Instant},
};

use super::{
    entry::write_line,
    source::{Input, Items, LONGEST_LINE},
};

/// The largest body, unless it is a single line.
const LARGEST: usize = 16 << 20;
/// The first chunk is small: only afterwards it is known how fast the service is.
const FIRST_LINES: usize = 200;
const FEWEST_LINES: usize = 10;
const MOST_LINES: usize = 10_000;
/// How long the service should work on a chunk: long enough to be efficient, and short enough for a
/// proxy's limits and for what has to be sent again.
const TARGET: Duration = Duration::from_secs(10);
/// How long lines of a slow producer are gathered.
const LONGEST_GATHERING: Duration = Duration::from_secs(1);

/// The size of the next chunks, after how the last ones were taken.
#[derive(Debug)]
pub struct Pace {
    lines: AtomicUsize,
    bytes: AtomicUsize,
}

impl Default for Pace {
    fn default() -> Self {
        Self {
            lines: AtomicUsize::new(FIRST_LINES),
            bytes: AtomicUsize::new(LARGEST),
        }
    }
}

impl Pace {
    /// Notes how long a chunk of so many lines took.
    pub fn taken(&self, lines: usize, took: Duration) {
        let current = self.lines.load(Ordering::Relaxed);
        let fitting = lines as u128 * TARGET.as_millis() / took.as_millis().max(1);
        let next = usize::try_from(fitting)
            .unwrap_or(MOST_LINES)
            .min(current * 4);
        let next = next.clamp(FEWEST_LINES, MOST_LINES);
        // A small last half of a chunk tells nothing of larger ones.
        if next < current || lines * 2 > current {
            self.lines.store(next, Ordering::Relaxed);
        }
    }

    /// Notes that a chunk of so many bytes was too large.
    pub fn too_large(&self, bytes: usize) {
        self.bytes.fetch_min((bytes / 2).max(1), Ordering::Relaxed);
    }
}

/// Some lines of the input, one after the other. Blank lines and those that cannot be sent are
/// empty, so that lines of the body can be counted.
#[derive(Clone, Debug)]
pub struct Chunk {
    body: Arc<Vec<u8>>,
    part: Range<usize>,
    /// The number of the first line.
    first: u64,
    /// The part of the input, in packed bytes.
    input: Range<u64>,
    /// The numbers of the lines that cannot be sent because they are too long.
    pub unsendable: Vec<u64>,
}

impl Chunk {
    /// The chunk of a text, whose lines are sent as they are.
    pub fn of(text: &str) -> Self {
        Self {
            body: Arc::new(text.as_bytes().to_vec()),
            part: 0..text.len(),
            first: 1,
            input: 0..text.len() as u64,
            unsendable: Vec::new(),
        }
    }

    /// The lines to send.
    pub fn body(&self) -> &[u8] {
        self.body.get(self.part.clone()).unwrap_or_default()
    }

    /// The bytes of the body from an offset on, a few at a time.
    pub fn piece(&self, offset: usize) -> &[u8] {
        const PIECE: usize = 64 << 10;
        let rest = self.body().get(offset..).unwrap_or_default();
        rest.get(..PIECE).unwrap_or(rest)
    }

    /// How far the input has been sent when so much of the body has.
    pub fn position(&self, sent: usize) -> u64 {
        let length = self.input.end - self.input.start;
        let sent = u128::from(length) * sent as u128 / self.body().len().max(1) as u128;
        self.input.start + u64::try_from(sent).unwrap_or(length)
    }

    /// The lines of the body that are not empty, with their number in the body and in the input,
    /// both from 1.
    pub fn lines(&self) -> impl Iterator<Item = (u64, u64, &[u8])> {
        let lines = self.body().split(|byte| *byte == b'\n');
        (1..)
            .zip(lines)
            .filter(|(_, line)| !line.is_empty())
            .map(|(number, line)| (number, self.first + number - 1, line))
    }

    /// The number of the last line in the input.
    pub fn last(&self) -> u64 {
        // The body ends with a line break.
        let lines = self.body().split(|byte| *byte == b'\n').count() as u64 - 1;
        self.first + lines.max(1) - 1
    }

    /// Two chunks with the lines of this one; `None` for a single line.
    pub fn split(&self) -> Option<(Self, Self)> {
        let body = self.body();
        let middle = body.len() / 2;
        let (before, after) = body.split_at(middle);
        let cut = match after.iter().position(|byte| *byte == b'\n') {
            Some(end) if middle + end + 1 < body.len() => middle + end + 1,
            _ => before.iter().rposition(|byte| *byte == b'\n')? + 1,
        };
        let (at, at_input) = (self.part.start + cut, self.position(cut));
        let part = |part, first, input| Self {
            body: Arc::clone(&self.body),
            part,
            first,
            input,
            unsendable: Vec::new(),
        };
        let one = part(self.part.start..at, self.first, self.input.start..at_input);
        let other = part(at..self.part.end, one.last() + 1, at_input..self.input.end);
        Some((one, other))
    }
}

/// Reads chunks.
pub struct Chunks {
    items: Items,
    position: Arc<AtomicU64>,
    pace: Arc<Pace>,
    reopens: bool,
    text: Vec<u8>,
    /// The line that did not fit into the last chunk.
    next: Option<(u64, Vec<u8>)>,
    failed: Option<io::Error>,
    end: u64,
}

impl Chunks {
    pub fn new(input: Input, pace: Arc<Pace>, reopens: bool) -> Self {
        Self {
            items: input.items,
            position: input.position,
            pace,
            reopens,
            text: Vec::new(),
            next: None,
            failed: None,
            end: 0,
        }
    }

    /// The next chunk; `None` at the end of the input.
    pub fn next_chunk(&mut self) -> io::Result<Option<Chunk>> {
        if let Some(error) = self.failed.take() {
            return Err(error);
        }
        let most_lines = self.pace.lines.load(Ordering::Relaxed);
        let largest = self.pace.bytes.load(Ordering::Relaxed);
        let (mut body, mut unsendable) = (Vec::new(), Vec::new());
        let (mut first, mut lines) = (0, 0);
        if let Some((number, line)) = self.next.take() {
            (first, lines, body) = (number, 1, line);
        }
        let started = Instant::now();
        while lines < most_lines && (lines == 0 || started.elapsed() < LONGEST_GATHERING) {
            let item = match self.items.read(&mut self.text) {
                Ok(Some(item)) => item,
                Ok(None) => break,
                // The lines before it are sent first.
                Err(error) => {
                    self.failed = Some(error);
                    break;
                }
            };
            if self.text.is_empty() && lines == 0 && !item.is_cut {
                continue;
            }
            let before = body.len();
            if item.is_cut {
                unsendable.push(item.number);
            } else {
                write_line(&self.text, self.reopens, &mut body);
            }
            body.push(b'\n');
            if lines > 0 && body.len() > largest {
                self.next = Some((item.number, body.split_off(before)));
                break;
            }
            if lines == 0 {
                first = item.number;
            }
            lines += 1;
        }
        if lines == 0 {
            return self.failed.take().map_or(Ok(None), Err);
        }
        let start = self.end;
        self.end = self.position.load(Ordering::Relaxed);
        let part = 0..body.len();
        Ok(Some(Chunk {
            body: Arc::new(body),
            part,
            first,
            input: start..self.end,
            unsendable,
        }))
    }
}

/// The message about a line that is too long to be sent.
pub fn too_long(number: u64) -> String {
    format!("line {number}: is longer than {LONGEST_LINE} bytes")
}

#[cfg(test)]
mod tests {
    use std::{fs, iter};

    use super::*;

    fn chunks(content: &str, lines: usize, bytes: usize) -> Vec<Chunk> {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("in");
        fs::write(&path, content).unwrap();
        let pace = Pace {
            lines: AtomicUsize::new(lines),
            bytes: AtomicUsize::new(bytes),
        };
        let mut chunks = Chunks::new(Input::open(&path).unwrap(), Arc::new(pace), false);
        iter::from_fn(|| chunks.next_chunk().unwrap()).collect()
    }

    fn contents(chunk: &Chunk) -> Vec<(u64, u64, &str)> {
        let text = |(line, number, text)| (line, number, str::from_utf8(text).unwrap());
        chunk.lines().map(text).collect()
    }

    #[test]
    fn lines_keep_their_numbers() {
        let read = chunks("\n{}\n\n{1\n{2\n{3", 3, 100);
        let [one, other] = read.as_slice() else {
            panic!("{read:?}")
        };
        assert_eq!(one.body(), b"{}\n\n{1\n");
        assert_eq!(contents(one), [(1, 2, "{}"), (3, 4, "{1")]);
        assert_eq!(contents(other), [(1, 5, "{2"), (2, 6, "{3")]);
        assert_eq!(other.position(other.body().len()), 13);
        assert!(chunks("\n\n", 3, 100).is_empty());
    }

    #[test]
    fn a_chunk_ends_before_it_is_too_large() {
        let read = chunks("{}\n{\"a\":1}\n{2\n{3\n", 100, 7);
        let bodies: Vec<_> = read.iter().map(Chunk::body).collect();
        assert_eq!(bodies, [&b"{}\n"[..], b"{\"a\":1}\n", b"{2\n{3\n"]);
        assert_eq!(contents(&read[2])[1], (2, 4, "{3"));
    }

    #[test]
    fn a_chunk_is_split_between_lines() {
        let all = chunks("{0\n\n{2\n{3 and more\n", 100, 100);
        let (one, other) = all[0].split().unwrap();
        assert_eq!(contents(&one), [(1, 1, "{0"), (3, 3, "{2")]);
        assert_eq!(contents(&other), [(1, 4, "{3 and more")]);
        assert_eq!(other.position(other.body().len()), 19);
        assert!(other.split().is_none());
        let (one, other) = one.split().unwrap();
        assert_eq!(
            (contents(&one).len(), contents(&other)),
            (1, vec![(1, 3, "{2")])
        );
    }

    #[test]
    fn chunks_grow_and_shrink_with_the_service() {
        let pace = Pace::default();
        let lines = || pace.lines.load(Ordering::Relaxed);
        pace.taken(200, Duration::from_millis(20));
        assert_eq!(lines(), 800, "at most four times as many");
        pace.taken(3, Duration::from_millis(3));
        assert_eq!(lines(), 800, "three lines tell nothing");
        for _ in 0..5 {
            pace.taken(lines(), Duration::from_millis(20));
        }
        assert_eq!(lines(), MOST_LINES);
        pace.taken(10_000, Duration::from_secs(1_000));
        assert_eq!(lines(), 100);
        pace.taken(100, Duration::from_hours(1));
        assert_eq!(lines(), FEWEST_LINES);
    }
}

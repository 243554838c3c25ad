//! Lists of words: texts with white space between them. Long ones are files in `tables`.
//!
//! A line of a table has words, or is a comment that begins with `#`. A `[heading]` at its
//! beginning holds for this and the following lines.

use std::sync::OnceLock;

pub(crate) const AND: [&str; 20] = [
    "and", "et", "und", "og", "och", "en", "y", "e", "i", "a", "és", "ja", "ir", "un", "ve", "și",
    "και", "и", "і", "та",
];

/// Begin sentences.
pub(crate) static TWO_LETTER_WORDS: List = List::new(include_str!("tables/two_letter_words.txt"));

/// Of things, roles and places, not of companies.
pub(crate) static ACRONYMS: List = List::new(include_str!("tables/acronyms.txt"));

pub(crate) static AT_COMPANY: List = List::new("at join joining bei bij hos chez");

pub(crate) fn listed(list: &str) -> impl Iterator<Item = &str> {
    list.split_ascii_whitespace()
}

/// Words with white space between them, which are looked up by some of their bytes.
#[derive(Debug)]
pub(crate) struct List {
    words: &'static str,
    index: OnceLock<Index>,
}

#[derive(Debug)]
struct Index {
    beginnings: ByByte,
    endings: ByByte,
    whole: ByByte,
}

/// Words in the order of a hash of one byte, and where those of each hash begin.
#[derive(Debug)]
struct ByByte {
    words: Vec<&'static str>,
    starts: [usize; 257],
}

impl ByByte {
    fn new(mut words: Vec<&'static str>, byte: fn(&[u8]) -> Option<u8>) -> Self {
        words.sort_by_key(|word| byte(word.as_bytes()));
        let starts = std::array::from_fn(|at| {
            words.partition_point(|word| {
                byte(word.as_bytes()).is_some_and(|it| usize::from(it) < at)
            })
        });
        Self { words, starts }
    }

    fn of(&self, byte: Option<u8>) -> &[&'static str] {
        let range = byte.map(usize::from);
        range.map_or(&[], |at| &self.words[self.starts[at]..self.starts[at + 1]])
    }
}

/// Returns a hash of the first two bytes.
fn beginning(word: &[u8]) -> Option<u8> {
    let second = word.get(1).copied().unwrap_or_default();
    Some(word.first()? ^ second.wrapping_mul(37))
}

/// Returns a hash of the length, the first and the last byte.
fn whole(word: &[u8]) -> Option<u8> {
    let (first, last) = (word.first()?, word.last()?);
    let [length, ..] = word.len().to_le_bytes();
    Some(length.wrapping_mul(37) ^ first.wrapping_mul(7) ^ last)
}

impl List {
    pub(crate) const fn new(words: &'static str) -> Self {
        let index = OnceLock::new();
        Self { words, index }
    }

    pub(crate) fn words(&self) -> impl Iterator<Item = &'static str> {
        listed(self.words)
    }

    pub(crate) fn has(&self, word: &str) -> bool {
        let mut alike = self.index().whole.of(whole(word.as_bytes())).iter();
        alike.any(|known| *known == word)
    }

    /// Whether the text begins with one of the words.
    pub(crate) fn begins(&self, text: &str) -> bool {
        let (bytes, index) = (text.as_bytes(), &self.index().beginnings);
        let short = index.of(beginning(&bytes[..bytes.len().min(1)]));
        let mut words = index.of(beginning(bytes)).iter().chain(short);
        words.any(|word| text.starts_with(word))
    }

    pub(crate) fn ends(&self, text: &str) -> bool {
        self.without_ending(text).is_some()
    }

    /// The text without each of the words that ends it.
    pub(crate) fn without_endings<'a>(&self, text: &'a str) -> impl Iterator<Item = &'a str> {
        let bytes = text.as_bytes();
        let words = self.index().endings.of(bytes.last().copied()).iter();
        // Most words differ in their first byte already.
        words.filter_map(move |word| {
            let start = bytes.len().checked_sub(word.len())?;
            (word.as_bytes().first() == bytes.get(start)).then(|| text.strip_suffix(word))?
        })
    }

    pub(crate) fn without_ending<'a>(&self, text: &'a str) -> Option<&'a str> {
        self.without_endings(text).next()
    }

    fn index(&self) -> &Index {
        self.index.get_or_init(|| {
            let words: Vec<_> = self.words().collect();
            Index {
                beginnings: ByByte::new(words.clone(), beginning),
                endings: ByByte::new(words.clone(), |word| word.last().copied()),
                whole: ByByte::new(words, whole),
            }
        })
    }
}

pub(crate) fn lines(table: &'static str) -> impl Iterator<Item = (&'static str, &'static str)> {
    let mut heading = "";
    let lines = table.lines().filter(|line| !line.starts_with('#'));
    lines.map(move |line| {
        let headed = line.strip_prefix('[').and_then(|line| line.split_once(']'));
        let (found, words) = headed.unwrap_or((heading, line));
        heading = found;
        (heading, words)
    })
}

#[cfg(test)]
mod tests {
    use super::lines;

    #[test]
    fn a_heading_holds_until_the_next_one() {
        let table = "# a\nb\n[C D] e f\n# g\nh\n[I]\nj";
        let read: Vec<_> = lines(table).collect();
        let expect = [
            ("", "b"),
            ("C D", " e f"),
            ("C D", "h"),
            ("I", ""),
            ("I", "j"),
        ];
        assert_eq!(read, expect);
    }
}

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

/// Words with white space between them, which are looked up by their first or last byte.
#[derive(Debug)]
pub(crate) struct List {
    words: &'static str,
    index: OnceLock<Index>,
}

#[derive(Debug)]
struct Index {
    by_first: ByByte,
    by_last: ByByte,
}

/// Words in the order of a byte, and where those of each byte begin.
#[derive(Debug)]
struct ByByte {
    words: Vec<&'static str>,
    starts: [usize; 257],
}

impl ByByte {
    fn new(mut words: Vec<&'static str>, byte: fn(&str) -> Option<&u8>) -> Self {
        words.sort_by_key(|word| byte(word));
        let starts = std::array::from_fn(|at| {
            words.partition_point(|word| byte(word).is_some_and(|it| usize::from(*it) < at))
        });
        Self { words, starts }
    }

    fn of(&self, byte: Option<&u8>) -> &[&'static str] {
        let range = byte.map(|byte| usize::from(*byte));
        range.map_or(&[], |at| &self.words[self.starts[at]..self.starts[at + 1]])
    }
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
        self.beginning_like(word).any(|known| known == word)
    }

    /// Whether the text begins with one of the words.
    pub(crate) fn begins(&self, text: &str) -> bool {
        self.beginning_like(text).any(|word| text.starts_with(word))
    }

    pub(crate) fn ends(&self, text: &str) -> bool {
        self.without_ending(text).is_some()
    }

    /// The text without each of the words that ends it.
    pub(crate) fn without_endings<'a>(&self, text: &'a str) -> impl Iterator<Item = &'a str> {
        let words = self.index().by_last.of(text.as_bytes().last());
        words.iter().filter_map(|word| text.strip_suffix(word))
    }

    pub(crate) fn without_ending<'a>(&self, text: &'a str) -> Option<&'a str> {
        self.without_endings(text).next()
    }

    fn beginning_like(&self, text: &str) -> impl Iterator<Item = &'static str> {
        let words = self.index().by_first.of(text.as_bytes().first());
        words.iter().copied()
    }

    fn index(&self) -> &Index {
        self.index.get_or_init(|| {
            let words: Vec<_> = self.words().collect();
            Index {
                by_first: ByByte::new(words.clone(), |word| word.as_bytes().first()),
                by_last: ByByte::new(words, |word| word.as_bytes().last()),
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

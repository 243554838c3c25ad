//! Lists of words: texts with white space between them. Long ones are files in `tables`.
//!
//! A line of a table has words, or is a comment that begins with `#`. A `[heading]` at its
//! beginning holds for this and the following lines.

pub(crate) const AND: [&str; 20] = [
    "and", "et", "und", "og", "och", "en", "y", "e", "i", "a", "és", "ja", "ir", "un", "ve", "și",
    "και", "и", "і", "та",
];

/// Begin sentences.
pub(crate) const TWO_LETTER_WORDS: &str = include_str!("tables/two_letter_words.txt");

/// Of things, roles and places, not of companies.
pub(crate) const ACRONYMS: &str = include_str!("tables/acronyms.txt");

pub(crate) const AT_COMPANY: &str = "at join joining bei bij hos chez";

pub(crate) fn listed(list: &str) -> impl Iterator<Item = &str> {
    list.split_ascii_whitespace()
}

pub(crate) fn is_among(list: &str, word: &str) -> bool {
    listed(list).any(|known| known == word)
}

pub(crate) fn begins_with_one(list: &str, text: &str) -> bool {
    listed(list).any(|word| text.starts_with(word))
}

pub(crate) fn without_ending<'a>(list: &str, text: &'a str) -> Option<&'a str> {
    listed(list).find_map(|word| text.strip_suffix(word))
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

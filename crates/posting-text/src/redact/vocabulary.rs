//! Lists of words: texts with white space between them. Long ones are files in `tables`.

/// Words that join the two parts of a name, like `&`.
pub(crate) const AND: [&str; 20] = [
    "and", "et", "und", "og", "och", "en", "y", "e", "i", "a", "és", "ja", "ir", "un", "ve", "și",
    "και", "и", "і", "та",
];

/// Words of two letters that begin sentences.
pub(crate) const TWO_LETTER_WORDS: &str = include_str!("tables/two_letter_words.txt");

/// Acronyms of things, roles and places, not of companies.
pub(crate) const ACRONYMS: &str = include_str!("tables/acronyms.txt");

/// Words before a workplace. No place and no thing stands after them.
pub(crate) const AT_COMPANY: &str = "at join joining bei bij hos chez";

/// The words of a list.
pub(crate) fn listed(list: &str) -> impl Iterator<Item = &str> {
    list.split_ascii_whitespace()
}

/// Whether a list of words has this one.
pub(crate) fn is_among(list: &str, word: &str) -> bool {
    listed(list).any(|known| known == word)
}

/// Whether a text begins with a word of a list.
pub(crate) fn begins_with_one(list: &str, text: &str) -> bool {
    listed(list).any(|word| text.starts_with(word))
}

/// A text without the first word of a list that it ends with; `None` if it ends with none.
pub(crate) fn without_ending<'a>(list: &str, text: &'a str) -> Option<&'a str> {
    listed(list).find_map(|word| text.strip_suffix(word))
}

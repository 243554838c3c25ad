//! Recognises tests: words for a test, keys side by side, and filler text.

use super::{
    content::Content,
    notice::{JOB, TEST, normalised},
};
use crate::redact::{List, words};

/// A longer description is no test, unless it is filler text.
pub(super) const MAX_TEST_LENGTH: usize = 400;

pub(super) fn is_test_posting(title: &str, content: &Content) -> bool {
    if content.weight > MAX_TEST_LENGTH
        && !content.text.to_ascii_lowercase().contains("lorem ipsum")
    {
        return false;
    }
    // "Please do not apply without a licence" is part of an ad.
    let is_marked = content.weight <= 200
        && asks_to_ignore(&content.text)
        && words(&content.text)
            .iter()
            .any(|word| matches!(&*word.lower, "test" | "prueba" | "prova" | "teste"))
        && !JOB.has_word(&content.text);
    is_marked
        || is_test(&content.text)
        || is_lorem_ipsum(&content.text)
        || (is_test_title(title) && content.weight <= 80)
}

fn is_test(text: &str) -> bool {
    let words = words(text);
    if words.is_empty() || words.len() > 40 {
        return false;
    }
    let number = |word: &str| word.chars().all(|c| c.is_ascii_digit());
    let has_mash = words.iter().any(|word| is_keyboard_mash(&word.lower));
    let seen = TEST.look(text, |word| number(word) || is_keyboard_mash(word));
    seen.unknown == 0 && (seen.refusal.is_some() || has_mash)
}

/// Keys side by side, or one key repeatedly.
fn is_keyboard_mash(word: &str) -> bool {
    const ROWS: [&str; 4] = ["asdfghjkl", "qwertyuiop", "zxcvbnm", "azertyuiop"];
    let letters: Vec<char> = word.chars().collect();
    if letters.len() < 4 || !word.is_ascii() {
        return false;
    }
    let same = letters.iter().all(|c| *c == letters[0]) && letters[0].is_ascii_alphabetic();
    let chunks = |row: &str| {
        letters
            .chunks(4)
            .all(|chunk| row.contains(&chunk.iter().collect::<String>()))
    };
    same || ROWS.iter().any(|row| chunks(row))
}

fn is_lorem_ipsum(text: &str) -> bool {
    static LOREM: List = List::new(include_str!("tables/lorem.txt"));
    let words = words(text);
    let introduced = words
        .windows(2)
        .any(|pair| pair[0].lower == "lorem" && pair[1].lower == "ipsum");
    let filler = words.iter().filter(|word| LOREM.has(&word.lower)).count();
    introduced && filler * 2 >= words.len()
}

/// "Test Engineer" is no test.
pub(super) fn is_test_title(title: &str) -> bool {
    asks_to_ignore(title) || is_test(title)
}

fn asks_to_ignore(text: &str) -> bool {
    const IGNORED: &str = include_str!("tables/ignored.txt");
    let said = normalised(text);
    IGNORED.lines().any(|phrase| said.contains(phrase))
}

//! Refuses postings without content: empty ones, bare links, and test strings.
//!
//! A wrong refusal is worse than a poor posting on the board, so only certain cases are refused.
//! Words are never merely counted, since Japanese has no spaces.

use crate::{
    Budget, Exceeded,
    document::Document,
    redact::{Kind, SEPARATOR, Scan, words::words},
};

/// Why a posting is refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Refusal {
    /// The description is empty or a placeholder.
    NoContent,
    /// The description consists of links.
    OnlyLinks,
    /// The posting is a test.
    Test,
}

/// A longer description is no test, unless it is filler text.
const MAX_TEST_LENGTH: usize = 400;

/// Decides whether to refuse a posting, by its title and its description.
pub(crate) fn judge(
    title: &str,
    document: &Document,
    scan: &Scan<'_>,
    budget: &Budget,
) -> Result<Option<Refusal>, Exceeded> {
    // The text is read a few times, and so is every word of a short one.
    budget.spend(scan.text.len().saturating_mul(8) + scan.contacts.len())?;
    Ok(judgement(title, document, scan))
}

fn judgement(title: &str, document: &Document, scan: &Scan<'_>) -> Option<Refusal> {
    let content = Content::of(document, scan);
    if content.weight > MAX_TEST_LENGTH
        && !content.text.to_ascii_lowercase().contains("lorem ipsum")
    {
        return None;
    }
    if content.weight == 0 || is_placeholder(&content.text) {
        return Some(if content.links > 0 {
            Refusal::OnlyLinks
        } else {
            Refusal::NoContent
        });
    }
    // "Apply here: https://…"
    if content.links > 0 && content.weight <= 12 {
        return Some(Refusal::OnlyLinks);
    }
    let is_test = is_test(&content.text)
        || is_lorem_ipsum(&content.text)
        || (is_test_title(title) && content.weight <= 80);
    is_test.then_some(Refusal::Test)
}

/// A description without its links.
struct Content {
    text: String,
    links: usize,
    /// The number of letters and digits; a character that is a syllable or a word counts twice.
    weight: usize,
}

impl Content {
    fn of(document: &Document, scan: &Scan<'_>) -> Self {
        let mut text = String::with_capacity(scan.text.len());
        let mut links = scan
            .contacts
            .iter()
            .filter(|(_, kind)| matches!(kind, Kind::Email | Kind::Link))
            .count();
        let mut ranges = scan.contacts.iter().peekable();
        let mut start = 0;
        document.for_each_text(&mut |spans| {
            for span in spans {
                let end = start + span.text.len();
                let mut at = start;
                while ranges.next_if(|(range, _)| range.end <= start).is_some() {}
                let mut here = ranges.clone();
                while let Some((range, _)) = here.next_if(|(range, _)| range.start < end) {
                    if span.link.is_none() && range.start > at {
                        text.push_str(&scan.text[at..range.start]);
                    }
                    at = range.end.min(end);
                }
                if span.link.is_none() {
                    text.push_str(&scan.text[at..end]);
                } else {
                    links += 1;
                }
                start = end;
            }
            text.push('\n');
            start += SEPARATOR.len();
        });
        let weight = text
            .chars()
            .filter(|c| c.is_alphanumeric())
            .map(|c| if u32::from(c) >= 0x1100 { 2 } else { 1 })
            .sum();
        Self {
            text,
            links,
            weight,
        }
    }
}

/// Whether a text is a placeholder.
fn is_placeholder(text: &str) -> bool {
    const PLACEHOLDERS: [&str; 22] = [
        "na",
        "tbd",
        "tba",
        "tbc",
        "none",
        "null",
        "nil",
        "undefined",
        "nan",
        "empty",
        "todo",
        "no",
        "object object",
        "description",
        "job description",
        "no description",
        "no content",
        "n a",
        "coming soon",
        "string",
        "text",
        "to be defined",
    ];
    let said = normalised(text);
    let letters = said.chars().filter(|c| c.is_alphabetic()).count();
    PLACEHOLDERS.contains(&said.as_str()) || letters == 0 || (letters == 1 && said.is_ascii())
}

/// The words in lower case, with single spaces.
fn normalised(text: &str) -> String {
    let words: Vec<String> = words(text)
        .into_iter()
        .map(|word| word.lower.into_owned())
        .collect();
    words.join(" ")
}

/// Words that make a short text a test.
const TEST_WORDS: &str = "\
    test tests testing testing123 test123 asdf qwerty foo bar baz foobar dummy blah bla \
    lorem ipsum xxx xxxx aaa prueba essai prøve probe teszt testi testannonse testannons \
    testanzeige テスト 测试 測試 тест 테스트";

/// Words that may accompany those.
const BESIDE_WORDS: &str = "\
    this is a an the just only please ignore do not apply hello world abc posting post job \
    ad description sample example data text content my it for of to hi ok if works working \
    delete me purposes purpose ceci est un une annonce offre dette er en et det här är ett \
    dies ist ein eine das nur esto es una kun bare stilling annonse annons anzeige stelle \
    merci ignorer de ignorér";

/// Whether a short text has only words that people type to try a form.
fn is_test(text: &str) -> bool {
    let words = words(text);
    if words.is_empty() || words.len() > 40 {
        return false;
    }
    let number = |word: &str| word.chars().all(|c| c.is_ascii_digit());
    let is_core = |word: &str| is_among(TEST_WORDS, word) || is_keyboard_mash(word);
    words.iter().any(|word| is_core(&word.lower))
        && words.iter().all(|word| {
            let word = &*word.lower;
            is_core(word) || is_among(BESIDE_WORDS, word) || number(word)
        })
}

/// Whether a word is typed by keys side by side, or by one key repeatedly.
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

/// Whether a text is filler text that a designer forgot.
fn is_lorem_ipsum(text: &str) -> bool {
    const LOREM: [&str; 60] = [
        "lorem",
        "ipsum",
        "dolor",
        "sit",
        "amet",
        "consectetur",
        "consectetuer",
        "adipiscing",
        "adipisicing",
        "elit",
        "sed",
        "do",
        "eiusmod",
        "tempor",
        "incididunt",
        "ut",
        "labore",
        "et",
        "dolore",
        "magna",
        "aliqua",
        "enim",
        "ad",
        "minim",
        "veniam",
        "quis",
        "nostrud",
        "exercitation",
        "ullamco",
        "laboris",
        "nisi",
        "aliquip",
        "ex",
        "ea",
        "commodo",
        "consequat",
        "duis",
        "aute",
        "irure",
        "in",
        "reprehenderit",
        "voluptate",
        "velit",
        "esse",
        "cillum",
        "eu",
        "fugiat",
        "nulla",
        "pariatur",
        "excepteur",
        "sint",
        "occaecat",
        "cupidatat",
        "non",
        "proident",
        "sunt",
        "culpa",
        "qui",
        "officia",
        "deserunt",
    ];
    let words = words(text);
    let introduced = words
        .windows(2)
        .any(|pair| pair[0].lower == "lorem" && pair[1].lower == "ipsum");
    let filler = words
        .iter()
        .filter(|word| LOREM.contains(&&*word.lower))
        .count();
    introduced && filler * 2 >= words.len()
}

/// Whether a title marks the posting as a test; "Test Engineer" does not.
fn is_test_title(title: &str) -> bool {
    let said = normalised(title);
    let ignore = [
        "please ignore",
        "do not apply",
        "ne pas postuler",
        "bitte ignorieren",
        "vennligst ignorer",
        "ignore this",
    ];
    ignore.iter().any(|phrase| said.contains(phrase)) || is_test(title)
}

fn is_among(list: &str, word: &str) -> bool {
    list.split(' ').any(|listed| listed == word)
}

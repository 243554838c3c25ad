//! Refuses postings that are none for certain: empty ones, bare links or images, test strings,
//! error pages, and notices that a position is taken.
//!
//! A wrong refusal is worse than a poor posting on the board, so only certain cases are refused.
//! Words are never merely counted, since Japanese has no spaces.

mod notice;

use self::notice::{CLOSED, ERROR_PAGE, Notice, TEST, normalised};
use crate::{
    Budget, Result,
    document::{Document, SEPARATOR},
    redact::{Kind, Scan, is_among, words},
};

/// The version of the rules that refuse postings. A test has one raise it with their verdicts.
pub const VERSION: u32 = 1;

/// Why a posting is refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Refusal {
    /// The description is empty or a placeholder.
    NoContent,
    /// The description consists of links.
    OnlyLinks,
    /// The description is an image.
    OnlyImage,
    /// The description is what a server shows instead of a page: it needs JavaScript, denies
    /// access, or finds nothing.
    ErrorPage,
    /// The description says that the position is taken or no longer offered.
    Closed,
    /// The posting is a test.
    Test,
}

impl Refusal {
    /// Every reason.
    pub const ALL: [Self; 6] = [
        Self::NoContent,
        Self::OnlyLinks,
        Self::OnlyImage,
        Self::ErrorPage,
        Self::Closed,
        Self::Test,
    ];
}

/// A longer description is no test, unless it is filler text.
const MAX_TEST_LENGTH: usize = 400;
/// A longer description is no error page, and no notice.
const MAX_NOTICE_LENGTH: usize = 600;
/// The most letters beside links or images that say nothing: "Apply here".
const MAX_BESIDE: usize = 12;
/// More letters that stand for images are a description.
const MAX_ALTERNATIVE: usize = 80;
/// The most passages of a refusal.
const MAX_PASSAGES: usize = 3;

/// What a refusal rests on: the title or lines of the description, verbatim as readers see them.
pub(crate) fn passages(
    refusal: Refusal,
    title: &str,
    text: &str,
    budget: &Budget,
) -> Result<Vec<String>> {
    let lines = || text.split(|c: char| c.is_control()).map(str::trim);
    let lines = || lines().filter(|line| !line.is_empty());
    let notice = match refusal {
        Refusal::ErrorPage => Some(&*ERROR_PAGE),
        Refusal::Closed => Some(&*CLOSED),
        Refusal::Test if is_test_title(title) => return Ok(vec![title.to_owned()]),
        _ => None,
    };
    budget.spend(notice.map_or(1, |notice| notice.steps(text.len())))?;
    let says_so = |line: &&str| notice.is_some_and(|it| it.look(line, |_| false).has_phrase);
    let mut found: Vec<_> = lines().filter(says_so).take(MAX_PASSAGES).collect();
    if found.is_empty() {
        found = lines().take(MAX_PASSAGES).collect();
    }
    Ok(found.into_iter().map(str::to_owned).collect())
}

/// Decides whether to refuse a posting, by its title and its description.
pub(crate) fn judge(
    title: &str,
    document: &Document,
    scan: &Scan<'_>,
    budget: &Budget,
) -> Result<Option<Refusal>> {
    // The text is read a few times, and so is every word of a short one.
    budget.spend(scan.text.len().saturating_mul(8) + scan.contacts.len())?;
    let content = Content::of(document, scan);
    if let Some(refusal) = by_amount(&content, document) {
        return Ok(Some(refusal));
    }
    if content.weight <= MAX_NOTICE_LENGTH {
        for (notice, refusal) in [
            (&*ERROR_PAGE, Refusal::ErrorPage),
            (&*CLOSED, Refusal::Closed),
        ] {
            budget.spend(notice.steps(content.letters))?;
            if is_notice(notice, &content.text, title) {
                return Ok(Some(refusal));
            }
        }
    }
    Ok(is_test_posting(title, &content).then_some(Refusal::Test))
}

/// The refusal of a description that has next to no words of its own.
fn by_amount(content: &Content, document: &Document) -> Option<Refusal> {
    let images = document.images;
    let beside = content.weight.saturating_sub(images.letters);
    if images.count > 0 && images.letters <= MAX_ALTERNATIVE && beside <= MAX_BESIDE {
        return Some(Refusal::OnlyImage);
    }
    let is_empty =
        content.weight == 0 || (content.weight <= MAX_TEST_LENGTH && is_placeholder(&content.text));
    match content.links {
        0 => is_empty.then_some(Refusal::NoContent),
        _ => (is_empty || content.weight <= MAX_BESIDE).then_some(Refusal::OnlyLinks),
    }
}

/// Whether a whole text is a notice: three quarters of it must be known words, numbers or words of
/// the title, so that a remark in a posting is none.
fn is_notice(notice: &Notice, text: &str, title: &str) -> bool {
    let title = normalised(title);
    let is_known = |word: &str| {
        word.contains(|c: char| c.is_ascii_digit()) || title.split(' ').any(|known| known == word)
    };
    let seen = notice.look(text, is_known);
    seen.has_phrase && seen.unknown.saturating_mul(4) <= seen.letters
}

fn is_test_posting(title: &str, content: &Content) -> bool {
    if content.weight > MAX_TEST_LENGTH
        && !content.text.to_ascii_lowercase().contains("lorem ipsum")
    {
        return false;
    }
    is_test(&content.text)
        || is_lorem_ipsum(&content.text)
        || (is_test_title(title) && content.weight <= 80)
}

/// A description without its links.
struct Content {
    text: String,
    links: usize,
    /// The number of letters and digits; a character that is a syllable or a word counts twice.
    weight: usize,
    /// The bytes of those letters and digits.
    letters: usize,
}

impl Content {
    fn of(document: &Document, scan: &Scan<'_>) -> Self {
        let mut text = String::with_capacity(scan.text.len());
        let mut links = scan
            .contacts
            .iter()
            .filter(|found| matches!(found.kind, Kind::Email | Kind::Link))
            .count();
        let ranges = scan.contacts.iter().map(|found| &found.range);
        let mut ranges = ranges.peekable();
        let mut start = 0;
        document.for_each_text(&mut |spans| {
            for span in spans {
                let end = start + span.text.len();
                let mut at = start;
                while ranges.next_if(|range| range.end <= start).is_some() {}
                let mut here = ranges.clone();
                while let Some(range) = here.next_if(|range| range.start < end) {
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
        let letters = || text.chars().filter(|c| c.is_alphanumeric());
        let weight = letters()
            .map(|c| if u32::from(c) >= 0x1100 { 2 } else { 1 })
            .sum();
        let letters = letters().map(char::len_utf8).sum();
        Self {
            text,
            links,
            weight,
            letters,
        }
    }
}

/// Whether a text is a placeholder.
fn is_placeholder(text: &str) -> bool {
    const PLACEHOLDERS: &str = "\
        na|tbd|tba|tbc|none|null|nil|undefined|nan|empty|todo|no|object object|description|\
        job description|no description|no content|n a|coming soon|string|text|to be defined";
    let said = normalised(text);
    let letters = said.chars().filter(|c| c.is_alphabetic()).count();
    PLACEHOLDERS.split('|').any(|known| known == said)
        || letters == 0
        || (letters == 1 && said.is_ascii())
}

/// Whether a short text has only words that people type to try a form.
fn is_test(text: &str) -> bool {
    let words = words(text);
    if words.is_empty() || words.len() > 40 {
        return false;
    }
    let number = |word: &str| word.chars().all(|c| c.is_ascii_digit());
    let has_mash = words.iter().any(|word| is_keyboard_mash(&word.lower));
    let seen = TEST.look(text, |word| number(word) || is_keyboard_mash(word));
    seen.unknown == 0 && (seen.has_phrase || has_mash)
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
    const LOREM: &str = include_str!("verdict/tables/lorem.txt");
    let words = words(text);
    let introduced = words
        .windows(2)
        .any(|pair| pair[0].lower == "lorem" && pair[1].lower == "ipsum");
    let filler = words
        .iter()
        .filter(|word| is_among(LOREM, &word.lower))
        .count();
    introduced && filler * 2 >= words.len()
}

/// Whether a title marks the posting as a test; "Test Engineer" does not.
fn is_test_title(title: &str) -> bool {
    const IGNORED: &str = "please ignore|do not apply|ne pas postuler|bitte ignorieren|\
        vennligst ignorer|ignore this";
    let said = normalised(title);
    IGNORED.split('|').any(|phrase| said.contains(phrase)) || is_test(title)
}

//! Refuses descriptions that describe no job: empty ones, links or images, test strings, and texts
//! of pages such as an error, a login form or a cookie banner. A title that says only that is
//! refused, too.
//!
//! A text is read sentence by sentence. It is refused if a sentence is a listed notice and no other
//! sentence describes anything; brands, numbers and the words of such pages describe nothing. It is
//! also refused if most of its letters belong to such pages and no sentence has a word of a job,
//! such as pay, hours or tasks. A wrong refusal is worse than a poor posting on the board.

mod notice;
mod refusal;

use self::notice::{JOB, PAGES, Seen, TEST, normalised};
pub use self::refusal::Refusal;
use crate::{
    Budget, Posting, Result,
    document::{Document, SEPARATOR},
    redact::{Kind, Scan, Word, is_among, lines, words},
};

/// The version of the rules. A test fails if verdicts change without a new version.
pub const VERSION: u32 = 6;

/// A longer description is no test, unless it is filler text.
const MAX_TEST_LENGTH: usize = 400;
/// A longer description is more than a notice.
const MAX_NOTICE_LENGTH: usize = 1_200;
/// A longer description is no error object and no template.
const MAX_OBJECT_LENGTH: usize = 400;
/// A text with at most this many unknown words may be a name: `Borrowdale Logistik GmbH`.
const MAX_NAME: usize = 6;
/// The most letters of a name in a script without capitals.
const MAX_PLAIN_NAME: usize = 6;
/// The most letters beside links or images that say nothing: "Apply here".
const MAX_BESIDE: usize = 12;
/// The most words of a variable of a template.
const MAX_VARIABLE: usize = 6;
const MAX_ALTERNATIVE: usize = 80;
const MAX_PASSAGES: usize = 3;

pub(crate) fn passages(
    refusal: Refusal,
    posting: &Posting<'_>,
    text: &str,
    budget: &Budget,
) -> Result<Vec<String>> {
    let lines = || text.split(|c: char| c.is_control()).map(str::trim);
    let lines = || lines().filter(|line| !line.is_empty());
    let is_test = refusal == Refusal::Test && is_test_title(posting.title);
    if is_test || by_title(posting) == Some(refusal) {
        return Ok(vec![posting.title.to_owned()]);
    }
    budget.spend(text.len().saturating_mul(4))?;
    let says_so = |part: &&str| PAGES.look(part, |_| false).refusal == Some(refusal);
    let mut found: Vec<_> = sentences(text).filter(says_so).take(MAX_PASSAGES).collect();
    if found.is_empty() {
        found = lines().take(MAX_PASSAGES).collect();
    }
    Ok(found.into_iter().map(str::to_owned).collect())
}

pub(crate) fn judge(
    posting: &Posting<'_>,
    document: &Document,
    scan: &Scan<'_>,
    budget: &Budget,
) -> Result<Option<Refusal>> {
    budget.spend(scan.text.len().saturating_mul(8) + scan.contacts.len())?;
    let content = Content::of(document, scan);
    let title = posting.title;
    if let Some(refusal) = by_amount(&content, document) {
        return Ok(Some(refusal));
    }
    if let Some(refusal) = by_form(&content, title) {
        return Ok(Some(refusal));
    }
    if content.weight <= MAX_NOTICE_LENGTH {
        budget.spend(content.text.len().saturating_mul(8))?;
        if let Some(refusal) = by_notice(&content.text, title) {
            return Ok(Some(refusal));
        }
    }
    if is_test_posting(title, &content) {
        return Ok(Some(Refusal::Test));
    }
    budget.spend(title.len().saturating_mul(8))?;
    Ok(by_title(posting))
}

/// Refuses a title that is only a placeholder, a template or a notice, with the company's name at
/// most. A notice of one word may be a job: "Onderhoud".
fn by_title(posting: &Posting<'_>) -> Option<Refusal> {
    /// Words of jobs that notices have, too: "Planned Maintenance Administrator".
    const WORK: &str = "administrator owner recruiter team support maintenance";
    let (title, company) = (posting.title, normalised(posting.company_name));
    let is_known = |word: &str| {
        word.contains(|c: char| c.is_ascii_digit()) || company.split(' ').any(|known| known == word)
    };
    if title.is_empty() {
        return None;
    }
    if !title.contains(char::is_alphabetic) || is_template(title, is_known) {
        return Some(Refusal::NoContent);
    }
    let is_work = |word: &Word<'_>| is_among(WORK, &word.lower);
    if JOB.has_word(title) || words(title).iter().any(is_work) {
        return None;
    }
    let mut found = None;
    for part in sentences(title) {
        let (seen, words) = (PAGES.look(part, is_known), words(part));
        let is_phrase = words.len() > 1 || words.iter().any(Word::is_unspaced);
        let is_notice = |it: &Refusal| is_phrase && *it != Refusal::Navigation;
        let refusal = match placeholder(part) {
            None if seen.unknown > 0 => return None,
            None => seen.phrase.filter(is_notice),
            placeholder => placeholder,
        };
        found = found.or(refusal);
    }
    found
}

/// Whether a text consists of variables, such as `{{ title }} in {{ city }}`.
fn is_template(text: &str, is_known: impl Fn(&str) -> bool) -> bool {
    let (mut outside, mut variables) = (String::new(), 0);
    let mut rest = text;
    while let Some((before, behind)) = rest.split_once('{') {
        let Some((variable, behind)) = behind.trim_start_matches('{').split_once('}') else {
            return false;
        };
        if words(variable).len() > MAX_VARIABLE {
            return false;
        }
        outside.push_str(before);
        variables += 1;
        rest = behind.trim_start_matches('}');
    }
    outside.push_str(rest);
    let says_nothing =
        |word: &Word<'_>| word.is_small() || word.letters() == 1 || is_known(&word.lower);
    variables > 0 && words(&outside).iter().all(says_nothing)
}

fn by_amount(content: &Content, document: &Document) -> Option<Refusal> {
    let images = document.images;
    let beside = content.weight.saturating_sub(images.letters);
    if images.count > 0 && images.letters <= MAX_ALTERNATIVE && beside <= MAX_BESIDE {
        return Some(Refusal::OnlyImage);
    }
    let text = &content.text;
    let found = match content.weight {
        0..=1 => Some(Refusal::NoContent),
        2..=MAX_TEST_LENGTH if text.contains(char::is_alphabetic) => placeholder(text),
        2..=MAX_TEST_LENGTH => Some(Refusal::NoContent),
        _ => None,
    };
    match content.links {
        0 => found,
        _ => (found.is_some() || content.weight <= MAX_BESIDE).then_some(Refusal::OnlyLinks),
    }
}

fn by_form(content: &Content, title: &str) -> Option<Refusal> {
    const MEMBERS: [&str; 6] = ["error", "errors", "message", "status", "code", "detail"];
    if content.weight > MAX_OBJECT_LENGTH {
        return None;
    }
    let text = content.text.trim();
    let has_member = |name: &&str| text.contains(&format!("\"{name}\""));
    if text.starts_with('{') && text.ends_with('}') && MEMBERS.iter().any(has_member) {
        return Some(Refusal::ErrorPage);
    }
    let is_title = !title.is_empty() && normalised(text) == normalised(title);
    let is_template = blanks(text) >= 2 || is_template(text, |_| false);
    (is_title || is_template).then_some(Refusal::NoContent)
}

/// Counts placeholders such as `[Job Title]` and `{{ company_name }}`.
fn blanks(text: &str) -> usize {
    const FILLED_WITH: &str = include_str!("verdict/tables/blanks.txt");
    let ends = |open: char| if open == '[' { ']' } else { '}' };
    let blank = |(at, open): (usize, char)| {
        let inside = text[at + 1..].trim_start_matches(open);
        let (inside, _) = inside.split_once(ends(open))?;
        let words = words(inside);
        let is_blank =
            words.len() <= MAX_VARIABLE && words.iter().any(|it| is_among(FILLED_WITH, &it.lower));
        is_blank.then_some(())
    };
    let opens = text.char_indices().filter(|(_, c)| matches!(c, '[' | '{'));
    let single = opens.filter(|(at, c)| !text[..*at].ends_with(*c));
    single.filter_map(blank).count()
}

fn by_notice(text: &str, title: &str) -> Option<Refusal> {
    let title = normalised(title);
    let is_known = |word: &str| {
        word.contains(|c: char| c.is_ascii_digit()) || title.split(' ').any(|known| known == word)
    };
    let parts: Vec<_> = sentences(text).collect();
    let seen: Vec<_> = parts
        .iter()
        .map(|sentence| PAGES.look(sentence, is_known))
        .collect();
    let Some(refusal) = seen.iter().filter_map(|seen| seen.refusal).min() else {
        let is_job = has_pay(text) || has_hours(text) || JOB.has_word(text);
        return PAGES.most(text, is_known).filter(|_| !is_job);
    };
    let describes = |seen: &Seen| describes(seen, refusal);
    if !seen.iter().any(describes) {
        return Some(refusal);
    }
    let names_job = |(part, seen): (&&str, &Seen)| {
        seen.refusal.is_none() && seen.unknown > 0 && (has_pay(part) || JOB.has_word(part))
    };
    // A question begins an ad more often than it ends one: "No longer available? Not with us."
    let asks = |(part, seen): (&&str, &Seen)| {
        seen.refusal.is_some_and(|it| it != Refusal::LoginWall) && part.ends_with(['?', '？'])
    };
    if parts.iter().zip(&seen).any(asks) {
        return None;
    }
    (is_page(&seen, refusal) && !parts.iter().zip(&seen).any(names_job)).then_some(refusal)
}

/// Whether most of a text is a page beside or instead of a job, although it has other words.
fn is_page(seen: &[Seen], refusal: Refusal) -> bool {
    let tells_reader = seen.iter().any(|seen| seen.tells_reader);
    let notices: Vec<_> = seen.iter().filter(|seen| seen.refusal.is_some()).collect();
    let whole = notices.iter().filter(|seen| seen.unknown == 0).count();
    let letters: usize = seen.iter().map(|seen| seen.letters).sum();
    let known = letters - seen.iter().map(|seen| seen.unknown).sum::<usize>();
    // The share of the letters that must be known, in percent. It is larger for menus and
    // references, because real ads have them, too. The strict rule decides about a text of one
    // sentence.
    let share = match (refusal, whole, notices.len()) {
        (Refusal::NoContent, ..) | (Refusal::Navigation, _, 0..=1) => return false,
        (Refusal::Navigation, ..) => 60,
        (_, 0, _) if seen.len() == 1 => return false,
        (_, 0, _) if tells_reader => 70,
        (_, 0, 1) => 80,
        (_, 0, _) => 50,
        _ if tells_reader => 60,
        _ => 35,
    };
    known.saturating_mul(100) >= letters.saturating_mul(share)
}

fn has_pay(sentence: &str) -> bool {
    sentence.contains(['€', '£', '$', '¥', '₽', '₴', '₺', '₪', '₩'])
        && sentence.contains(|c: char| c.is_ascii_digit())
}

/// Whether a text has hours, such as `30 hours`.
fn has_hours(text: &str) -> bool {
    const HOURS: &str = include_str!("verdict/tables/hours.txt");
    let words = words(text);
    let mut pairs = words.windows(2);
    pairs.any(|pair| pair[0].is_number() && is_among(HOURS, &pair[1].lower))
}

fn describes(seen: &Seen, refusal: Refusal) -> bool {
    let is_name = seen.plain_words == 0 && seen.unknown_words <= MAX_NAME;
    if seen.unknown == 0 || is_name {
        return false;
    }
    // A menu or a reference is short, so a single unknown word may be the job.
    if seen.tells_reader || matches!(refusal, Refusal::NoContent | Refusal::Navigation) {
        return true;
    }
    if seen.refusal.is_some() {
        let share = if seen.plain_words > 1 { 8 } else { 4 };
        return seen.unknown.saturating_mul(share) > seen.letters;
    }
    let is_slack = seen.plain_words == 1 && seen.unknown.saturating_mul(3) <= seen.letters;
    !is_slack && seen.unknown > MAX_PLAIN_NAME
}

fn sentences(text: &str) -> impl Iterator<Item = &str> {
    let ends = |(at, c): (usize, char)| match c {
        '。' | '！' | '？' => true,
        '.' | '!' | '?' | '…' | '؟' | '।' => {
            let next = text[at + c.len_utf8()..].chars().next();
            next.is_none_or(char::is_whitespace)
        }
        '/' | '-' | '–' | '—' => {
            text[..at].ends_with(' ') && text[at + c.len_utf8()..].starts_with(' ')
        }
        _ => c.is_control() || matches!(c, '|' | '•' | '·' | '»' | '›' | ';'),
    };
    let mut rest = 0;
    let mut parts = Vec::new();
    for (at, c) in text.char_indices() {
        if ends((at, c)) {
            parts.push(&text[rest..at + c.len_utf8()]);
            rest = at + c.len_utf8();
        }
    }
    parts.push(&text[rest..]);
    let separators = |c: char| c.is_control() || c.is_whitespace() || "|•·»›;/–—-".contains(c);
    let parts = parts
        .into_iter()
        .map(move |part| part.trim_matches(separators));
    parts.filter(|part| !part.is_empty())
}

fn is_test_posting(title: &str, content: &Content) -> bool {
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
            .any(|word| is_among("test prueba prova teste", &word.lower))
        && !JOB.has_word(&content.text);
    is_marked
        || is_test(&content.text)
        || is_lorem_ipsum(&content.text)
        || (is_test_title(title) && content.weight <= 80)
}

struct Content {
    text: String,
    links: usize,
    /// Letters and digits; a character that is a syllable or a word counts twice.
    weight: usize,
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
        let letters = text.chars().filter(|c| c.is_alphanumeric());
        let weight = letters
            .map(|c| if u32::from(c) >= 0x1100 { 2 } else { 1 })
            .sum();
        Self {
            text,
            links,
            weight,
        }
    }
}

/// Recognises a whole text by its words, without numbers and repetitions.
fn placeholder(text: &str) -> Option<Refusal> {
    const PLACEHOLDERS: &str = include_str!("verdict/tables/placeholders.txt");
    let words = words(text);
    let words = words.iter().filter(|word| !word.is_number());
    let mut said: Vec<_> = words.map(|word| &*word.lower).collect();
    said.dedup();
    let said = said.join(" ");
    let mut known = lines(PLACEHOLDERS).flat_map(|(heading, line)| {
        let texts = line.split('|');
        texts.map(move |text| (heading, text.trim()))
    });
    known
        .find(|(_, text)| !text.is_empty() && *text == said)
        .map(|(heading, _)| match heading {
            "error_page" => Refusal::ErrorPage,
            "login_wall" => Refusal::LoginWall,
            _ => Refusal::NoContent,
        })
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

/// "Test Engineer" is no test.
fn is_test_title(title: &str) -> bool {
    asks_to_ignore(title) || is_test(title)
}

fn asks_to_ignore(text: &str) -> bool {
    const IGNORED: &str = include_str!("verdict/tables/ignored.txt");
    let said = normalised(text);
    IGNORED.lines().any(|phrase| said.contains(phrase))
}

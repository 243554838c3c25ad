//! Refuses descriptions that describe no job: empty ones, links or images, test strings, and texts
//! of pages such as an error, a login form or a cookie banner. A title that says only that is
//! refused, too.
//!
//! A text is read sentence by sentence. It is refused if a sentence is a listed notice and no other
//! sentence describes anything; brands, numbers and the words of such pages describe nothing. It is
//! also refused if nearly all of its letters belong to such pages and no sentence has a word of a
//! job, such as pay, hours or tasks. A wrong refusal is worse than a poor posting on the board.

mod blank;
mod content;
mod notice;
mod refusal;
mod trial;

use std::{collections::HashSet, sync::LazyLock};

pub use self::refusal::Refusal;
use self::{
    blank::{blanks, is_template, placeholder},
    content::Content,
    notice::{JOB, PAGES, Seen, normalised},
    trial::{MAX_TEST_LENGTH, is_test_posting, is_test_title},
};
use crate::{
    Budget, Posting, Result,
    document::Document,
    redact::{List, Scan, Word, words},
};

/// The version of the rules. A test fails if verdicts change without a new version.
pub const VERSION: u32 = 7;

/// A longer description is more than a notice.
const MAX_NOTICE_LENGTH: usize = 1_200;
/// A sentence with more words that pages lack describes something.
const MAX_PLAIN_WORDS: usize = 2;
/// A longer description is no error object and no template.
const MAX_OBJECT_LENGTH: usize = 400;
/// A text with at most this many unknown words may be a name: `Borrowdale Logistik GmbH`.
const MAX_NAME: usize = 6;
/// The most letters of a name in a script without capitals.
const MAX_PLAIN_NAME: usize = 6;
/// The most letters beside links or images that say nothing: "Apply here".
const MAX_BESIDE: usize = 12;
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
    if let Some(refusal) = by_form(&content, posting) {
        return Ok(Some(refusal));
    }
    if content.weight <= MAX_NOTICE_LENGTH {
        budget.spend(content.text.len().saturating_mul(8))?;
        if let Some(refusal) = by_notice(&content.text, posting) {
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
    static WORK: List = List::new("administrator owner recruiter team support maintenance");
    let title = posting.title;
    let is_known = known_by(posting.company_name);
    if title.is_empty() {
        return None;
    }
    if !title.contains(char::is_alphabetic) || is_template(title, &is_known) {
        return Some(Refusal::NoContent);
    }
    let is_work = |word: &Word<'_>| WORK.has(&word.lower);
    if JOB.has_word(title) || words(title).iter().any(is_work) {
        return None;
    }
    let mut found = None;
    for part in sentences(title) {
        let (seen, words) = (PAGES.look(part, &is_known), words(part));
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

/// Whether a word describes nothing beside a name: a word of the name, or a number.
fn known_by(name: &str) -> impl Fn(&str) -> bool + use<> {
    let name = normalised(name);
    move |word| {
        word.contains(|c: char| c.is_ascii_digit()) || name.split(' ').any(|known| known == word)
    }
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

fn by_form(content: &Content, posting: &Posting<'_>) -> Option<Refusal> {
    static MEMBERS: List = List::new(include_str!("verdict/tables/members.txt"));
    const TRACES: &str = include_str!("verdict/tables/traces.txt");
    let (text, raw) = (content.text.trim(), posting.description.trim_start());
    if content.weight > MAX_OBJECT_LENGTH || text.len() > MAX_OBJECT_LENGTH * 8 {
        return None;
    }
    let (title, lower) = (posting.title, text.to_lowercase());
    let is_object = text.starts_with('{') && text.ends_with('}');
    let is_error = is_object
        && MEMBERS
            .words()
            .any(|it| lower.contains(&format!("\"{it}\"")));
    let is_xml = raw.starts_with("<?xml") && raw.contains("rror>");
    let is_fault = is_xml || TRACES.lines().any(|trace| lower.contains(trace));
    if is_error || (is_fault && !JOB.has_word(text)) {
        return Some(Refusal::ErrorPage);
    }
    let is_title = !title.is_empty() && normalised(text) == normalised(title);
    let is_template = blanks(text) >= 2 || is_template(text, |_| false);
    (is_title || is_template).then_some(Refusal::NoContent)
}

fn by_notice(text: &str, posting: &Posting<'_>) -> Option<Refusal> {
    let is_known = known_by(&format!("{} {}", posting.title, posting.company_name));
    let parts: Vec<_> = sentences(text).collect();
    let seen: Vec<_> = parts
        .iter()
        .map(|sentence| PAGES.look(sentence, &is_known))
        .collect();
    if is_menu(&parts) {
        return Some(Refusal::Navigation);
    }
    let Some(refusal) = seen.iter().filter_map(|seen| seen.refusal).min() else {
        let is_job = has_pay(text) || has_hours(text) || JOB.has_word(text);
        // "Rosenhof looks for a lover of roses and hedges", and a long list of other words.
        let describes = seen.iter().any(|seen| seen.plain_words > MAX_PLAIN_WORDS);
        let found = PAGES.most(text, known_by(posting.title));
        return found.filter(|_| !is_job && !describes);
    };
    let names_job = |(part, seen): (&&str, &Seen)| {
        seen.refusal.is_none() && seen.unknown > 0 && (has_pay(part) || JOB.has_word(part))
    };
    let describes = |seen: &Seen| describes(seen, refusal);
    let is_paid = refusal == Refusal::ErrorPage && has_pay(text);
    let names_job = is_paid || parts.iter().zip(&seen).any(names_job);
    if !seen.iter().any(describes) && !names_job {
        return Some(refusal);
    }
    // A question begins an ad more often than it ends one: "No longer available? Not with us."
    let asks = |(part, seen): (&&str, &Seen)| {
        seen.refusal.is_some_and(|it| it != Refusal::LoginWall) && part.ends_with(['?', '？'])
    };
    if parts.iter().zip(&seen).any(asks) {
        return None;
    }
    (is_page(&seen, refusal) && !names_job).then_some(refusal)
}

/// Whether a text is a list of short lines and at least half of them are entries of menus.
fn is_menu(parts: &[&str]) -> bool {
    static ENTRIES: LazyLock<HashSet<&str>> = LazyLock::new(|| {
        let lines = include_str!("verdict/tables/menu.txt").lines();
        lines.flat_map(|line| line.split(" | ")).collect()
    });
    const MANY: usize = 5;
    let is_short = |part: &&str| words(part).len() <= MANY && !has_pay(part);
    let is_entry = |part: &&&str| ENTRIES.contains(&*normalised(part));
    parts.len() >= MANY
        && parts.iter().all(is_short)
        && parts.iter().filter(is_entry).count() * 2 >= parts.len()
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
    static HOURS: List = List::new(include_str!("verdict/tables/hours.txt"));
    let words = words(text);
    let mut pairs = words.windows(2);
    pairs.any(|pair| pair[0].is_number() && HOURS.has(&pair[1].lower))
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
        let share = if seen.plain_words > 1 { 6 } else { 3 };
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

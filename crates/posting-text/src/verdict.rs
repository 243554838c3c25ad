//! Refuses descriptions that describe no job: empty ones, links or images, test strings, and texts
//! of pages such as an error, a login form or a cookie banner. A title that says only that is
//! refused, too.
//!
//! A text is read sentence by sentence. A listed notice is a reason to refuse it, if no other
//! sentence describes anything, or if most letters belong to words of pages; brands, numbers and
//! the words of such pages describe nothing. A linear model, learned from labelled texts, must not
//! disagree; it also refuses pages that the tables do not know. Pay, hours and other words of jobs
//! must be outweighed. A wrong refusal is worse than a poor posting on the board.

mod blank;
mod content;
mod model;
mod notice;
mod page;
mod refusal;
mod trial;

pub use self::refusal::Refusal;
use self::{
    blank::{blanks, is_template, placeholder},
    content::Content,
    model::Features,
    notice::{JOB, PAGES, normalised},
    page::{describes, has_hours, has_pay, is_page, sentences, without_menus},
    trial::{MAX_TEST_LENGTH, is_test_posting, is_test_title},
};
use crate::{
    Budget, Posting, Result,
    document::Document,
    redact::{List, Scan, Word, words},
};

/// The version of the rules. A test fails if verdicts change without a new version.
pub const VERSION: u32 = 10;

/// A longer description is more than a notice.
const MAX_NOTICE_LENGTH: usize = 1_200;
/// A longer description is no error object and no template.
const MAX_OBJECT_LENGTH: usize = 400;
/// The most letters beside links or images that say nothing: "Apply here".
const MAX_BESIDE: usize = 12;
const MAX_ALTERNATIVE: usize = 80;
const MAX_PASSAGES: usize = 3;
/// The score of the model that a page exceeds.
const SURE: f64 = 0.05;

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
    budget.spend(text.len().saturating_mul(12))?;
    let says_so = |part: &&str| PAGES.look(part, |_| false).refusal == Some(refusal);
    let mut found: Vec<_> = sentences(text).filter(says_so).take(MAX_PASSAGES).collect();
    if found.is_empty() && refusal != Refusal::Test {
        let is_page = |part: &&str| Features::of(part).score() > SURE;
        found = sentences(text).filter(is_page).take(MAX_PASSAGES).collect();
    }
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
    if is_test_posting(title, &content) {
        return Ok(Some(Refusal::Test));
    }
    if content.weight <= MAX_NOTICE_LENGTH {
        budget.spend(scan.text.len().saturating_mul(16))?;
        if let Some(refusal) = by_model(scan.text, &content, posting) {
            return Ok(Some(refusal));
        }
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
            None => seen.refusal.filter(is_notice),
            placeholder => placeholder,
        };
        found = found.or(refusal);
    }
    found
}

/// Whether a word describes nothing beside a name: a word of the name, or a number.
fn known_by(name: &str) -> impl Fn(&str) -> bool + use<> {
    let is_of_name = words_of(name);
    move |word| word.contains(|c: char| c.is_ascii_digit()) || is_of_name(word)
}

fn words_of(name: &str) -> impl Fn(&str) -> bool + use<> {
    let name = normalised(name);
    move |word| name.split(' ').any(|known| known == word)
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
    /// A text about errors names fewer of them.
    const MANY_TRACES: usize = 2;
    const ENDS: [&str; 6] = ["rror>", "rreur>", "ehler>", "rrore>", "erro>", "fout>"];
    let (text, raw) = (content.text.trim(), posting.description.trim_start());
    let is_longer = |most: usize| content.weight > most || text.len() > most * 8;
    if is_longer(MAX_NOTICE_LENGTH) {
        return None;
    }
    let (title, lower) = (posting.title, text.to_lowercase());
    let traces = TRACES.lines().filter(|trace| lower.contains(trace)).count();
    if traces >= MANY_TRACES {
        return Some(Refusal::ErrorPage);
    }
    if is_longer(MAX_OBJECT_LENGTH) {
        return None;
    }
    let is_object = text.starts_with('{') && text.ends_with('}');
    let is_error = is_object
        && MEMBERS
            .words()
            .any(|it| lower.contains(&format!("\"{it}\"")));
    let is_xml = raw.starts_with("<?xml") && ENDS.iter().any(|end| raw.contains(end));
    if is_error || (is_xml || traces > 0) && !JOB.has_word(text) {
        return Some(Refusal::ErrorPage);
    }
    let is_title = !title.is_empty() && says_only(text, posting);
    let is_filled = lower.contains("lorem ipsum dolor")
        && !is_test_posting(title, content)
        && !JOB.has_word(text);
    let is_template = blanks(text) >= 2 || is_template(text, |_| false) || is_filled;
    (is_title || is_template).then_some(Refusal::NoContent)
}

/// Whether a text repeats the title, the company and the city, in any order.
fn says_only(text: &str, posting: &Posting<'_>) -> bool {
    let city = posting.city.unwrap_or_default();
    let is_known = words_of(&format!(
        "{} {} {city}",
        posting.title, posting.company_name
    ));
    normalised(text).split(' ').all(is_known)
}

/// Refuses what the model takes for a page, with its menus and without. A notice needs a lower
/// score than other texts, and a text with words of a job a higher one.
fn by_model(text: &str, content: &Content, posting: &Posting<'_>) -> Option<Refusal> {
    const SURE_BESIDE_JOB: f64 = 0.3;
    const SURE_OF_NOTICE: f64 = -0.5;
    /// Without its menus a page scores so much less.
    const OF_MENUS: f64 = 0.1;
    let features = Features::of(text);
    if features.score() <= SURE_OF_NOTICE {
        return None;
    }
    let rest = without_menus(text);
    let notice = notice(&without_menus(&content.text), posting);
    let least = match notice {
        _ if has_job(&rest) => SURE_BESIDE_JOB,
        Some(_) => SURE_OF_NOTICE,
        None => SURE,
    };
    let is_page = features.score() > least && Features::of(&rest).score() > least - OF_MENUS;
    is_page.then(|| notice.unwrap_or_else(|| features.kind()))
}

/// The meaning of a text that says nothing else.
fn notice(text: &str, posting: &Posting<'_>) -> Option<Refusal> {
    let is_known = known_by(&format!("{} {}", posting.title, posting.company_name));
    let look = |sentence| PAGES.look(sentence, &is_known);
    let seen: Vec<_> = sentences(text).map(look).collect();
    let refusal = seen.iter().filter_map(|seen| seen.refusal).min()?;
    let is_notice = !seen.iter().any(|seen| describes(seen, refusal)) || is_page(&seen, refusal);
    is_notice.then_some(refusal)
}

fn has_job(text: &str) -> bool {
    has_pay(text) || has_hours(text) || JOB.has_word(text)
}

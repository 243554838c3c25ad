//! Recognises texts that stand for another text: placeholders and variables of templates.

use super::refusal::Refusal;
use crate::{
    kind::Kind,
    redact::{List, Word, lines, words},
};

/// The most words of a variable of a template.
const MAX_VARIABLE: usize = 6;

/// Recognises a whole text by its words, without numbers and repetitions.
pub(super) fn placeholder(text: &str) -> Option<Refusal> {
    const PLACEHOLDERS: &str = include_str!("tables/placeholders.txt");
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

/// Whether a text consists of variables, such as `{{ title }} in {{ city }}`.
pub(super) fn is_template(text: &str, is_known: impl Fn(&str) -> bool) -> bool {
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

/// Counts placeholders such as `[Job Title]`, `{{ company_name }}`, and runs of `_` or `X`.
pub(super) fn blanks(text: &str) -> usize {
    static FILLED_WITH: List = List::new(include_str!("tables/blanks.txt"));
    let ends = |open: char| if open == '[' { ']' } else { '}' };
    let blank = |(at, open): (usize, char)| {
        let inside = text[at + 1..].trim_start_matches(open);
        let (inside, _) = inside.split_once(ends(open))?;
        let words = words(inside);
        // "[person]" is what was hidden.
        let is_token = open == '[' && Kind::ALL.iter().any(|kind| kind.name() == inside);
        // JSON has quotation marks.
        let is_blank = !(is_token || inside.contains('"'))
            && words.len() <= MAX_VARIABLE
            && words.iter().any(|it| FILLED_WITH.has(&it.lower));
        is_blank.then_some(())
    };
    let opens = text.char_indices().filter(|(_, c)| matches!(c, '[' | '{'));
    let single = opens.filter(|(at, c)| !text[..*at].ends_with(*c));
    let is_line = |it: &&str| {
        let first = it.bytes().next();
        it.len() > 3 && matches!(first, Some(b'_' | b'X')) && it.bytes().all(|b| Some(b) == first)
    };
    // A form for an applicant has two.
    let lines = text.split_whitespace().filter(is_line).count();
    single.filter_map(blank).count() + if lines > 2 { lines } else { 0 }
}

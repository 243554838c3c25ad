//! Escapes characters that `CommonMark` would take for markup, as few as possible: `C#`,
//! `snake_case`, `[H/F]` and `a - b` stay.

use super::emphasis::{Interval, Mark};

#[derive(Clone, Copy, Debug)]
pub(crate) struct Paragraph {
    in_cell: bool,
    /// Whether any `~` could end struck out text.
    has_deleted: bool,
    /// The first `~` that may begin struck out text.
    tilde: Option<usize>,
    definition: Option<usize>,
}

impl Paragraph {
    pub(crate) fn of(text: &[char], marks: &[Interval], in_cell: bool) -> Self {
        // A line ends in a backslash.
        let visible = |c: &char| *c == '\n' || !c.is_whitespace();
        let opens = |at: &usize| text.get(at + 1).is_some_and(visible);
        let mut tildes = (0..text.len()).filter(|at| text[*at] == '~');
        let is_marked = marks.first().is_some_and(|mark| mark.start == 0);
        Self {
            in_cell,
            has_deleted: marks.iter().any(|mark| mark.mark == Mark::Deleted),
            tilde: tildes.find(opens),
            definition: definition(text).filter(|_| !is_marked && !in_cell),
        }
    }
}

/// Returns the place of the colon if the text begins with a definition (`CommonMark`, "Link
/// reference definitions", or GitHub's footnotes). A definition needs a destination.
fn definition(text: &[char]) -> Option<usize> {
    let label = text.strip_prefix(&['['])?;
    let colon = label.iter().position(|c| *c == ']')? + 2;
    if text.get(colon) != Some(&':') {
        return None;
    }
    let visible = |c: &char| *c == '\n' || !c.is_whitespace();
    let rest = &text[colon + 1..];
    let rest = &rest[rest.iter().position(visible)?..];
    let end = rest.iter().position(|c| c.is_whitespace());
    let after = end.and_then(|end| rest[end..].iter().find(|c| visible(c)));
    let is_definition = label[0] == '^'
        || matches!(rest[0], '<' | '\n')
        || after.is_none_or(|c| matches!(c, '\n' | '"' | '\'' | '('));
    is_definition.then_some(colon)
}

#[derive(Clone, Copy, Debug)]
pub(crate) struct Place<'a> {
    pub(crate) text: &'a [char],
    pub(crate) paragraph: Paragraph,
    pub(crate) at: usize,
    pub(crate) line_start: bool,
    /// Whether markup comes directly before or after this place.
    pub(crate) beside_markup: bool,
    pub(crate) in_link: bool,
}

pub(crate) fn is_harmless(text: &str) -> bool {
    text.starts_with(char::is_alphabetic)
        && !text.contains(['\\', '*', '`', '_', '~', '[', ']', '!', '<', '&', '\n'])
}

pub(crate) fn push(out: &mut String, place: Place<'_>) {
    let c = place.text[place.at];
    let next = place.text.get(place.at + 1).copied();
    let before = place
        .at
        .checked_sub(1)
        .and_then(|at| place.text.get(at))
        .copied();
    let Paragraph {
        in_cell,
        has_deleted,
        tilde,
        definition,
    } = place.paragraph;
    let escaped = match c {
        // An entity works even where a backslash is not understood.
        '<' if next.is_some_and(|n| n.is_ascii_alphabetic() || matches!(n, '/' | '!' | '?'))
            || is_address(&place.text[place.at + 1..]) =>
        {
            out.push_str("&lt;");
            return;
        }
        '&' if entity(&place.text[place.at + 1..]) => {
            out.push_str("&amp;");
            return;
        }
        '\\' => next.is_none_or(|n| n.is_ascii_punctuation() || n == '\n') || place.beside_markup,
        '*' | '`' => true,
        '_' => {
            let word = |c: Option<char>| c.is_some_and(char::is_alphanumeric);
            place.beside_markup || !(word(before) && word(next))
        }
        '~' => {
            let ends = before.is_some_and(|before| !before.is_whitespace());
            let pair = tilde.is_some_and(|first| first < place.at) && ends;
            has_deleted || pair || next == Some('~') || before == Some('~')
        }
        '|' if in_cell => true,
        '[' | ']' => place.in_link,
        // Otherwise `[text]` could become a link or a definition.
        '(' => before == Some(']'),
        ':' if definition == Some(place.at) => true,
        // The writer escapes a `!` before a link.
        '!' => next == Some('['),
        _ => place.line_start && starts_block(c, &place.text[place.at + 1..]),
    };
    if escaped {
        out.push('\\');
    }
    out.push(c);
}

pub(crate) fn ordered(rest: &[char]) -> Option<usize> {
    let digits = rest
        .iter()
        .take(10)
        .take_while(|c| c.is_ascii_digit())
        .count();
    let delimiter = rest.get(digits).is_some_and(|c| matches!(c, '.' | ')'));
    let space = rest.get(digits + 1).is_none_or(|c| c.is_whitespace());
    (digits > 0 && digits < 10 && delimiter && space).then_some(digits)
}

fn starts_block(first: char, rest: &[char]) -> bool {
    let blank = |c: Option<&char>| c.is_none_or(|c| c.is_whitespace());
    match first {
        '>' | '|' => true,
        '+' => blank(rest.first()),
        '-' => blank(rest.first()) || rest.first() == Some(&'-') || is_delimiters(first, rest),
        ':' => is_delimiters(first, rest),
        '=' => rest
            .iter()
            .take_while(|c| **c != '\n')
            .all(|c| matches!(c, '=' | ' ')),
        '#' => {
            let more = rest.iter().take_while(|c| **c == '#').count();
            more < 6 && blank(rest.get(more))
        }
        _ => false,
    }
}

/// Whether this is the line under the headers of a table.
fn is_delimiters(first: char, rest: &[char]) -> bool {
    let line = || rest.iter().take_while(|c| **c != '\n');
    line().all(|c| matches!(c, '-' | ':' | '|' | ' ')) && line().any(|c| first == '-' || *c == '-')
}

/// Whether the text after a `<` may be an e-mail autolink (`CommonMark`, "Autolinks").
fn is_address(rest: &[char]) -> bool {
    let length = rest
        .iter()
        .take_while(|c| !c.is_whitespace() && !matches!(c, '<' | '>'))
        .count();
    rest.get(length) == Some(&'>') && rest[..length].contains(&'@')
}

fn entity(rest: &[char]) -> bool {
    let length = rest
        .iter()
        .take(33)
        .take_while(|c| c.is_ascii_alphanumeric() || **c == '#')
        .count();
    length > 0 && rest.get(length) == Some(&';')
}

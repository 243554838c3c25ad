//! Finds the characters that `CommonMark` would take for markup, and escapes them.
//!
//! Escapes as little as possible: `C#`, `snake_case`, `[H/F]` and `a - b` stay as they are.

/// A character and its surroundings.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Place<'a> {
    /// The paragraph.
    pub(crate) text: &'a [char],
    /// The index of the character in the paragraph.
    pub(crate) at: usize,
    /// Whether it starts a line, with no markup before it.
    pub(crate) line_start: bool,
    /// Whether markup comes directly before or after it.
    pub(crate) beside_markup: bool,
    /// Whether it belongs to the text of a link.
    pub(crate) in_link: bool,
}

/// Whether a text certainly contains no markup.
pub(crate) fn is_harmless(text: &str) -> bool {
    text.starts_with(char::is_alphabetic)
        && !text.contains(|c: char| {
            matches!(
                c,
                '\\' | '*' | '`' | '_' | '~' | '[' | ']' | '!' | '<' | '&' | '\n'
            )
        })
}

/// Writes one character so that a parser shows it as it is.
pub(crate) fn push(out: &mut String, place: Place<'_>) {
    let c = place.text[place.at];
    let next = place.text.get(place.at + 1).copied();
    let before = place
        .at
        .checked_sub(1)
        .and_then(|at| place.text.get(at))
        .copied();
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
        '~' => next == Some('~') || before == Some('~'),
        '[' | ']' => place.in_link,
        // Otherwise `[text]` could become a link or a definition.
        '(' | ':' => before == Some(']'),
        // The writer escapes a `!` before a link.
        '!' => next == Some('['),
        _ => place.line_start && starts_block(c, &place.text[place.at + 1..]),
    };
    if escaped {
        out.push('\\');
    }
    out.push(c);
}

/// The number of digits, if an ordered list item starts here.
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

/// Whether a line that starts like this begins a block.
fn starts_block(first: char, rest: &[char]) -> bool {
    let blank = |c: Option<&char>| c.is_none_or(|c| c.is_whitespace());
    match first {
        '>' | '|' => true,
        '+' => blank(rest.first()),
        '-' => blank(rest.first()) || rest.first() == Some(&'-'),
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

/// Whether the text after a `<` may make it an e-mail autolink (`CommonMark`, "Autolinks"). Reads
/// as far as the next `<` at most.
fn is_address(rest: &[char]) -> bool {
    let length = rest
        .iter()
        .take_while(|c| !c.is_whitespace() && !matches!(c, '<' | '>'))
        .count();
    rest.get(length) == Some(&'>') && rest[..length].contains(&'@')
}

/// Whether the text after an ampersand completes an entity.
fn entity(rest: &[char]) -> bool {
    let length = rest
        .iter()
        .take(33)
        .take_while(|c| c.is_ascii_alphanumeric() || **c == '#')
        .count();
    length > 0 && rest.get(length) == Some(&';')
}

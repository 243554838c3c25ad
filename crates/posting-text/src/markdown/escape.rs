//! Which characters of a text `CommonMark` would take for markup, and how to write them.
//!
//! As little as possible is escaped: `C#`, `snake_case`, `[H/F]`, `a - b` stay as they are.

/// The surroundings of a character.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Place<'a> {
    /// The paragraph.
    pub(crate) text: &'a [char],
    /// The character's index in it.
    pub(crate) at: usize,
    /// Whether the line starts here, with no markup before.
    pub(crate) line_start: bool,
    /// Whether markup stands directly before or after.
    pub(crate) beside_markup: bool,
    /// Whether this is the text of a link.
    pub(crate) in_link: bool,
}

/// Whether a text needs no look at its characters: nothing in it can be markup.
pub(crate) fn is_harmless(text: &str) -> bool {
    text.starts_with(char::is_alphabetic)
        && !text.contains(|c: char| {
            matches!(
                c,
                '\\' | '*' | '`' | '_' | '~' | '[' | ']' | '!' | '<' | '&' | '\n'
            )
        })
}

/// Writes one character so that it shows as itself.
pub(crate) fn push(out: &mut String, place: Place<'_>) {
    let c = place.text[place.at];
    let next = place.text.get(place.at + 1).copied();
    let before = place
        .at
        .checked_sub(1)
        .and_then(|at| place.text.get(at))
        .copied();
    let escaped = match c {
        // An entity is safe even where a backslash would not be understood.
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
        // Without this `[text]` could become a link or a definition.
        '(' | ':' => before == Some(']'),
        // The writer sees to a `!` before a link.
        '!' => next == Some('['),
        _ => place.line_start && starts_block(c, &place.text[place.at + 1..]),
    };
    if escaped {
        out.push('\\');
    }
    out.push(c);
}

/// How many digits start an ordered list item here.
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

/// Whether a line with this start begins a block.
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

/// Whether the text after a `<` may make it an e-mail address (`CommonMark`, "Autolinks"), which
/// would be a link. Looks as far as the next `<` at most.
fn is_address(rest: &[char]) -> bool {
    let length = rest
        .iter()
        .take_while(|c| !c.is_whitespace() && !matches!(c, '<' | '>'))
        .count();
    rest.get(length) == Some(&'>') && rest[..length].contains(&'@')
}

/// Whether the text after an ampersand makes it an entity.
fn entity(rest: &[char]) -> bool {
    let length = rest
        .iter()
        .take(33)
        .take_while(|c| c.is_ascii_alphanumeric() || **c == '#')
        .count();
    length > 0 && rest.get(length) == Some(&';')
}

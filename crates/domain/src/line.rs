//! Texts of one line.

/// The reason why a text cannot be shown on one line.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum InvalidLine {
    /// It contains U+0000, which PostgreSQL cannot store.
    #[error("must not contain the character U+0000")]
    Nul,
    /// It contains a control character: a line break or a terminal's escape sequence.
    #[error("must not contain control characters, as U+{:04X}", u32::from(*.0))]
    Control(char),
    /// It contains a character that displays other characters out of order.
    #[error("must not contain characters that turn the direction of text, as U+{:04X}", u32::from(*.0))]
    Direction(char),
}

/// The longest reason that an operator gives, in characters.
const REASON_LENGTH: usize = 1_000;

/// The fault of a short text.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum InvalidText {
    /// It is empty or blank.
    #[error("must not be empty")]
    Empty,
    /// It is longer than this many characters.
    #[error("must be at most {0} characters long")]
    TooLong(usize),
    /// It is not one line.
    #[error(transparent)]
    Line(#[from] InvalidLine),
}

/// Trims and checks a text of one line with at most this many characters.
pub fn short_text(text: &str, longest: usize) -> Result<&str, InvalidText> {
    let text = text.trim();
    if text.is_empty() {
        return Err(InvalidText::Empty);
    }
    if text.chars().count() > longest {
        return Err(InvalidText::TooLong(longest));
    }
    check_line(text)?;
    Ok(text)
}

/// Trims and checks the reason of an operator.
pub fn reason(text: &str) -> Result<&str, InvalidText> {
    short_text(text, REASON_LENGTH)
}

/// Checks a text that is displayed on one line.
pub fn check_line(text: &str) -> Result<(), InvalidLine> {
    // Most texts are ASCII, which is faster to check by bytes.
    if text.bytes().all(|byte| matches!(byte, b' '..=b'~')) {
        return Ok(());
    }
    let mut problem = Ok(());
    for c in text.chars() {
        match c {
            '\0' => return Err(InvalidLine::Nul),
            _ if problem.is_err() => {}
            c if c.is_control() => problem = Err(InvalidLine::Control(c)),
            c if turns_direction(c) => problem = Err(InvalidLine::Direction(c)),
            _ => {}
        }
    }
    problem
}

/// Whether a character displays others out of order (the embeddings, overrides and isolates of
/// Unicode UAX #9), so that a reader sees another text. Directional marks, which Arabic and Hebrew
/// need, do not. The crate `posting-text` has the same function: neither depends on the other.
pub const fn turns_direction(c: char) -> bool {
    matches!(c, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_has_neither_controls_nor_turns() {
        for text in [
            "",
            "Baker (m/f/d) ~ 50 %",
            "Bäcker 🥐",
            "a\u{a0}b\u{ad}c\u{200b}d\u{2028}e",
            "אב\u{200f} \u{200e}\u{61c}ab",
        ] {
            assert_eq!(check_line(text), Ok(()), "{text:?}");
        }
        for c in [
            '\u{1}', '\t', '\n', '\r', '\u{1b}', '\u{7f}', '\u{85}', '\u{9f}',
        ] {
            assert_eq!(check_line(&format!("é{c}b")), Err(InvalidLine::Control(c)));
        }
        for c in ('\u{202a}'..='\u{202e}').chain('\u{2066}'..='\u{2069}') {
            assert_eq!(
                check_line(&format!("a{c}b")),
                Err(InvalidLine::Direction(c))
            );
        }
        assert_eq!(check_line("a\u{1b}\u{202e}\0"), Err(InvalidLine::Nul));
        assert_eq!(
            InvalidLine::Control('\u{1b}').to_string(),
            "must not contain control characters, as U+001B"
        );
    }
}

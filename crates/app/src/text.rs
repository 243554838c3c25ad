//! Makes texts that others wrote fit for a terminal.
//!
//! What was pushed may hold control characters, with which a terminal can be told to do what
//! nobody wants, and characters that make others stand where they are not.

use domain::line::turns_direction;

const REPLACEMENT: char = '\u{FFFD}';

/// A text of one line.
pub fn plain(text: &str) -> String {
    text.chars()
        .map(|c| match c {
            '\n' | '\r' | '\t' => ' ',
            c if c.is_control() || turns_direction(c) => REPLACEMENT,
            c => c,
        })
        .collect()
}

/// A text of several lines.
pub fn lines(text: &str) -> String {
    text.replace("\r\n", "\n")
        .chars()
        .map(|c| match c {
            '\n' | '\t' => c,
            c if c.is_control() || turns_direction(c) => REPLACEMENT,
            c => c,
        })
        .collect()
}

/// A text of at most so many characters; where something is left out, it ends with `…`.
pub fn shorten(text: &str, longest: usize) -> String {
    let mut chars = text.chars();
    let mut short: String = chars.by_ref().take(longest).collect();
    if chars.next().is_some() {
        short.pop();
        short.truncate(short.trim_end().len());
        short.push('…');
    }
    short
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn control_characters_do_not_reach_a_terminal() {
        assert_eq!(
            plain("a\x1b[2Jb\r\nc\td\u{9b}e\u{202e}f"),
            "a\u{FFFD}[2Jb  c d\u{FFFD}e\u{FFFD}f"
        );
        assert_eq!(
            lines("a\r\n\tb\x07\rc\u{2066}d"),
            "a\n\tb\u{FFFD}\u{FFFD}c\u{FFFD}d"
        );
        assert_eq!(plain("Bäcker 🥐"), "Bäcker 🥐");
    }

    #[test]
    fn a_text_is_cut_where_it_is_too_long() {
        assert_eq!(shorten("Bäcker", 6), "Bäcker");
        assert_eq!(shorten("Bäckerin", 6), "Bäcke…");
        assert_eq!(shorten("a   b", 4), "a…");
        assert_eq!(shorten("", 3), "");
    }
}

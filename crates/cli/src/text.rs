//! Makes untrusted text safe for a terminal: no control characters, no changes of direction.

use std::fmt::Write as _;

use fields::line::turns_direction;

const REPLACEMENT: char = '\u{FFFD}';

/// Control characters, line breaks, and changes of direction. The plain marks U+200E, U+200F and
/// U+061C belong to Arabic and Hebrew texts.
fn is_unsafe(c: char) -> bool {
    c.is_control() || turns_direction(c) || matches!(c, '\u{2028}' | '\u{2029}')
}

/// A text made safe, as one line.
pub fn plain(text: &str) -> String {
    text.chars()
        .map(|c| match c {
            '\n' | '\r' | '\t' => ' ',
            c if is_unsafe(c) => REPLACEMENT,
            c => c,
        })
        .collect()
}

/// A text made safe, with its lines.
pub fn lines(text: &str) -> String {
    text.replace("\r\n", "\n")
        .chars()
        .map(|c| match c {
            '\n' | '\t' => c,
            c if is_unsafe(c) => REPLACEMENT,
            c => c,
        })
        .collect()
}

/// Escapes unsafe characters, which only the strings of a JSON document can contain.
pub fn json(document: &str) -> String {
    let mut safe = String::with_capacity(document.len());
    for c in document.chars() {
        if is_unsafe(c) && c != '\n' {
            // Writing to a string cannot fail. None of these characters is past U+FFFF.
            _ = write!(safe, "\\u{:04x}", u32::from(c));
        } else {
            safe.push(c);
        }
    }
    safe
}

/// A shortened text ends with `…`.
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

pub fn hex(bytes: &[u8]) -> String {
    let digits: Vec<_> = bytes.iter().map(|byte| format!("{byte:02x}")).collect();
    digits.concat()
}

pub fn quoted(text: &str) -> String {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "/._-:=@%+,".contains(c);
    if !text.is_empty() && text.chars().all(is_plain) {
        return text.to_owned();
    }
    format!("'{}'", text.replace('\'', r"'\''"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn control_characters_do_not_reach_a_terminal() {
        assert_eq!(
            plain("a\x1b[2Jb\r\nc\td\u{9b}e"),
            "a\u{FFFD}[2Jb  c d\u{FFFD}e"
        );
        assert_eq!(lines("a\r\n\tb\x07\rc"), "a\n\tb\u{FFFD}\u{FFFD}c");
        assert_eq!(plain("Bäcker 🥐"), "Bäcker 🥐");
    }

    #[test]
    fn a_text_cannot_turn_the_direction_of_what_follows_it() {
        for c in "\u{202A}\u{202B}\u{202C}\u{202D}\u{202E}\u{2066}\u{2067}\u{2068}\u{2069}".chars()
        {
            assert_eq!(plain(&format!("a{c}b")), "a\u{FFFD}b", "{c:?}");
            assert_eq!(lines(&format!("a{c}b")), "a\u{FFFD}b", "{c:?}");
        }
        assert_eq!(lines("a\u{2028}b\u{2029}"), "a\u{FFFD}b\u{FFFD}");
        let hebrew = "\u{200F}אופה\u{200E} (Baker)";
        assert_eq!(plain(hebrew), hebrew);
    }

    #[test]
    fn json_says_the_same_in_safe_characters() {
        let value = serde_json::json!({"title": "a\u{202E}b\u{9b}\u{7f}\u{1b}\nc", "x": ["é🥐"]});
        let document = serde_json::to_string_pretty(&value).unwrap();
        let safe = json(&document);
        assert!(
            safe.contains(r#""a\u202eb\u009b\u007f\u001b\nc""#),
            "{safe}"
        );
        assert_eq!(
            serde_json::from_str::<serde_json::Value>(&safe).unwrap(),
            value
        );
    }

    #[test]
    fn a_text_is_cut_where_it_is_too_long() {
        assert_eq!(shorten("Bäcker", 6), "Bäcker");
        assert_eq!(shorten("Bäckerin", 6), "Bäcke…");
        assert_eq!(shorten("a   b", 4), "a…");
        assert_eq!(shorten("", 3), "");
    }

    #[test]
    fn words_survive_a_shell() {
        assert_eq!(quoted("/tmp/posthaste-demo-x1"), "/tmp/posthaste-demo-x1");
        assert_eq!(quoted("/tmp/my data"), "'/tmp/my data'");
        assert_eq!(quoted("it's $HOME"), r"'it'\''s $HOME'");
        assert_eq!(quoted(""), "''");
    }
}

//! The script of a word, and whether it separates words by spaces.

use unicode_script::UnicodeScript;

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) enum Script {
    Latin,
    Greek,
    Cyrillic,
    Hebrew,
    Arabic,
    Han,
    Kana,
    Hangul,
    Thai,
    Other,
    Georgian,
    Armenian,
}

impl Script {
    pub(crate) fn of(c: char) -> Self {
        use unicode_script::Script as Unicode;
        if c.is_ascii_alphabetic() {
            return Self::Latin;
        }
        match c.script() {
            Unicode::Latin => Self::Latin,
            Unicode::Greek => Self::Greek,
            Unicode::Cyrillic => Self::Cyrillic,
            Unicode::Hebrew => Self::Hebrew,
            Unicode::Arabic => Self::Arabic,
            Unicode::Han => Self::Han,
            Unicode::Hiragana | Unicode::Katakana => Self::Kana,
            Unicode::Hangul => Self::Hangul,
            Unicode::Thai => Self::Thai,
            Unicode::Georgian => Self::Georgian,
            Unicode::Armenian => Self::Armenian,
            // Both Kana share the signs for a long vowel, and for its consonant.
            _ if matches!(c, 'ー' | 'ｰ' | 'ﾞ' | 'ﾟ') => Self::Kana,
            _ => Self::Other,
        }
    }

    pub(crate) fn of_text(text: &str) -> Self {
        text.chars()
            .map(Self::of)
            .find(|script| *script != Self::Other)
            .unwrap_or(Self::Other)
    }
}

/// Whether the text has letters with a case. Texts hardly use the capitals of Georgian.
pub(crate) fn is_cased(text: &str) -> bool {
    let is_plain = |c: char| c.is_lowercase() && Script::of(c) != Script::Georgian;
    text.contains(|c: char| c.is_uppercase() || is_plain(c))
}

/// Whether a text has only Latin letters, by its bytes: other scripts begin at U+02C0, and from
/// U+2000 to U+2FFF there are signs.
pub(crate) fn is_latin(text: &str) -> bool {
    !text.bytes().any(|b| matches!(b, 0xcb..=0xe1 | 0xe3..))
}

/// Whether words of the script are not always separated.
pub(crate) fn is_unspaced(c: char) -> bool {
    (c as u32) >= 0xe00
        && matches!(
            Script::of(c),
            Script::Han | Script::Kana | Script::Hangul | Script::Thai
        )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn letters_of_every_width_have_a_script() {
        for (text, script) in [
            ("Aéğạ", Script::Latin),
            ("ﾊﾞｰゲーム", Script::Kana),
            ("々国", Script::Han),
        ] {
            assert!(text.chars().all(|c| Script::of(c) == script), "{text}");
        }
        assert_eq!(Script::of_text("12 ـمرحبا"), Script::Arabic);
    }
}

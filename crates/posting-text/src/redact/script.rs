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
}

impl Script {
    pub(crate) fn of(c: char) -> Self {
        use unicode_script::Script as Unicode;
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

/// Whether words of the script are not always separated.
pub(crate) fn is_unspaced(c: char) -> bool {
    (c as u32) >= 0xe00
        && matches!(
            Script::of(c),
            Script::Han | Script::Kana | Script::Hangul | Script::Thai
        )
}

/// Unicode keeps the digits of a script together and in order (general category Nd).
const ZEROS: &str = "٠۰०০੦૦๐０𝟎";
/// With their ASCII forms.
const SIGNS: (&str, &str) = ("－ー−＋（）．／\u{3000}", "---+()./ ");

fn ascii(c: char) -> Option<char> {
    // Most letters, at once: up to Hebrew, ideographs and Hangul.
    if matches!(c, ..'٠' | '\u{3100}'..'\u{ff00}') {
        return None;
    }
    let value = |zero: char| u32::from(c).checked_sub(u32::from(zero));
    let digit = ZEROS
        .chars()
        .find_map(|zero| char::from_digit(value(zero)?, 10));
    digit.or_else(|| {
        let mut signs = SIGNS.0.chars().zip(SIGNS.1.chars());
        signs.find_map(|(sign, plain)| (sign == c).then_some(plain))
    })
}

/// With the places of its bytes in the original.
pub(crate) struct Ascii {
    pub(crate) text: String,
    /// After which byte of the new text how many bytes are missing.
    shifts: Vec<(usize, usize)>,
}

impl Ascii {
    pub(crate) fn of(text: &str) -> Option<Self> {
        let is_digit =
            |c: char| !c.is_ascii() && ascii(c).is_some_and(|c| c.is_ascii_digit() || c == '(');
        if text.is_ascii() || !text.contains(is_digit) {
            return None;
        }
        let mut out = Self {
            text: String::with_capacity(text.len()),
            shifts: Vec::new(),
        };
        let mut missing = 0;
        for c in text.chars() {
            match ascii(c) {
                Some(instead) => {
                    out.text.push(instead);
                    missing += c.len_utf8() - 1;
                    out.shifts.push((out.text.len(), missing));
                }
                None => out.text.push(c),
            }
        }
        Some(out)
    }

    pub(crate) fn original(&self, at: usize) -> usize {
        let known = self.shifts.partition_point(|(from, _)| *from <= at);
        let missing = known.checked_sub(1).map_or(0, |last| self.shifts[last].1);
        at + missing
    }
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

    #[test]
    fn digits_of_other_scripts_become_ascii() {
        let text = "電話 ０３－１２a 九";
        let found = Ascii::of(text).unwrap();
        assert_eq!(found.text, "電話 03-12a 九");
        let at = found.text.find("03").unwrap();
        assert_eq!(
            &text[found.original(at)..found.original(at + 5)],
            "０３－１２"
        );
        assert_eq!(Ascii::of("٠٥٠").unwrap().text, "050");
        assert_eq!(Ascii::of("९८").unwrap().text, "98");
        assert!(Ascii::of("電話 03").is_none());
    }
}

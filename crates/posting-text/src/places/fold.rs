//! Folds names of places: lower case, without accents and punctuation, as the table's generator.

use unicode_normalization::{UnicodeNormalization, char::is_combining_mark};

/// A spelling with other letters for `ø`, `ß`.
pub(crate) const fn plain_letter(c: char) -> Option<&'static str> {
    Some(match c {
        'ø' => "o",
        'ł' => "l",
        'đ' | 'ð' => "d",
        'ß' => "ss",
        'æ' => "ae",
        'œ' => "oe",
        'ı' => "i",
        'þ' => "th",
        _ => return None,
    })
}

pub(crate) fn fold(name: &str) -> String {
    let mut out = String::with_capacity(name.len());
    let mut gap = false;
    let lower = name.nfkd().flat_map(char::to_lowercase);
    for c in lower.filter(|c| !is_combining_mark(*c)) {
        let mut one = [0; 4];
        let folded = match c {
            'ħ' => "h",
            'ŋ' => "n",
            'ŧ' => "t",
            c if c.is_alphanumeric() => plain_letter(c).unwrap_or(c.encode_utf8(&mut one)),
            '\'' | '’' | 'ʼ' | '`' | '´' | '.' => continue,
            _ => {
                gap = true;
                continue;
            }
        };
        if gap && !out.is_empty() {
            out.push(' ');
        }
        gap = false;
        out.push_str(folded);
    }
    out
}

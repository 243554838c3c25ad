//! Writes what is set above or below the line in characters, since Markdown has no marks for it.

/// Raised text: `10⁶`, `1º`, and `^` before what Unicode lacks. Letters alone are an ordinal
/// (`1st`, `Mme`) or a name, and stay.
pub(super) fn superscript(word: &str) -> String {
    match word {
        "TM" => return "™".to_owned(),
        "SM" => return "℠".to_owned(),
        _ => {}
    }
    let is_short = word.chars().nth(1).is_none();
    if let Some(raised) = mapped(word, |c| raised(c, is_short)) {
        return raised;
    }
    if word.contains(|c: char| c.is_ascii_digit()) {
        format!("^{word}")
    } else {
        word.to_owned()
    }
}

/// Lowered text: `H₂O`. Letters stay as they are.
pub(super) fn subscript(word: &str) -> String {
    mapped(word, lowered).unwrap_or_else(|| word.to_owned())
}

fn mapped(word: &str, map: impl Fn(char) -> Option<char>) -> Option<String> {
    word.chars().map(map).collect()
}

fn raised(c: char, alone: bool) -> Option<char> {
    Some(match c {
        '0' => '⁰',
        '1' => '¹',
        '2' => '²',
        '3' => '³',
        '4' => '⁴',
        '5' => '⁵',
        '6' => '⁶',
        '7' => '⁷',
        '8' => '⁸',
        '9' => '⁹',
        '+' => '⁺',
        '-' | '−' | '–' => '⁻',
        '=' => '⁼',
        '(' => '⁽',
        ')' => '⁾',
        'n' => 'ⁿ',
        'o' if alone => 'º',
        'a' if alone => 'ª',
        '*' | '†' | '‡' | '®' | '™' | '℠' | '©' | '°' | 'º' | 'ª' => c,
        _ => return None,
    })
}

fn lowered(c: char) -> Option<char> {
    Some(match c {
        '0' => '₀',
        '1' => '₁',
        '2' => '₂',
        '3' => '₃',
        '4' => '₄',
        '5' => '₅',
        '6' => '₆',
        '7' => '₇',
        '8' => '₈',
        '9' => '₉',
        '+' => '₊',
        '-' | '−' | '–' => '₋',
        '=' => '₌',
        '(' => '₍',
        ')' => '₎',
        _ => return None,
    })
}

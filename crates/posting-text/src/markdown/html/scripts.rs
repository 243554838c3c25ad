//! Markdown has no marks for raised and lowered text, so it becomes Unicode characters.

/// Raises a word: `10⁶`, `1º`, `™`. A word with characters that Unicode lacks gets a `^` if it has
/// digits. Otherwise it is an ordinal (`1st`, `Mme`) or a name, and stays.
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

/// Lowers a word: `H₂O`. A word with characters that Unicode lacks stays as it is.
pub(super) fn subscript(word: &str) -> String {
    mapped(word, lowered).unwrap_or_else(|| word.to_owned())
}

fn mapped(word: &str, map: impl Fn(char) -> Option<char>) -> Option<String> {
    word.chars().map(map).collect()
}

fn raised(c: char, alone: bool) -> Option<char> {
    match c {
        'o' if alone => Some('º'),
        'a' if alone => Some('ª'),
        '*' | '†' | '‡' | '®' | '™' | '℠' | '©' | '°' | 'º' | 'ª' => Some(c),
        _ => instead("0123456789+-−–=()n", "⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻⁻⁻⁼⁽⁾ⁿ", c),
    }
}

fn lowered(c: char) -> Option<char> {
    instead("0123456789+-−–=()", "₀₁₂₃₄₅₆₇₈₉₊₋₋₋₌₍₎", c)
}

fn instead(plain: &str, others: &str, c: char) -> Option<char> {
    let mut pairs = plain.chars().zip(others.chars());
    pairs.find_map(|(plain, other)| (plain == c).then_some(other))
}

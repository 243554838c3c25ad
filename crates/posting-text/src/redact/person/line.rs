//! The line around a name.

/// Whether the line has an at sign or the digits of a telephone number.
pub(super) fn has_contact(text: &str, at: usize) -> bool {
    let line = &text[line_start(text, at)..line_end(text, at)];
    line.contains('@') || line.bytes().filter(u8::is_ascii_digit).count() >= 6
}

/// Whether a name is followed by the end of a line, a comma, or a number: not by further words.
pub(super) fn is_followed(text: &str, end: usize) -> bool {
    let rest = text[end..].trim_start_matches([' ', '\u{a0}']);
    rest.is_empty()
        || rest.starts_with([',', ';', '\n', '(', '|', '–', '-', '.', ':', '/', '+', '،'])
        || rest.starts_with(|c: char| c.is_ascii_digit())
}

/// How far a line is looked at, in bytes.
const MAX_LINE: usize = 400;

pub(super) fn line_end(text: &str, from: usize) -> usize {
    let to = text.floor_char_boundary(from + MAX_LINE);
    text[from..to].find('\n').map_or(to, |end| from + end)
}

pub(super) fn line_start(text: &str, to: usize) -> usize {
    let from = text.ceil_char_boundary(to.saturating_sub(MAX_LINE));
    text[from..to]
        .rfind('\n')
        .map_or(from, |end| from + end + 1)
}

use std::borrow::Cow;

#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum InvalidLine {
    /// U+0000, which PostgreSQL cannot store.
    #[error("must not contain the character U+0000")]
    Nul,
    /// A control character, such as in terminal escape sequences.
    #[error("must not contain control characters, as U+{:04X}", u32::from(*.0))]
    Control(char),
    /// A character that reorders the display of other characters.
    #[error("must not contain characters that turn the direction of text, as U+{:04X}", u32::from(*.0))]
    Direction(char),
}

const REASON_LENGTH: usize = 1_000;

#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum InvalidText {
    #[error("must not be empty")]
    Empty,
    #[error("must be at most {0} characters long")]
    TooLong(usize),
    #[error(transparent)]
    Line(#[from] InvalidLine),
}

pub fn short_text(text: &str, longest: usize) -> Result<&str, InvalidText> {
    let text = text.trim();
    if is_blank(text) {
        return Err(InvalidText::Empty);
    }
    if text.chars().count() > longest {
        return Err(InvalidText::TooLong(longest));
    }
    check_line(text)?;
    Ok(text)
}

pub fn reason(text: &str) -> Result<&str, InvalidText> {
    short_text(text, REASON_LENGTH)
}

/// A text as one line: trimmed, without character references, with single spaces for white space
/// and line breaks. `None` if blank.
pub fn one_line(text: &str) -> Option<Cow<'_, str>> {
    if let Some(plain) = without_references(text) {
        return one_line(&plain).map(|line| line.into_owned().into());
    }
    let text = text.trim();
    if is_blank(text) {
        return None;
    }
    // Most texts are one ASCII line. Such a line is faster to check by bytes.
    let is_plain = text.bytes().all(|byte| matches!(byte, b' '..=b'~')) && !text.contains("  ");
    Some(if is_plain {
        text.into()
    } else {
        text.split_whitespace().collect::<Vec<_>>().join(" ").into()
    })
}

/// Whether [`one_line`] replaces character references.
pub fn has_references(text: &str) -> bool {
    text.contains('&') && without_references(text).is_some()
}

/// Names of U+00A0 to U+00FF (HTML, "Named character references").
const LATIN: &str = "\
    nbsp iexcl cent pound curren yen brvbar sect uml copy ordf laquo not shy reg macr deg plusmn sup2 \
    sup3 acute micro para middot cedil sup1 ordm raquo frac14 frac12 frac34 iquest Agrave Aacute \
    Acirc Atilde Auml Aring AElig Ccedil Egrave Eacute Ecirc Euml Igrave Iacute Icirc Iuml ETH Ntilde \
    Ograve Oacute Ocirc Otilde Ouml times Oslash Ugrave Uacute Ucirc Uuml Yacute THORN szlig agrave \
    aacute acirc atilde auml aring aelig ccedil egrave eacute ecirc euml igrave iacute icirc iuml eth \
    ntilde ograve oacute ocirc otilde ouml divide oslash ugrave uacute ucirc uuml yacute thorn yuml";

const NAMED: [(&str, char); 34] = [
    ("amp", '&'),
    ("lt", '<'),
    ("gt", '>'),
    ("quot", '"'),
    ("apos", '\''),
    ("sol", '/'),
    ("lpar", '('),
    ("rpar", ')'),
    ("comma", ','),
    ("colon", ':'),
    ("plus", '+'),
    ("commat", '@'),
    ("num", '#'),
    ("ndash", '–'),
    ("mdash", '—'),
    ("lsquo", '‘'),
    ("rsquo", '’'),
    ("sbquo", '‚'),
    ("ldquo", '“'),
    ("rdquo", '”'),
    ("bdquo", '„'),
    ("bull", '•'),
    ("hellip", '…'),
    ("euro", '€'),
    ("trade", '™'),
    ("OElig", 'Œ'),
    ("oelig", 'œ'),
    ("Scaron", 'Š'),
    ("scaron", 'š'),
    ("Zcaron", 'Ž'),
    ("zcaron", 'ž'),
    ("Lstrok", 'Ł'),
    ("lstrok", 'ł'),
    ("Yuml", 'Ÿ'),
];

/// Replaces character references, which exporters leave in plain-text fields: `R&amp;D`,
/// `K&ouml;ln`. `None` if there are none, as in `AT&T`.
fn without_references(text: &str) -> Option<String> {
    const MAX_NAME: usize = 8;
    let mut out = String::new();
    let mut copied = 0;
    for (at, _) in text.match_indices('&') {
        let name = text[at + 1..]
            .bytes()
            .take(MAX_NAME + 1)
            .position(|byte| byte == b';');
        let name = name.and_then(|length| text.get(at + 1..at + 1 + length));
        if let Some((name, c)) = name.and_then(|name| Some((name, referred(name)?))) {
            out.push_str(&text[copied..at]);
            out.push(c);
            copied = at + name.len() + 2;
        }
    }
    (copied > 0).then(|| out + &text[copied..])
}

/// The character of a reference without its delimiters: `eacute`, `#233`, `#xE9`.
fn referred(name: &str) -> Option<char> {
    if let Some(number) = name.strip_prefix('#') {
        let code = match number.strip_prefix(['x', 'X']) {
            Some(digits) => u32::from_str_radix(digits, 16),
            None => number.parse(),
        };
        return char::from_u32(code.ok()?);
    }
    let named = NAMED.iter().find(|(known, _)| *known == name);
    let latin = || {
        let at = LATIN
            .split_ascii_whitespace()
            .position(|known| known == name)?;
        char::from_u32(0xA0 + u32::try_from(at).ok()?)
    };
    named.map(|(_, c)| *c).or_else(latin)
}

/// Makes any text one line for an operator. A text of more than this many characters is cut, with
/// `…`. Runs of white space and control characters become single spaces.
pub fn bounded(text: &str, longest: usize) -> String {
    let words = text.split(|c: char| c.is_whitespace() || c.is_control());
    let words: Vec<_> = words.filter(|word| !word.is_empty()).collect();
    let line = words.join(" ");
    match line.char_indices().nth(longest) {
        None => line,
        Some(_) => line.chars().take(longest - 1).chain(['…']).collect(),
    }
}

/// Whether a text shows nothing. A text with characters that [`check_line`] refuses is not blank:
/// it is an error, not a wish to clear a field.
pub fn is_blank(text: &str) -> bool {
    text.chars().all(is_unseen)
}

const fn is_unseen(c: char) -> bool {
    match c {
        '\0'..='~' => c.is_whitespace(),
        _ if is_turn(c) => false,
        // The blank braille pattern, and interlinear annotation anchors.
        '\u{2800}' | '\u{fff9}'..='\u{fffb}' => true,
        _ => c.is_whitespace() || is_ignorable(c),
    }
}

/// Unicode's property `Default_Ignorable_Code_Point`.
const fn is_ignorable(c: char) -> bool {
    matches!(
        c,
        '\u{ad}' | '\u{34f}' | '\u{61c}' | '\u{115f}' | '\u{1160}' | '\u{17b4}' | '\u{17b5}'
            | '\u{180b}'..='\u{180f}' | '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}'
            | '\u{2060}'..='\u{206f}' | '\u{3164}' | '\u{fe00}'..='\u{fe0f}' | '\u{feff}'
            | '\u{ffa0}' | '\u{fff0}'..='\u{fff8}' | '\u{1bca0}'..='\u{1bca3}'
            | '\u{1d173}'..='\u{1d17a}' | '\u{e0000}'..='\u{e0fff}'
    )
}

/// Whether a text begins and ends with visible characters.
pub fn is_trimmed(text: &str) -> bool {
    !text.starts_with(is_edge) && !text.ends_with(is_edge)
}

const fn is_edge(c: char) -> bool {
    is_unseen(c) || is_turn(c)
}

/// The beginning of a foreign text. Characters that [`check_line`] refuses are replaced.
pub fn shown(text: &str, longest: usize) -> String {
    let is_unfit = |c: char| c.is_control() || turns_direction(c);
    let beginning = text.chars().take(longest);
    beginning
        .map(|c| {
            if is_unfit(c) {
                char::REPLACEMENT_CHARACTER
            } else {
                c
            }
        })
        .collect()
}

pub fn check_line(text: &str) -> Result<(), InvalidLine> {
    // Most texts are ASCII. Such a text is faster to check by bytes.
    if text.bytes().all(|byte| matches!(byte, b' '..=b'~')) {
        return Ok(());
    }
    let mut problem = Ok(());
    for c in text.chars() {
        match c {
            '\0' => return Err(InvalidLine::Nul),
            _ if problem.is_err() => {}
            c if c.is_control() => problem = Err(InvalidLine::Control(c)),
            c if is_turn(c) => problem = Err(InvalidLine::Direction(c)),
            _ => {}
        }
    }
    problem
}

const fn is_turn(c: char) -> bool {
    matches!(c, '\u{202a}'..='\u{202e}')
}

/// Whether a character reorders other characters: an embedding, override or isolate. If unclosed,
/// such a character affects the text that follows; a directional mark does not. `posting-text` has
/// the same function: neither crate depends on the other.
pub const fn turns_direction(c: char) -> bool {
    is_turn(c) || matches!(c, '\u{2066}'..='\u{2069}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn white_space_of_any_kind_is_one_space() {
        for (text, expect) in [
            (" Cook\r\n\r\n\tand\u{b}\u{c}baker ", "Cook and baker"),
            ("a\u{85}b\u{a0}c\u{2028}d\u{2029}e\u{3000}f", "a b c d e f"),
            ("a  b", "a b"),
            ("a \u{200b} b\u{feff}\u{ad}", "a \u{200b} b\u{feff}\u{ad}"),
            ("\u{1b} \u{1c}", "\u{1b} \u{1c}"),
            (
                "R&amp;D Engineer &#8211; Oil &amp;amp; Gas (m&#47;w&#x2F;d)",
                "R&D Engineer – Oil & Gas (m/w/d)",
            ),
            ("K&ouml;ln,&nbsp;S&ouml;derst&yuml;", "Köln, Söderstÿ"),
            (
                "https://m.example/a?x=1&amp;y=2",
                "https://m.example/a?x=1&y=2",
            ),
            (
                "Tags: <b> & <i> trainer, AT&T; R&D",
                "Tags: <b> & <i> trainer, AT&T; R&D",
            ),
        ] {
            assert_eq!(one_line(text).as_deref(), Some(expect), "{text:?}");
        }
    }

    #[test]
    fn the_ignorable_characters_are_those_of_unicode() {
        let known = regex::Regex::new(r"^\p{Default_Ignorable_Code_Point}$").unwrap();
        for c in '\0'..=char::MAX {
            let mut buffer = [0; 4];
            assert_eq!(
                is_ignorable(c),
                known.is_match(c.encode_utf8(&mut buffer)),
                "{c:?}"
            );
        }
    }

    #[test]
    fn what_shows_nothing_is_blank() {
        let each = "\u{200b}\u{feff}\u{ad}\u{2060}\u{180e}\u{200e}\u{200f}\u{61c}\u{34f}\u{3164}\u{115f}\u{ffa0}\
                    \u{2066}\u{2069}\u{2800}\u{fff9}\u{fe0f}\u{e0001}\u{e0100}\u{a0}\u{85}\u{2028}\t\n";
        for c in each.chars() {
            assert_eq!(one_line(&c.to_string()), None, "{c:?}");
        }
        assert_eq!((one_line(each), one_line("")), (None, None));
        for c in ['a', '.', 'é', '\u{301}', '🥐', '\0', '\u{1b}', '\u{202e}'] {
            assert!(!is_blank(&format!("\u{200b} {c}")), "{c:?}");
        }
        assert_eq!(short_text(" \u{200b} ", 9), Err(InvalidText::Empty));
    }

    #[test]
    fn a_line_has_neither_controls_nor_turns() {
        for text in [
            "",
            "Baker (m/f/d) ~ 50 %",
            "Bäcker 🥐",
            "a\u{a0}b\u{ad}c\u{200b}d\u{2028}e",
            "אב\u{200f} \u{200e}\u{61c}ab",
            "\u{2068}אב\u{2069} \u{2066}ab\u{2067}",
        ] {
            assert_eq!(check_line(text), Ok(()), "{text:?}");
        }
        for c in [
            '\u{1}', '\t', '\n', '\r', '\u{1b}', '\u{7f}', '\u{85}', '\u{9f}',
        ] {
            assert_eq!(check_line(&format!("é{c}b")), Err(InvalidLine::Control(c)));
        }
        for c in '\u{202a}'..='\u{202e}' {
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

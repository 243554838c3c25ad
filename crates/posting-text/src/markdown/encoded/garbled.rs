//! Repairs UTF-8 that was read as Windows-1252 or Latin-1: `cafÃ©`.

/// From 0x80 to 0x9F (WHATWG Encoding Standard).
const UPPER: &str = "€\u{81}‚ƒ„…†‡ˆ‰Š‹Œ\u{8d}Ž\u{8f}\u{90}‘’“”•–—˜™š›œ\u{9d}žŸ";

/// A first byte of characters in the scripts of postings, read as Windows-1252.
const fn is_lead(c: char) -> bool {
    matches!(c, 'Â'..='Æ' | 'È' | 'Ë' | 'Î'..='Ñ' | '×'..='Ù' | 'à'..='í' | 'ï' | 'ð')
}

/// Whether a letter such as `Ã` precedes a character that stands for a byte from 0x80 to 0xBF.
fn may_be_garbled(text: &str) -> bool {
    // UTF-8 of each letter in `is_lead` begins with 0xC3, and of U+0080 to U+00BF and `UPPER` with
    // these.
    let is_second = |byte: u8| matches!(byte, 0xC2 | 0xC5 | 0xC6 | 0xCB | 0xE2);
    let mut windows = text.as_bytes().windows(3);
    windows.any(|bytes| bytes[0] == 0xC3 && is_second(bytes[2]))
}

/// After a capital letter in quotation these are no garbled character.
const QUOTES: &str = "«»“”‘’‚„‹›";

/// After a letter these are the number of a footnote.
const FOOTNOTES: &str = "¹²³";

fn byte(c: char) -> Option<u8> {
    // Other programs read Latin-1, which has control characters from 0x80 to 0x9F.
    u8::try_from(u32::from(c)).ok().or_else(|| {
        let at = UPPER.chars().position(|upper| upper == c)?;
        u8::try_from(0x80 + at).ok()
    })
}

pub(super) fn of_latin(bytes: &[u8]) -> String {
    let upper = |byte: u8| UPPER.chars().nth(usize::from(byte - 0x80));
    let of = |byte: &u8| match byte {
        0x80..=0x9F => upper(*byte).unwrap_or('\u{fffd}'),
        _ => char::from(*byte),
    };
    bytes.iter().map(of).collect()
}

pub(super) fn repaired(text: &str) -> Option<String> {
    if !may_be_garbled(text) {
        return None;
    }
    // The last value: whether the letters may also be right as they are.
    let mut found: Vec<(usize, usize, char, bool)> = Vec::new();
    let mut from = 0;
    for (at, lead) in text.char_indices() {
        if at < from || !is_lead(lead) {
            continue;
        }
        if let Some((length, c)) = character(&text[at..]) {
            let rest = &text[at + lead.len_utf8()..at + length];
            let is_quoted = lead.is_uppercase() && rest.ends_with(|c| QUOTES.contains(c));
            let is_noted = rest.chars().all(|c| FOOTNOTES.contains(c));
            let ends_word = !text[at + length..].starts_with(char::is_lowercase);
            let is_unsure = is_noted || (ends_word && (is_quoted || lead == 'È'));
            found.push((at, at + length, c, is_unsure));
            from = at + length;
        }
    }
    // A letter before a quotation mark or a footnote is garbled only if others are.
    let sure = found.iter().filter(|(.., is_unsure)| !is_unsure).count();
    if sure == 0 {
        return None;
    }
    let mut out = String::with_capacity(text.len());
    let mut copied = 0;
    for (start, end, c, is_unsure) in found {
        if !is_unsure || sure >= 2 {
            out.push_str(&text[copied..start]);
            out.push(c);
            copied = end;
        }
    }
    out.push_str(&text[copied..]);
    // Programs make the second byte of "à" a plain space.
    Some(out.replace("Ã ", "à ").replace("Â ", " "))
}

fn character(text: &str) -> Option<(usize, char)> {
    let mut bytes = Vec::with_capacity(4);
    let mut length = 0;
    for c in text.chars().take(4) {
        let Some(next) = byte(c).filter(|byte| bytes.is_empty() || (0x80..0xC0).contains(byte))
        else {
            break;
        };
        bytes.push(next);
        length += c.len_utf8();
        if let Ok(found) = std::str::from_utf8(&bytes) {
            // The characters of a text that is garbled twice are control characters in between.
            let is_seen = |it: &char| is_of_texts(*it) && (!it.is_control() || c.is_control());
            let found = found.chars().next().filter(is_seen)?;
            return (bytes.len() > 1).then_some((length, found));
        }
    }
    None
}

/// Whether texts contain a character: no rare or phonetic letter, and none of private use.
fn is_of_texts(c: char) -> bool {
    matches!(c, 'ƒ' | 'ˆ' | '˜' | 'Ș'..='ț')
        || !matches!(c, '\0'..='\u{7f}' | '\u{180}'..='\u{2ff}' | '\u{e000}'..='\u{f8ff}')
}

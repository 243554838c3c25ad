//! Reads text from the Rich Text Format (Microsoft, version 1.9.1).

use super::garbled;

const PAGES: &str = include_str!("tables/code_pages.txt");
const OTHERS: &str = "fonttbl colortbl stylesheet info pict header footer generator";
const SIGNS: &str = "par:\n|line:\n|row:\n|sect:\n|tab: |cell: |bullet:•|endash:–|emdash:—|lquote:‘|\
    rquote:’|ldblquote:“|rdblquote:”";

pub(super) fn text(rtf: &str) -> String {
    let mut out = String::with_capacity(rtf.len() / 2);
    let mut depth = 0_usize;
    // The depth of the skipped group.
    let mut skipped: Option<usize> = None;
    // The number of coming characters that replace a Unicode character in older programs.
    let mut replaced = 0;
    let mut page = "";
    // The first half of a character beyond 16 bits.
    let mut half = None;
    let mut rest = rtf;
    while let Some(c) = rest.chars().next() {
        rest = &rest[c.len_utf8()..];
        let mut shown = None;
        match c {
            '{' => depth += 1,
            '}' => {
                depth = depth.saturating_sub(1);
                skipped = skipped.filter(|at| *at <= depth);
            }
            '\\' => {
                let (word, number, length) = control(rest);
                match word {
                    "" => {
                        let sign = rest.chars().next();
                        rest = &rest[sign.map_or(0, char::len_utf8)..];
                        match sign {
                            Some('\'') => {
                                let hex = rest.get(..2).unwrap_or_default();
                                if let Ok(byte) = u8::from_str_radix(hex, 16) {
                                    let at = usize::from(byte).wrapping_sub(0x80);
                                    let latin = || garbled::of_latin(&[byte]).chars().next();
                                    shown = page.chars().nth(at).or_else(latin);
                                    rest = &rest[2..];
                                }
                            }
                            Some('~') => shown = Some('\u{a0}'),
                            Some('*') if skipped.is_none() => skipped = Some(depth),
                            Some(sign @ ('{' | '}' | '\\')) => shown = Some(sign),
                            Some('_') => shown = Some('-'),
                            _ => {}
                        }
                    }
                    word => {
                        rest = &rest[length..];
                        match (word, number) {
                            ("u", Some(code)) => {
                                // The number has a sign, and 16 bits.
                                let code = u16::try_from(code & 0xFFFF).unwrap_or_default();
                                let units = half.take().into_iter().chain([code]);
                                let shown = char::decode_utf16(units).find_map(Result::ok);
                                half = Some(code).filter(|_| shown.is_none());
                                if skipped.is_none() {
                                    out.extend(shown);
                                }
                                replaced = 1;
                                continue;
                            }
                            ("ansicpg", Some(number)) => {
                                let number = format!("{number}:");
                                let found = PAGES.lines().find_map(|it| it.strip_prefix(&number));
                                page = found.unwrap_or_default();
                            }
                            _ if OTHERS.split(' ').any(|other| other == word) => {
                                skipped = skipped.or(Some(depth));
                            }
                            _ => shown = sign(word),
                        }
                    }
                }
            }
            '\n' | '\r' => {}
            c => shown = Some(c),
        }
        if let Some(shown) = shown {
            if replaced > 0 {
                replaced -= 1;
            } else if skipped.is_none() {
                out.push(shown);
            }
        }
    }
    out
}

fn sign(word: &str) -> Option<char> {
    let mut signs = SIGNS.split('|').filter_map(|pair| pair.split_once(':'));
    signs.find_map(|(name, sign)| sign.chars().next().filter(|_| name == word))
}

/// The control word at the start of a text, its number, and their length with the space.
fn control(text: &str) -> (&str, Option<i32>, usize) {
    let letters = text
        .bytes()
        .take(32)
        .take_while(u8::is_ascii_alphabetic)
        .count();
    let sign = usize::from(letters > 0 && text[letters..].starts_with('-'));
    let digits = text[letters + sign..]
        .bytes()
        .take(10)
        .take_while(u8::is_ascii_digit)
        .count();
    let end = if digits > 0 {
        letters + sign + digits
    } else {
        letters
    };
    let number = text[letters..end].parse().ok();
    let space = usize::from(letters > 0 && text[end..].starts_with(' '));
    (&text[..letters], number, end + space)
}

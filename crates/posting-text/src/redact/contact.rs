//! Finds e-mail addresses and telephone numbers in text.

use std::{ops::Range, sync::LazyLock};

use regex::Regex;

use super::words::Word;
use crate::{Budget, Exceeded};

/// Finds e-mail addresses, also obfuscated ones: `jobs [at] example [dot] org`.
pub(crate) fn emails(
    text: &str,
    _words: &[Word<'_>],
    budget: &Budget,
) -> Result<Vec<Range<usize>>, Exceeded> {
    static FORMS: LazyLock<Vec<Regex>> = LazyLock::new(|| {
        const NAME: &str = r"[\p{L}\p{N}][\p{L}\p{N}._%+'’-]*";
        const LABEL: &str = r"[\p{L}\p{N}][\p{L}\p{N}-]*";
        const AT: &str = r"(?:\s?[@＠]\s?|\s*[\[({<]\s*(?:at|a|@|ät|æt|arobase|arroba|snabel-?a|krøllalfa|alfakrøll)\s*[\])}>]\s*)";
        const DOT: &str = concat!(
            r"(?:\.|\s*[\[({]\s*(?:dot|point|punkt|punto|prikk|punktum|\.)\s*[\])}]\s*",
            r"|\s+(?:dot|point|punkt)\s+)"
        );
        [
            format!(r"{NAME}@{LABEL}(?:\.{LABEL})+"),
            format!(r"(?i){NAME}{AT}{LABEL}(?:\.{LABEL})+"),
            format!(r"(?i){NAME}{AT}{LABEL}(?:{DOT}{LABEL})+"),
            format!(
                r"(?i){NAME}\s+(?:at|arobase|arroba|snabel-?a|krøllalfa)\s+{LABEL}(?:\s+(?:dot|point|punkt|punto|prikk)\s+{LABEL})+"
            ),
        ]
        .iter()
        .filter_map(|form| Regex::new(form).ok())
        .collect()
    });
    // Ten characters, and what may be in brackets.
    budget.spend(text.len().saturating_mul(4))?;
    let spoken = [
        " dot ", " DOT ", " Dot ", " point ", " POINT ", " punkt ", " PUNKT ", " punto ",
        " prikk ", " PRIKK ",
    ]
    .iter()
    .any(|dot| text.contains(dot));
    let hidden = may_hide_address(text);
    let wanted = [text.contains('@'), hidden, hidden, spoken];
    let mut out: Vec<Range<usize>> = Vec::new();
    for (number, form) in FORMS
        .iter()
        .enumerate()
        .filter(|(number, _)| wanted[*number])
    {
        let known = out.len();
        budget.spend(text.len().saturating_mul(4))?;
        for found in form.find_iter(text) {
            budget.spend(1 + found.len())?;
            let at = out[..known].partition_point(|other| other.end <= found.start());
            let free = out[..known]
                .get(at)
                .is_none_or(|other| other.start >= found.end());
            let sure = number == 0
                || (ends_in_suffix(found.as_str()) && !found.as_str().contains(" the "));
            if free && sure {
                out.push(found.range());
            }
        }
        out.sort_by_key(|range| range.start);
    }
    Ok(out)
}

/// Whether a text has an at sign beside a space, or a bracket that may stand for one.
fn may_hide_address(text: &str) -> bool {
    let bracket = |at: usize| {
        let inside = text[at + 1..].trim_start();
        let word = inside
            .split(|c: char| !c.is_alphabetic() && c != '@')
            .next();
        let word = word.unwrap_or_default();
        (1..=12).contains(&word.len())
            && word.starts_with(['@', 'a', 'A', 'ä', 'Ä', 'æ', 'Æ', 's', 'S', 'k', 'K'])
            && inside[word.len()..]
                .trim_start()
                .starts_with([')', ']', '}', '>', '-'])
    };
    ["＠", " @", "@ ", "\n@", "@\n"]
        .iter()
        .any(|sign| text.contains(sign))
        || text
            .bytes()
            .enumerate()
            .any(|(at, byte)| matches!(byte, b'(' | b'[' | b'{' | b'<') && bracket(at))
}

/// Whether the last label is an existing top-level domain.
fn ends_in_suffix(address: &str) -> bool {
    let last = address
        .rsplit(|c: char| !c.is_alphanumeric())
        .next()
        .unwrap_or_default();
    let known = psl::suffix(last.to_lowercase().as_bytes()).is_some_and(|suffix| suffix.is_known());
    known && last.chars().count() >= 2
}

/// Finds telephone numbers. A number needs some evidence: a plus, a word such as "phone" before it,
/// or a format that only telephone numbers have. Salaries, dates, hours, postal codes and
/// references look much the same.
pub(crate) fn phones(text: &str, budget: &Budget) -> Result<Vec<Range<usize>>, Exceeded> {
    /// The steps for one number: its digits, and the text before it.
    const SEARCH_STEPS: usize = 200;
    static NUMBER: LazyLock<Option<Regex>> = LazyLock::new(|| {
        Regex::new(r"[+(]{0,2}[0-9](?:(?:[ \u{a0}.‐‑–/-]|[ ]?\(|\)[ ]?){0,2}[0-9]){4,18}").ok()
    });
    let Some(pattern) = NUMBER.as_ref() else {
        return Ok(Vec::new());
    };
    let mut out: Vec<Range<usize>> = Vec::new();
    budget.spend(text.len().saturating_mul(2))?;
    for found in pattern.find_iter(text) {
        budget.spend(SEARCH_STEPS)?;
        let after_phone = out.last().is_some_and(|last| {
            let between = &text[last.end..found.start()];
            between.len() <= 8 && !between.contains(|c: char| c.is_ascii_digit())
        });
        let before = &text[..found.start()];
        if is_phone(before, found.as_str(), &text[found.end()..], after_phone) {
            out.push(found.range());
        }
    }
    Ok(out)
}

fn is_phone(before: &str, number: &str, after: &str, after_phone: bool) -> bool {
    static SPOKEN: LazyLock<Option<Regex>> = LazyLock::new(|| {
        Regex::new(concat!(
            r"(?i)(?:\b(?:t[eé]l[eé]?(?:ph(?:one|onique|onnique)|fon|fono|fone|foon)?\w{0,6}|tlf|tfn|ph|phone|mob(?:il|ile)?\w{0,7}",
            r"|portable|cell|call|fax|ring|whatsapp|sms|handy|hotline|appel\w{0,4}|numéro de t\w+)\b|☎|📞|✆|📱|電話)[^\d\n]{0,24}$",
        ))
        .ok()
    });
    static REFERENCE: LazyLock<Option<Regex>> = LazyLock::new(|| {
        Regex::new(r"(?i)(?:\b(?:r[eé]f(?:[eé]rence)?|id|nr|no|job|req|offre|offer|siret|siren|iban|orgnr|org\.? ?nr|annonce|number|nummer)|[#№°])[\s.:#°-]{0,4}$").ok()
    });
    let digits: Vec<u8> = number.bytes().filter(u8::is_ascii_digit).collect();
    let previous = before.chars().next_back();
    let spaced = before.trim_end().chars().next_back();
    let currency =
        |c: Option<char>| c.is_some_and(|c| matches!(c, '$' | '€' | '£' | '¥' | '₹' | '~' | '<'));
    let attached = previous
        .is_some_and(|c| c.is_alphanumeric() || matches!(c, '_' | '-' | ',' | '='))
        || after.starts_with(|c: char| c.is_alphanumeric() || matches!(c, '_' | '%'))
        || after
            .strip_prefix(['-', '.', ','])
            .is_some_and(|rest| rest.starts_with(char::is_alphanumeric));
    if attached || currency(spaced) || amount_follows(after) || is_date(number) {
        return false;
    }
    let window = tail(before, 48);
    let spoken = after_phone
        || SPOKEN
            .as_ref()
            .is_some_and(|pattern| pattern.is_match(window));
    if spoken {
        return (5..=15).contains(&digits.len());
    }
    let plus = number.trim_start_matches('(').starts_with('+');
    if !plus
        && REFERENCE
            .as_ref()
            .is_some_and(|pattern| pattern.is_match(window))
    {
        return false;
    }
    has_phone_form(number, &digits)
}

/// The last bytes of a text, from the start of a character.
fn tail(text: &str, bytes: usize) -> &str {
    let mut from = text.len().saturating_sub(bytes);
    while !text.is_char_boundary(from) {
        from += 1;
    }
    &text[from..]
}

fn amount_follows(after: &str) -> bool {
    static AMOUNT: LazyLock<Option<Regex>> = LazyLock::new(|| {
        Regex::new(r"(?i)^\s?(?:[$€£¥₹%]|(?:k|kr|eur|euros?|usd|nok|sek|dkk|chf|gbp|cad|jpy|inr|brl|mxn|pln|zł|kronor|kroner|dollars?|million|people|employees|clients|customers|m²|m2|km)\b)").ok()
    });
    AMOUNT
        .as_ref()
        .is_some_and(|pattern| pattern.is_match(after))
}

fn is_date(number: &str) -> bool {
    static DATE: LazyLock<Option<Regex>> = LazyLock::new(|| {
        Regex::new(concat!(
            r"^\(?(?:(?:\d{1,2}[./-]\d{1,2}[./-](?:19|20)?\d{2}|(?:19|20)\d{2}[./-]?[01]\d[./-]?[0-3]\d)(?:[ -–]{1,3}|$)){1,2}\)?$",
            r"|^(?:19|20)\d{2} ?[–/-] ?(?:19|20)?\d{2}$",
            r"|^\d{1,2}[.:]\d{2} ?[–-] ?\d{1,2}(?:[.:]\d{2})?$|^[012]\d[0-5]\d ?[–-] ?[012]\d[0-5]\d$",
        ))
        .ok()
    });
    DATE.as_ref()
        .is_some_and(|pattern| pattern.is_match(number))
}

/// Whether a number has a format that only telephone numbers have.
fn has_phone_form(number: &str, digits: &[u8]) -> bool {
    static LOCAL: LazyLock<Option<Regex>> = LazyLock::new(|| {
        Regex::new(concat!(
            r"^(?:1[ .-])?\(?[2-9]\d{2}\)?[ .-]{1,2}\d{3}[ .-]\d{4}$", // North America
            r"|^0[1-9](?:[ .-]?\d{2}){4}$",                            // France
            r"|^\(?0\d{1,4}\)?(?:[ ./-]{1,2}\d{2,8}){1,5}$",           // with a trunk zero
            r"|^[2-9]\d{2} \d{2} \d{3}$|^[2-9]\d(?: \d{2}){3}$",       // Norway, Denmark
            r"|^\(\d{2,3}\) ?\d{4,5}[ -]\d{4}$",                       // Brazil
            r"|^1[3-9]\d[ -]\d{4}[ -]\d{4}$|^1[38]00 \d{3} \d{3}$",    // China, Australia
        ))
        .ok()
    });
    static ROUND: LazyLock<Option<Regex>> =
        LazyLock::new(|| Regex::new(r"^\+\d{1,3}(?:[ .]000)+$").ok());
    let number: String = number
        .chars()
        .map(|c| match c {
            '\u{a0}' => ' ',
            '‐' | '‑' => '-',
            c => c,
        })
        .collect();
    let international = number.trim_start_matches('(').starts_with('+')
        || (digits.starts_with(b"00") && digits.len() >= 10);
    if international {
        let round = ROUND
            .as_ref()
            .is_some_and(|pattern| pattern.is_match(&number));
        return (8..=16).contains(&digits.len()) && !round;
    }
    let dashed = number.contains('–') || number.contains(" - ");
    let enough = (8..=12).contains(&digits.len());
    // Eight digits after a trunk zero are too few, unless written with one separator as in the
    // Nordic countries.
    let plausible = digits.first() != Some(&b'0')
        || digits.len() >= 9
        || number.matches(['-', ' ', '.', '/']).count() == 1;
    enough
        && plausible
        && !dashed
        && LOCAL
            .as_ref()
            .is_some_and(|pattern| pattern.is_match(&number))
}

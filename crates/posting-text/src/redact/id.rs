//! Finds numbers of registers, tax offices and banks.
//!
//! After a word for such a number any number counts. Otherwise it needs check digits.

use super::{
    cues::{self, Cues},
    found::apart,
    vocabulary::List,
    words::Word,
};
use crate::{Budget, Range, Result, pattern::patterns};

patterns! {
    FORMS = crate::pattern::one_of(include_str!("tables/id_forms.txt"));
}

const MAX_BETWEEN: usize = 3;
const MAX_GAP_BYTES: usize = 40;
const MAX_GROUPS: usize = 10;
/// Few digits suffice: registers of one court or town.
static SHORT: List = List::new(include_str!("tables/short_ids.txt"));
/// Words of a language, unless in capitals.
static CAPITALS: List = List::new(include_str!("tables/capital_ids.txt"));
/// Words with other meanings, after which only a long number counts.
static LONG: List = List::new(include_str!("tables/long_ids.txt"));
static UNSPACED: List = List::new(include_str!("tables/unspaced_ids.txt"));
/// Words for "number", before it. After them four digits suffice.
pub(super) static NUMBER: List = List::new(include_str!("tables/number_words.txt"));
/// Of a tax, or of the European Union.
static TAILS: List = List::new("MVA MWST TVA IVA BTW EC EG CE EF WE ES EK EU");
static WITH_NUMBER: List = List::new("c b a hrb hra pr vr gnr fn sc ni oc so");

pub(super) fn ids(text: &str, words: &[Word<'_>], budget: &Budget) -> Result<Vec<Range>> {
    const SEARCH_STEPS: usize = 60;
    budget.spend(words.len())?;
    let mut out: Vec<Range> = Vec::new();
    budget.spend(text.len())?;
    let forms = FORMS.find_iter(text).map(|found| found.range());
    out.extend(forms.filter(|range| !text[..range.start].ends_with('+')));
    // Words up to the next one with a digit.
    let mut distance = usize::MAX;
    for (at, word) in words.iter().enumerate().rev() {
        if word.text.bytes().any(|b| b.is_ascii_digit()) {
            distance = 0;
        }
        let is_near = distance <= MAX_BETWEEN + 2;
        distance = distance.saturating_add(1);
        // "Ein" is German and "Ik" Dutch, "EIN" and "IK" are numbers.
        let is_cue = word.is(Cues::ID) && (!CAPITALS.has(&word.lower) || word.is_capitals());
        let found = if is_cue && (is_near || word.is_upper())
            || is_near
                && ((word.is_unspaced() && UNSPACED.ends(&word.lower))
                    || is_dotted_cue(text, words, at))
        {
            budget.spend(SEARCH_STEPS)?;
            after_cue(text, words, at)
        } else if word.text.get(..4).is_some_and(|it| has_form(it, "AA00")) {
            budget.spend(SEARCH_STEPS)?;
            iban(text, words, at)
        } else {
            None
        };
        out.extend(found);
    }
    Ok(apart(out))
}

/// `C.F.`, `N.I.F.`, `Γ.Ε.ΜΗ.`
fn is_dotted_cue(text: &str, words: &[Word<'_>], at: usize) -> bool {
    const MAX_BYTES: usize = 16;
    let end = words[at].end();
    let front = &text[text.floor_char_boundary(end.saturating_sub(MAX_BYTES))..end];
    let sign = |c: char| !c.is_alphanumeric() && c != '.';
    let dotted = front.rsplit(sign).next().unwrap_or_default();
    let joined = dotted.replace('.', "");
    let is_cue = |lower: &str| cues::are_of(lower, Cues::ID) || lower == "vd";
    dotted.len() > joined.len()
        && joined.chars().all(char::is_uppercase)
        && is_cue(&joined.to_lowercase())
}

fn after_cue(text: &str, words: &[Word<'_>], at: usize) -> Option<Range> {
    let cue = &words[at];
    let mut last = cue;
    for next in 1..=MAX_BETWEEN + 1 {
        let word = words.get(at + next)?;
        let gap = &text[last.end()..word.start];
        // "Reg. UE 2016/679" is a law.
        let is_named = cue.is(Cues::LEGAL) && !cue.is(Cues::ID) && next == 1;
        let ends = !is_named && gap.contains(['\n', ',', ';', '('])
            || matches!(&*word.lower, "ue" | "eu" | "ce" | "eg");
        let ends = ends && !(gap == " (" && matches!(&*word.lower, "no" | "nr" | "n" | "nº"));
        if word.start - cue.end() > MAX_GAP_BYTES || ends || gap.chars().count() > 4 {
            return None;
        }
        // The code of a bank (ISO 9362) may have no digits.
        let is_code = matches!(&*cue.lower, "bic" | "swift")
            && matches!(word.text.len(), 8 | 11)
            && has_form(word.text, &"*".repeat(word.text.len()));
        if is_code {
            return Some(word.start..word.end());
        }
        let begins =
            word.text.contains(|c: char| c.is_ascii_digit()) || is_prefix(words, at + next, text);
        if begins {
            let (end, digits) = groups(text, words, at + next);
            let is_lettered = word.text.starts_with(|c: char| c.is_ascii_uppercase());
            let code = &text[word.start..end];
            // "APE 4711D" is a trade.
            let letters = code.bytes().filter(u8::is_ascii_uppercase).count();
            let digits = digits + if letters > 1 { letters } else { 0 };
            let fewest = if SHORT.has(&cue.lower) {
                3
            } else if NUMBER.has(&last.lower) || gap.contains(['№', '#']) {
                4
            } else if LONG.has(&cue.lower) && !is_lettered {
                7
            } else {
                5
            };
            let is_with_number = WITH_NUMBER.has(&cue.lower);
            let start = if is_with_number {
                cue.start
            } else {
                word.start
            };
            return ((fewest..=34).contains(&digits)).then_some(start..end);
        }
        last = word;
    }
    None
}

/// `FR 23 891 871 337`, `B 891 871 337`
fn is_prefix(words: &[Word<'_>], at: usize, text: &str) -> bool {
    let (Some(word), Some(next)) = (words.get(at), words.get(at + 1)) else {
        return false;
    };
    let is_short = |word: &Word<'_>| {
        (1..=6).contains(&word.letters()) && word.is_capitals() && !word.is(Cues::ID)
    };
    let joins = |one: &Word<'_>, other: &Word<'_>| {
        let gap = &text[one.end()..other.start];
        matches!(gap, "-" | "/" | ".") || one.letters() <= 4 && matches!(gap, " " | "\u{a0}" | ". ")
    };
    // "OE-F/44/2019"
    let further = words.get(at + 2).filter(|further| {
        let is_tight = !text[word.end()..next.start].contains(' ');
        is_short(next) && (is_tight || next.letters() <= 2) && further.is_number()
    });
    is_short(word)
        && joins(word, next)
        && (next.is_number() || further.is_some_and(|further| joins(next, further)))
}

fn groups(text: &str, words: &[Word<'_>], at: usize) -> (usize, usize) {
    let digits = |word: &Word<'_>| word.text.bytes().filter(u8::is_ascii_digit).count();
    let mut last = &words[at];
    let mut count = digits(last);
    for (number, word) in words[at + 1..].iter().take(MAX_GROUPS).enumerate() {
        let gap = &text[last.end()..word.start];
        let is_first = number <= 1 && count == 0;
        let has_digits = word.text.contains(|c: char| c.is_ascii_digit());
        let joins = match gap {
            " " | "\u{a0}" => {
                (word.is_number() && (digits(word) > 1 || is_first))
                    || (is_first && has_form(word.text, "AA"))
                    || (has_digits && (is_first || count > 3 && has_form(word.text, "A00")))
                    || has_form(word.text, "****")
                    || has_form(word.text, "AA0000")
            }
            // The check digit of a Chilean number may be a letter: "76.918.304-K".
            "-" if count >= 7 && matches!(word.text, "K" | "k") => true,
            // "1104/SG"
            "/" | "-" | " - " if word.letters() <= 3 && word.is_capitals() => true,
            "." | "-" | "/" | "–" | "‑" | ":" => has_digits || is_first,
            _ => false,
        };
        // The last group may be a letter: `412078 k`, `FN 412078 k`.
        let letter = gap == " "
            && number == usize::from(digits(&words[at]) == 0)
            && word.text.len() == 1
            && word.text.starts_with(|c: char| c.is_ascii_lowercase());
        // "942 486 111 MVA", "HRA 4471 FL"
        let is_court = number == 0
            && at > 0
            && WITH_NUMBER.has(&words[at - 1].lower)
            && word.text.len() <= 3
            && word.text.bytes().all(|b| b.is_ascii_uppercase());
        let tax = gap == " " && (TAILS.has(word.text) || is_court);
        if !joins && !letter && !tax {
            break;
        }
        count += digits(word);
        last = word;
        if letter || tax {
            break;
        }
    }
    (last.end(), count)
}

/// `A` matches a capital, `0` a digit, `*` either.
pub(super) fn has_form(text: &str, form: &str) -> bool {
    let fits = |(byte, sign): (u8, u8)| match sign {
        b'A' => byte.is_ascii_uppercase(),
        b'0' => byte.is_ascii_digit(),
        b'*' => byte.is_ascii_uppercase() || byte.is_ascii_digit(),
        sign => byte == sign,
    };
    text.len() == form.len() && text.bytes().zip(form.bytes()).all(fits)
}

/// ISO 13616
fn iban(text: &str, words: &[Word<'_>], at: usize) -> Option<Range> {
    let mut number = String::new();
    let start = words[at].start;
    let mut end = start;
    for next in words[at..].iter().take(MAX_GROUPS) {
        let is_beside = matches!(&text[end..next.start], "" | " " | "\u{a0}");
        let is_group = has_form(next.text, &"*".repeat(next.text.len()));
        if !is_beside || !is_group || number.len() + next.text.len() > 34 {
            break;
        }
        number.push_str(next.text);
        end = next.end();
        if number.len() >= 15 && is_iban(&number) {
            return Some(start..end);
        }
    }
    None
}

/// Modulo 97 (ISO 7064).
fn is_iban(number: &str) -> bool {
    let (front, rest) = number.split_at(4);
    let rest = rest.chars().chain(front.chars()).try_fold(0, |rest, c| {
        let value = c.to_digit(36)?;
        Some((rest * if value < 10 { 10 } else { 100 } + value) % 97)
    });
    rest == Some(1)
}

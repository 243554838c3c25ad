//! Finds numbers of registers, tax offices and banks.
//!
//! After a word for such a number any number counts. Otherwise it needs check digits.

use super::{
    cues::{self, Cues},
    vocabulary::{begins_with_one, is_among, without_ending},
    words::{Word, is_digits, word_before},
};
use crate::{Budget, Range, Result};

const MAX_BETWEEN: usize = 3;
/// In bytes.
const MAX_GAP: usize = 40;
const MAX_GROUPS: usize = 10;
/// Few digits suffice: registers of one court or town.
const SHORT: &str = "hrb hra pr vr gnr fn rea reg registernummer kraz izin prot";
/// Words with other meanings, after which only a long number counts.
const LONG: &str = include_str!("tables/long_ids.txt");
const UNSPACED: &str = include_str!("tables/unspaced_ids.txt");
const WITH_NUMBER: &str = "hrb hra pr vr gnr fn sc ni oc so";

pub(super) fn ids(text: &str, words: &[Word<'_>], budget: &Budget) -> Result<Vec<Range>> {
    const SEARCH_STEPS: usize = 60;
    budget.spend(words.len())?;
    let mut out: Vec<Range> = Vec::new();
    for (at, word) in words.iter().enumerate() {
        if out.last().is_some_and(|last| word.start < last.end) {
            continue;
        }
        // "Ein" is German, "EIN" a number.
        let is_cue = word.is(Cues::ID) && (word.lower != "ein" || word.is_capitals());
        let found = if is_cue
            || (word.is_unspaced() && without_ending(UNSPACED, &word.lower).is_some())
            || is_dotted_cue(text, words, at)
            || is_of_court(words, at)
            || is_of_register(words, at)
        {
            budget.spend(SEARCH_STEPS)?;
            after_cue(text, words, at)
        } else if may_be_checked(word) {
            budget.spend(SEARCH_STEPS)?;
            checked(text, words, at)
        } else {
            None
        };
        out.extend(found);
    }
    Ok(out)
}

/// `C.F.`, `N.I.F.`
fn is_dotted_cue(text: &str, words: &[Word<'_>], at: usize) -> bool {
    let is_letter = |word: &Word<'_>| word.is_upper() && word.is_letter();
    let mut first = at;
    while let Some(before) = word_before(words, first)
        && is_letter(&words[first])
        && is_letter(before)
        && &text[before.end()..words[first].start] == "."
        && at - first < 3
    {
        first -= 1;
    }
    let joined = || {
        words[first..=at]
            .iter()
            .map(|word| &*word.lower)
            .collect::<String>()
    };
    first < at && cues::are_of(&joined(), Cues::ID)
}

/// A German register beside its court: `PR 1187 Amtsgericht Kassel`, `Amtsgericht Kassel, VR 204`.
fn is_of_court(words: &[Word<'_>], at: usize) -> bool {
    let is_court =
        |word: &Word<'_>| matches!(&*word.lower, "amtsgericht" | "ag" | "registergericht");
    let from = at.saturating_sub(2);
    let to = words.len().min(at + 3);
    words[at].text == "GnR"
        || matches!(words[at].text, "PR" | "VR") && words[from..to].iter().any(is_court)
}

/// `Registered in England and Wales No. 07734215`
fn is_of_register(words: &[Word<'_>], at: usize) -> bool {
    let country = at.checked_sub(1).map(|before| &*words[before].lower);
    is_among("no number nr under sc ni oc so lp", &words[at].lower)
        && country.is_some_and(|it| is_among("wales england scotland ireland registered under", it))
}

fn after_cue(text: &str, words: &[Word<'_>], at: usize) -> Option<Range> {
    let cue = &words[at];
    let mut last = cue;
    for next in 1..=MAX_BETWEEN + 1 {
        let word = words.get(at + next)?;
        let gap = &text[last.end()..word.start];
        if word.start - cue.end() > MAX_GAP || gap.contains(['\n', ',', ';', '(']) || gap.len() > 4
        {
            return None;
        }
        // The code of a bank (ISO 9362) may have no digits.
        let is_code = is_among("bic swift", &cue.lower)
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
            let fewest = if is_among(SHORT, &cue.lower) {
                3
            } else if is_among(LONG, &cue.lower) && !is_lettered {
                7
            } else {
                5
            };
            // "許可番号 派13-300412"
            let is_joined = gap.is_empty() && next > 1 && last.is_unspaced();
            let start = if is_among(WITH_NUMBER, &cue.lower) {
                cue.start
            } else if is_joined && last.letters() == 1 {
                last.start
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
    let is_short =
        (1..=4).contains(&word.text.len()) && word.text.bytes().all(|b| b.is_ascii_uppercase());
    is_short
        && !word.is(Cues::ID)
        && next.is_number()
        && matches!(
            &text[word.end()..next.start],
            " " | "-" | "/" | "\u{a0}" | ". "
        )
}

fn groups(text: &str, words: &[Word<'_>], at: usize) -> (usize, usize) {
    let digits = |word: &Word<'_>| word.text.bytes().filter(u8::is_ascii_digit).count();
    let mut last = &words[at];
    let mut count = digits(last);
    for (number, word) in words[at + 1..].iter().take(MAX_GROUPS).enumerate() {
        let gap = &text[last.end()..word.start];
        let is_first = number == 0 && count == 0;
        let has_digits = word.text.contains(|c: char| c.is_ascii_digit());
        let joins = match gap {
            " " | "\u{a0}" => {
                (word.is_number() && (digits(word) > 1 || is_first))
                    || (has_digits && is_first)
                    || has_form(word.text, "****")
            }
            // The check digit of a Chilean number may be a letter: "76.918.304-K".
            "-" if count >= 7 && matches!(word.text, "K" | "k") => true,
            // "1104/SG"
            "/" if word.text.len() <= 3 && has_form(word.text, &"A".repeat(word.text.len())) => {
                true
            }
            "." | "-" | "/" | "–" | "‑" => has_digits,
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
            && is_among(WITH_NUMBER, &words[at - 1].lower)
            && word.text.len() <= 3
            && word.text.bytes().all(|b| b.is_ascii_uppercase());
        let tax = gap == " " && (word.text == "MVA" || is_court);
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

const CODES: [&str; 2] = ["AAAAAA00A00A000A", "90000000**********"];

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

/// Whether a word is a code, or a VAT number with its country's form (VIES).
fn is_code(text: &str) -> bool {
    const FORMS: &str = include_str!("tables/vat_numbers.txt");
    let is_of_union = |(country, digits): (&str, &str)| {
        is_digits(digits) && is_among(FORMS, &format!("{country}{}", digits.len()))
    };
    // British partnerships and companies outside England.
    let is_british = begins_with_one("OC SC NI SO NC", text) && has_form(text, "AA000000");
    is_british
        || CODES.iter().any(|form| has_form(text, form))
        || text.split_at_checked(2).is_some_and(is_of_union)
}

fn may_be_checked(word: &Word<'_>) -> bool {
    let begins = |form: &str| {
        word.text
            .get(..form.len())
            .is_some_and(|it| has_form(it, form))
    };
    begins("AA00")
        || is_romanian(word)
        || is_country(word)
        || CODES.iter().any(|form| has_form(word.text, form))
}

/// A number with the form of a register, or an IBAN (ISO 13616).
fn checked(text: &str, words: &[Word<'_>], at: usize) -> Option<Range> {
    let word = &words[at];
    if is_country(word) {
        let next = words.get(at + 1)?;
        let (end, digits) = groups(text, words, at + 1);
        let is_swiss = word.text == "CHE" && &text[word.end()..next.start] == "-";
        let is_norwegian = word.text == "NO" && text[next.start..end].ends_with("MVA");
        return (digits == 9 && (is_swiss || is_norwegian)).then_some(word.start..end);
    }
    if is_romanian(word) {
        let (end, digits) = groups(text, words, at);
        let is_whole = text[word.end()..].starts_with('/') && digits >= 7;
        return is_whole.then_some(word.start..end);
    }
    if is_code(word.text) {
        return Some(word.start..word.end());
    }
    let mut number = String::new();
    let mut end = word.start;
    for next in words[at..].iter().take(MAX_GROUPS) {
        let is_beside = matches!(&text[end..next.start], "" | " " | "\u{a0}");
        let is_group = has_form(next.text, &"*".repeat(next.text.len()));
        if !is_beside || !is_group || number.len() + next.text.len() > 34 {
            break;
        }
        number.push_str(next.text);
        end = next.end();
        if number.len() >= 15 && is_iban(&number) {
            return Some(word.start..end);
        }
    }
    None
}

fn is_country(word: &Word<'_>) -> bool {
    matches!(word.text, "CHE" | "NO")
}

/// `J33/415/2011`
fn is_romanian(word: &Word<'_>) -> bool {
    let mut forms = ["J0", "J00", "F0", "F00"].iter();
    forms.any(|form| has_form(word.text, form))
}

/// Modulo 97 (ISO 7064).
fn is_iban(number: &str) -> bool {
    let rest = number
        .chars()
        .skip(4)
        .chain(number.chars().take(4))
        .try_fold(0, |rest, c| {
            let value = c.to_digit(36)?;
            Some(
                if value < 10 {
                    rest * 10 + value
                } else {
                    rest * 100 + value
                } % 97,
            )
        });
    rest == Some(1)
}

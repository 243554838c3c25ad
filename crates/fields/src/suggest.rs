//! Suggests the intended value or field name for a wrong one.
//!
//! All refusals use this module, so one mistake gets the same suggestion everywhere.

use std::{collections::HashMap, sync::LazyLock};

/// The least similarity of a suggestion: 0 without anything in common, 1 if equal.
const SIMILAR: f64 = 0.6;

/// The number of compared characters is limited: the cost grows with the product of both lengths.
const COMPARED: usize = 100;

pub fn nearest<'a>(text: &str, names: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let text: String = text.chars().take(COMPARED).collect();
    let similarity = |name| strsim::normalized_damerau_levenshtein(&text, name);
    let names = names.into_iter().filter(|name| may_be_similar(&text, name));
    let names = names.map(|name| (similarity(name), name));
    let (similarity, nearest) = names.max_by(|(one, _), (other, _)| one.total_cmp(other))?;
    (similarity >= SIMILAR).then_some(nearest)
}

/// Whether a name shares enough characters with the text: each missing character costs an edit.
/// This cheap check excludes most names.
fn may_be_similar(text: &str, name: &str) -> bool {
    let mut left: Vec<_> = text.chars().collect();
    let longest = left.len().max(name.chars().count());
    let mut lacking = longest;
    for c in name.chars() {
        if let Some(at) = left.iter().position(|other| *other == c) {
            left.swap_remove(at);
            lacking -= 1;
        }
    }
    // At most two in five characters may be missing, see `SIMILAR`.
    lacking * 5 <= longest * 2
}

/// A word, and its synonyms. A synonym after `?` may mean another word, too.
pub type Word = (&'static str, &'static [&'static str]);

/// The word that a text means. The text may have another case or other separators, be a synonym, or
/// be misspelt.
pub fn word(text: &str, words: &[Word]) -> Option<&'static str> {
    let names = || words.iter().map(|(word, _)| *word);
    meaning(text, words, |one| one.trim_start_matches('?'))
        .or_else(|| nearest(&text.to_lowercase(), names()))
}

/// Does the same for texts with a single meaning: no misspellings, no ambiguous synonyms.
pub fn certain_word(text: &str, words: &[Word]) -> Option<&'static str> {
    meaning(
        text,
        words,
        |one| if one.starts_with('?') { "" } else { one },
    )
}

fn meaning(text: &str, words: &[Word], name: fn(&str) -> &str) -> Option<&'static str> {
    let folded = folded(text);
    let means = |(word, others): &&Word| {
        let mut all = others.iter().chain([word]);
        all.any(|one| !folded.is_empty() && self::folded(name(one)) == folded)
    };
    words.iter().find(means).map(|(word, _)| *word)
}

/// The ISO 3166-1 alpha-2 code for an alpha-3 code, an English or native name, or another common
/// name.
pub fn country(text: &str) -> Option<Meant> {
    static NAMES: LazyLock<HashMap<String, Meant>> =
        LazyLock::new(|| table(include_str!("suggest/countries.txt")));
    NAMES.get(&folded(text)).copied()
}

/// The ISO 4217 code for a sign, a name, or a replaced code.
pub fn currency(text: &str) -> Option<Meant> {
    static NAMES: LazyLock<HashMap<String, Meant>> =
        LazyLock::new(|| table(include_str!("suggest/currencies.txt")));
    let folded = folded(text);
    let one = folded.strip_suffix('s').unwrap_or(&folded);
    NAMES.get(&folded).or_else(|| NAMES.get(one)).copied()
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Meant {
    pub code: &'static str,
    /// Whether no other meaning is possible.
    pub is_certain: bool,
}

/// Codes by folded names. A line has a code, a space, and names between bars; a name after `?` is
/// ambiguous.
fn table(text: &'static str) -> HashMap<String, Meant> {
    let lines = text.lines().filter_map(|line| line.split_once(' '));
    let names = lines.flat_map(|(code, names)| names.split('|').map(move |name| (name, code)));
    let meant = |(name, code): (&str, &'static str)| {
        let uncertain = name.strip_prefix('?');
        let is_certain = uncertain.is_none();
        (
            folded(uncertain.unwrap_or(name)),
            Meant { code, is_certain },
        )
    };
    names.map(meant).collect()
}

/// Removes variations in spelling: case, separators and small words.
fn folded(text: &str) -> String {
    let text: String = text
        .chars()
        .take(COMPARED)
        .collect::<String>()
        .to_lowercase();
    let is_separator = |c: char| c.is_whitespace() || (c.is_ascii_punctuation() && c != '$');
    let mut words: Vec<_> = text
        .split(is_separator)
        .filter(|word| !word.is_empty())
        .collect();
    // A text of one word may be a code: `AND` is Andorra.
    if words.len() > 1 {
        words.retain(|word| !["and", "the", "per"].contains(word));
    }
    words.concat()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::codes::{CountryCode, CurrencyCode};

    /// Checks pairs `TEXT = CODE`; an empty code means no result.
    fn check(find: impl Fn(&str) -> Option<&'static str>, pairs: &str) {
        for pair in pairs.split(", ") {
            let (text, code) = pair.split_once('=').unwrap();
            let expect = Some(code.trim()).filter(|code| !code.is_empty());
            assert_eq!(find(text.trim()), expect, "{pair}");
        }
    }

    #[test]
    fn a_misspelt_name_is_distinguished_from_another_one() {
        let names = ["title", "salary_min", "salary_max", "company"];
        for (text, expect) in [
            ("titel", Some("title")),
            ("salaryMin", Some("salary_min")),
            ("salary_mim", Some("salary_min")),
            ("x", None),
            ("", None),
            (&"ü".repeat(100_000), None),
        ] {
            assert_eq!(nearest(text, names), expect, "{text}");
        }
    }

    #[test]
    fn a_word_is_found_by_what_means_the_same() {
        let find = |text: &str| {
            let hourly: Word = ("hourly", &["hour", "h"]);
            word(text, &[("full-time", &["permanent", "ft"]), hourly])
        };
        let texts = "FULL_TIME = full-time, Full time = full-time, fulltime = full-time, \
            Permanent = full-time, full-tme = full-time, per hour = hourly, /h = hourly, secret =";
        check(find, texts);
    }

    #[test]
    fn countries_and_currencies_are_found_by_their_names_and_signs() {
        let countries = "UK = GB, EN = GB, U.K. = GB, GBR = GB, Norway = NO, norge = NO, \
            the Netherlands = NL, Österreich = AT, Bosnia and Herzegovina = BA, \
            Deutschland = DE, 日本 = JP, Atlantis =, =";
        check(|text| Some(country(text)?.code), countries);
        let currencies = "€ = EUR, euros = EUR, $ = USD, US$ = USD, £ = GBP, zł = PLN, \
            Swiss francs = CHF, HRK = EUR, kr =";
        check(|text| Some(currency(text)?.code), currencies);
    }

    #[test]
    fn what_may_mean_something_else_is_not_certain() {
        let certain = |meant: Option<Meant>| meant.filter(|it| it.is_certain).map(|it| it.code);
        let countries = "UK = GB, EL = GR, GBR = GB, Deutschland = DE, EN =, SW =, Korea =, \
            America =, Saint Martin =";
        check(|text| certain(country(text)), countries);
        let currencies = "€ = EUR, £ = GBP, US$ = USD, zł = PLN, $ =, C$ =, dollars =, R =, \
            DEM =, GBX =, Rs =";
        check(|text| certain(currency(text)), currencies);
        let hourly: &[Word] = &[("hourly", &["hour", "?clock"])];
        assert_eq!(certain_word("PER HOUR", hourly), Some("hourly"));
        for text in ["hourlly", "Clock"] {
            let found = (word(text, hourly), certain_word(text, hourly));
            assert_eq!(found, (Some("hourly"), None), "{text}");
        }
    }

    #[test]
    fn what_is_suggested_is_assigned_and_no_name_means_two() {
        for (text, is_code) in [
            (
                include_str!("suggest/countries.txt"),
                (|code| CountryCode::parse(code).is_some()) as fn(&str) -> bool,
            ),
            (include_str!("suggest/currencies.txt"), |code| {
                CurrencyCode::parse(code).is_some()
            }),
        ] {
            let found = table(text);
            for line in text.lines() {
                let (code, names) = line.split_once(' ').unwrap();
                assert!(is_code(code), "{line}");
                for name in names.split('|') {
                    let name = name.trim_start_matches('?');
                    assert_eq!(found[&folded(name)].code, code, "{name}");
                }
            }
        }
    }

    #[test]
    fn alpha_3_codes_are_those_that_others_know() {
        let countries = celes::Country::get_countries();
        for known in countries.iter().filter(|known| known.alpha2 != "XK") {
            let meant = country(known.alpha3).unwrap();
            assert_eq!((meant.code, meant.is_certain), (known.alpha2, true));
        }
    }
}

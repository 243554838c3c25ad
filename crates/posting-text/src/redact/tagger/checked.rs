//! Trims the finds of the model, and drops impossible ones.

use crate::{
    Posting, Range,
    redact::{
        Hidden, Kind,
        city::City,
        cues::Cues,
        id::{NUMBER, has_form},
        script::Script,
        vocabulary::List,
        words::{Word, unaccented, words},
    },
};

pub(super) fn checked(
    text: &str,
    tagged: Vec<Hidden>,
    posting: &Posting<'_>,
    families: Cues,
) -> Vec<Hidden> {
    let city = City::new(posting.city, families);
    let mut out: Vec<Hidden> = Vec::with_capacity(tagged.len());
    for mut hidden in tagged {
        trim(text, &mut hidden);
        let start = hidden.range.start;
        let name = &text[hidden.range.clone()];
        let is_possible = match hidden.kind {
            Kind::Company => !city.is_named(name) && !is_no_company(name),
            Kind::Person => true,
            Kind::Address => !is_date(name),
            _ => !is_amount(text, &hidden.range) && !is_reference(&text[..start]) && !is_date(name),
        };
        if hidden.kind == Kind::Address {
            let end = without_city(text, hidden.range.clone(), &city);
            hidden.range = with_ward(text, start)..with_code(text, end);
        }
        if is_possible && !hidden.range.is_empty() {
            out.push(hidden);
        }
    }
    out
}

/// A part of a number that goes on after it: `215,50`, `420.000–460.000`.
fn is_amount(text: &str, range: &Range) -> bool {
    let digits = |text: &str| text.bytes().take_while(u8::is_ascii_digit).count();
    let digits_after = |sign| text[range.end..].strip_prefix(sign).map_or(0, digits);
    text[range.clone()].ends_with(|c: char| c.is_ascii_digit())
        && (digits_after('.') == 3 || matches!(digits_after(','), 1..=3))
}

/// Whether a word for the reference of an ad comes before: `Kennziffer 0381 2025`, `Ref. KA-2024`.
fn is_reference(before: &str) -> bool {
    static REFERENCES: List = List::new(include_str!("../tables/references.txt"));
    const LOOK: usize = 24;
    let from = before.ceil_char_boundary(before.len().saturating_sub(LOOK));
    let line = before[from..].rsplit('\n').next().unwrap_or_default();
    let front = line.trim_end_matches(|c: char| !c.is_whitespace() && !":#".contains(c));
    let all = words(front);
    let is_reference = |word: &&Word<'_>| REFERENCES.has(&word.lower);
    let mut last = all.iter().rev();
    last.find(|word| is_reference(word) || !NUMBER.has(&word.lower))
        .is_some_and(|word| is_reference(&word))
}

/// Without signs around it, but with the plus and the parentheses of a number.
fn trim(text: &str, hidden: &mut Hidden) {
    let whole = &text[hidden.range.clone()];
    let start = whole.find(char::is_alphanumeric).unwrap_or(whole.len());
    let end = whole.rfind(char::is_alphanumeric).unwrap_or_default();
    let end = hidden.range.start + whole.ceil_char_boundary(end + 1).min(whole.len());
    let mut start = hidden.range.start + start;
    if hidden.kind == Kind::Phone && start < end {
        let is_open = text[start..end].matches(')').count() > text[start..end].matches('(').count();
        let sign = text[..start].strip_suffix('(').filter(|_| is_open);
        let front = sign.unwrap_or(&text[..start]);
        start = front.strip_suffix('+').unwrap_or(front).len();
    }
    hidden.range = start..end.max(start);
}

/// A Chinese or Japanese address may begin with its ward (`北区北三十条`), but a ward after its city
/// stays, as the city does.
fn with_ward(text: &str, start: usize) -> usize {
    const LONGEST: usize = 4;
    let Some(name) = text[..start].strip_suffix(['区', '區']) else {
        return start;
    };
    let letters = name.char_indices().rev();
    let letters = letters.take_while(|(_, c)| Script::of(*c) == Script::Han);
    let letters: Vec<usize> = letters.map(|(at, _)| at).take(LONGEST + 1).collect();
    match letters.last() {
        Some(at) if letters.len() <= LONGEST => *at,
        _ => start,
    }
}

/// A Dutch postal code is of one street: `Stationsweg 14, 1234 AB`. Codes of digits are of a town.
fn with_code(text: &str, end: usize) -> usize {
    let code = |gap: &str| text[end..].strip_prefix(gap)?.get(..7);
    let found = [", ", " · ", "\n"].into_iter().find_map(|gap| {
        let code = code(gap).filter(|code| has_form(code, "0000 AA"))?;
        Some(end + gap.len() + code.len())
    });
    let is_whole = |end: &usize| !text[*end..].starts_with(char::is_alphanumeric);
    found.filter(is_whole).unwrap_or(end)
}

/// A city after an address stays: `Bursa Yolu 11, Susurluk/Balıkesir`, `вул. Довга, 3, м. Львів`.
fn without_city(text: &str, range: Range, city: &City) -> usize {
    /// Short for "city", before its name.
    const CITY: [&str; 4] = ["м", "г", "гр", "γρ"];
    let address = &text[range.clone()];
    let parted = address.rsplit_once([',', '/']).filter(|(_, last)| {
        let mut parts = last.trim_start().splitn(2, ". ");
        let first = parts.next().unwrap_or_default();
        let name = if CITY.contains(&first) {
            parts.next().unwrap_or_default()
        } else {
            last
        };
        city.is_named(name)
    });
    parted.map_or(range.end, |(before, _)| range.start + before.len())
}

/// Regions, and languages and months with a year: some writers give them a capital.
fn is_no_company(name: &str) -> bool {
    let words = words(name);
    let is_listed =
        |word: &Word<'_>| word.is(Cues::REGION) || NO_NAMES.has(&unaccented(&word.lower));
    words.iter().any(is_listed) && words.iter().all(|word| word.is_number() || is_listed(word))
}

/// `April 11`, `del 12 marzo 2009`
fn is_date(text: &str) -> bool {
    let words = words(text);
    let is_month = |word: &Word<'_>| NO_NAMES.has(&unaccented(&word.lower));
    let is_any = |word: &Word<'_>| word.is_number() || word.is_small() || is_month(word);
    words.iter().any(is_month) && words.iter().all(is_any)
}

/// Forms that texts have, without accents.
static NO_NAMES: List = List::new(include_str!("../tables/no_names.txt"));

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_city_after_an_address_stays() {
        for (address, city, expect) in [
            ("вул. Київська, 3, м. Львів", "Львів", "вул. Київська, 3"),
            ("вул. Київська, 3, м", "Львів", "вул. Київська, 3"),
            (
                "Sahil Cad. 4, Susurluk/Balıkesir",
                "Balıkesir",
                "Sahil Cad. 4, Susurluk",
            ),
            ("Tampereentie 4", "Tampere", "Tampereentie 4"),
            ("Rope Lane, Unit 4", "Leeds", "Rope Lane, Unit 4"),
        ] {
            let city = City::new(Some(city), Cues::LANGUAGES);
            let end = without_city(address, 0..address.len(), &city);
            assert_eq!(&address[..end], expect);
        }
    }

    #[test]
    fn an_address_may_begin_with_its_ward() {
        for (before, ward) in [
            ("北区", "北区"),
            ("千葉県 中央区", "中央区"),
            ("東京都千代田区", ""),
        ] {
            assert_eq!(&before[with_ward(before, before.len())..], ward, "{before}");
        }
    }

    #[test]
    fn references_and_amounts_are_no_telephone_numbers() {
        for text in [
            "Ref. KA-|2024-0815",
            "Kennziffer: |0381 2025",
            "Opslag nr. |2025/31",
        ] {
            assert!(is_reference(text.split('|').next().unwrap()), "{text}");
        }
        assert!(!is_reference("Referenz: Eva Holt, Tel. "));
        for (text, is_it) in [
            ("Løn 215,50", true),
            ("420.000–460.000 Ft", true),
            ("0341 12, 34", false),
            ("Rope Lane 4.", false),
        ] {
            let end = text.find([',', '.']).unwrap();
            assert_eq!(is_amount(text, &(0..end)), is_it, "{text}");
        }
    }

    #[test]
    fn languages_and_months_are_no_company() {
        for name in [
            "Češtiny",
            "Maggio 2027",
            "Latviešu",
            "Англійської",
            "Αγγλικά",
        ] {
            assert!(is_no_company(name), "{name}");
        }
        for name in [
            "August Kranz",
            "Augustiner",
            "Aprilia",
            "Deutsche Bahn",
            "4711",
        ] {
            assert!(!is_no_company(name), "{name}");
        }
        assert!(
            NO_NAMES
                .words()
                .all(|word| word == unaccented(&word.to_lowercase()))
        );
    }

    #[test]
    fn dates_are_no_addresses_or_numbers() {
        for (text, expect) in [
            ("April 11", true),
            ("del 12 marzo 2009", true),
            ("Via 25 Aprile", false),
            ("Ηπείρου 44", false),
        ] {
            assert_eq!(is_date(text), expect, "{text}");
        }
    }
}

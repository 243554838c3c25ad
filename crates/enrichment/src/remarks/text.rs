//! Remarks on the text, and on contradictions between text and fields.

use domain::posting::{Details, LocationType, Remark, RemarkCode};
use fields::day::month;
use time::{Date, Month, OffsetDateTime};

/// A text with fewer characters counts as cut off if it ends like a teaser, such as with `…`.
const TEASER: usize = 400;

pub(super) fn remarks(details: &Details, markdown: &str, pushed_at: OffsetDateTime) -> Vec<Remark> {
    let text = markdown.to_lowercase();
    let mut remarks = Vec::new();
    remarks.extend(remote(details, &text));
    remarks.extend(closing_date(&text, pushed_at.date()));
    let has = |marks: &[&'static str]| marks.iter().copied().find(|mark| markdown.contains(mark));
    let mut add = |code, sentence: String| {
        remarks.push(Remark::new(code, "raw_description", sentence));
    };
    if let Some(mark) = has(&ENCODED) {
        let sentence = format!("The text shows \"{mark}\", the mark of an encoding.");
        add(RemarkCode::TextEncoded, sentence);
    }
    if let Some(mark) = has(&GARBLED) {
        let sentence = format!("The text has \"{mark}\": it was read in another encoding.");
        add(RemarkCode::TextGarbled, sentence);
    }
    let end = markdown.trim_end_matches(|c: char| c.is_whitespace() || "*_]".contains(c));
    let is_cut = TEASERS
        .iter()
        .any(|teaser| end.to_lowercase().ends_with(teaser));
    if is_cut && markdown.chars().count() < TEASER {
        add(
            RemarkCode::TextTeaser,
            "The text breaks off: it is the beginning of a longer text.".to_owned(),
        );
    }
    remarks
}

const ENCODED: [&str; 9] = [
    "&lt;", "&gt;", "&amp;", "&nbsp;", "&quot;", "&#", "\\u00", "%20%", "\\\\n",
];
/// UTF-8 that was read as Windows-1252, and the character that replaces unreadable characters.
const GARBLED: [&str; 9] = ["Ã¤", "Ã¶", "Ã¼", "Ã©", "Ã¨", "Ã¥", "â€", "Ã¸", "\u{fffd}"];
const TEASERS: [&str; 8] = [
    "…",
    "...",
    "read more",
    "show more",
    "weiterlesen",
    "mehr anzeigen",
    "lire la suite",
    "les mer",
];

/// Phrases that clearly exclude remote work.
const ON_SITE: [&str; 12] = [
    "100% on-site",
    "100 % on-site",
    "100% onsite",
    "100 % onsite",
    "fully on-site",
    "on-site only",
    "no remote",
    "not a remote",
    "not remote",
    "kein homeoffice",
    "kein home office",
    "pas de télétravail",
];
const REMOTE: [&str; 9] = [
    "100% remote",
    "100 % remote",
    "fully remote",
    "work from anywhere",
    "remote-first",
    "remote only",
    "komplett remote",
    "vollständig remote",
    "télétravail à 100",
];

fn remote(details: &Details, text: &str) -> Option<Remark> {
    use LocationType::{Hybrid, OnSite, Remote};
    let types = &details.location_types;
    let (phrases, is_against): (&[&str], _) = if types.contains(&Remote) {
        (&ON_SITE, true)
    } else {
        (&REMOTE, types.contains(&OnSite) && !types.contains(&Hybrid))
    };
    let phrase = phrases.iter().find(|phrase| text.contains(*phrase))?;
    is_against.then(|| {
        let sentence = format!("The text says \"{phrase}\", and location_types says otherwise.");
        Remark::new(RemarkCode::RemoteContradicted, "location_types", sentence)
    })
}

/// Words before a closing date.
const CLOSING: [&str; 14] = [
    "closing date",
    "application deadline",
    "apply by",
    "apply before",
    "applications close",
    "deadline",
    "bewerbungsfrist",
    "bewerbungsschluss",
    "bewerben sie sich bis",
    "bewirb dich bis",
    "date limite",
    "søknadsfrist",
    "sista ansökningsdag",
    "ansøgningsfrist",
];
/// The number of characters after such words in which the date is searched.
const NEAR: usize = 40;

fn closing_date(text: &str, today: Date) -> Option<Remark> {
    let dates = CLOSING.iter().flat_map(|word| {
        let found = text.match_indices(word);
        found.filter_map(|(at, word)| {
            let after: String = text[at + word.len()..].chars().take(NEAR).collect();
            date(&after)
        })
    });
    let date = dates.max()?;
    (date < today).then(|| {
        let sentence = format!("The text names the closing date {date}, which has passed.");
        Remark::new(RemarkCode::ClosingDatePassed, "raw_description", sentence)
    })
}

/// The first date of a text: `2026-03-31`, `31.3.2026`, `31 March 2026`, `March 31, 2026`. In a
/// date with slashes, the month or the day may come first, so it counts only if both readings give
/// the same month.
fn date(text: &str) -> Option<Date> {
    let parts = text.split(|c: char| !c.is_alphanumeric());
    let parts: Vec<_> = parts.filter(|part| !part.is_empty()).collect();
    let number = |text: &str| {
        let digits = text.trim_end_matches(|c: char| c.is_ascii_alphabetic());
        digits.parse::<u16>().ok()
    };
    let has_slash = text.contains('/');
    parts.windows(3).find_map(|window| {
        let [a, b, c] = window else { return None };
        let (year, month, day) = match (number(a), number(b), number(c)) {
            (Some(year @ 1_000..), Some(month), Some(day)) => (year, month, day),
            (Some(day), Some(month), Some(year @ 1_000..)) if !has_slash || day == month => {
                (year, month, day)
            }
            (Some(day), None, Some(year @ 1_000..)) => (year, month(b)?, day),
            (None, Some(day), Some(year @ 1_000..)) => (year, month(a)?, day),
            _ => return None,
        };
        let month = Month::try_from(u8::try_from(month).ok()?).ok()?;
        Date::from_calendar_date(year.into(), month, u8::try_from(day).ok()?).ok()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dates_are_read_in_the_forms_that_mean_one_day() {
        for text in [
            ": 2026-03-31",
            " 31.3.2026",
            " is 31 March 2026.",
            "March 31st, 2026",
            "31. märz 2026",
            " (31 mars 2026)",
        ] {
            let expect = Date::from_calendar_date(2026, Month::March, 31).ok();
            assert_eq!(date(&text.to_lowercase()), expect, "{text}");
        }
        for text in ["03/04/2026", "soon", "31.2.2026", "in 10 days"] {
            assert_eq!(date(text), None, "{text}");
        }
    }
}

//! Texts for pages: times, sizes, and what redaction has hidden.

use std::borrow::Borrow;

use time::OffsetDateTime;

/// The largest part of a text that a page shows, in bytes.
const SHOWN: usize = 200 * 1024;
/// The largest number of marks in a text.
const MOST_MARKS: usize = 2_000;

/// The tokens that replace hidden phrases in a redacted text.
const MARKS: [&str; 8] = [
    "[company]",
    "[email]",
    "[phone]",
    "[link]",
    "[person]",
    "[address]",
    "[id]",
    "[handle]",
];

/// A time, or a reference to one, as templates have them.
pub trait Moment {
    /// The time.
    fn time(&self) -> OffsetDateTime;
}

impl Moment for OffsetDateTime {
    fn time(&self) -> OffsetDateTime {
        *self
    }
}

impl<T: Moment> Moment for &T {
    fn time(&self) -> OffsetDateTime {
        (*self).time()
    }
}

/// A time in UTC, to the minute.
pub fn minute(at: impl Moment) -> String {
    let at = at.time().to_offset(time::UtcOffset::UTC);
    format!("{} {:02}:{:02}", at.date(), at.hour(), at.minute())
}

/// A time that may be missing.
pub fn optional_minute(at: impl Borrow<Option<OffsetDateTime>>) -> String {
    at.borrow().map(minute).unwrap_or_default()
}

/// A number with spaces between its thousands.
pub fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let mut text = String::with_capacity(digits.len() * 4 / 3);
    for (n, digit) in digits.chars().enumerate() {
        if n > 0 && (digits.len() - n).is_multiple_of(3) {
            text.push('\u{202f}');
        }
        text.push(digit);
    }
    text
}

/// A duration in words, to two units at most.
pub fn duration(time: time::Duration) -> String {
    let seconds = time.whole_seconds().max(0);
    let (days, hours, minutes) = (seconds / 86_400, seconds / 3_600 % 24, seconds / 60 % 60);
    match (days, hours, minutes) {
        (0, 0, 0) => format!("{seconds} s"),
        (0, 0, _) => format!("{minutes} min"),
        (0, _, _) => format!("{hours} h {minutes} min"),
        _ => format!("{days} d {hours} h"),
    }
}

/// Whether a page may lead to an address. The rules let no other schemes in; a page must not rely on
/// it.
pub fn is_web(url: &str) -> bool {
    let scheme = url.split_once(':').map(|(scheme, _)| scheme);
    let is = |scheme: &str, web: &str| scheme.eq_ignore_ascii_case(web);
    scheme.is_some_and(|scheme| is(scheme, "http") || is(scheme, "https"))
}

/// The beginning of a text that a page shows, and whether there is more.
pub fn cut(text: &str) -> (&str, bool) {
    (&text[..text.floor_char_boundary(SHOWN)], text.len() > SHOWN)
}

/// A part of a text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Part<'a> {
    pub text: &'a str,
    /// Whether it is hidden, or stands for what is.
    pub is_marked: bool,
}

/// A text, and the same redacted, in parts.
#[derive(Clone, Debug, Default)]
pub struct Compared<'a> {
    pub full: Vec<Part<'a>>,
    pub redacted: Vec<Part<'a>>,
    /// Whether a text was cut.
    pub is_cut: bool,
}

/// Marks the hidden phrases of the full text and their tokens in the redacted one. If that takes too
/// long, the full text has no marks.
pub fn compare<'a>(full: &'a str, redacted: &'a str) -> Compared<'a> {
    let ((full, is_full_cut), (redacted, is_redacted_cut)) = (cut(full), cut(redacted));
    let redacted = parts(redacted);
    let plain = || {
        vec![Part {
            text: full,
            is_marked: false,
        }]
    };
    Compared {
        full: if is_full_cut || is_redacted_cut {
            plain()
        } else {
            align(full, &redacted).unwrap_or_else(plain)
        },
        redacted,
        is_cut: is_full_cut || is_redacted_cut,
    }
}

/// The parts of a redacted text.
fn parts(text: &str) -> Vec<Part<'_>> {
    let mut parts = Vec::new();
    let (mut rest, mut from) = (text, 0);
    while let Some(at) = rest[from..].find('[').map(|at| from + at) {
        let mark = MARKS.iter().find(|mark| rest[at..].starts_with(**mark));
        let (Some(mark), true) = (mark, parts.len() < 2 * MOST_MARKS) else {
            from = at + 1;
            continue;
        };
        parts.push(Part {
            text: &rest[..at],
            is_marked: false,
        });
        parts.push(Part {
            text: &rest[at..at + mark.len()],
            is_marked: true,
        });
        rest = &rest[at + mark.len()..];
        from = 0;
    }
    parts.push(Part {
        text: rest,
        is_marked: false,
    });
    parts.retain(|part| !part.text.is_empty());
    parts
}

/// The parts of the full text: words that the redacted one does not have are hidden. `None` if
/// that takes too many steps. After a difference the texts are the same again where a few words
/// follow each other in both.
fn align<'a>(full: &'a str, redacted: &[Part<'_>]) -> Option<Vec<Part<'a>>> {
    let ours: Vec<_> = words(full).collect();
    let theirs: Vec<_> = redacted
        .iter()
        .flat_map(|part| words(part.text).map(|word| (word, part.is_marked)))
        .collect();
    let same = |i: usize, j: usize| match (ours.get(i), theirs.get(j)) {
        (Some(our), Some((their, is_marked))) => !is_marked && our == their,
        (None, None) => true,
        _ => false,
    };
    let (mut i, mut j, mut steps) = (0, 0, 0);
    let mut found: Vec<(usize, usize, bool)> = Vec::new();
    let mut at = 0;
    let mut add = |length: usize, is_marked| {
        match found.last_mut() {
            Some((_, end, known)) if *known == is_marked => *end += length,
            _ => found.push((at, at + length, is_marked)),
        }
        at += length;
    };
    while let Some(word) = ours.get(i) {
        if same(i, j) {
            add(word.len(), false);
            (i, j) = (i + 1, j + 1);
            continue;
        }
        let mut ahead = None;
        'search: for distance in 1..=2 * WINDOW {
            for skipped in distance.saturating_sub(WINDOW)..=distance.min(WINDOW) {
                steps += 1;
                if steps > MOST_STEPS {
                    return None;
                }
                let (next_i, next_j) = (i + distance - skipped, j + skipped);
                if (0..RESUMES).all(|n| same(next_i + n, next_j + n)) {
                    ahead = Some((next_i, next_j));
                    break 'search;
                }
            }
        }
        let (next_i, next_j) = ahead.unwrap_or((ours.len(), theirs.len()));
        let next_i = next_i.min(ours.len());
        for word in &ours[i..next_i] {
            add(word.len(), true);
        }
        (i, j) = (next_i, next_j);
    }
    let parts = found.into_iter().map(|(start, end, is_marked)| Part {
        text: &full[start..end],
        is_marked,
    });
    Some(parts.collect())
}

/// How far apart the texts may be, in words.
const WINDOW: usize = 120;
/// The words in a row by which two texts are the same again.
const RESUMES: usize = 3;
/// The largest number of comparisons.
const MOST_STEPS: usize = 2_000_000;

/// Splits a text into its words and the characters between them.
fn words(text: &str) -> impl Iterator<Item = &str> {
    let mut rest = text;
    std::iter::from_fn(move || {
        let first = rest.chars().next()?;
        let end = if first.is_alphanumeric() {
            rest.find(|letter: char| !letter.is_alphanumeric())
        } else {
            Some(first.len_utf8())
        };
        let (word, after) = rest.split_at(end.unwrap_or(rest.len()));
        rest = after;
        Some(word)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn marked(parts: &[Part<'_>]) -> String {
        let parts = parts.iter().map(|part| {
            let text = part.text;
            if part.is_marked {
                format!("<{text}>")
            } else {
                text.to_owned()
            }
        });
        parts.collect()
    }

    #[test]
    fn what_is_hidden_is_marked_in_both_texts() {
        for (full, redacted, expect) in [
            (
                "We at Acme hire.",
                "We at [company] hire.",
                "We at <Acme> hire.",
            ),
            ("Acme", "[company]", "<Acme>"),
            ("Acme hires", "[company] hires", "<Acme> hires"),
            ("Mail a@b.example", "Mail [email]", "Mail <a@b.example>"),
            (
                "x Acme Ltd [sic] y",
                "x [company] [sic] y",
                "x <Acme Ltd> [sic] y",
            ),
            ("A b A b", "[company] b [company] b", "<A> b <A> b"),
            ("nothing", "nothing", "nothing"),
            ("", "", ""),
            ("one", "another [company]", "<one>"),
            (
                "Write to [a@b.example](mailto:a@b.example), or see [our page](https://b.example).",
                "Write to [email], or see our page.",
                "Write to <[a@b.example](mailto:a@b.example)>, or see <[>our page<](https://b.example)>.",
            ),
            ("一 Acme 二", "一 [company] 二", "一 <Acme> 二"),
        ] {
            assert_eq!(marked(&compare(full, redacted).full), expect, "{full}");
        }
        let redacted = compare("a Acme", "a [company]").redacted;
        assert_eq!(marked(&redacted), "a <[company]>");
        let many = "[company] ".repeat(100_000);
        assert!(compare(&many, &many).redacted.len() <= 2 * MOST_MARKS + 2);
    }

    #[test]
    fn thousands_are_apart() {
        for (number, expect) in [
            (0, "0"),
            (999, "999"),
            (1_000, "1 000"),
            (12_345_678, "12 345 678"),
        ] {
            assert_eq!(grouped(number).replace('\u{202f}', " "), expect);
        }
    }

    #[test]
    fn times_are_short() {
        assert_eq!(minute(kernel::testing::noon()), "2026-03-01 12:00");
        for (seconds, expect) in [
            (-5, "0 s"),
            (59, "59 s"),
            (60, "1 min"),
            (3_600, "1 h 0 min"),
            (90_000, "1 d 1 h"),
        ] {
            assert_eq!(duration(time::Duration::seconds(seconds)), expect);
        }
    }
}

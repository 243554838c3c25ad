//! Texts for pages: times, sizes, and what redaction has hidden.

use time::OffsetDateTime;

/// The largest part of a text that a page shows, in bytes.
const SHOWN: usize = 200 * 1024;
/// The largest number of marks in a text.
const MOST_MARKS: usize = 2_000;

/// What stands in a redacted text for what is hidden.
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

/// A time in UTC, to the minute.
pub fn minute(at: OffsetDateTime) -> String {
    let at = at.to_offset(time::UtcOffset::UTC);
    format!("{} {:02}:{:02}", at.date(), at.hour(), at.minute())
}

/// A time that may be missing.
pub fn optional_minute(at: Option<OffsetDateTime>) -> String {
    at.map(minute).unwrap_or_default()
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

/// Marks what is hidden in both texts. What stands between marks is the same in both, in order; if
/// that does not hold, or there are very many marks, the full text is shown without any.
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

/// The parts of the full text. `None` if the redacted one is not made of it.
fn align<'a>(full: &'a str, redacted: &[Part<'_>]) -> Option<Vec<Part<'a>>> {
    let mut found = Vec::new();
    let (mut rest, mut follows_mark) = (full, false);
    for (n, part) in redacted.iter().enumerate() {
        if part.is_marked {
            follows_mark = true;
            continue;
        }
        let is_last = n + 1 == redacted.len();
        let at = match (follows_mark, is_last) {
            (false, _) => rest.starts_with(part.text).then_some(0),
            (true, true) => rest
                .ends_with(part.text)
                .then(|| rest.len() - part.text.len()),
            (true, false) => rest.find(part.text),
        }?;
        let (hidden, after) = rest.split_at(at);
        let (same, after) = after.split_at(part.text.len());
        found.push(Part {
            text: hidden,
            is_marked: true,
        });
        found.push(Part {
            text: same,
            is_marked: false,
        });
        (rest, follows_mark) = (after, false);
    }
    if !rest.is_empty() {
        follows_mark.then_some(())?;
        found.push(Part {
            text: rest,
            is_marked: true,
        });
    }
    found.retain(|part| !part.text.is_empty());
    Some(found)
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
            ("one", "another [company]", "one"),
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
    fn times_are_short() {
        assert_eq!(minute(domain::testing::noon()), "2026-03-01 12:00");
    }
}

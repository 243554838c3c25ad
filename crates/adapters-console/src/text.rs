//! Texts for pages: times, sizes, and marks of redaction.

use std::borrow::Borrow;

use kernel::Status;
use posting_text::html::{Links, from_markdown};
use time::OffsetDateTime;

/// How many bytes of a text a page shows.
const SHOWN: usize = 200 * 1024;
const MOST_MARKS: usize = 2_000;

/// The kinds of hidden phrases. A redacted text has the kind instead of the phrase: `[company]`.
const MARKS: [&str; 8] = [
    "company", "email", "phone", "link", "person", "address", "id", "handle",
];

pub trait Moment {
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

pub fn minute(at: impl Moment) -> String {
    let at = at.time().to_offset(time::UtcOffset::UTC);
    format!("{} {:02}:{:02}", at.date(), at.hour(), at.minute())
}

pub fn postings(count: impl Borrow<u64>) -> String {
    match count.borrow() {
        1 => "1 posting".to_owned(),
        count => format!("{count} postings"),
    }
}

pub fn optional_minute(at: impl Borrow<Option<OffsetDateTime>>) -> String {
    at.borrow().map(minute).unwrap_or_default()
}

/// The facts that have a value.
pub fn stated<const N: usize>(facts: [(&'static str, String); N]) -> Vec<(&'static str, String)> {
    let facts = facts.into_iter();
    facts.filter(|(_, value)| !value.is_empty()).collect()
}

pub const fn status(status: Status) -> &'static str {
    match status {
        Status::PendingEnrichment => "pending",
        other => other.as_str(),
    }
}

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

pub fn duration(time: time::Duration) -> String {
    let seconds = time.whole_seconds();
    let (days, hours, minutes) = (seconds / 86_400, seconds / 3_600 % 24, seconds / 60 % 60);
    match (days, hours, minutes) {
        _ if seconds < 1 => "under 1 s".to_owned(),
        (0, 0, 0) => format!("{seconds} s"),
        (0, 0, _) => format!("{minutes} min"),
        (0, _, _) => format!("{hours} h {minutes} min"),
        _ => format!("{days} d {hours} h"),
    }
}

/// Whether a page may link to an address. The rules admit no other schemes, but pages do not rely
/// on that.
pub fn is_web(url: &str) -> bool {
    let scheme = url.split_once(':').map(|(scheme, _)| scheme);
    let is = |scheme: &str, web: &str| scheme.eq_ignore_ascii_case(web);
    scheme.is_some_and(|scheme| is(scheme, "http") || is(scheme, "https"))
}

pub fn cut(text: &str) -> (&str, bool) {
    (&text[..text.floor_char_boundary(SHOWN)], text.len() > SHOWN)
}

#[derive(Clone, Debug, Default)]
pub struct Compared {
    pub full: String,
    pub redacted: String,
    pub is_cut: bool,
}

pub fn prose(markdown: &str) -> (String, bool) {
    let (text, is_cut) = cut(markdown);
    (from_markdown(text, Links::Kept), is_cut)
}

/// Renders the Markdown of a text and its redacted form. Marks the hidden phrases in the first, and
/// their tokens in the second. If a text is cut or differs too much, the full text has no marks.
pub fn compare(full: &str, redacted: &str) -> Compared {
    let ((full, is_full_cut), (redacted, is_redacted_cut)) = (cut(full), cut(redacted));
    let is_cut = is_full_cut || is_redacted_cut;
    let [full, redacted] = [full, redacted].map(|text| from_markdown(text, Links::Kept));
    let (ours, theirs) = (tokens(&full), with_marks(&redacted));
    let is_word = |token: &&str| !token.starts_with('<');
    let words: Vec<_> = ours.iter().copied().filter(is_word).collect();
    let others = theirs.iter().filter(|(token, _)| is_word(token));
    let others: Vec<_> = others.copied().collect();
    let hidden = if is_cut {
        None
    } else {
        hidden(&words, &others)
    };
    let mut hidden = hidden.unwrap_or_default().into_iter();
    let with_marks = ours.iter().map(|token| {
        let is_hidden = is_word(token) && hidden.next() == Some(true);
        (*token, is_hidden)
    });
    Compared {
        full: marked(with_marks),
        redacted: marked(theirs.into_iter()),
        is_cut,
    }
}

/// HTML with marked words in `mark` elements, which contain no other tag.
fn marked<'a>(tokens: impl Iterator<Item = (&'a str, bool)>) -> String {
    let (mut html, mut is_open) = (String::new(), false);
    for (token, is_marked) in tokens.chain([("", false)]) {
        if is_marked != is_open {
            html.push_str(if is_marked { "<mark>" } else { "</mark>" });
        }
        is_open = is_marked;
        html.push_str(token);
    }
    html
}

fn with_marks(html: &str) -> Vec<(&str, bool)> {
    let mut found: Vec<_> = tokens(html)
        .into_iter()
        .map(|token| (token, false))
        .collect();
    let (mut at, mut marks) = (0, 0);
    while let Some(phrase) = found.get_mut(at..at + 3) {
        let is_mark = phrase[0].0 == "[" && MARKS.contains(&phrase[1].0) && phrase[2].0 == "]";
        if is_mark && marks < MOST_MARKS {
            for (_, is_marked) in phrase {
                *is_marked = true;
            }
            marks += 1;
        }
        at += if is_mark { 3 } else { 1 };
    }
    found
}

/// Which words of the full text the redacted text lacks; `None` above the limit of steps. A
/// difference ends where a few words in a row match again.
fn hidden(ours: &[&str], theirs: &[(&str, bool)]) -> Option<Vec<bool>> {
    let same = |i: usize, j: usize| match (ours.get(i), theirs.get(j)) {
        (Some(our), Some((their, is_marked))) => !is_marked && our == their,
        (None, None) => true,
        _ => false,
    };
    let (mut i, mut j, mut steps) = (0, 0, 0);
    let mut hidden = vec![false; ours.len()];
    while i < ours.len() {
        if same(i, j) {
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
        hidden[i..next_i].fill(true);
        (i, j) = (next_i, next_j);
    }
    Some(hidden)
}

/// How many words of each text the search for the end of a difference skips at most.
const WINDOW: usize = 120;
/// How many matching words in a row end a difference.
const RESUMES: usize = 3;
const MOST_STEPS: usize = 2_000_000;

fn tokens(html: &str) -> Vec<&str> {
    let (mut rest, mut tokens) = (html, Vec::new());
    while let Some(first) = rest.chars().next() {
        let length = match first {
            '<' => rest.find('>').map(|end| end + 1),
            '&' => rest.find(';').map(|end| end + 1),
            _ if first.is_alphanumeric() => rest.find(|letter: char| !letter.is_alphanumeric()),
            _ => Some(first.len_utf8()),
        };
        let (token, after) = rest.split_at(length.unwrap_or(rest.len()));
        tokens.push(token);
        rest = after;
    }
    tokens
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A full text, its redacted form, and the marked full text.
    const COMPARED: &str = r"
        We at Acme hire.       | We at [company] hire.    | <p>We at «Acme» hire.</p>
        Acme                   | [company]                | <p>«Acme»</p>
        Mail a@b.example       | Mail [email]             | <p>Mail «a@b.example»</p>
        x Acme Ltd [sic] y     | x [company] [sic] y      | <p>x «Acme Ltd» [sic] y</p>
        A b A b                | [company] b [company] b  | <p>«A» b «A» b</p>
        B & Co, x y            | [company], x y           | <p>«B &amp; Co», x y</p>
        nothing                | nothing                  | <p>nothing</p>
        one                    | another [company]        | <p>«one»</p>
        一 Acme 二             | 一 [company] 二          | <p>一 «Acme» 二</p>
        a <b> Acme             | a <b> [company]          | <p>a &lt;b&gt; «Acme»</p>
        - Acme\n- pays         | - [company]\n- pays      | <ul><li>«Acme»</li><li>pays</li></ul>
        Ask *Ann* **Lee**. | Ask [person]. | <p>Ask <em>«Ann»</em>« »<strong>«Lee»</strong>.</p>";

    #[test]
    fn what_is_hidden_is_marked_within_its_elements() {
        for line in COMPARED.trim().lines() {
            let cells = line.split('|').map(|cell| cell.trim().replace("\\n", "\n"));
            let [full, redacted, expect] = &cells.collect::<Vec<_>>()[..] else {
                panic!("{line}");
            };
            let found = compare(full, redacted).full.replace("<mark>", "«");
            assert_eq!(found.replace("</mark>", "»"), *expect, "{full}");
        }
        let redacted = compare("a Acme", "a [company]").redacted;
        assert_eq!(redacted, "<p>a <mark>[company]</mark></p>");
        let many = "[company] ".repeat(10_000);
        let marks = compare(&many, &many).redacted.matches("<mark>").count();
        assert_eq!(marks, MOST_MARKS);
        let linked = compare("See [us](https://a.example/?b=\"c\").", "See us.").full;
        assert!(
            linked.contains("href=\"https://a.example/?b=&quot;c&quot;\""),
            "{linked}"
        );
        assert!(!linked.contains("<mark>"), "{linked}");
    }

    #[test]
    fn numbers_and_times_are_short() {
        for (number, expect) in [(0, "0"), (999, "999"), (12_345_678, "12 345 678")] {
            assert_eq!(grouped(number).replace('\u{202f}', " "), expect);
        }
        assert_eq!(minute(kernel::testing::noon()), "2026-03-01 12:00");
        for (seconds, expect) in [
            (-5, "under 1 s"),
            (59, "59 s"),
            (60, "1 min"),
            (3_600, "1 h 0 min"),
            (90_000, "1 d 1 h"),
        ] {
            assert_eq!(duration(time::Duration::seconds(seconds)), expect);
        }
    }
}

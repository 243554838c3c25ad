//! Finds addresses in a model's text that the description lacks.

use std::ops::Range;

use percent_encoding::percent_decode_str;

use super::{contact, reading::Reading};
use crate::{Budget, Exceeded};

/// Finds what programs turn into links: anything with a scheme and `://`, `www.` at the start of a
/// word, and e-mail addresses. In order and without overlaps.
pub(super) fn addresses(text: &str) -> Vec<Range<usize>> {
    let starts = |rest: &str| rest.starts_with(|c: char| c.is_alphanumeric() || c == '[');
    let schemes = text.match_indices("://").filter_map(|(at, found)| {
        let rest = text[..at].trim_end_matches(|c: char| c.is_ascii_alphanumeric());
        let is_url = rest.len() < at && starts(&text[at + found.len()..]);
        is_url.then_some(rest.len())
    });
    let www = text.match_indices('.').filter_map(|(at, _)| {
        let start = at.checked_sub(3)?;
        let is_www = text.as_bytes()[start..at].eq_ignore_ascii_case(b"www")
            && !text[..start].ends_with(char::is_alphanumeric)
            && starts(&text[at + 1..]);
        is_www.then_some(start)
    });
    let mut found: Vec<Range<usize>> = ends(text, schemes)
        .chain(ends(text, www))
        .chain(contact::emails(text))
        .collect();
    found.sort_by_key(|range| range.start);
    let mut end = 0;
    found.retain(|range| {
        let is_free = range.start >= end;
        end = end.max(range.end);
        is_free
    });
    found
}

/// For URLs that start at these bytes, in order, finds where they end, without the punctuation of
/// the sentence around them. URLs that run into each other share an end, which is searched for
/// once.
fn ends(text: &str, starts: impl Iterator<Item = usize>) -> impl Iterator<Item = Range<usize>> {
    let ends = |c: char| c.is_whitespace() || "<>\"`「」。、（）".contains(c);
    let (mut end, mut trimmed) = (0, 0);
    starts.map(move |start| {
        if start >= end {
            let rest = &text[start..];
            let url = &rest[..rest.find(ends).unwrap_or(rest.len())];
            end = start + url.len();
            let url = url.trim_end_matches(|c: char| ".,;:!?'’”“»*_…)]}".contains(c));
            trimmed = start + url.len();
        }
        start..trimmed.max(start)
    })
}

/// The addresses of a description, in links and in its text.
pub(super) struct Known(String);

impl Known {
    pub(super) fn of(description: &Reading<'_>) -> Self {
        let mut known = normal(&description.text);
        for link in &description.links {
            known.push('\n');
            known.push_str(&normal(link));
        }
        Self(known)
    }

    /// Whether the description has this address, or a longer one that begins with it: a model may
    /// drop a tracking parameter or make a link of `example.org`, but may not invent a host or a
    /// mailbox.
    pub(super) fn has(&self, address: &str, budget: &Budget) -> Result<bool, Exceeded> {
        budget.spend(self.0.len() + address.len())?;
        let address = normal(address);
        let rest = ["https://", "http://", "mailto:"]
            .iter()
            .find_map(|scheme| address.strip_prefix(scheme));
        let address = match rest {
            Some(mailbox) if address.starts_with("mailto:") => {
                mailbox.split('?').next().unwrap_or(mailbox)
            }
            Some(rest) => rest,
            None => &address,
        };
        let address = address.trim_end_matches('/');
        let before = |c: char| c.is_alphanumeric() || "-@_+.".contains(c);
        let after = |c: char| c.is_alphanumeric() || "-@_".contains(c);
        Ok(self.0.match_indices(address).any(|(at, found)| {
            let rest = &self.0[at + found.len()..];
            let goes_on = rest.strip_prefix('.').unwrap_or(rest).starts_with(after);
            !self.0[..at].ends_with(before) && !goes_on
        }))
    }
}

/// Normalises an address, so that different spellings of it compare equal.
fn normal(text: &str) -> String {
    percent_decode_str(text)
        .decode_utf8_lossy()
        .to_lowercase()
        .replace("www.", "")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_are_found() {
        for (text, expect) in [
            (
                "See https://x.org/a_b?c=d. End",
                vec!["https://x.org/a_b?c=d"],
            ),
            ("(www.x.org/a)", vec!["www.x.org/a"]),
            ("WWW.X.org, ftp://y.org", vec!["WWW.X.org", "ftp://y.org"]),
            ("https://www.x.org", vec!["https://www.x.org"]),
            ("https://a@b.no/c", vec!["https://a@b.no/c"]),
            ("a@b.no or hxxps://x.org", vec!["a@b.no", "hxxps://x.org"]),
            ("Node.js, and/or, a://, a:// b", vec![]),
            ("awww.x.org www. ://x", vec![]),
        ] {
            let found: Vec<&str> = addresses(text)
                .into_iter()
                .map(|range| &text[range])
                .collect();
            assert_eq!(found, expect, "{text}");
        }
    }

    #[test]
    fn what_the_description_has_is_known() {
        let budget = Budget::unlimited();
        let reading = Reading::of(
            "[Apply](https://www.acmera.no/jobs/1?utm_source=x&a=%28b%29#top), at bravo.no/jobs \
             or jobs@acmera.no, <https://charlie.no/>",
            &budget,
        )
        .unwrap();
        let known = Known::of(&reading);
        for address in [
            "https://www.acmera.no/jobs/1?utm_source=x&a=(b)#top",
            "https://acmera.no/jobs/1",
            "HTTP://ACMERA.NO",
            "www.acmera.no/jobs/",
            "https://bravo.no/jobs",
            "mailto:jobs@acmera.no?subject=Cook",
            "jobs@acmera.no",
            "https://charlie.no",
            "",
        ] {
            assert_eq!(known.has(address, &budget), Ok(true), "{address}");
        }
        for address in [
            "https://delta.no",
            "https://acmera.no/jobs/2",
            "https://acmera.no/job",
            "https://acmera.no.delta.no",
            "https://era.no",
            "https://no/jobs",
            "obs@acmera.no",
            "bjobs@acmera.no",
            "jobs@acmera.now",
            "javascript:alert(1)",
            "/jobs",
            "tel:+4722334455",
        ] {
            assert_eq!(known.has(address, &budget), Ok(false), "{address}");
        }
    }
}

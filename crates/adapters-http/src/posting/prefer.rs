//! The header `Prefer` (RFC 7240): how to handle unknown fields and wrong values, and whether a dry
//! run returns a preview.

use actix_web::http::header::{HeaderMap, HeaderName, HeaderValue};
use domain::posting::Handling;

const PREFER: HeaderName = HeaderName::from_static("prefer");

/// A request's preferences. If one is repeated, the first counts. Unknown ones are ignored.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Preferences {
    pub handling: Handling,
    /// Only a dry run honours `return=representation`.
    pub representation: bool,
}

impl Preferences {
    pub fn of(headers: &HeaderMap) -> Self {
        let (mut handling, mut returned) = (None, None);
        for header in headers.get_all(PREFER) {
            let text = String::from_utf8_lossy(header.as_bytes());
            for preference in split(&text, ',') {
                let preference = split(preference, ';').next().unwrap_or_default();
                let (name, value) = preference.split_once('=').unwrap_or((preference, ""));
                let name = name.trim();
                for (known, first) in [("handling", &mut handling), ("return", &mut returned)] {
                    if name.eq_ignore_ascii_case(known) {
                        first.get_or_insert_with(|| word(value));
                    }
                }
            }
        }
        let is = |found: &Option<String>, value: &str| {
            let found = found.as_deref();
            found.is_some_and(|found| found.eq_ignore_ascii_case(value))
        };
        Self {
            handling: match () {
                () if is(&handling, "strict") => Handling::Strict,
                () if is(&handling, "lenient") => Handling::Lenient,
                () => Handling::Usual,
            },
            representation: is(&returned, "representation"),
        }
    }

    /// Limits the preferences to those that apply to this push.
    #[must_use]
    pub const fn of_push(mut self, dry_run: bool) -> Self {
        self.representation = self.representation && dry_run;
        self
    }

    pub fn applied(self) -> Option<HeaderValue> {
        let applied = match (self.handling, self.representation) {
            (Handling::Usual, false) => return None,
            (Handling::Usual, true) => "return=representation",
            (Handling::Strict, false) => "handling=strict",
            (Handling::Strict, true) => "handling=strict, return=representation",
            (Handling::Lenient, false) => "handling=lenient",
            (Handling::Lenient, true) => "handling=lenient, return=representation",
        };
        Some(HeaderValue::from_static(applied))
    }
}

/// Splits at a separator outside quoted strings.
fn split(text: &str, separator: char) -> impl Iterator<Item = &str> {
    let (mut is_quoted, mut is_escaped) = (false, false);
    text.split(move |c| {
        let was_escaped = std::mem::take(&mut is_escaped);
        match c {
            '"' if !was_escaped => is_quoted = !is_quoted,
            '\\' if is_quoted && !was_escaped => is_escaped = true,
            _ => {}
        }
        c == separator && !is_quoted
    })
}

fn word(text: &str) -> String {
    let text = text.trim();
    let quoted = text
        .strip_prefix('"')
        .and_then(|text| text.strip_suffix('"'));
    let Some(quoted) = quoted else {
        return text.to_owned();
    };
    let mut content = String::with_capacity(quoted.len());
    let mut chars = quoted.chars();
    while let Some(c) = chars.next() {
        content.extend(if c == '\\' { chars.next() } else { Some(c) });
    }
    content
}

#[cfg(test)]
mod tests {
    use actix_web::http::header::HeaderValue;

    use super::*;

    #[test]
    fn the_first_instance_of_the_preference_counts() {
        for (sent, expect) in [
            (&[][..], false),
            (&["handling=strict"], true),
            (&["Handling = Strict"], true),
            (&["handling=\"strict\""], true),
            (&["handling=\"s\\trict\""], true),
            (&["handling=strict; x=1"], true),
            (&["handling=strict;x=\"a,handling=lenient\""], true),
            (&["respond-async, wait=10, handling=strict"], true),
            (&["respond-async", "handling=strict"], true),
            (&["x=\"\\\",handling=lenient\", handling=strict"], true),
            (&[" ,, handling=strict ,"], true),
            (&["x=\u{e9}, handling=strict"], true),
            (&["handling=lenient"], false),
            (&["return=representation, handling=strict"], true),
            (&["handling=lenient, handling=strict"], false),
            (&["handling=lenient", "handling=strict"], false),
            (&["handling=strict, handling=lenient"], true),
            (&["handling=strictly"], false),
            (&["handling=strict strict"], false),
            (&["handling", "handling=strict"], false),
            (&["handling=\"\", handling=strict"], false),
            (&["strict"], false),
            (&["handling;handling=strict"], false),
            (&["x;handling=strict"], false),
            (&["x=\"handling=strict\""], false),
            (&["x=\"a, handling=strict"], false),
            (&["handlings=strict"], false),
            (&["handling=\"strict"], false),
        ] {
            let headers = sent.iter().map(|value| {
                let value = HeaderValue::from_bytes(value.as_bytes()).unwrap();
                (PREFER, value)
            });
            let mut map = HeaderMap::new();
            headers.for_each(|(name, value)| map.append(name, value));
            let is_strict = Preferences::of(&map).handling == Handling::Strict;
            assert_eq!(is_strict, expect, "{sent:?}");
        }
    }

    #[test]
    fn an_honoured_preference_is_in_the_answer() {
        let both = "handling=lenient, return=representation";
        for (sent, dry_run, handling, applied) in [
            (both, false, Handling::Lenient, Some("handling=lenient")),
            (both, true, Handling::Lenient, Some(both)),
            (
                "Return=representation",
                true,
                Handling::Usual,
                Some("return=representation"),
            ),
            ("return=representation", false, Handling::Usual, None),
            (
                "return=minimal, return=representation",
                true,
                Handling::Usual,
                None,
            ),
        ] {
            let mut map = HeaderMap::new();
            map.insert(PREFER, HeaderValue::from_static(sent));
            let found = Preferences::of(&map).of_push(dry_run);
            assert_eq!(found.handling, handling, "{sent}");
            let found = found.applied();
            assert_eq!(found.as_ref().map(|it| it.to_str().unwrap()), applied);
        }
    }
}

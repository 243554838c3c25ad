//! The header `Prefer` (RFC 7240): whether the client wants to be told about unknown fields.

use actix_web::http::header::{HeaderMap, HeaderName};

const PREFER: HeaderName = HeaderName::from_static("prefer");

/// The preference for refusing unknown fields, which are ignored otherwise.
pub const STRICT: &str = "handling=strict";

/// Whether the client prefers `handling=strict`. Of several instances of a preference the first one
/// counts; others, and parameters, are ignored.
pub fn is_strict(headers: &HeaderMap) -> bool {
    for header in headers.get_all(PREFER) {
        let text = String::from_utf8_lossy(header.as_bytes());
        for preference in split(&text, ',') {
            let preference = split(preference, ';').next().unwrap_or_default();
            let (name, value) = preference.split_once('=').unwrap_or((preference, ""));
            if name.trim().eq_ignore_ascii_case("handling") {
                return word(value).eq_ignore_ascii_case("strict");
            }
        }
    }
    false
}

/// Splits a text at a separator that is not within a quoted string.
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

/// The content of a token or of a quoted string.
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
            assert_eq!(is_strict(&map), expect, "{sent:?}");
        }
    }
}

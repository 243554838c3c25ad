//! Link destinations that may stay, and image descriptions worth keeping.

use std::{fmt::Write as _, sync::Arc};

/// The destination as it may be written, or `None` when the link must become text: relative
/// ones lead nowhere from a board, other schemes run code or carry data, and no address that is
/// longer than an `application_url` may be is one that a reader needs.
pub(crate) fn destination(href: &str) -> Option<Arc<str>> {
    // Browsers ignore these inside a scheme: `java\nscript:` runs.
    let href: String = href.chars().filter(|c| !c.is_control()).collect();
    let href = href.trim();
    let (scheme, rest) = href.split_once(':')?;
    let scheme = scheme.to_ascii_lowercase();
    let enough = match scheme.as_str() {
        "http" | "https" => rest.strip_prefix("//").is_some_and(|rest| !rest.is_empty()),
        "mailto" => rest.contains('@'),
        _ => false,
    };
    if !enough || is_long(href) {
        return None;
    }
    let mut out = scheme;
    out.push(':');
    for c in rest.chars() {
        match c {
            // Characters that would end or break a CommonMark link destination, or look like a tag.
            ' ' | '(' | ')' | '<' | '>' | '\\' | '"' | '`' | '[' | ']' | '|' => {
                let _ = write!(out, "%{:02X}", u32::from(c));
            }
            c if c.is_whitespace() => {
                let mut utf8 = [0; 4];
                for byte in c.encode_utf8(&mut utf8).bytes() {
                    let _ = write!(out, "%{byte:02X}");
                }
            }
            c => out.push(c),
        }
    }
    (!is_long(&out)).then(|| out.into())
}

/// The longest address that is kept, in characters: as long as browsers and forms take. The crate
/// `domain` has the same limit for `application_url`, but this crate depends on no other of the
/// workspace.
const LONGEST: usize = 2_048;

fn is_long(address: &str) -> bool {
    address.chars().nth(LONGEST).is_some()
}

/// An image's alternative text, if it is informative.
pub(crate) fn alternative(alt: &str) -> Option<&str> {
    let alt = alt.trim();
    let words = alt.split_whitespace().count();
    let file = alt.rsplit_once('.').is_some_and(|(_, ending)| {
        matches!(
            ending.to_ascii_lowercase().as_str(),
            "png" | "jpg" | "jpeg" | "gif" | "svg" | "webp" | "bmp"
        )
    });
    // "team_photo (1)": the name that a computer gave to a copy.
    let file = file || alt.contains('_') || alt.ends_with("(1)") || alt.ends_with("(2)");
    let letters = alt.chars().any(char::is_alphabetic);
    let lower = alt.to_lowercase();
    let decoration = ["logo", "icon", "image", "img", "photo", "banner", "spacer"]
        .iter()
        .any(|word| lower.starts_with(word) || lower.ends_with(word));
    (words >= 2 && letters && !file && !decoration).then_some(alt)
}

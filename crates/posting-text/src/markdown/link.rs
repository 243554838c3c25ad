use std::{fmt::Write as _, sync::Arc};

use url::Url;

/// The destination, escaped for Markdown; `None` if the link must become text. Other schemes can
/// run code or carry data, and a relative link without a base leads nowhere.
pub(crate) fn destination(href: &str, base: Option<&Url>) -> Option<Arc<str>> {
    // Browsers ignore these inside a scheme: `java\nscript:` runs.
    let href: String = href.chars().filter(|c| !c.is_control()).collect();
    let href = href.trim();
    if is_long(href) {
        return None;
    }
    if is_relative(href) {
        return safe(base?.join(href).ok()?.as_str());
    }
    safe(href)
}

fn is_relative(href: &str) -> bool {
    let scheme = href.split(['/', '?', '#']).next().unwrap_or_default();
    !scheme.contains(':') && !href.is_empty() && !href.starts_with('#')
}

fn safe(href: &str) -> Option<Arc<str>> {
    let (scheme, rest) = href.split_once(':').filter(|_| is_safe_link(href))?;
    let mut out = scheme.to_ascii_lowercase();
    out.push(':');
    for c in rest.chars() {
        match c {
            // These would end or break a CommonMark link destination, or look like a tag.
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

/// Whether a link is absolute, with a scheme that can neither run code nor carry data.
pub(crate) fn is_safe_link(destination: &str) -> bool {
    let Some((scheme, rest)) = destination.split_once(':') else {
        return false;
    };
    if scheme.eq_ignore_ascii_case("http") || scheme.eq_ignore_ascii_case("https") {
        return rest.strip_prefix("//").is_some_and(|rest| !rest.is_empty());
    }
    scheme.eq_ignore_ascii_case("mailto") && rest.contains('@')
}

/// The longest address in characters, as browsers and forms accept it.
const LONGEST: usize = 2_048;

fn is_long(address: &str) -> bool {
    address.chars().nth(LONGEST).is_some()
}

pub(crate) fn alternative(alt: &str) -> Option<&str> {
    let alt = alt.trim();
    let words = alt.split_whitespace().count();
    let file = alt.rsplit_once('.').is_some_and(|(_, ending)| {
        matches!(
            ending.to_ascii_lowercase().as_str(),
            "png" | "jpg" | "jpeg" | "gif" | "svg" | "webp" | "bmp"
        )
    });
    // "team_photo (1)" is the name that a computer gave to a copy.
    let file = file || alt.contains('_') || alt.ends_with("(1)") || alt.ends_with("(2)");
    let letters = alt.chars().any(char::is_alphabetic);
    let lower = alt.to_lowercase();
    let decoration = ["logo", "icon", "image", "img", "photo", "banner", "spacer"]
        .iter()
        .any(|word| lower.starts_with(word) || lower.ends_with(word));
    (words >= 2 && letters && !file && !decoration).then_some(alt)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn links_are_safe_or_not() {
        for (link, safe) in [
            ("https://a.no/b?c=d", true),
            ("HTTP://a.no", true),
            ("mailto:a@b.no", true),
            ("mailto:", false),
            ("https:", false),
            ("https://", false),
            ("https:a.no", false),
            ("//a.no", false),
            ("/a", false),
            ("#a", false),
            ("", false),
            ("javascript:alert(1)", false),
            ("java\nscript:alert(1)", false),
            ("data:text/html,x", false),
            ("vbscript:x//https://a.no", false),
        ] {
            assert_eq!(is_safe_link(link), safe, "{link}");
        }
    }
}

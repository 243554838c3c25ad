//! Notices in the form of a header: a list of tokens with parameters (RFC 9651).

use std::fmt::Write as _;

use actix_web::http::header::{HeaderName, HeaderValue};
use domain::posting::Notice;

pub const NOTICE: HeaderName = HeaderName::from_static("posthaste-notice");

/// The largest number of notices in a header. The most important notices come first.
const MOST: usize = 10;

const NAME: usize = 64;

pub fn header(notices: &[Notice]) -> Option<HeaderValue> {
    if notices.is_empty() {
        return None;
    }
    let items: Vec<_> = notices.iter().take(MOST).map(item).collect();
    // The text has only visible ASCII and spaces.
    HeaderValue::try_from(items.join(", ")).ok()
}

fn item(notice: &Notice) -> String {
    let mut item = notice.code().to_string();
    for (key, name) in [
        ("field", notice.field().map(str::to_owned)),
        ("nearest", notice.nearest()),
        ("to", notice.to().map(str::to_owned)),
    ] {
        if let Some(name) = name {
            item.push(';');
            item.push_str(key);
            item.push('=');
            spell(&name, &mut item);
        }
    }
    item
}

/// Appends a name as a String (RFC 9651 §3.3.3). If the name has a character other than visible
/// ASCII or a space, it becomes a Display String (§3.3.8).
fn spell(name: &str, item: &mut String) {
    let end = name
        .char_indices()
        .nth(NAME)
        .map_or(name.len(), |(at, _)| at);
    let name = &name[..end];
    let is_string = name.bytes().all(|byte| matches!(byte, b' '..=b'~'));
    item.push_str(if is_string { "\"" } else { "%\"" });
    for byte in name.bytes() {
        match byte {
            b'"' | b'\\' if is_string => item.extend(['\\', char::from(byte)]),
            b' '..=b'~' if is_string || !matches!(byte, b'"' | b'%') => item.push(char::from(byte)),
            _ => _ = write!(item, "%{byte:02x}"),
        }
    }
    item.push('"');
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(field: &str, expect: &str) {
        let notice = Notice::UnknownField(field.into());
        let header = header(&[notice]).unwrap();
        let expect = format!("unknown_field;field={expect}");
        assert_eq!(header.to_str().unwrap(), expect, "{field:?}");
    }

    #[test]
    fn a_header_is_safe_with_any_field_name() {
        check("", r#""""#);
        check("titel", r#""titel";nearest="title""#);
        check("x\"y\\z, a;b=c", r#""x\"y\\z, a;b=c""#);
        check("a\r\nSet-Cookie: x", r#"%"a%0d%0aSet-Cookie: x""#);
        check("ü\"%\\", r#"%"%c3%bc%22%25\""#);
        check("\u{7f}\0", r#"%"%7f%00""#);
        check("\u{202e}", r#"%"%e2%80%ae""#);
        check(&"~".repeat(65), &format!("\"{}\"", "~".repeat(64)));
        check(&"é".repeat(65), &format!("%\"{}\"", "%c3%a9".repeat(64)));
    }

    #[test]
    fn a_header_has_ten_notices_and_what_matters_most_comes_first() {
        assert_eq!(header(&[]), None);
        let unknown = (0..20).map(|n| Notice::UnknownField(n.to_string().into()));
        let all: Vec<_> = [Notice::StillExpired, Notice::CompanyOfAnother]
            .into_iter()
            .chain(unknown)
            .collect();
        let value = header(&all).unwrap();
        let value = value.to_str().unwrap();
        let expect = r#"still_expired, company_kept, unknown_field;field="0", unknown_field;"#;
        assert!(value.starts_with(expect), "{value}");
        assert_eq!(value.split(", ").count(), 10);
    }
}

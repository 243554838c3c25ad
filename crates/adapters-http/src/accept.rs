//! Content negotiation: a page for a browser, JSON for a program.

use actix_web::{
    HttpMessage,
    http::header::{Accept, Header, Quality},
};

/// Whether the client prefers HTML to JSON (RFC 9110 §12.5.1). With equal weights it is JSON,
/// unless `Accept` matches HTML more precisely: older browsers send no weights.
pub fn prefers_page(request: &impl HttpMessage) -> bool {
    let Ok(accept) = Accept::parse(request) else {
        return false;
    };
    let page = preference(&accept, "text", "html");
    page.quality > Quality::ZERO && page > preference(&accept, "application", "json")
}

/// The weight of a media type, and the precision of the range that gives it.
#[derive(PartialEq, PartialOrd)]
struct Preference {
    quality: Quality,
    precision: u8,
}

/// The preference for a media type by the most precise range that matches it.
fn preference(accept: &Accept, kind: &str, subtype: &str) -> Preference {
    let mut found = Preference {
        quality: Quality::ZERO,
        precision: 0,
    };
    for range in &accept.0 {
        let precision = match (range.item.type_().as_str(), range.item.subtype().as_str()) {
            ("*", "*") => 1,
            (a, "*") if a == kind => 2,
            (a, b) if a == kind && b == subtype => 3,
            _ => continue,
        };
        if precision > found.precision {
            found = Preference {
                quality: range.quality,
                precision,
            };
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use actix_web::test::TestRequest;

    use super::*;

    #[test]
    fn browsers_get_pages_and_programs_json() {
        let check = |accept: &[&str], expect: bool| {
            let mut request = TestRequest::get();
            for value in accept {
                request = request.append_header(("accept", *value));
            }
            assert_eq!(
                prefers_page(&request.to_http_request()),
                expect,
                "{accept:?}"
            );
        };
        check(
            &["text/html,application/xhtml+xml,application/xml;q=0.9,image/webp,*/*;q=0.8"],
            true,
        );
        check(&["text/html, application/xhtml+xml, image/jxr, */*"], true);
        check(&["text/html"], true);
        check(&["TEXT/HTML; charset=utf-8"], true);
        check(&["text/*"], true);
        check(&["application/json;q=0.5", "text/html;q=0.6"], true);
        check(&[], false);
        check(&[""], false);
        check(&["*/*"], false);
        check(&["application/json"], false);
        check(&["application/json, text/plain, */*"], false);
        check(&["application/json, text/html"], false);
        check(&["text/html;q=0.5, application/json"], false);
        check(&["text/html;q=0.5, */*"], false);
        check(&["text/html;q=0, */*"], false);
        check(&["text/html;q=0"], false);
        check(&["text/plain"], false);
        check(&["nonsense;;"], false);
    }
}

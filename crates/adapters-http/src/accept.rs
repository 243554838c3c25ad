//! Content negotiation: browsers get a page, and programs get JSON.

use actix_web::{
    HttpMessage,
    http::header::{ACCEPT, Accept, Header, HeaderValue, Quality},
};

const JSON: &str = "application/json";
/// RFC 9457.
pub const PROBLEM: &str = "application/problem+json";

/// Whether the client prefers HTML to JSON (RFC 9110 §12.5.1). With equal weights, JSON is
/// preferred unless `Accept` matches HTML more precisely: older browsers send no weights.
pub fn prefers_page(request: &impl HttpMessage) -> bool {
    let page = preference(request, "text/html");
    page.quality > Quality::ZERO && page > preference(request, JSON)
}

pub fn prefers(request: &impl HttpMessage, media_type: &str) -> bool {
    preference(request, media_type).quality > preference(request, JSON).quality
}

/// Whether `Accept` names problem details with at least the weight of JSON. Libraries that read
/// problem details send both types.
pub fn asks_for_problems(request: &impl HttpMessage) -> bool {
    // Most clients send `*/*`. Such a short header need not be parsed.
    let sent = request.headers().get(ACCEPT);
    let is_named = |sent: &HeaderValue| sent.len() >= PROBLEM.len();
    sent.is_some_and(is_named) && {
        let problem = preference(request, PROBLEM);
        let is_wanted = problem.quality > Quality::ZERO && problem.precision == EXACT;
        is_wanted && problem.quality >= preference(request, JSON).quality
    }
}

pub fn takes_json(request: &impl HttpMessage) -> bool {
    preference(request, JSON).quality > Quality::ZERO
}

#[derive(PartialEq, PartialOrd)]
struct Preference {
    quality: Quality,
    precision: usize,
}

const EXACT: usize = 3;

/// The preference for a media type, from the most precise range that matches it.
fn preference(request: &impl HttpMessage, media_type: &str) -> Preference {
    let kind = media_type.split('/').next().unwrap_or_default();
    let ranges = ["*/*", &format!("{kind}/*"), media_type];
    let accept = Accept::parse(request).map_or_else(|_| Vec::new(), |accept| accept.0);
    let matching = accept.iter().filter_map(|accepted| {
        let range = accepted.item.essence_str();
        let precision = ranges.iter().position(|known| *known == range)?;
        Some((precision + 1, accepted.quality))
    });
    // Among equally precise ranges, the first counts.
    let none = (0, Quality::ZERO);
    let (precision, quality) = matching.fold(
        none,
        |found, next| {
            if next.0 > found.0 { next } else { found }
        },
    );
    Preference { quality, precision }
}

#[cfg(test)]
mod tests {
    use actix_web::test::TestRequest;

    use super::*;

    #[test]
    fn browsers_get_pages_and_programs_json() {
        const PAGE: &str = "
            text/html,application/xhtml+xml,application/xml;q=0.9,image/webp,*/*;q=0.8
            text/html, application/xhtml+xml, image/jxr, */*
            text/html
            TEXT/HTML; charset=utf-8
            text/*
            application/json;q=0.5, text/html;q=0.6";
        const JSON: &str = "
            */*
            application/json
            application/json, text/plain, */*
            application/json, text/html
            text/html;q=0.5, application/json
            text/html;q=0.5, */*
            text/html;q=0, */*
            text/html;q=0
            text/plain
            nonsense;;";
        assert!(!prefers_page(&TestRequest::get().to_http_request()));
        for (all, expect) in [(PAGE, true), (JSON, false)] {
            for accept in all.lines().map(str::trim) {
                let request = TestRequest::get().insert_header(("accept", accept));
                let request = request.to_http_request();
                assert_eq!(
                    prefers_page(&request),
                    expect && !accept.is_empty(),
                    "{accept}"
                );
            }
        }
    }

    #[test]
    fn problems_are_for_clients_that_name_them() {
        for (accept, expect) in [
            ("application/problem+json", true),
            ("Application/Problem+JSON; charset=utf-8", true),
            ("application/json, application/problem+json", true),
            ("application/problem+json, */*;q=0.1", true),
            (
                "application/json;q=0.5, application/problem+json;q=0.4",
                false,
            ),
            ("application/problem+json;q=0", false),
            ("application/json, text/plain, application/*", false),
            ("*/*", false),
        ] {
            let request = TestRequest::get().insert_header(("accept", accept));
            let asks = asks_for_problems(&request.to_http_request());
            assert_eq!(asks, expect, "{accept}");
        }
        assert!(!asks_for_problems(&TestRequest::get().to_http_request()));
    }

    #[test]
    fn another_media_type_needs_more_weight_than_json() {
        const JSON_LD: &str = "application/ld+json";
        for (accept, expect, takes) in [
            ("application/ld+json", true, false),
            ("APPLICATION/LD+JSON; profile=\"x\"", true, false),
            ("application/ld+json, application/json;q=0.9", true, true),
            (
                "application/json;q=0.5, application/ld+json;q=0.6",
                true,
                true,
            ),
            ("application/ld+json;q=0.2, */*;q=0.1", true, true),
            ("application/ld+json, application/*;q=0", true, false),
            ("application/json, application/ld+json", false, true),
            ("application/ld+json, */*", false, true),
            ("application/ld+json;q=0.5, application/json", false, true),
            ("application/ld+json;q=0", false, false),
            ("application/json", false, true),
            ("application/ld+xml", false, false),
            ("application/*", false, true),
            ("text/html", false, false),
            ("*/*", false, true),
            ("", false, false),
        ] {
            let request = TestRequest::get().insert_header(("accept", accept));
            let request = request.to_http_request();
            let found = (prefers(&request, JSON_LD), takes_json(&request));
            assert_eq!(found, (expect, takes), "{accept}");
        }
        assert!(!prefers(&TestRequest::get().to_http_request(), JSON_LD));
    }
}

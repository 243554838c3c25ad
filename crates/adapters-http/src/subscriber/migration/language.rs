//! Negotiation of the language of a page.

use actix_web::{
    HttpMessage,
    http::header::{AcceptLanguage, Header, Preference, Quality},
};

use super::texts::{Texts, da, de, en, es, fr, it, nb, nl, pl, pt, sv};

/// English, also the fallback.
pub const ENGLISH: &Texts = &en::TEXTS;

/// Every language.
const ALL: [&Texts; 11] = [
    ENGLISH,
    &de::TEXTS,
    &fr::TEXTS,
    &es::TEXTS,
    &nl::TEXTS,
    &da::TEXTS,
    &sv::TEXTS,
    &nb::TEXTS,
    &it::TEXTS,
    &pl::TEXTS,
    &pt::TEXTS,
];

/// The texts in the accepted language with the highest weight (RFC 9110 §12.5.4); with equal
/// weights, the first.
pub fn texts_for(request: &impl HttpMessage) -> &'static Texts {
    let Ok(AcceptLanguage(ranges)) = AcceptLanguage::parse(request) else {
        return ENGLISH;
    };
    let mut best = (ENGLISH, Quality::ZERO);
    for range in ranges {
        if let Preference::Specific(tag) = &range.item
            && range.quality > best.1
            && let Some(texts) = look_up(tag.as_str())
        {
            best = (texts, range.quality);
        }
    }
    best.0
}

/// The texts for a language range. A lookup (RFC 4647 §3.4) removes subtags from the range until a
/// language matches; as every language here is a primary subtag, only that is compared.
fn look_up(range: &str) -> Option<&'static Texts> {
    let primary = range.split('-').next().unwrap_or_default();
    let is_norwegian = ["nn", "no"]
        .iter()
        .any(|tag| primary.eq_ignore_ascii_case(tag));
    let primary = if is_norwegian { "nb" } else { primary };
    ALL.into_iter()
        .find(|texts| texts.tag.eq_ignore_ascii_case(primary))
}

#[cfg(test)]
mod tests {
    use actix_web::test::TestRequest;

    use super::*;

    #[test]
    fn a_page_speaks_the_language_that_is_preferred_most() {
        let check = |accept: &[&str], expect: &str| {
            let mut request = TestRequest::get();
            for value in accept {
                request = request.append_header(("accept-language", *value));
            }
            let texts = texts_for(&request.to_http_request());
            assert_eq!(texts.tag, expect, "{accept:?}");
        };
        for tag in ALL.map(|texts| texts.tag) {
            check(&[tag], tag);
            check(&[&tag.to_uppercase()], tag);
            check(&[&format!("{tag}-Latn-AQ")], tag);
            check(&[&format!("ja, {tag};q=0.1")], tag);
        }
        check(&["no"], "nb");
        check(&["nn-NO"], "nb");
        check(&["no-BOK"], "nb");
        check(&["de-CH-1996, fr;q=0.9"], "de");
        check(&["fr;q=0.8, pl, de"], "pl");
        check(&["en;q=0.2, it; q=0.3, es;q=0.1"], "it");
        check(&["ja", "sv;q=0.5"], "sv");
        check(&["fi, *;q=0.5, da;q=0.4"], "da");
        check(&["nonsense!!, ;q=, nl;q=0.3, de;q=x"], "nl");
        for none in [
            &[][..],
            &[""],
            &["*"],
            &["ja"],
            &["de;q=0"],
            &["de;q=0, fr;q=0.0"],
            &["x-de"],
            &["dee"],
            &["d"],
            &["deutsch"],
        ] {
            check(none, "en");
        }
    }
}

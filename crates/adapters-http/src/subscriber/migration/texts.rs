use actix_web::{
    HttpMessage,
    http::header::{AcceptLanguage, Header, Preference, Quality},
};
use serde::Deserialize;

/// The texts by language. The first language is the fallback.
#[derive(Debug)]
pub struct Languages([Texts; 11]);

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Texts {
    pub tag: String,
    pub confirm: Passage,
    pub confirm_button: String,
    pub unsubscribe_button: String,
    /// The page after confirming. Its address does not identify the person, so the page cannot show
    /// the state of the move.
    pub confirmed: Passage,
    pub unsubscribed: Passage,
    pub not_subscribed: Passage,
    pub unknown: Passage,
    /// A failure that changed nothing.
    pub failed: Passage,
    /// A failure that may have changed something.
    pub in_doubt: Passage,
    pub retry_button: String,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Passage {
    pub heading: String,
    pub text: String,
    pub note: String,
}

impl Languages {
    pub fn read() -> serde_json::Result<Self> {
        let table = include_str!("../../../templates/newsletter/texts.json");
        serde_json::from_str(table).map(Self)
    }

    /// The texts in the accepted language with the highest weight (RFC 9110 §12.5.4). Among equal
    /// weights, the first language counts.
    pub fn texts_for(&self, request: &impl HttpMessage) -> &Texts {
        let accepted = AcceptLanguage::parse(request).map(|AcceptLanguage(ranges)| ranges);
        let mut best = (&self.0[0], Quality::ZERO);
        for range in accepted.unwrap_or_default() {
            if let Preference::Specific(tag) = &range.item
                && range.quality > best.1
                && let Some(texts) = self.look_up(tag.as_str())
            {
                best = (texts, range.quality);
            }
        }
        best.0
    }

    /// Finds a language for a range. A lookup (RFC 4647 §3.4) removes subtags until a language
    /// matches. All languages here are primary subtags, so only these are compared.
    fn look_up(&self, range: &str) -> Option<&Texts> {
        let primary = range.split('-').next().unwrap_or_default();
        let is = |tag: &str| primary.eq_ignore_ascii_case(tag);
        let is_norwegian = is("nn") || is("no");
        let mut all = self.0.iter();
        all.find(|texts| is(&texts.tag) || is_norwegian && texts.tag == "nb")
    }
}

#[cfg(test)]
mod tests {
    use actix_web::test::TestRequest;

    use super::*;

    #[test]
    fn a_page_speaks_the_language_that_is_preferred_most() {
        let languages = Languages::read().unwrap();
        let check = |accept: &str, expect: &str| {
            let request = TestRequest::get().insert_header(("accept-language", accept));
            let texts = languages.texts_for(&request.to_http_request());
            assert_eq!(texts.tag, expect, "{accept:?}");
        };
        for Texts { tag, .. } in &languages.0 {
            for accept in [
                &tag.to_uppercase(),
                &format!("{tag}-Latn-AQ"),
                &format!("ja, {tag};q=0.1"),
            ] {
                check(accept, tag);
            }
        }
        for (accept, expect) in [
            ("no", "nb"),
            ("nn-NO", "nb"),
            ("no-BOK", "nb"),
            ("de-CH-1996, fr;q=0.9", "de"),
            ("fr;q=0.8, pl, de", "pl"),
            ("en;q=0.2, it; q=0.3, es;q=0.1", "it"),
            ("fi, *;q=0.5, da;q=0.4", "da"),
            ("nonsense!!, ;q=, nl;q=0.3, de;q=x", "nl"),
        ] {
            check(accept, expect);
        }
        for none in [
            "",
            "*",
            "ja",
            "de;q=0",
            "de;q=0, fr;q=0.0",
            "x-de",
            "dee",
            "d",
            "deutsch",
        ] {
            check(none, "en");
        }
        let texts = languages.texts_for(&TestRequest::get().to_http_request());
        assert_eq!(texts.tag, "en");
    }
}

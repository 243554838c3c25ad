//! The language of a page.

use actix_web::{
    HttpMessage,
    http::header::{AcceptLanguage, Header, Preference, Quality},
};

/// A language that the pages speak.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Language {
    /// English, which is also for those who accept none of these.
    #[default]
    English,
    /// German.
    German,
    /// French.
    French,
    /// Spanish.
    Spanish,
    /// Dutch.
    Dutch,
    /// Danish.
    Danish,
    /// Swedish.
    Swedish,
    /// Norwegian Bokmål, also for those who accept Nynorsk.
    Norwegian,
    /// Italian.
    Italian,
    /// Polish.
    Polish,
    /// Portuguese.
    Portuguese,
}

impl Language {
    /// The language to answer in: the one that is preferred most among those that are accepted
    /// (RFC 9110 §12.5.4), the first of several that are preferred alike.
    pub fn of(request: &impl HttpMessage) -> Self {
        let Ok(AcceptLanguage(ranges)) = AcceptLanguage::parse(request) else {
            return Self::default();
        };
        let mut best = (Self::default(), Quality::ZERO);
        for range in ranges {
            if let Preference::Specific(tag) = &range.item
                && range.quality > best.1
                && let Some(language) = Self::look_up(tag.as_str())
            {
                best = (language, range.quality);
            }
        }
        best.0
    }

    /// The language for a range. A lookup (RFC 4647 §3.4) takes subtags off the range until it
    /// finds a language; as each of these is known by its primary subtag, that decides.
    fn look_up(range: &str) -> Option<Self> {
        let primary = range.split('-').next().unwrap_or_default();
        Some(match primary.to_ascii_lowercase().as_str() {
            "en" => Self::English,
            "de" => Self::German,
            "fr" => Self::French,
            "es" => Self::Spanish,
            "nl" => Self::Dutch,
            "da" => Self::Danish,
            "sv" => Self::Swedish,
            "nb" | "nn" | "no" => Self::Norwegian,
            "it" => Self::Italian,
            "pl" => Self::Polish,
            "pt" => Self::Portuguese,
            _ => return None,
        })
    }

    /// Its tag (RFC 5646).
    pub const fn tag(self) -> &'static str {
        match self {
            Self::English => "en",
            Self::German => "de",
            Self::French => "fr",
            Self::Spanish => "es",
            Self::Dutch => "nl",
            Self::Danish => "da",
            Self::Swedish => "sv",
            Self::Norwegian => "nb",
            Self::Italian => "it",
            Self::Polish => "pl",
            Self::Portuguese => "pt",
        }
    }
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
            let language = Language::of(&request.to_http_request());
            assert_eq!(language.tag(), expect, "{accept:?}");
        };
        for tag in [
            "en", "de", "fr", "es", "nl", "da", "sv", "nb", "it", "pl", "pt",
        ] {
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

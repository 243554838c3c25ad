//! Codes of the ISO standards, in upper case; a code that is not in its standard cannot be made.

use std::fmt;

use crate::field::Term;

/// A country of ISO 3166-1, as its alpha-2 code.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct CountryCode(&'static str);

impl CountryCode {
    /// Finds the country of a code of any case.
    pub fn parse(code: &str) -> Option<Self> {
        if code.len() != 2 {
            return None;
        }
        let country = celes::Country::from_alpha2(code.to_ascii_uppercase()).ok()?;
        Some(Self(country.alpha2))
    }

    /// The code.
    pub const fn as_str(self) -> &'static str {
        self.0
    }
}

impl Term for CountryCode {
    fn parse(text: &str) -> Option<Self> {
        Self::parse(text)
    }

    fn expected() -> String {
        "an ISO 3166-1 alpha-2 country code".to_owned()
    }
}

impl fmt::Display for CountryCode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.0)
    }
}

/// A currency of ISO 4217, as its alphabetic code.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct CurrencyCode(&'static str);

impl CurrencyCode {
    /// Finds the currency of a code of any case.
    pub fn parse(code: &str) -> Option<Self> {
        if code.len() != 3 {
            return None;
        }
        let currency = iso_currency::Currency::from_code(&code.to_ascii_uppercase())?;
        Some(Self(currency.code()))
    }

    /// The code.
    pub const fn as_str(self) -> &'static str {
        self.0
    }
}

impl Term for CurrencyCode {
    fn parse(text: &str) -> Option<Self> {
        Self::parse(text)
    }

    fn expected() -> String {
        "an ISO 4217 currency code".to_owned()
    }
}

impl fmt::Display for CurrencyCode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.0)
    }
}

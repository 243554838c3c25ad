//! Codes of the ISO standards, in upper case; a code that is not assigned today cannot be made.
//!
//! The lists come from crates. What those have besides the codes that are assigned today is here.

use std::fmt;

use crate::field::Term;

/// What the list of countries has besides those of ISO 3166-1: Kosovo's code is one that users
/// of the standard may give a meaning of their own.
const NO_COUNTRIES: &[&str] = &["XK"];

/// What the list of currencies has besides those that ISO 4217 has in its list of current ones,
/// and the two codes of that list that are for no currency and for tests.
///
/// Metals and units of account (`XAU`, `XDR`) are assigned, and so are accepted.
const NO_CURRENCIES: &[&str] = &["BGN", "CUC", "HRK", "SLL", "XTS", "XXX", "ZWL"];

/// A country of ISO 3166-1, as its officially assigned alpha-2 code.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct CountryCode(&'static str);

impl CountryCode {
    /// Finds the country of a code of any case.
    pub fn parse(code: &str) -> Option<Self> {
        if code.len() != 2 {
            return None;
        }
        let country = celes::Country::from_alpha2(code.to_ascii_uppercase()).ok()?;
        (!NO_COUNTRIES.contains(&country.alpha2)).then_some(Self(country.alpha2))
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
        "a country code of ISO 3166-1 alpha-2 that is assigned".to_owned()
    }
}

impl fmt::Display for CountryCode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.0)
    }
}

/// A currency of ISO 4217, as its alphabetic code that is assigned today.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct CurrencyCode(&'static str);

impl CurrencyCode {
    /// Finds the currency of a code of any case.
    pub fn parse(code: &str) -> Option<Self> {
        if code.len() != 3 {
            return None;
        }
        let currency = iso_currency::Currency::from_code(&code.to_ascii_uppercase())?;
        let code = currency.code();
        (!NO_CURRENCIES.contains(&code)).then_some(Self(code))
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
        "a currency code of ISO 4217 that is assigned".to_owned()
    }
}

impl fmt::Display for CurrencyCode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.0)
    }
}

//! Currently assigned ISO codes in upper case.

use std::fmt;

use crate::{Term, suggest};

/// ISO 3166-1, in order.
const COUNTRIES: [&str; 249] = [
    "AD", "AE", "AF", "AG", "AI", "AL", "AM", "AO", "AQ", "AR", "AS", "AT", "AU", "AW", "AX", "AZ",
    "BA", "BB", "BD", "BE", "BF", "BG", "BH", "BI", "BJ", "BL", "BM", "BN", "BO", "BQ", "BR", "BS",
    "BT", "BV", "BW", "BY", "BZ", "CA", "CC", "CD", "CF", "CG", "CH", "CI", "CK", "CL", "CM", "CN",
    "CO", "CR", "CU", "CV", "CW", "CX", "CY", "CZ", "DE", "DJ", "DK", "DM", "DO", "DZ", "EC", "EE",
    "EG", "EH", "ER", "ES", "ET", "FI", "FJ", "FK", "FM", "FO", "FR", "GA", "GB", "GD", "GE", "GF",
    "GG", "GH", "GI", "GL", "GM", "GN", "GP", "GQ", "GR", "GS", "GT", "GU", "GW", "GY", "HK", "HM",
    "HN", "HR", "HT", "HU", "ID", "IE", "IL", "IM", "IN", "IO", "IQ", "IR", "IS", "IT", "JE", "JM",
    "JO", "JP", "KE", "KG", "KH", "KI", "KM", "KN", "KP", "KR", "KW", "KY", "KZ", "LA", "LB", "LC",
    "LI", "LK", "LR", "LS", "LT", "LU", "LV", "LY", "MA", "MC", "MD", "ME", "MF", "MG", "MH", "MK",
    "ML", "MM", "MN", "MO", "MP", "MQ", "MR", "MS", "MT", "MU", "MV", "MW", "MX", "MY", "MZ", "NA",
    "NC", "NE", "NF", "NG", "NI", "NL", "NO", "NP", "NR", "NU", "NZ", "OM", "PA", "PE", "PF", "PG",
    "PH", "PK", "PL", "PM", "PN", "PR", "PS", "PT", "PW", "PY", "QA", "RE", "RO", "RS", "RU", "RW",
    "SA", "SB", "SC", "SD", "SE", "SG", "SH", "SI", "SJ", "SK", "SL", "SM", "SN", "SO", "SR", "SS",
    "ST", "SV", "SX", "SY", "SZ", "TC", "TD", "TF", "TG", "TH", "TJ", "TK", "TL", "TM", "TN", "TO",
    "TR", "TT", "TV", "TW", "TZ", "UA", "UG", "UM", "US", "UY", "UZ", "VA", "VC", "VE", "VG", "VI",
    "VN", "VU", "WF", "WS", "YE", "YT", "ZA", "ZM", "ZW",
];

/// Currently assigned ISO 4217 codes, in order. Metals and units of account (`XAU`, `XDR`) are
/// included; the codes for no currency and for tests are excluded.
const CURRENCIES: [&str; 176] = [
    "AED", "AFN", "ALL", "AMD", "AOA", "ARS", "AUD", "AWG", "AZN", "BAM", "BBD", "BDT", "BHD",
    "BIF", "BMD", "BND", "BOB", "BOV", "BRL", "BSD", "BTN", "BWP", "BYN", "BZD", "CAD", "CDF",
    "CHE", "CHF", "CHW", "CLF", "CLP", "CNY", "COP", "COU", "CRC", "CUP", "CVE", "CZK", "DJF",
    "DKK", "DOP", "DZD", "EGP", "ERN", "ETB", "EUR", "FJD", "FKP", "GBP", "GEL", "GHS", "GIP",
    "GMD", "GNF", "GTQ", "GYD", "HKD", "HNL", "HTG", "HUF", "IDR", "ILS", "INR", "IQD", "IRR",
    "ISK", "JMD", "JOD", "JPY", "KES", "KGS", "KHR", "KMF", "KPW", "KRW", "KWD", "KYD", "KZT",
    "LAK", "LBP", "LKR", "LRD", "LSL", "LYD", "MAD", "MDL", "MGA", "MKD", "MMK", "MNT", "MOP",
    "MRU", "MUR", "MVR", "MWK", "MXN", "MXV", "MYR", "MZN", "NAD", "NGN", "NIO", "NOK", "NPR",
    "NZD", "OMR", "PAB", "PEN", "PGK", "PHP", "PKR", "PLN", "PYG", "QAR", "RON", "RSD", "RUB",
    "RWF", "SAR", "SBD", "SCR", "SDG", "SEK", "SGD", "SHP", "SLE", "SOS", "SRD", "SSP", "STN",
    "SVC", "SYP", "SZL", "THB", "TJS", "TMT", "TND", "TOP", "TRY", "TTD", "TWD", "TZS", "UAH",
    "UGX", "USD", "USN", "UYI", "UYU", "UYW", "UZS", "VED", "VES", "VND", "VUV", "WST", "XAD",
    "XAF", "XAG", "XAU", "XBA", "XBB", "XBC", "XBD", "XCD", "XCG", "XDR", "XOF", "XPD", "XPF",
    "XPT", "XSU", "XUA", "YER", "ZAR", "ZMW", "ZWG",
];

macro_rules! code {
    ($(#[$meta:meta])* $name:ident of $codes:ident, $expected:literal, $likely:path) => {
        $(#[$meta])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub struct $name(&'static str);

        impl $name {
            pub fn parse(code: &str) -> Option<Self> {
                find(&$codes, code).map(Self)
            }

            pub const fn as_str(self) -> &'static str {
                self.0
            }
        }

        impl Term for $name {
            const EXPECTED: &'static str = $expected;

            fn parse(text: &str) -> Option<Self> {
                Self::parse(text)
            }

            fn likely(text: &str) -> Option<&'static str> {
                $likely(text).map(|meant| meant.code)
            }

            fn certain(text: &str) -> Option<&'static str> {
                $likely(text).filter(|meant| meant.is_certain).map(|meant| meant.code)
            }
        }

        crate::as_text!($name, Self::parse);

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(self.0)
            }
        }
    };
}

code! {
    /// A country of ISO 3166-1, as its officially assigned alpha-2 code.
    CountryCode of COUNTRIES,
    "a country code of ISO 3166-1 alpha-2 that is assigned", suggest::country
}

code! {
    /// A currency of ISO 4217, as its alphabetic code that is assigned today.
    CurrencyCode of CURRENCIES,
    "a currency code of ISO 4217 that is assigned", suggest::currency
}

fn find(codes: &[&'static str], code: &str) -> Option<&'static str> {
    let code = code.to_ascii_uppercase();
    let at = codes.binary_search(&code.as_str()).ok()?;
    codes.get(at).copied()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_countries_are_those_that_others_know() {
        // Kosovo's code is user-assigned in the standard.
        let mut known: Vec<_> = celes::Country::get_countries()
            .into_iter()
            .map(|country| country.alpha2)
            .filter(|code| *code != "XK")
            .collect();
        known.sort_unstable();
        assert_eq!(known, COUNTRIES);
    }

    #[test]
    fn the_currencies_are_those_that_others_know() {
        // These codes are no longer current, or are no currency.
        const OTHERS: [&str; 7] = ["BGN", "CUC", "HRK", "SLL", "XTS", "XXX", "ZWL"];
        let letters = || 'A'..='Z';
        let known: Vec<_> = letters()
            .flat_map(|a| letters().flat_map(move |b| letters().map(move |c| (a, b, c))))
            .map(|(a, b, c)| String::from_iter([a, b, c]))
            .filter(|code| iso_currency::Currency::from_code(code).is_some())
            .filter(|code| !OTHERS.contains(&code.as_str()))
            .collect();
        assert_eq!(known, CURRENCIES);
    }
}

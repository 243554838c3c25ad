//! A posting's place and salary, and values of JSON, as people read them.

use std::borrow::Cow;

use serde_json::{Map, Value};

use crate::codes::{CountryCode, CurrencyCode};

/// Where the work is, such as `Brest, FR (on-site, hybrid)`; empty if nothing is said of it.
pub fn place(
    city: Option<&str>,
    country: Option<CountryCode>,
    location_types: &[impl ToString],
) -> String {
    let place = [city, country.map(CountryCode::as_str)].into_iter();
    let place = place.flatten().collect::<Vec<_>>().join(", ");
    let types = location_types.iter().map(ToString::to_string);
    let types = types.collect::<Vec<_>>().join(", ");
    match (place.as_str(), types.as_str()) {
        (_, "") => place,
        ("", _) => types,
        (place, types) => format!("{place} ({types})"),
    }
}

/// What is paid, such as `10 to 12 EUR hourly`; empty if no amount is said.
pub fn salary(
    min: Option<i64>,
    max: Option<i64>,
    currency: Option<CurrencyCode>,
    period: Option<&str>,
) -> String {
    let amount = match (min, max) {
        (Some(min), Some(max)) if min == max => min.to_string(),
        (Some(min), Some(max)) => format!("{min} to {max}"),
        (Some(min), None) => format!("from {min}"),
        (None, Some(max)) => format!("up to {max}"),
        (None, None) => return String::new(),
    };
    let words = [
        Some(amount.as_str()),
        currency.map(CurrencyCode::as_str),
        period,
    ];
    words.into_iter().flatten().collect::<Vec<_>>().join(" ")
}

/// A value of JSON, such as `yes` or `acme, b`.
pub fn value(value: &Value) -> Cow<'_, str> {
    match value {
        Value::Null => "none".into(),
        Value::Bool(true) => "yes".into(),
        Value::Bool(false) => "no".into(),
        Value::String(text) => text.into(),
        Value::Array(values) if values.is_empty() => "none".into(),
        Value::Array(values) => {
            let values: Vec<_> = values.iter().map(self::value).collect();
            values.join(", ").into()
        }
        Value::Number(number) => number.to_string().into(),
        Value::Object(details) => self::details(details).into(),
    }
}

/// The fields of an object, such as `name: acme; scopes: job-postings:read; prefixes: none`.
pub fn details(details: &Map<String, Value>) -> String {
    let words = details.iter();
    let words = words.map(|(name, of)| format!("{}: {}", name.replace('_', " "), value(of)));
    words.collect::<Vec<_>>().join("; ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_not_said_is_left_out() {
        let france = CountryCode::parse("FR");
        let hybrid = ["on-site", "hybrid"];
        assert_eq!(place(None, None, &[""; 0]), "");
        assert_eq!(place(Some("Brest"), france, &[""; 0]), "Brest, FR");
        assert_eq!(place(None, None, &hybrid), "on-site, hybrid");
        assert_eq!(place(None, france, &hybrid), "FR (on-site, hybrid)");

        let euro = CurrencyCode::parse("EUR");
        assert_eq!(salary(None, None, euro, Some("hourly")), "");
        assert_eq!(
            salary(Some(10), Some(12), euro, Some("hourly")),
            "10 to 12 EUR hourly"
        );
        assert_eq!(salary(Some(10), Some(10), None, None), "10");
        assert_eq!(salary(Some(10), None, euro, None), "from 10 EUR");
        assert_eq!(
            salary(None, Some(12), None, Some("weekly")),
            "up to 12 weekly"
        );
    }
}

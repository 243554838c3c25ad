//! A posting's place and salary as people read them.

use kernel::codes::{CountryCode, CurrencyCode};

use super::{Details, SalaryPeriod};

impl Details {
    /// Where the work is, such as `Brest, FR (on-site, hybrid)`; empty if nothing is said of it.
    pub fn place_in_words(&self) -> String {
        let country = self.location_country_code.map(CountryCode::as_str);
        let place: Vec<_> = self
            .location_city
            .as_deref()
            .into_iter()
            .chain(country)
            .collect();
        let kinds: Vec<_> = self
            .location_types
            .iter()
            .map(ToString::to_string)
            .collect();
        match (place.join(", "), kinds.join(", ")) {
            (place, kinds) if kinds.is_empty() => place,
            (place, kinds) if place.is_empty() => kinds,
            (place, kinds) => format!("{place} ({kinds})"),
        }
    }

    /// What is paid, such as `10 to 12 EUR hourly`; empty if no amount is said.
    pub fn salary_in_words(&self) -> String {
        let amount = match (self.salary_min, self.salary_max) {
            (Some(min), Some(max)) if min == max => min.to_string(),
            (Some(min), Some(max)) => format!("{min} to {max}"),
            (Some(min), None) => format!("from {min}"),
            (None, Some(max)) => format!("up to {max}"),
            (None, None) => return String::new(),
        };
        let currency = self.salary_currency_code.map(CurrencyCode::as_str);
        let period = self.salary_period.map(SalaryPeriod::as_str);
        let words = [Some(amount.as_str()), currency, period];
        words.into_iter().flatten().collect::<Vec<_>>().join(" ")
    }
}

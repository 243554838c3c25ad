//! A posting's place and salary in words for people.

use super::{CurrencyCode, Details, Location, SalaryPeriod};

impl Details {
    /// The workplace, such as `Brest, FR (on-site, hybrid)`; empty if unknown.
    pub fn place(&self) -> String {
        let place = Location {
            country_code: self.location_country_code,
            region: self.location_region.clone(),
            city: self.location_city.clone(),
            postal_code: self.location_postal_code.clone(),
        };
        let place = place.words();
        let types = self.location_types.iter().map(|it| it.as_str());
        let types = types.collect::<Vec<_>>().join(", ");
        match (place.as_str(), types.as_str()) {
            (_, "") => place,
            ("", _) => types,
            (place, types) => format!("{place} ({types})"),
        }
    }

    /// The pay, such as `10 to 12 EUR hourly`; empty without an amount.
    pub fn salary(&self) -> String {
        let amount = match (self.salary_min, self.salary_max) {
            (Some(min), Some(max)) if min == max => min.to_string(),
            (Some(min), Some(max)) => format!("{min} to {max}"),
            (Some(min), None) => format!("from {min}"),
            (None, Some(max)) => format!("up to {max}"),
            (None, None) => return String::new(),
        };
        let currency = self.salary_currency_code.map(CurrencyCode::as_str);
        let period = self.salary_period.map(SalaryPeriod::as_str);
        let words = [Some(amount.as_str()), currency, period].into_iter();
        words.flatten().collect::<Vec<_>>().join(" ")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::posting::{
        CountryCode,
        LocationType::{Hybrid, OnSite},
    };

    #[test]
    fn what_is_not_said_is_left_out() {
        for (city, country, types, expect) in [
            (None, None, vec![], ""),
            (Some("Brest"), Some("FR"), vec![], "Brest, FR"),
            (None, None, vec![OnSite, Hybrid], "on-site, hybrid"),
            (None, Some("FR"), vec![OnSite], "FR (on-site)"),
        ] {
            let details = Details {
                location_city: city.map(str::to_owned),
                location_country_code: country.and_then(CountryCode::parse),
                location_types: types,
                ..Details::default()
            };
            assert_eq!(details.place(), expect);
        }
        for (min, max, currency, period, expect) in [
            (None, None, Some("EUR"), Some(SalaryPeriod::Hourly), ""),
            (
                Some(10),
                Some(12),
                Some("EUR"),
                Some(SalaryPeriod::Hourly),
                "10 to 12 EUR hourly",
            ),
            (Some(10), Some(10), None, None, "10"),
            (Some(10), None, Some("EUR"), None, "from 10 EUR"),
            (
                None,
                Some(12),
                None,
                Some(SalaryPeriod::Weekly),
                "up to 12 weekly",
            ),
        ] {
            let details = Details {
                salary_min: min,
                salary_max: max,
                salary_currency_code: currency.and_then(CurrencyCode::parse),
                salary_period: period,
                ..Details::default()
            };
            assert_eq!(details.salary(), expect);
        }
    }
}

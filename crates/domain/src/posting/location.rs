//! `locations`: the places of a job with more than one place.

use fields::{FieldValue, Sent, codes::CountryCode, fields, validation::FieldErrors};
use serde::{
    Deserialize, Serialize,
    de::{IgnoredAny, SeqAccess},
};

/// The largest number of places.
pub const MOST_LOCATIONS: usize = 50;

/// A place of a job, with at least one known part.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Location {
    /// The country.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub country_code: Option<CountryCode>,
    /// A code of ISO 3166-2, or a name.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub region: Option<String>,
    /// The city.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub city: Option<String>,
    /// The postal code.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub postal_code: Option<String>,
}

impl Location {
    /// The place in words, such as `75001 Paris, FR`.
    pub fn words(&self) -> String {
        let city = [self.postal_code.as_deref(), self.city.as_deref()];
        let city = city.into_iter().flatten().collect::<Vec<_>>().join(" ");
        let country = self.country_code.map_or("", CountryCode::as_str);
        let parts = [&city, self.region.as_deref().unwrap_or_default(), country].into_iter();
        let parts = parts.filter(|part| !part.is_empty());
        parts.collect::<Vec<_>>().join(", ")
    }
}

/// A job's places: at least one.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Locations(Vec<Location>);

impl Locations {
    /// The places, in the order sent.
    pub fn as_slice(&self) -> &[Location] {
        &self.0
    }
}

fields! {
    /// A place as it is sent.
    pub struct LocationPatch {
        /// The country, as an officially assigned code of ISO 3166-1 alpha-2, in any case.
        optional country_code: CountryCode,
        /// A code of ISO 3166-2, or a name.
        #[garde(length(chars, max = 255))]
        optional region: String,
        /// The city.
        #[garde(length(chars, max = 255))]
        optional city: String,
        /// The postal code.
        #[garde(length(chars, max = 32))]
        optional postal_code: String,
    }
}

/// An array of objects. Repeated objects are kept once. An empty array counts as `null`.
impl FieldValue for Locations {
    const EXPECTED: &'static str = "an array";

    fn array<'de, A: SeqAccess<'de>>(mut items: A) -> Result<Sent<Self>, A::Error> {
        let (mut locations, mut errors) = (Vec::new(), FieldErrors::new());
        let mut index = 0;
        while index < MOST_LOCATIONS
            && let Some(item) = items.next_element::<Sent<LocationPatch>>()?
        {
            let location = item.required();
            let sent = location.patch.value().is_some();
            let (patch, wrong) = if sent {
                location.checked()
            } else {
                let mut wrong = FieldErrors::new();
                location.report("", &mut wrong);
                (LocationPatch::default(), wrong)
            };
            let location = Location {
                country_code: patch.country_code.into_value(),
                region: patch.region.into_value(),
                city: patch.city.into_value(),
                postal_code: patch.postal_code.into_value(),
            };
            let is_empty = wrong.is_empty() && location == Location::default();
            errors.merge_under(&index.to_string(), wrong);
            if is_empty {
                let why = "must have a country_code, a region, a city or a postal_code";
                errors.add(index.to_string(), why);
            } else if !locations.contains(&location) {
                locations.push(location);
            }
            index += 1;
        }
        while items.next_element::<IgnoredAny>()?.is_some() {
            index += 1;
        }
        if index > MOST_LOCATIONS {
            return Ok(Sent::wrong(format!(
                "must have at most {MOST_LOCATIONS} items, and has {index}"
            )));
        }
        Ok(if index == 0 {
            Sent::null()
        } else {
            Sent::set_with(Self(locations), errors)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::push;

    #[test]
    fn repeated_places_count_and_are_kept_once() {
        for (places, expect) in [
            (MOST_LOCATIONS, "Nothing is wrong."),
            (52, "locations must have at most 50 items, and has 52."),
        ] {
            let places = vec![r#"{"city":"Oslo"}"#; places].join(",");
            let put = push("a", &format!(r#"{{"locations":[{places}]}}"#));
            assert_eq!(put.errors.to_string(), expect);
            let kept = put.patch.locations.value().map(Locations::as_slice);
            assert_eq!(kept.map(<[_]>::len), put.errors.is_empty().then_some(1));
        }
    }
}

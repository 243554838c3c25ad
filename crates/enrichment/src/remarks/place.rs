//! Remarks on places.

use domain::posting::{Details, Location, Remark, RemarkCode};
use fields::{codes::CountryCode, suggest};
use posting_text::places::{Look, look};

pub(super) fn remarks(details: &Details) -> Vec<Remark> {
    let one = Location {
        country_code: details.location_country_code,
        region: details.location_region.clone(),
        city: details.location_city.clone(),
        postal_code: None,
    };
    let own = remark("location_city".to_owned(), &one);
    let locations = details
        .locations
        .iter()
        .flat_map(domain::posting::Locations::as_slice);
    let others = locations
        .enumerate()
        .filter_map(|(at, location)| remark(format!("locations.{at}.city"), location));
    own.into_iter().chain(others).collect()
}

/// Whether the city of a location may name one place: `false` if it names no place or several.
pub(crate) fn is_place(location: &Location) -> bool {
    let found = location.city.as_deref().map(|city| looked(location, city));
    !matches!(found, Some(Look::NoPlace | Look::Several))
}

/// Looks up a city. The name of a country is no city, unless a city in the location's country has
/// this name.
fn looked(location: &Location, city: &str) -> Look {
    let country = location.country_code.map(CountryCode::as_str);
    match look(country, location.region.as_deref(), city) {
        Look::Unknown if suggest::country(city).is_some_and(|it| it.is_certain) => Look::NoPlace,
        found => found,
    }
}

fn remark(field: String, location: &Location) -> Option<Remark> {
    let city = location.city.as_deref()?;
    let country = location.country_code;
    let (code, why) = match looked(location, city) {
        Look::Found(_) => return None,
        // Without a country nothing can be looked up. Another remark reports the missing country.
        Look::Unknown if country.is_none() => return None,
        Look::Unknown => (RemarkCode::PlaceUnknown, "is not known in the country"),
        Look::Ambiguous(_) => (
            RemarkCode::PlaceAmbiguous,
            "is the name of several places; name the region, or write the full name",
        ),
        Look::Several => (
            RemarkCode::SeveralPlaces,
            "holds several places; send them in locations",
        ),
        Look::NoPlace => (RemarkCode::NoPlace, "is no place"),
    };
    Some(Remark::new(code, field, format!("\"{city}\" {why}.")))
}

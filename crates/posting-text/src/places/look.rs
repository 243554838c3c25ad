//! What a text that stands for a city holds: a place, none, or several.

use super::{Coordinates, TABLE, fold::fold, named, states};

/// What a text for a city holds.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Look {
    /// One place.
    Found(Coordinates),
    /// The largest place of a name that others of the country have too.
    Ambiguous(Coordinates),
    /// A place that is in no table, or a text without a country.
    Unknown,
    /// Several places.
    Several,
    /// No place, such as `Remote` or `3 Locations`.
    NoPlace,
}

/// Folded texts that people write where there is no place.
const NO_PLACE: &str = "\
    remote;anywhere;everywhere;worldwide;global;national;nationwide;statewide;international;\
    multiple;multiple locations;multiple cities;various;various locations;several locations;\
    all locations;any;any location;home;home office;homeoffice;home based;work from home;wfh;\
    hybrid;field;field based;on site;onsite;virtual;online;mobile;flexible;travel;telework;\
    telecommute;tbd;tba;n a;na;none;null;unknown;unspecified;not specified;other;see description;\
    bundesweit;deutschlandweit;europaweit;weltweit;diverse;diverse standorte;mehrere standorte;\
    verschiedene standorte;teletravail;a distance;toute la france;france entiere;hele landet;\
    hela sverige;hele norge;europe;europa;emea;apac;eu;dach;latam;nordics;asia;africa";

const PLACES: &str = "locations;location;places;offices;sites;cities;standorte;orte;lieux;steder";

const AND: [&str; 9] = [
    " and ", " und ", " et ", " or ", " oder ", " og ", " och ", " & ", " + ",
];

/// Two places that are nearer than this, in degrees, are parts of one.
const NEAR: f64 = 0.3;

/// Looks up a text for a city.
pub fn look(country: Option<&str>, region: Option<&str>, city: &str) -> Look {
    let folded = fold(city);
    if is_no_place(&folded) {
        return Look::NoPlace;
    }
    let is_name = country.and_then(|country| TABLE.get(country)?.get(&*folded));
    if is_name.is_none() && is_several(country, city) {
        return Look::Several;
    }
    let found = country.and_then(|country| Some((country, named(country, region, city)?)));
    match found {
        Some((country, place)) if region.is_none() && is_common(country, &folded) => {
            Look::Ambiguous(place)
        }
        Some((_, place)) => Look::Found(place),
        None => Look::Unknown,
    }
}

/// Returns the coordinates of a city, by a country's two-letter code, its region if that is known,
/// and its name as people write it. A text that holds no place, or several, has none.
pub fn find(country: &str, region: Option<&str>, city: &str) -> Option<Coordinates> {
    match look(Some(country), region, city) {
        Look::Found(place) | Look::Ambiguous(place) => Some(place),
        Look::Unknown | Look::Several | Look::NoPlace => None,
    }
}

fn is_no_place(folded: &str) -> bool {
    let (first, rest) = folded.split_once(' ').unwrap_or((folded, ""));
    let is_count = first.bytes().all(|byte| byte.is_ascii_digit());
    NO_PLACE.split(';').any(|text| text == folded)
        || matches!(first, "remote" | "anywhere" | "worldwide")
        || (is_count && PLACES.split(';').any(|word| word == rest))
}

fn is_several(country: Option<&str>, city: &str) -> bool {
    let mut text = format!(" {city} ").to_lowercase();
    for word in AND {
        text = text.replace(word, ";");
    }
    let groups: Vec<_> = text.split([';', '|', '/']).map(str::trim).collect();
    let groups: Vec<_> = groups.into_iter().filter(|it| !it.is_empty()).collect();
    let Some(country) = country else {
        let is_place = |group: &&&str| !is_no_place(&fold(group));
        return city.contains([';', '|']) && groups.iter().filter(is_place).count() > 1;
    };
    let apart = |parts: &[&str]| {
        let mut places: Vec<Coordinates> = Vec::new();
        let known = parts.iter().filter(|part| !is_no_place(&fold(part)));
        for place in known.filter_map(|part| named(country, None, part)) {
            let is_near = |other: &Coordinates| {
                (place.latitude - other.latitude).abs() < NEAR
                    && (place.longitude - other.longitude).abs() < NEAR
            };
            if !places.iter().any(is_near) {
                places.push(place);
            }
        }
        places.len()
    };
    // Two parts between commas may be a city and its region.
    let parts: Vec<_> = text.split(',').collect();
    (groups.len() > 1 && apart(&groups) > 1) || (parts.len() > 2 && apart(&parts) > 2)
}

fn is_common(country: &str, folded: &str) -> bool {
    let Some(names) = TABLE.get(country) else {
        return false;
    };
    let of_state = |code: &&str| names.contains_key(&*format!("{folded} {code}"));
    states::codes(country).filter(of_state).count() > 1
}

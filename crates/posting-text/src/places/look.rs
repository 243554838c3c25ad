//! Reads the text in the field of a city: it may have a place, none, or several.

use std::{collections::HashSet, sync::LazyLock};

use super::{Coordinates, Share, TABLE, fold::fold, named, states};

/// The meaning of a text in the field of a city.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Look {
    /// One place.
    Found(Coordinates),
    /// A name of several places of the country, with the largest place if it is by far the largest.
    Ambiguous(Option<Coordinates>),
    /// A place that is in no table, or a text without a country.
    Unknown,
    /// Several places.
    Several,
    /// No place, such as `Remote` or `3 Locations`.
    NoPlace,
}

/// Folded texts that people write where there is no place.
static NO_PLACE: LazyLock<HashSet<&str>> =
    LazyLock::new(|| include_str!("tables/no_place.txt").lines().collect());

const PLACES: &str = "locations;location;places;offices;sites;cities;standorte;orte;lieux;steder";

const AND: [&str; 22] = [
    "and", "und", "et", "or", "oder", "og", "och", "&", "+", "sowie", "bzw.", "y", "e", "i", "o",
    "ou", "eller", "ja", "tai", "-", "–", "—",
];

const BETWEEN: [char; 6] = [';', '|', '/', '•', '·', '\u{a6}'];

/// Two places that are nearer than this, in degrees, count as one place.
const NEAR: f64 = 0.3;
/// A place that is nearer than this to the city before it may be the city's region.
const OF_REGION: f64 = 3.0;

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
    match country.and_then(|country| named(country, region, city)) {
        Some((place, Share::None)) => Look::Found(place),
        Some((place, Share::Small)) => Look::Ambiguous(Some(place)),
        Some((_, Share::Large)) => Look::Ambiguous(None),
        None => Look::Unknown,
    }
}

/// Returns the coordinates of a city, by its country's two-letter code, its region if known, and
/// its name as people write it. `None` for a text without a place or with several, and for a name
/// of several places unless one of them is by far the largest.
pub fn find(country: &str, region: Option<&str>, city: &str) -> Option<Coordinates> {
    match look(Some(country), region, city) {
        Look::Found(place) | Look::Ambiguous(Some(place)) => Some(place),
        Look::Ambiguous(None) | Look::Unknown | Look::Several | Look::NoPlace => None,
    }
}

/// Whether a city has this name, alone or among others.
#[cfg(feature = "redact")]
pub(crate) fn is_city(country: &str, name: &str) -> bool {
    let folded = fold(name);
    let is_word = !folded.contains(' ') && name.chars().all(char::is_alphanumeric);
    if is_word {
        let names = TABLE.get(country);
        return names.is_some_and(|it| it.contains_key(&*folded)) && !is_no_place(&folded);
    }
    !matches!(
        look(Some(country), None, name),
        Look::Unknown | Look::Several | Look::NoPlace
    )
}

fn is_no_place(folded: &str) -> bool {
    let (first, rest) = folded.split_once(' ').unwrap_or((folded, ""));
    let is_count = first.bytes().all(|byte| byte.is_ascii_digit());
    NO_PLACE.contains(folded)
        || matches!(first, "remote" | "anywhere" | "worldwide")
        || (is_count && PLACES.split(';').any(|word| word == rest))
}

fn is_several(country: Option<&str>, city: &str) -> bool {
    let text = city.to_lowercase();
    let mut groups: Vec<String> = Vec::new();
    for part in text.split(BETWEEN) {
        let words: Vec<&str> = part.split_whitespace().collect();
        groups.extend(
            words
                .split(|word| AND.contains(word))
                .map(|group| group.join(" ")),
        );
    }
    groups.retain(|group| !group.is_empty());
    if groups.len() < 2 && !text.contains(',') {
        return false;
    }
    let Some(country) = country else {
        let is_place = |group: &&String| !is_no_place(&fold(group));
        return city.contains([';', '|']) && groups.iter().filter(is_place).count() > 1;
    };
    let places = groups.iter().filter(|it| !is_no_place(&fold(it)));
    let places = places.filter_map(|it| Some((named(country, None, it)?.0, NEAR)));
    are_apart(places) || is_list(country, &groups)
}

/// Whether names between commas are several cities, and not a city and its region.
fn is_list(country: &str, groups: &[String]) -> bool {
    let names = groups.iter().flat_map(|group| group.split(','));
    let names: Vec<_> = names.map(fold).filter(|it| !is_no_place(it)).collect();
    let Some(first) = names.first() else {
        return false;
    };
    let begins_with_city = states::is_region(country, first) != Some(true);
    let cities = names.iter().filter_map(|name| {
        if begins_with_city && states::code(country, name).is_some() {
            return None;
        }
        let apart = match states::is_region(country, name) {
            Some(is_region) if !(is_region && begins_with_city) => NEAR,
            _ => OF_REGION,
        };
        match named(country, None, name)? {
            (place, Share::None) => Some((place, apart)),
            // A district may have the name of a city elsewhere.
            _ => None,
        }
    });
    are_apart(cities)
}

/// Whether a place is at least its own `degrees` away from the first place.
fn are_apart(mut places: impl Iterator<Item = (Coordinates, f64)>) -> bool {
    places.next().is_some_and(|(first, _)| {
        places.any(|(place, degrees)| {
            (place.latitude - first.latitude).abs() >= degrees
                || (place.longitude - first.longitude).abs() >= degrees
        })
    })
}

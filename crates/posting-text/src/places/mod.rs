//! Coordinates of cities, from a built-in table of `GeoNames`; see `data/NOTICE`.

mod fold;
mod look;
mod states;

#[cfg(test)]
mod tests;

use std::{collections::HashMap, sync::LazyLock};

use self::fold::fold;
#[cfg(feature = "redact")]
pub(crate) use self::fold::plain_letter;
#[cfg(feature = "redact")]
pub(crate) use self::look::is_city;
pub use self::look::{Look, find, look};

/// A place on Earth, WGS 84, in degrees.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Coordinates {
    /// Degrees north, −90 to 90.
    pub latitude: f64,
    /// Degrees east, −180 to 180.
    pub longitude: f64,
}

/// The largest place that a text may mean, and whether others share its name.
fn named(country: &str, region: Option<&str>, city: &str) -> Option<(Coordinates, Share)> {
    let names = TABLE.get(country)?;
    let in_region = region.map(|region| format!("{city}, {region}"));
    candidates(country, in_region.as_deref().unwrap_or(city))
        .into_iter()
        .find_map(|wanted| {
            let place = names.get(wanted.name.as_str())?;
            let share = match wanted.state {
                None => place.share,
                // "Boston, GA" is not the Boston in the table.
                Some(state) if state != place.state => return None,
                Some(state) if wanted.name.ends_with(state) => place.share,
                Some(_) => Share::None,
            };
            let coordinates = Coordinates {
                latitude: f64::from(place.latitude) / 1000.0,
                longitude: f64::from(place.longitude) / 1000.0,
            };
            Some((coordinates, share))
        })
}

/// Whether other cities of the country share a name.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Share {
    None,
    /// Others share it, but none of them has a third of the inhabitants.
    Small,
    Large,
}

#[derive(Clone, Copy, Debug)]
struct Place {
    latitude: i32,
    longitude: i32,
    state: &'static str,
    share: Share,
}

type Names = HashMap<&'static str, Place>;

static TABLE: LazyLock<HashMap<&'static str, Names>> = LazyLock::new(|| {
    let bytes = miniz_oxide::inflate::decompress_to_vec_zlib(include_bytes!("../../data/places.z"));
    let text = bytes
        .ok()
        .and_then(|bytes| String::from_utf8(bytes).ok())
        .unwrap_or_default();
    // The table lasts as long as the program.
    parse(Box::leak(text.into_boxed_str()))
});

fn parse(text: &'static str) -> HashMap<&'static str, Names> {
    let mut countries = HashMap::new();
    let mut country = "";
    let mut names = Vec::new();
    for line in text.lines() {
        let mut columns = line.split('\t');
        let (Some(spellings), Some(latitude), Some(longitude)) = (
            columns.next(),
            columns.next().and_then(|n| n.parse().ok()),
            columns.next().and_then(|n| n.parse().ok()),
        ) else {
            countries.insert(country, names.drain(..).collect());
            country = line;
            continue;
        };
        let place = Place {
            latitude,
            longitude,
            state: columns.next().unwrap_or_default(),
            share: Share::None,
        };
        names.extend(spellings.split('|').map(|name| {
            let marks = [('~', Share::Small), ('?', Share::Large)];
            let mut marked = marks.into_iter();
            let marked = marked.find_map(|(mark, share)| Some((name.strip_prefix(mark)?, share)));
            let (name, share) = marked.unwrap_or((name, Share::None));
            (name, Place { share, ..place })
        }));
    }
    countries.insert(country, names.into_iter().collect());
    countries
}

/// A name, and the state that the city must be in.
struct Wanted {
    name: String,
    state: Option<&'static str>,
}

fn candidates(country: &str, city: &str) -> Vec<Wanted> {
    let mut out: Vec<Wanted> = Vec::new();
    let (outside, inside) = match city.split_once('(') {
        Some((before, rest)) => (before, rest.split(')').next()),
        None => (city, None),
    };
    let first = outside
        .split([',', ';', '/', '|'])
        .next()
        .unwrap_or(outside);
    let first = first.split(" - ").next().unwrap_or(first);
    let state = outside[first.len()..]
        .split([',', ';', '/', '|', '-'])
        .chain(inside)
        .find_map(|part| states::code(country, &fold(part)));
    let mut add = |name: String, state| {
        if !name.is_empty() && !out.iter().any(|known: &Wanted| known.name == name) {
            out.push(Wanted { name, state });
        }
    };
    if let Some(state) = state {
        add(format!("{} {state}", fold(first)), Some(state));
    } else {
        add(fold(city), None);
        add(fold(outside), None);
    }
    let name = fold(first);
    add(name.clone(), state);
    let bare = without_district(&name);
    for name in [name, bare] {
        for spelling in spellings(&name) {
            add(spelling, state);
        }
        add(name, state);
    }
    out
}

/// `paris 14eme arrondissement`, `75014 paris` and `lyon cedex 03` become the city.
fn without_district(name: &str) -> String {
    const DISTRICT: [&str; 6] = ["arrondissement", "arr", "cedex", "kommune", "kommun", "er"];
    let words: Vec<&str> = name
        .split(' ')
        .filter(|word| !word.starts_with(|c: char| c.is_ascii_digit()) && !DISTRICT.contains(word))
        .collect();
    words.join(" ")
}

/// Words before a city, and their other spellings.
const PREFIXES: &str = "\
    city of;ville de;greater;stadt;region;grossraum;raum;landkreis;kreis;metro;st>saint;ste>sainte;st>sankt;saint>st;ft>fort;mt>mount";
/// Optional words after a city.
const SUFFIXES: &str = "city;area;metropolitan area;region;dc;df;cdmx;nsw;vic;qld;tas;act;nt";

fn pairs(list: &'static str) -> impl Iterator<Item = (&'static str, &'static str)> {
    let words = list.split(';');
    words.map(|words| words.split_once('>').unwrap_or((words, "")))
}

fn spellings(name: &str) -> Vec<String> {
    let mut out = Vec::new();
    for (prefix, instead) in pairs(PREFIXES) {
        if let Some(rest) = name
            .strip_prefix(prefix)
            .and_then(|it| it.strip_prefix(' '))
        {
            out.push(format!("{instead} {rest}").trim_start().to_owned());
        }
    }
    // "Aarhus C" is a postal district of the city.
    if let Some((rest, part)) = name.rsplit_once(' ')
        && part.chars().count() == 1
    {
        out.push(rest.to_owned());
    }
    for (suffix, _) in pairs(SUFFIXES) {
        if let Some(rest) = name
            .strip_suffix(suffix)
            .and_then(|it| it.strip_suffix(' '))
        {
            out.push(rest.to_owned());
        }
    }
    out.push(format!("{name} city"));
    if name.contains(" st ") {
        out.push(name.replace(" st ", " saint "));
    }
    // Umlauts and the Nordic å are also written with two letters.
    let plain = name
        .replace("ae", "a")
        .replace("oe", "o")
        .replace("ue", "u")
        .replace("aa", "a");
    if plain != name {
        out.push(plain);
    }
    out
}

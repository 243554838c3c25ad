//! `--set KEY=VALUE` sets a field of every payload.

use std::str::FromStr;

use fields::suggest;
use jaq_json::{Map, Rc, Val};
use serde_json::value::RawValue;

const ID_PREFIX: &str = "id_prefix";
/// Placeholders in a value: the source's identifier, and the company's name as a part of a URL.
const ID: &str = "{id}";
const COMPANY: &str = "{company}";

/// `KEY=VALUE`, or `KEY?=VALUE`, which keeps an existing value.
#[derive(Clone, Debug)]
pub struct Setting {
    key: String,
    value: String,
    is_default: bool,
}

impl FromStr for Setting {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let has_names = |key: &str| key.split('.').all(|name| !name.is_empty());
        let (key, value) = text.split_once('=').unwrap_or_default();
        let default = key.strip_suffix('?');
        match default.unwrap_or(key) {
            key if has_names(key) => Ok(Self {
                key: key.to_owned(),
                value: value.to_owned(),
                is_default: default.is_some(),
            }),
            _ => Err(format!(
                "{text:?} is not KEY=VALUE, such as company.website_url=https://acme.example"
            )),
        }
    }
}

#[derive(Debug)]
struct Field {
    path: Vec<String>,
    value: String,
    is_default: bool,
}

#[derive(Debug, Default)]
pub struct Settings {
    id_prefix: String,
    fields: Vec<Field>,
}

impl Settings {
    pub fn new(settings: &[Setting]) -> Self {
        let mut these = Self::default();
        for setting in settings {
            let Setting { key, value, .. } = setting.clone();
            if key == ID_PREFIX {
                these.id_prefix = value;
            } else {
                these.fields.push(Field {
                    path: key.split('.').map(str::to_owned).collect(),
                    value,
                    is_default: setting.is_default,
                });
            }
        }
        these
    }

    /// Returns the identifier and the line, or why the output is invalid.
    pub fn apply(&self, output: &Val) -> Result<(String, String), String> {
        let shape = || "the program's output is not {\"id\",\"payload\"}".to_owned();
        let Val::Obj(members) = output else {
            return Err(shape());
        };
        let member = |name: &str| members.get(&Val::from(name.to_owned()));
        let (Some(id), Some(Val::Obj(payload))) = (member("id"), member("payload")) else {
            return Err(shape());
        };
        let id = match id {
            Val::TStr(text) => String::from_utf8_lossy(text).trim().to_owned(),
            Val::Num(number) => number.to_string(),
            _ => String::new(),
        };
        if id.is_empty() {
            return Err("it has no identifier".to_owned());
        }
        let mut payload = Map::clone(payload);
        add_country(&mut payload, "location_city", "location_country_code");
        if let Some(Val::Arr(places)) = payload.get_mut(&Val::from("locations".to_owned())) {
            for place in Rc::make_mut(places) {
                if let Val::Obj(place) = place {
                    add_country(Rc::make_mut(place), "city", "country_code");
                }
            }
        }
        for field in &self.fields {
            let text = field.value.replace(ID, &id);
            let text = text.replace(COMPANY, &company(&payload));
            set(&mut payload, &field.path, value(&text), field.is_default);
        }
        let id = format!("{}{id}", self.id_prefix);
        let members = [("id", id.clone().into()), ("payload", Val::obj(payload))];
        let line = members.map(|(name, value)| (Val::from(name.to_owned()), value));
        let line = Val::obj(line.into_iter().collect()).to_string();
        // jq allows numbers and texts that JSON does not.
        match serde_json::from_str::<&RawValue>(&line) {
            Ok(_) => Ok((id, line)),
            Err(error) => Err(format!("the program's output is not JSON: {error}")),
        }
    }
}

fn value(text: &str) -> Val {
    serde_json::from_str(text).unwrap_or_else(|_| text.to_owned().into())
}

/// Sets the country if the city is a text that also names a country.
fn add_country(place: &mut Map, city: &str, country: &str) {
    if let Some(Val::TStr(city)) = place.get(&Val::from(city.to_owned()))
        && let Some(code) = country_in(&String::from_utf8_lossy(city))
    {
        set(place, &[country.to_owned()], code.to_owned().into(), true);
    }
}

/// The only country that a place names after its first part, as in `Oslo, Norway` and
/// `Remote (UK)`.
fn country_in(place: &str) -> Option<&'static str> {
    let parts = place.split([',', ';', '|', '/', '(', ')']);
    let parts = parts.flat_map(|part| part.split(" - ")).map(str::trim);
    let codes = parts.skip(1).filter_map(|part| match part {
        // Georgia is also a state of the United States.
        "Georgia" => None,
        "US" => Some("US"),
        // Codes of states and provinces look like those of countries.
        _ if part.len() < 3 && part != "UK" => None,
        _ => suggest::country(part)
            .filter(|it| it.is_certain)
            .map(|it| it.code),
    });
    let mut codes: Vec<_> = codes.collect();
    codes.dedup();
    match codes[..] {
        [code] => Some(code),
        _ => None,
    }
}

/// The company's name in lower-case letters and digits, joined by hyphens.
fn company(payload: &Map) -> String {
    let member = |object: &Map, name: &str| object.get(&Val::from(name.to_owned())).cloned();
    let name = match member(payload, "company") {
        Some(Val::Obj(company)) => member(&company, "name"),
        _ => None,
    };
    let name = name.map_or_else(String::new, |name| name.to_string().to_lowercase());
    let words = name.split(|c: char| !c.is_alphanumeric());
    let words: Vec<_> = words.filter(|word| !word.is_empty()).collect();
    words.join("-")
}

fn set(object: &mut Map, path: &[String], value: Val, is_default: bool) {
    let Some((first, rest)) = path.split_first() else {
        return;
    };
    let member = object.entry(first.clone().into()).or_default();
    if rest.is_empty() {
        if !is_default || matches!(member, Val::Null) {
            *member = value;
        }
        return;
    }
    if !matches!(member, Val::Obj(_)) {
        *member = Val::obj(Map::default());
    }
    if let Val::Obj(inner) = member {
        set(Rc::make_mut(inner), rest, value, is_default);
    }
}

//! The members of a JSON object by name, with unparsed values.

use std::{borrow::Cow, fmt};

use serde::de::{Deserializer as _, MapAccess, Visitor};
use serde_json::value::RawValue;

pub(super) const NAME: usize = 100;

pub fn members(json: &str) -> Vec<(Cow<'_, str>, &str)> {
    let mut members = Vec::new();
    // A syntax error is reported elsewhere.
    let _ = serde_json::Deserializer::from_str(json).deserialize_map(Members(&mut members));
    members
}

struct Members<'a, 'de>(&'a mut Vec<(Cow<'de, str>, &'de str)>);

impl<'de> Visitor<'de> for Members<'_, 'de> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut entries: A) -> Result<(), A::Error> {
        while let Some((name, value)) = entries.next_entry::<Name<'de>, &'de RawValue>()? {
            self.0.push((name.0, value.get()));
        }
        Ok(())
    }
}

#[derive(serde::Deserialize)]
struct Name<'a>(#[serde(borrow)] Cow<'a, str>);

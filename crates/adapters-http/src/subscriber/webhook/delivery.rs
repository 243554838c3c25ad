//! Parses a delivery, and finds its relevant events.
//!
//! The provider sends an event or a batch of events. The person's fields are in the event or under
//! `subscriber`, and the event's name is under `event` or `type`. The provider's documentation,
//! libraries and deliveries differ, so all forms are accepted. Values stay raw JSON until needed,
//! so a defect in an unused field does not lose the event.

use std::collections::HashMap;

use fields::body::BodyError;
use newsletter::subscriber::ProviderEvent;
use serde::{Deserialize, de::IgnoredAny};
use serde_json::value::RawValue;

use crate::error::ApiError;

type Object<'a> = HashMap<String, &'a RawValue>;

/// Returns the relevant events, if any. Fails only if the body is not JSON.
pub fn read(body: &[u8]) -> Result<Vec<ProviderEvent>, ApiError> {
    let text = std::str::from_utf8(body)
        .map_err(|error| BodyError::NotJson(format!("invalid UTF-8: {error}")))?;
    serde_json::from_str::<IgnoredAny>(text)
        .map_err(|error| BodyError::NotJson(error.to_string()))?;
    let Some(root) = parse::<Object<'_>>(text) else {
        return Ok(Vec::new());
    };
    let batch = root
        .get("events")
        .and_then(|events| parse_list(events.get()));
    let items = batch.unwrap_or_default();
    let objects = items.into_iter().filter_map(|item| parse(item.get()));
    Ok([root]
        .into_iter()
        .chain(objects)
        .filter_map(|event| news(&event))
        .collect())
}

fn news(event: &Object<'_>) -> Option<ProviderEvent> {
    let name = string(event, "event").or_else(|| string(event, "type"))?;
    let person = event
        .get("subscriber")
        .and_then(|person| parse::<Object<'_>>(person.get()))
        .unwrap_or_default();
    let of_person = |key| string(&person, key).or_else(|| string(event, key));
    let email = of_person("email")?;
    ProviderEvent::read(&name, of_person("status").as_deref(), &email)
}

fn string(object: &Object<'_>, key: &str) -> Option<String> {
    parse(object.get(key)?.get())
}

fn parse_list(text: &str) -> Option<Vec<&RawValue>> {
    parse(text)
}

fn parse<'a, T: Deserialize<'a>>(text: &'a str) -> Option<T> {
    serde_json::from_str(text).ok()
}

#[cfg(test)]
mod tests;

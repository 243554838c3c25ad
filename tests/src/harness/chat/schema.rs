//! The subset of JSON Schema that the API supports in strict mode, and validation against it.

use serde_json::{Map, Value};

/// The API's error message for a schema, if it is invalid.
pub fn objection(schema: &Value) -> Option<String> {
    if schema["type"] != "object" {
        return Some("schema must be a JSON Schema of 'type: \"object\"'".to_owned());
    }
    object_objection(schema, &mut Vec::new())
}

fn object_objection(schema: &Value, path: &mut Vec<String>) -> Option<String> {
    let context = format!("In context=({}), ", path.join(", "));
    if types(schema).contains(&"object") {
        if schema["additionalProperties"] != false {
            return Some(
                context + "'additionalProperties' is required to be supplied and to be false.",
            );
        }
        let required: Vec<&str> = strings(&schema["required"]);
        let properties = schema["properties"].as_object();
        let missing = properties
            .into_iter()
            .flat_map(Map::keys)
            .find(|key| !required.contains(&key.as_str()));
        if let Some(missing) = missing {
            return Some(format!(
                "{context}'required' is required to be supplied and to be an array including \
                 every key in properties. Missing '{missing}'."
            ));
        }
        let properties = schema["properties"].as_object();
        let unknown = required
            .iter()
            .find(|key| !properties.is_some_and(|known| known.contains_key(**key)));
        if let Some(unknown) = unknown {
            return Some(format!("{context}extra required key '{unknown}' supplied."));
        }
    }
    let properties = schema["properties"].as_object().into_iter().flatten();
    let items = schema.get("items").map(|items| ("items", items));
    let choices = schema["anyOf"].as_array().into_iter().flatten();
    let parts = properties
        .map(|(key, part)| (key.as_str(), part))
        .chain(items)
        .chain(choices.map(|part| ("anyOf", part)));
    for (name, part) in parts {
        if types(part).is_empty() && part.get("anyOf").is_none() && part.get("enum").is_none() {
            return Some(format!("{context}schema must have a 'type' key: '{name}'."));
        }
        path.push(format!("'{name}'"));
        let objection = object_objection(part, path);
        path.pop();
        if objection.is_some() {
            return objection;
        }
    }
    None
}

/// Whether a value satisfies a schema.
pub fn is_satisfied(schema: &Value, value: &Value) -> bool {
    let types = types(schema);
    let is_typed = types.is_empty() || types.iter().any(|name| is_of(name, value));
    let is_named = schema["enum"]
        .as_array()
        .is_none_or(|names| names.contains(value));
    let is_one = schema["anyOf"]
        .as_array()
        .is_none_or(|parts| parts.iter().any(|part| is_satisfied(part, value)));
    is_typed && is_named && is_one && has_its_parts(schema, value)
}

fn has_its_parts(schema: &Value, value: &Value) -> bool {
    match value {
        Value::Object(parts) => {
            let known = schema["properties"].as_object();
            let is_whole = strings(&schema["required"])
                .iter()
                .all(|key| parts.contains_key(*key));
            let is_known = |(key, part): (&String, &Value)| {
                known.is_none_or(|known| known.get(key).is_some_and(|one| is_satisfied(one, part)))
            };
            is_whole && parts.iter().all(is_known)
        }
        Value::Array(items) => {
            let one = &schema["items"];
            items.iter().all(|item| is_satisfied(one, item))
        }
        _ => true,
    }
}

fn types(schema: &Value) -> Vec<&str> {
    match &schema["type"] {
        Value::String(name) => vec![name],
        names => strings(names),
    }
}

fn strings(list: &Value) -> Vec<&str> {
    let items = list.as_array().into_iter().flatten();
    items.filter_map(Value::as_str).collect()
}

fn is_of(name: &str, value: &Value) -> bool {
    match name {
        "object" => value.is_object(),
        "array" => value.is_array(),
        "string" => value.is_string(),
        "boolean" => value.is_boolean(),
        "null" => value.is_null(),
        "integer" => value.is_i64() || value.is_u64(),
        "number" => value.is_number(),
        _ => false,
    }
}

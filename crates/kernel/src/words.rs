//! JSON values as people read them.

use std::borrow::Cow;

use serde_json::{Map, Value};

/// A value as words: `yes`, or `acme, b`.
pub fn value(value: &Value) -> Cow<'_, str> {
    match value {
        Value::Null => "none".into(),
        Value::Bool(true) => "yes".into(),
        Value::Bool(false) => "no".into(),
        Value::String(text) => text.into(),
        Value::Array(values) if values.is_empty() => "none".into(),
        Value::Array(values) => {
            let values: Vec<_> = values.iter().map(self::value).collect();
            values.join(", ").into()
        }
        Value::Number(number) => number.to_string().into(),
        Value::Object(details) => self::details(details).into(),
    }
}

/// The fields of an object, such as `name: acme; scopes: job-postings:read; prefixes: none`.
pub fn details(details: &Map<String, Value>) -> String {
    let words = details.iter();
    let words = words.map(|(name, of)| format!("{}: {}", name.replace('_', " "), value(of)));
    words.collect::<Vec<_>>().join("; ")
}

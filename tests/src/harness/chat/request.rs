//! Validates a request as the API does.

use serde_json::{Map, Value};

use super::{MODEL, reply::Reply, schema};

/// The parameters of the API.
const PARAMETERS: [&str; 24] = [
    "model",
    "messages",
    "response_format",
    "temperature",
    "top_p",
    "n",
    "seed",
    "stop",
    "stream",
    "stream_options",
    "max_tokens",
    "max_completion_tokens",
    "presence_penalty",
    "frequency_penalty",
    "logit_bias",
    "logprobs",
    "user",
    "store",
    "metadata",
    "reasoning_effort",
    "verbosity",
    "service_tier",
    "safety_identifier",
    "prompt_cache_key",
];

const ROLES: [&str; 4] = ["system", "developer", "user", "assistant"];

/// A valid request.
#[derive(Debug)]
pub struct Question {
    pub posting: Posting,
    /// The schema of the answer.
    pub schema: Value,
    /// The length of the messages, in characters.
    pub length: usize,
}

/// The posting in the prompt.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Posting {
    pub title: String,
    pub description: String,
}

/// Parses a request, or returns the error answer.
pub fn read(body: &Value) -> Result<Question, Reply> {
    let Some(parameters) = body.as_object() else {
        return Err(Reply::invalid(
            "",
            "We could not parse the JSON body of your request.",
        ));
    };
    if let Some(unknown) = parameters
        .keys()
        .find(|key| !PARAMETERS.contains(&key.as_str()))
    {
        let message = format!("Unrecognized request argument supplied: {unknown}");
        return Err(Reply::invalid(unknown, &message));
    }
    check_model(parameters)?;
    check_numbers(parameters)?;
    let length = check_messages(parameters)?;
    let schema = response_schema(parameters)?;
    let Some(posting) = posting(body) else {
        let message = "The stand-in finds no posting in the messages.";
        return Err(Reply::invalid("messages", message));
    };
    Ok(Question {
        posting,
        schema,
        length,
    })
}

fn check_model(parameters: &Map<String, Value>) -> Result<(), Reply> {
    match parameters.get("model").and_then(Value::as_str) {
        None => Err(Reply::missing("model")),
        Some(MODEL) => Ok(()),
        Some(_) => Err(Reply::invalid("model", "The model does not exist.")),
    }
}

fn check_numbers(parameters: &Map<String, Value>) -> Result<(), Reply> {
    let invalid = |name: &str| Reply::invalid(name, &format!("Invalid value for '{name}'."));
    if parameters.get("stream").is_some_and(|it| *it != false) {
        return Err(invalid("stream"));
    }
    for (name, most) in [("temperature", 2.0), ("top_p", 1.0)] {
        let value = parameters.get(name);
        let is_fine = |value: &Value| {
            let number = value.as_f64();
            number.is_some_and(|number| (0.0..=most).contains(&number))
        };
        if !value.is_none_or(is_fine) {
            return Err(invalid(name));
        }
    }
    for name in ["max_tokens", "max_completion_tokens"] {
        let value = parameters.get(name);
        if value.is_some_and(|value| matches!(value.as_u64(), None | Some(0))) {
            return Err(invalid(name));
        }
    }
    Ok(())
}

/// Checks the messages, and returns their length.
fn check_messages(parameters: &Map<String, Value>) -> Result<usize, Reply> {
    let Some(messages) = parameters.get("messages") else {
        return Err(Reply::missing("messages"));
    };
    let messages = messages.as_array().map_or(&[][..], Vec::as_slice);
    if messages.is_empty() {
        let message = "Invalid 'messages': empty array. Expected an array with minimum length 1.";
        return Err(Reply::invalid("messages", message));
    }
    let mut length = 0;
    for (index, message) in messages.iter().enumerate() {
        let role = message["role"].as_str().unwrap_or_default();
        if !ROLES.contains(&role) {
            let param = format!("messages[{index}].role");
            let text = format!("Invalid value: '{role}'. Supported values are: {ROLES:?}.");
            return Err(Reply::invalid(&param, &text));
        }
        let Some(text) = text(message) else {
            let param = format!("messages[{index}].content");
            let text = format!("Invalid value for 'content' in '{param}': expected a string.");
            return Err(Reply::invalid(&param, &text));
        };
        length += text.chars().count();
    }
    Ok(length)
}

/// The text of a message, which is a string or a list of parts.
pub fn text(message: &Value) -> Option<String> {
    match &message["content"] {
        Value::String(text) => Some(text.clone()),
        Value::Array(parts) if !parts.is_empty() => {
            let parts = parts.iter().map(|part| match part["type"].as_str() {
                Some("text") => part["text"].as_str(),
                _ => None,
            });
            parts.collect()
        }
        _ => None,
    }
}

fn response_schema(parameters: &Map<String, Value>) -> Result<Value, Reply> {
    let Some(format) = parameters.get("response_format") else {
        return Err(Reply::missing("response_format"));
    };
    if format["type"] != "json_schema" {
        let message = "The stand-in answers by a JSON schema only.";
        return Err(Reply::invalid("response_format.type", message));
    }
    let format = &format["json_schema"];
    let name = format["name"].as_str().unwrap_or_default();
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "-_".contains(c);
    if name.is_empty() || name.len() > 64 || !name.chars().all(is_plain) {
        return Err(Reply::missing("response_format.json_schema.name"));
    }
    if format["strict"] != true {
        let message = "The stand-in answers by a strict schema only.";
        let param = "response_format.json_schema.strict";
        return Err(Reply::invalid(param, message));
    }
    let schema = &format["schema"];
    match schema::objection(schema) {
        Some(objection) => {
            let message = format!("Invalid schema for response_format '{name}': {objection}");
            Err(Reply::invalid("response_format", &message))
        }
        None => Ok(schema.clone()),
    }
}

/// The posting in the last message that contains one.
pub fn posting(body: &Value) -> Option<Posting> {
    let messages = body["messages"].as_array()?.iter().rev();
    messages
        .filter(|message| message["role"] == "user")
        .filter_map(text)
        .filter_map(|text| serde_json::from_str(&text).ok())
        .find_map(|shown: Value| found(&shown))
}

/// The posting in a JSON value, at any depth.
fn found(shown: &Value) -> Option<Posting> {
    let text = |key: &str| Some(shown.get(key)?.as_str()?.to_owned());
    let here = || {
        Some(Posting {
            title: text("title")?,
            description: text("description_markdown")?,
        })
    };
    here().or_else(|| shown.as_object()?.values().find_map(found))
}

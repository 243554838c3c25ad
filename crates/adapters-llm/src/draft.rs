//! Reads a draft, or its faults, from a model's text.
//!
//! Not every server holds a model to the schema, so an object may stand in prose, in a code fence,
//! or behind thoughts. It must be the only one. A posting may contain an object of the same form,
//! and a model that quotes it must not be misread: with two objects, or with broken JSON around
//! one, the answer is ambiguous, and the model is asked again.

use domain::enrichment::{Draft, ReasonCode, Verdict};
use serde::Deserialize;
use serde_json::{Deserializer, Value, value::RawValue};

use crate::completion::bounded;

/// The answer, with unchecked values.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Answer {
    markdown: Value,
    redacted_markdown: Value,
    verdict: Value,
    code: Value,
    explanation: Value,
}

/// Reads a draft.
pub fn read(text: &str) -> Result<Draft, Vec<String>> {
    let json = only_object(text).map_err(|fault| vec![fault])?;
    let answer: Answer = serde_json::from_str(json)
        .map_err(|error| vec![format!("The object does not satisfy the schema: {error}.")])?;
    let mut faults = Vec::new();
    let markdown = string("markdown", &answer.markdown, &mut faults);
    let redacted_markdown = string("redacted_markdown", &answer.redacted_markdown, &mut faults);
    match (verdict(&answer, &mut faults), faults.as_slice()) {
        (Some(verdict), []) => Ok(Draft {
            markdown,
            redacted_markdown,
            verdict,
            answer: bounded(text),
        }),
        _ => Err(faults),
    }
}

/// The one JSON object in a text.
fn only_object(text: &str) -> Result<&str, String> {
    let mut found = None;
    let mut rest = after_thoughts(text);
    while let Some(start) = rest.find('{') {
        rest = &rest[start..];
        let mut values = Deserializer::from_str(rest).into_iter::<&RawValue>();
        match values.next() {
            Some(Ok(object)) => {
                if found.replace(object.get()).is_some() {
                    return Err("There is more than one JSON object in the answer.".to_owned());
                }
                rest = &rest[values.byte_offset()..];
            }
            // A name in quotes begins an object, and the inside of a broken one may be anything.
            Some(Err(error)) if rest[1..].trim_start().starts_with('"') => {
                return Err(format!("The answer is no valid JSON: {error}."));
            }
            // A brace in prose.
            _ => rest = &rest[1..],
        }
    }
    found.ok_or_else(|| "There is no JSON object in the answer.".to_owned())
}

/// The text after the thoughts that some models write first. They end at their first end mark: if
/// that was only quoted, more than one object follows, or none.
fn after_thoughts(text: &str) -> &str {
    match text.trim_start().strip_prefix("<think>") {
        Some(thoughts) => thoughts.split_once("</think>").map_or("", |(_, rest)| rest),
        None => text,
    }
}

fn string(name: &str, value: &Value, faults: &mut Vec<String>) -> String {
    if let Value::String(text) = value {
        // No store accepts U+0000.
        text.replace('\0', "")
    } else {
        faults.push(format!("`{name}` must be a string."));
        String::new()
    }
}

fn verdict(answer: &Answer, faults: &mut Vec<String>) -> Option<Verdict> {
    let code = code(&answer.code, faults);
    let explanation = match &answer.explanation {
        Value::Null => None,
        Value::String(text) => Some(outbound::line(text.trim(), None)),
        _ => {
            faults.push("`explanation` must be a string or null.".to_owned());
            None
        }
    };
    match (answer.verdict.as_str(), code) {
        (Some("approve"), None) => Some(Verdict::Approve),
        (Some("approve"), Some(_)) => {
            faults.push("`code` must be null when `verdict` is \"approve\".".to_owned());
            None
        }
        (Some("reject"), code) => {
            if code.is_none() {
                faults.push("`code` is needed when `verdict` is \"reject\".".to_owned());
            }
            let text = explanation.filter(|text| !text.is_empty());
            if text.is_none() {
                faults.push("`explanation` is needed when `verdict` is \"reject\".".to_owned());
            }
            Some(Verdict::Reject {
                code: code?,
                text: text?,
            })
        }
        _ => {
            faults.push("`verdict` must be \"approve\" or \"reject\".".to_owned());
            None
        }
    }
}

fn code(value: &Value, faults: &mut Vec<String>) -> Option<ReasonCode> {
    if value.is_null() {
        return None;
    }
    let code = value.as_str().and_then(ReasonCode::of_model);
    if code.is_none() {
        let codes = ReasonCode::OF_MODELS
            .map(|code| format!("\"{code}\""))
            .join(", ");
        faults.push(format!("`code` must be null or one of {codes}."));
    }
    code
}

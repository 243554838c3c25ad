//! Reads a draft from a model's text, or the faults in it.
//!
//! Not every server enforces the schema, so prose, a code fence or thoughts may surround the
//! object. It must be the only object, because a model may quote an object from the posting. If
//! there are two objects, or one beside broken JSON, the model is asked again.

use domain::posting::{MOST_PASSAGES, ReasonCode, Verdict};
use enrichment::{Draft, MODEL_CODES, Phrase, PhraseKind, model_code, phrase_kind};
use serde::Deserialize;
use serde_json::{Deserializer, Value, value::RawValue};

use crate::completion::bounded;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Answer {
    verdict: Value,
    #[serde(default)]
    code: Value,
    #[serde(default)]
    sentence: Value,
    #[serde(default)]
    passages: Value,
    #[serde(default)]
    hide: Value,
}

pub fn read(text: &str) -> Result<Draft, Vec<String>> {
    let json = only_object(text).map_err(|fault| vec![fault])?;
    let answer: Answer = serde_json::from_str(json)
        .map_err(|error| vec![format!("The object does not satisfy the schema: {error}.")])?;
    let mut faults = Vec::new();
    let verdict = verdict(&answer, &mut faults);
    let hide = match &verdict {
        // Phrases of a rejected posting hide nothing, because its text is not shown.
        Some(Verdict::Reject { .. }) => Vec::new(),
        _ => phrases(&answer.hide, &mut faults),
    };
    match (verdict, faults.as_slice()) {
        (Some(verdict), []) => Ok(Draft {
            verdict,
            hide,
            answer: bounded(text),
        }),
        _ => Err(faults),
    }
}

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
            // A brace with a quoted name begins an object. If it is broken, it may contain
            // anything.
            Some(Err(error)) if rest[1..].trim_start().starts_with('"') => {
                return Err(format!("The answer is no valid JSON: {error}."));
            }
            _ => rest = &rest[1..],
        }
    }
    found.ok_or_else(|| "There is no JSON object in the answer.".to_owned())
}

/// The text after the thoughts that some models write first. They end at the first end mark.
fn after_thoughts(text: &str) -> &str {
    match text.trim_start().strip_prefix("<think>") {
        Some(thoughts) => thoughts.split_once("</think>").map_or("", |(_, rest)| rest),
        None => text,
    }
}

fn verdict(answer: &Answer, faults: &mut Vec<String>) -> Option<Verdict> {
    match answer.verdict.as_str() {
        Some("approve") if answer.code.is_null() => Some(Verdict::Approve),
        Some("approve") => {
            faults.push("`code` must be null when `verdict` is \"approve\".".to_owned());
            None
        }
        Some("reject") => {
            let (code, text) = (
                code(&answer.code, faults),
                sentence(&answer.sentence, faults),
            );
            Some(Verdict::Reject {
                code: code?,
                text: text?,
                passages: passages(&answer.passages),
            })
        }
        _ => {
            faults.push("`verdict` must be \"approve\" or \"reject\".".to_owned());
            None
        }
    }
}

fn code(value: &Value, faults: &mut Vec<String>) -> Option<ReasonCode> {
    let code = value.as_str().and_then(model_code);
    if code.is_none() {
        let codes = one_of(MODEL_CODES.map(ReasonCode::as_str));
        faults.push(format!(
            "`code` must be one of {codes} when `verdict` is \"reject\"."
        ));
    }
    code
}

/// A single line, without characters that a store refuses.
fn sentence(value: &Value, faults: &mut Vec<String>) -> Option<String> {
    let text = value.as_str().map(|text| outbound::line(text.trim(), None));
    let text = text.filter(|text| !text.is_empty());
    if text.is_none() {
        faults.push("`sentence` must be a text when `verdict` is \"reject\".".to_owned());
    }
    text
}

/// The passages of a rejection. Invalid ones are dropped: the verdict does not depend on them.
fn passages(value: &Value) -> Vec<String> {
    let passages = value.as_array().into_iter().flatten();
    let passages = passages.filter_map(Value::as_str).take(MOST_PASSAGES);
    passages.map(str::to_owned).collect()
}

fn phrases(value: &Value, faults: &mut Vec<String>) -> Vec<Phrase> {
    let Value::Array(entries) = value else {
        faults.push("`hide` must be a list.".to_owned());
        return Vec::new();
    };
    let phrase = |entry: &Value| {
        let kind = phrase_kind(entry["kind"].as_str()?)?;
        let text = entry["text"].as_str()?.to_owned();
        Some(Phrase { text, kind })
    };
    let phrases: Vec<_> = entries.iter().map_while(phrase).collect();
    if phrases.len() < entries.len() {
        let kinds = one_of(PhraseKind::ALL.map(PhraseKind::name));
        faults.push(format!(
            "Every entry of `hide` must have a `text` and a `kind` that is one of {kinds}."
        ));
    }
    phrases
}

fn one_of<const N: usize>(names: [&str; N]) -> String {
    names.map(|name| format!("\"{name}\"")).join(", ")
}

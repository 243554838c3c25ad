//! Answers of the chat completions API.
//!
//! Servers leave out different parts, so nothing is required that is not needed.

use serde_json::Value;

use crate::meter::Usage;

/// The fault of an answer that has reached the limit of tokens.
pub const CUT_OFF: &str = "The answer was cut off before its end.";

/// The longest part of an earlier answer that is shown back, in characters.
const LONGEST_ANSWER: usize = 20_000;

/// An answer of the API.
#[derive(Debug, PartialEq, Eq)]
pub struct Completion {
    /// The tokens used.
    pub usage: Usage,
    /// The reply.
    pub reply: Reply,
}

/// A model's reply.
#[derive(Debug, PartialEq, Eq)]
pub enum Reply {
    /// A complete text.
    Whole(String),
    /// A text cut off at the limit of tokens.
    Cut(String),
    /// A refusal.
    Refused(String),
    /// No text; the endpoint may give a reason.
    Missing(Option<String>),
}

impl Completion {
    /// Reads an answer; `None` if it is not one of the API.
    pub fn read(body: &[u8]) -> Option<Self> {
        let body: Value = serde_json::from_slice(body).ok()?;
        let usage = &body["usage"];
        Some(Self {
            usage: Usage {
                prompt: tokens(&usage["prompt_tokens"]),
                completion: tokens(&usage["completion_tokens"]),
            },
            reply: reply(&body),
        })
    }
}

fn tokens(value: &Value) -> u32 {
    let tokens = value.as_u64().unwrap_or_default();
    u32::try_from(tokens).unwrap_or(u32::MAX)
}

fn reply(body: &Value) -> Reply {
    let Some(choice) = body.pointer("/choices/0") else {
        return Reply::Missing(complaint_of(body));
    };
    let message = &choice["message"];
    if let Some(refusal) = refusal(message) {
        return Reply::Refused(refusal.to_owned());
    }
    let text = text(&message["content"]);
    match choice["finish_reason"].as_str() {
        Some("content_filter") => {
            Reply::Refused("a content filter has stopped the answer".to_owned())
        }
        Some("length") => Reply::Cut(text),
        _ => Reply::Whole(text),
    }
}

fn refusal(message: &Value) -> Option<&str> {
    let part = || {
        let parts = message["content"].as_array()?;
        parts.iter().find_map(|part| part["refusal"].as_str())
    };
    message["refusal"]
        .as_str()
        .or_else(part)
        .filter(|refusal| !refusal.trim().is_empty())
}

/// The text of a message: a string, or an array of parts.
fn text(content: &Value) -> String {
    match content {
        Value::String(text) => text.clone(),
        Value::Array(parts) => parts
            .iter()
            .filter_map(|part| part["text"].as_str())
            .collect(),
        _ => String::new(),
    }
}

/// The endpoint's error message, if it is in JSON.
pub fn complaint(body: &[u8]) -> Option<String> {
    complaint_of(&serde_json::from_slice(body).ok()?)
}

fn complaint_of(body: &Value) -> Option<String> {
    // OpenAI and most others; a plain string (older Ollama); older vLLM; FastAPI, with its own
    // errors or those of fields; Gemini, which wraps everything in an array.
    const PLACES: [&str; 6] = [
        "/error/message",
        "/error",
        "/message",
        "/detail",
        "/detail/0/msg",
        "/0/error/message",
    ];
    PLACES
        .iter()
        .find_map(|place| body.pointer(place)?.as_str())
        .filter(|complaint| !complaint.trim().is_empty())
        .map(str::to_owned)
}

/// Whether a filter in front of the model refused the posting, as Azure's does.
pub fn is_filtered(body: &[u8]) -> bool {
    serde_json::from_slice::<Value>(body)
        .is_ok_and(|body| body["error"]["code"] == "content_filter")
}

/// The part of an answer to show back.
pub fn bounded(answer: &str) -> String {
    match answer.char_indices().nth(LONGEST_ANSWER) {
        Some((end, _)) => format!("{}…", &answer[..end]),
        None => answer.to_owned(),
    }
}

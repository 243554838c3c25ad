//! Answers of the chat completions API.
//!
//! Servers omit different parts, so only the parts that are needed are required.

use serde_json::Value;

use crate::meter::Usage;

/// The fault of an answer that has reached the limit of tokens.
pub const CUT_OFF: &str = "The answer was cut off before its end.";

/// How much of an earlier answer is sent back, in characters.
const LONGEST_ANSWER: usize = 20_000;

#[derive(Debug, PartialEq, Eq)]
pub struct Completion {
    pub usage: Usage,
    pub reply: Reply,
}

#[derive(Debug, PartialEq, Eq)]
pub enum Reply {
    Whole(String),
    Cut(String),
    Refused(String),
    Missing(Option<String>),
}

impl Completion {
    /// Returns `None` if the body is not an answer of the API.
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

fn complaint_of(body: &Value) -> Option<String> {
    // OpenAI and most others; older Ollama; older vLLM; FastAPI (its own errors, and errors of
    // fields, which Mistral nests in a message); Gemini, which wraps everything in an array.
    const PLACES: [&str; 8] = [
        "/error/message",
        "/error",
        "/message",
        "/message/detail/0/msg",
        "/message/0/msg",
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

const PARAMETERS: [&str; 4] = [
    "max_completion_tokens",
    "max_tokens",
    "response_format",
    "temperature",
];

/// How much of a refusal is searched for parameters, in characters.
const LONGEST_COMPLAINT: usize = 2_000;

#[derive(Debug, Default)]
pub struct Complaint {
    pub message: Option<String>,
    /// Whether a filter in front of the model refused the posting, for example on Azure.
    pub is_filtered: bool,
    /// The words of the refusal in lower case, without words repeated from the request.
    text: String,
    parameters: Vec<&'static str>,
}

impl Complaint {
    pub fn read(body: &[u8]) -> Self {
        let Ok(body) = serde_json::from_slice::<Value>(body) else {
            return Self::default();
        };
        let mut complaint = Self {
            message: complaint_of(&body),
            is_filtered: body["error"]["code"] == "content_filter",
            ..Self::default()
        };
        complaint.gather("", &body);
        if let Some(message) = &mut complaint.message {
            for name in &complaint.parameters {
                if !message.contains(name) {
                    message.extend([" (", name, ")"]);
                }
            }
        }
        complaint
    }

    pub fn text(&self) -> &str {
        &self.text
    }

    pub fn names(&self, parameter: &str) -> bool {
        if !self.parameters.is_empty() {
            return self.parameters.contains(&parameter);
        }
        let is_inside = |c: char| c.is_alphanumeric() || c == '_';
        self.text.match_indices(parameter).any(|(at, found)| {
            let (before, after) = (&self.text[..at], &self.text[at + found.len()..]);
            !before.ends_with(is_inside) && !after.starts_with(is_inside)
        })
    }

    /// Collects a value's texts. `key` is the nearest name above it. The parser limits the depth.
    fn gather(&mut self, key: &str, value: &Value) {
        match value {
            Value::String(text) => {
                if matches!(key, "param" | "loc") {
                    let name = text.split('.').next().unwrap_or_default();
                    let known = PARAMETERS.into_iter().find(|known| *known == name);
                    self.parameters.extend(known);
                }
                let left = LONGEST_COMPLAINT.saturating_sub(self.text.len());
                self.text.push(' ');
                let said = text.chars().take(left).flat_map(char::to_lowercase);
                self.text.extend(said);
            }
            Value::Array(items) => {
                for item in items {
                    self.gather(key, item);
                }
            }
            Value::Object(fields) => {
                for (key, value) in fields {
                    // The refusal repeats the input, which may contain any words.
                    if key != "input" {
                        self.gather(key, value);
                    }
                }
            }
            _ => {}
        }
    }
}

pub fn bounded(answer: &str) -> String {
    match answer.char_indices().nth(LONGEST_ANSWER) {
        Some((end, _)) => format!("{}…", &answer[..end]),
        None => answer.to_owned(),
    }
}

//! The HTTP forms of answers.

use serde_json::{Value, json};
use time::OffsetDateTime;
use uuid::Uuid;

use super::{KEY, MODEL, Usage, draft::Completion};

/// An answer.
#[derive(Debug)]
pub struct Reply {
    pub status: u16,
    pub body: String,
}

impl Reply {
    fn json(status: u16, body: &Value) -> Self {
        Self {
            status,
            body: body.to_string(),
        }
    }

    /// An error in the API's format.
    pub fn error(status: u16, kind: &str, code: Option<&str>, message: &str) -> Self {
        Self::about(status, kind, code, None, message)
    }

    fn about(
        status: u16,
        kind: &str,
        code: Option<&str>,
        param: Option<&str>,
        message: &str,
    ) -> Self {
        let error = json!({"message": message, "type": kind, "param": param, "code": code});
        Self::json(status, &json!({ "error": error }))
    }

    /// The error for an invalid parameter.
    pub fn invalid(param: &str, message: &str) -> Self {
        Self::about(400, "invalid_request_error", None, Some(param), message)
    }

    /// The error for a missing parameter.
    pub fn missing(param: &str) -> Self {
        let message = format!("Missing required parameter: '{param}'.");
        let code = Some("missing_required_parameter");
        Self::about(400, "invalid_request_error", code, Some(param), &message)
    }

    /// The error for a key that it does not know. Real APIs also repeat the key.
    pub fn unauthorized() -> Self {
        let message = format!("Incorrect API key provided: {KEY}.");
        let code = Some("invalid_api_key");
        Self::error(401, "invalid_request_error", code, &message)
    }

    /// An answer of the model.
    pub fn completion(completion: &Completion, usage: Usage) -> Self {
        let choices: &[Value] = &[json!({
            "index": 0,
            "message": {
                "role": "assistant",
                "content": completion.content,
                "refusal": null,
                "annotations": [],
            },
            "logprobs": null,
            "finish_reason": completion.finish_reason,
        })];
        Self::json(
            200,
            &json!({
                "id": format!("chatcmpl-{}", Uuid::new_v4().simple()),
                "object": "chat.completion",
                "created": OffsetDateTime::now_utc().unix_timestamp(),
                "model": MODEL,
                "choices": choices,
                "usage": {
                    "prompt_tokens": usage.prompt_tokens,
                    "completion_tokens": usage.completion_tokens,
                    "total_tokens": usage.prompt_tokens + usage.completion_tokens,
                },
                "system_fingerprint": null,
            }),
        )
    }
}

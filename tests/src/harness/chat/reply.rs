//! The HTTP forms of answers.

use serde_json::{Value, json};
use time::OffsetDateTime;
use uuid::Uuid;

use super::{KEY, MODEL, Usage, draft::Completion};

/// An answer.
#[derive(Debug)]
pub struct Reply {
    pub status: u16,
    pub content_type: &'static str,
    pub body: String,
    pub retry_after: Option<u64>,
}

impl Reply {
    fn json(status: u16, body: &Value) -> Self {
        Self {
            status,
            content_type: "application/json",
            body: body.to_string(),
            retry_after: None,
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

    /// An error with this status and the API's message for it.
    pub fn of_status(status: u16, retry_after: Option<u64>) -> Self {
        let reply = match status {
            400 => Self::invalid("messages", "We could not make sense of this request."),
            // Real APIs also repeat the key in this message.
            401 => Self::error(
                401,
                "invalid_request_error",
                Some("invalid_api_key"),
                &format!("Incorrect API key provided: {KEY}."),
            ),
            403 => Self::error(
                403,
                "invalid_request_error",
                Some("unsupported_country_region_territory"),
                "Country, region, or territory not supported",
            ),
            404 => Self::error(
                404,
                "invalid_request_error",
                Some("model_not_found"),
                "The model does not exist or you do not have access to it.",
            ),
            429 => Self::error(
                429,
                "requests",
                Some("rate_limit_exceeded"),
                &format!("Rate limit reached for {MODEL}. Please try again later."),
            ),
            503 => Self::error(
                503,
                "server_error",
                None,
                "The engine is currently overloaded, please try again later.",
            ),
            _ => Self::error(
                status,
                "server_error",
                None,
                "The server had an error while processing your request. Sorry about that!",
            ),
        };
        Self {
            retry_after,
            ..reply
        }
    }

    /// The HTML page of a proxy that cannot reach the server.
    pub fn page(status: u16) -> Self {
        Self {
            status,
            content_type: "text/html",
            body: "<html>\r\n<head><title>Bad Gateway</title></head>\r\n<body>\r\n\
                   <center><h1>Bad Gateway</h1></center>\r\n<hr><center>nginx</center>\r\n\
                   </body>\r\n</html>\r\n"
                .to_owned(),
            retry_after: None,
        }
    }

    /// An answer of the model.
    pub fn completion(completion: &Completion, usage: Usage) -> Self {
        let choices: &[Value] = &[json!({
            "index": 0,
            "message": {
                "role": "assistant",
                "content": completion.content,
                "refusal": completion.refusal,
                "annotations": [],
            },
            "logprobs": null,
            "finish_reason": completion.finish_reason,
        })];
        let choices = if completion.has_choice { choices } else { &[] };
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

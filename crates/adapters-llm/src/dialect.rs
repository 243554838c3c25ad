//! What an endpoint takes of a request, as far as its refusals have told.
//!
//! Endpoints of the same API differ in the parameters that they know. A request begins with what
//! the API's newest version wants; a refusal that names a parameter leads to the next form of it.

use std::fmt;

use crate::completion::Complaint;

/// The fewest tokens that an answer needs. An endpoint that has no room for them cannot be mended.
const LEAST_ROOM: usize = 256;

/// The form of a request.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Dialect {
    /// How the form of the answer is asked for.
    pub format: Format,
    /// How the limit of tokens is named.
    pub limit: Limit,
    /// Whether the temperature is left to the endpoint.
    pub own_temperature: bool,
    /// Whether answers need room for thoughts.
    pub thinks: bool,
    /// The most tokens that the model writes, if the endpoint has said so.
    pub most_tokens: Option<usize>,
}

/// How the form of an answer is asked for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Format {
    /// By the schema.
    #[default]
    Schema,
    /// As any JSON object.
    Object,
    /// In the instructions alone.
    Instructions,
}

/// The name of the limit of tokens.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Limit {
    /// `max_completion_tokens`, which `OpenAI`'s reasoning models require.
    #[default]
    MaxCompletionTokens,
    /// `max_tokens`, which is older.
    MaxTokens,
    /// No limit.
    Absent,
}

impl Limit {
    /// The name in a request.
    pub const fn name(self) -> Option<&'static str> {
        match self {
            Self::MaxCompletionTokens => Some("max_completion_tokens"),
            Self::MaxTokens => Some("max_tokens"),
            Self::Absent => None,
        }
    }
}

/// What a refusal asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Step {
    /// Another form of every request.
    Always(Dialect),
    /// Room for this many tokens in the answer about this posting.
    Room(usize),
}

impl Dialect {
    /// The room for an answer of this many tokens.
    pub fn room(&self, wanted: usize) -> usize {
        self.most_tokens.map_or(wanted, |most| most.min(wanted))
    }

    /// The next form after a refusal of a request with room for so many tokens; `None` if the
    /// refusal names nothing that can be changed.
    pub fn after(&self, complaint: &Complaint, room: usize) -> Option<Step> {
        let text = complaint.text();
        let limit = self.limit.name();
        if let Some(left) = room_in_context(text) {
            return (LEAST_ROOM..room)
                .contains(&left)
                .then_some(Step::Room(left));
        }
        if limit.is_some() && is_too_large(text) {
            let most = allowed(text, room);
            return most.map(|most| {
                Step::Always(Self {
                    most_tokens: Some(most),
                    ..*self
                })
            });
        }
        let names = |name: &str| complaint.names(name);
        let next = if limit.is_some_and(names) {
            Self {
                limit: match self.limit {
                    Limit::MaxCompletionTokens => Limit::MaxTokens,
                    Limit::MaxTokens | Limit::Absent => Limit::Absent,
                },
                ..*self
            }
        } else if !self.own_temperature && names("temperature") {
            Self {
                own_temperature: true,
                ..*self
            }
        } else if ["response_format", "json_schema", "json_object"]
            .into_iter()
            .any(names)
        {
            Self {
                format: match self.format {
                    Format::Schema => Format::Object,
                    Format::Object => Format::Instructions,
                    Format::Instructions => return None,
                },
                ..*self
            }
        } else {
            return None;
        };
        Some(Step::Always(next))
    }
}

impl fmt::Display for Dialect {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let format = match self.format {
            Format::Schema => "json_schema",
            Format::Object => "json_object",
            Format::Instructions => "no response_format",
        };
        let temperature = if self.own_temperature {
            "no temperature"
        } else {
            "temperature 0"
        };
        let limit = self.limit.name().unwrap_or("no limit of tokens");
        write!(f, "{format}, {temperature}, {limit}")?;
        if let Some(most) = self.most_tokens {
            write!(f, " of at most {most}")?;
        }
        f.write_str(if self.thinks {
            ", room for thoughts"
        } else {
            ""
        })
    }
}

/// The room that a context has left beside the prompt, if a refusal says so: "maximum context
/// length is 8192 tokens. However, … 5000 in the messages".
fn room_in_context(text: &str) -> Option<usize> {
    let context = number_after(text, "context length is ")?;
    let prompt = [" input tokens", " in the messages"]
        .into_iter()
        .find_map(|what| number_before(text, what))?;
    Some(context.saturating_sub(prompt))
}

fn number_after(text: &str, what: &str) -> Option<usize> {
    let (_, rest) = text.split_once(what)?;
    let end = rest.find(|c: char| !c.is_ascii_digit());
    rest[..end.unwrap_or(rest.len())].parse().ok()
}

fn number_before(text: &str, what: &str) -> Option<usize> {
    let (rest, _) = text.split_once(what)?;
    let start = rest.trim_end_matches(|c: char| c.is_ascii_digit()).len();
    rest[start..].parse().ok()
}

/// Whether a refusal is about the size of the limit of tokens, and not its name.
fn is_too_large(text: &str) -> bool {
    let of_limit = [
        "max_tokens",
        "max_completion_tokens",
        "completion tokens",
        "output tokens",
    ];
    let too_large = [
        "too large",
        "too high",
        "at most",
        "maximum",
        "is limited",
        "less than",
        "<=",
        "range",
        "exceed",
    ];
    of_limit.iter().any(|name| text.contains(name)) && too_large.iter().any(|it| text.contains(it))
}

/// The most tokens that a refusal allows: the largest number in it below what was asked for, or
/// half of that.
fn allowed(text: &str, room: usize) -> Option<usize> {
    let numbers = text.split(|c: char| !c.is_ascii_digit());
    let named = numbers
        .filter_map(|number| number.parse().ok())
        .filter(|number| (LEAST_ROOM..room).contains(number))
        .max();
    named.or_else(|| Some(room / 2).filter(|half| *half >= LEAST_ROOM))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn after(dialect: Dialect, message: &str) -> Option<Step> {
        let body = json!({"error": {"message": message}}).to_string();
        dialect.after(&Complaint::read(body.as_bytes()), 4_096)
    }

    /// Refusals as the documents of servers and their users' reports have them.
    #[test]
    fn every_server_is_understood() {
        let unknown_limit = "json_schema, temperature 0, max_tokens";
        let extra = json!({
            "type": "extra_forbidden",
            "loc": ["body", "max_completion_tokens"],
            "msg": "Extra inputs are not permitted",
            "input": 4096,
        });
        for (server, body, expect) in [
            (
                "Mistral",
                json!({"object": "error", "message": {"detail": [extra]}, "param": null}),
                unknown_limit,
            ),
            (
                "vLLM, of 2024",
                json!({"object": "error", "code": 400, "message":
                    "[{'type': 'extra_forbidden', 'loc': ('body', 'max_completion_tokens'), \
                     'msg': 'Extra inputs are not permitted', 'input': 4096}]"}),
                unknown_limit,
            ),
            (
                "DeepSeek",
                json!({"error": {"message": "This response_format type is unavailable now",
                    "param": null, "code": "invalid_request_error"}}),
                "json_object, temperature 0, max_completion_tokens",
            ),
            (
                "Scaleway",
                json!({"message": "max_completion_tokens is limited for this model"}),
                "json_schema, temperature 0, max_completion_tokens of at most 2048",
            ),
        ] {
            let complaint = Complaint::read(body.to_string().as_bytes());
            let Some(Step::Always(next)) = Dialect::default().after(&complaint, 4_096) else {
                panic!("{server}")
            };
            assert_eq!(next.to_string(), expect, "{server}");
        }
    }

    #[test]
    fn each_parameter_has_a_ladder_with_an_end() {
        let mut dialect = Dialect::default();
        for (message, expect) in [
            (
                "Unknown: max_completion_tokens",
                "json_schema, temperature 0, max_tokens",
            ),
            (
                "unknown max_tokens",
                "json_schema, temperature 0, no limit of tokens",
            ),
            (
                "'temperature' is fixed",
                "json_schema, no temperature, no limit of tokens",
            ),
            (
                "This response_format type is unavailable now",
                "json_object, no temperature, no limit of tokens",
            ),
            (
                "json_object needs a newer version",
                "no response_format, no temperature, no limit of tokens",
            ),
        ] {
            let Some(Step::Always(next)) = after(dialect, message) else {
                panic!("{message}")
            };
            assert_eq!(next.to_string(), expect);
            dialect = next;
        }
        for message in [
            "max_tokens",
            "temperature",
            "response_format",
            "json_schema",
        ] {
            assert_eq!(after(dialect, message), None, "{message}");
        }
    }

    #[test]
    fn what_names_no_parameter_changes_nothing() {
        for message in [
            "",
            "Bad request",
            "The kitchen_temperature is low",
            "This model's maximum context length is 8192 tokens.",
            "reasoning_effort is not supported",
        ] {
            assert_eq!(after(Dialect::default(), message), None, "{message}");
        }
    }

    #[test]
    fn a_limit_that_is_too_high_is_lowered() {
        let most = |most| {
            Some(Step::Always(Dialect {
                most_tokens: Some(most),
                ..Dialect::default()
            }))
        };
        for (message, expect) in [
            (
                "max_tokens is too large: 4096. This model supports at most 1024 completion \
                 tokens, whereas you provided 4096.",
                most(1_024),
            ),
            (
                "The parameter `max_completion_tokens` specified in the request are not valid: \
                 integer above maximum value, expected a value <= 2048, but got 4096 instead.",
                most(2_048),
            ),
            (
                "Invalid max_tokens value, the valid range of max_tokens is [1, 2000]",
                most(2_000),
            ),
            (
                "'max_tokens' or 'max_completion_tokens' is too large: 4096. This model's maximum \
                 context length is 8192 tokens and your request has 6000 input tokens (4096 > 8192 \
                 - 6000).",
                Some(Step::Room(2_192)),
            ),
            (
                "This model's maximum context length is 6048 tokens. However, you requested 6616 \
                 tokens (2520 in the messages, 4096 in the completion).",
                Some(Step::Room(3_528)),
            ),
            (
                "This model's maximum context length is 4096 tokens. However, you requested 4096 \
                 output tokens and your prompt contains at least 4000 input tokens.",
                None,
            ),
        ] {
            assert_eq!(after(Dialect::default(), message), expect, "{message}");
        }
        let body = json!({"message": "max_tokens is too large"}).to_string();
        let complaint = Complaint::read(body.as_bytes());
        assert_eq!(
            Dialect::default().after(&complaint, 300),
            None,
            "it has an end"
        );
    }
}

//! The parameters that an endpoint accepts. The first request has the parameters of the newest
//! version of the API. If a refusal names a parameter, the next request has another form.

use std::fmt;

use crate::completion::Complaint;

/// The number of tokens that every answer needs. An endpoint without room for them cannot be used.
const LEAST_ROOM: usize = 256;

/// How `response_format` requests the form of the answer: by schema, as any JSON object, or not at
/// all, so that only the instructions describe it.
const FORMATS: [Option<&str>; 3] = [Some("json_schema"), Some("json_object"), None];
/// The parameter that limits tokens: its newer name, its older name, or no parameter.
const LIMITS: [Option<&str>; 3] = [Some("max_completion_tokens"), Some("max_tokens"), None];

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Dialect {
    /// An index in [`FORMATS`].
    format: usize,
    limit: usize,
    /// Whether requests omit the temperature.
    pub own_temperature: bool,
    pub thinks: bool,
    pub most_tokens: Option<usize>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Step {
    Always(Dialect),
    /// The answer about this posting gets room for only this many tokens.
    Room(usize),
}

impl Dialect {
    /// The value of `response_format`. `None` if only the instructions describe the form.
    pub const fn format(&self) -> Option<&'static str> {
        FORMATS[self.format]
    }

    pub const fn limit(&self) -> Option<&'static str> {
        LIMITS[self.limit]
    }

    pub const fn with_thoughts(self) -> Self {
        Self {
            thinks: true,
            ..self
        }
    }

    pub fn room(&self, wanted: usize) -> usize {
        self.most_tokens.map_or(wanted, |most| most.min(wanted))
    }

    /// The next step after the endpoint refused a request with room for `room` tokens. `None` if
    /// the refusal names nothing that can be changed.
    pub fn after(&self, complaint: &Complaint, room: usize) -> Option<Step> {
        let text = complaint.text();
        if let Some(left) = room_in_context(text) {
            let is_enough = (LEAST_ROOM..room).contains(&left);
            return is_enough.then_some(Step::Room(left));
        }
        let names = |name: &str| complaint.names(name);
        let mut next = *self;
        if self.limit().is_some() && is_too_large(text) {
            next.most_tokens = Some(allowed(text, room)?);
        } else if self.limit().is_some_and(names) {
            next.limit += 1;
        } else if !self.own_temperature && names("temperature") {
            next.own_temperature = true;
        } else {
            let mut formats = ["response_format", "json_schema", "json_object"].into_iter();
            self.format().filter(|_| formats.any(names))?;
            next.format += 1;
        }
        Some(Step::Always(next))
    }
}

impl fmt::Display for Dialect {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let format = self.format().unwrap_or("no response_format");
        let temperature = if self.own_temperature {
            "no temperature"
        } else {
            "temperature 0"
        };
        let limit = self.limit().unwrap_or("no limit of tokens");
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

/// The room that the context leaves, if a refusal names it: "maximum context length is 8192 tokens.
/// However, … 5000 in the messages".
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

/// Whether the refusal concerns the value of the token limit, not its name.
fn is_too_large(text: &str) -> bool {
    const LIMITED: &str = "max_tokens|max_completion_tokens|completion tokens|output tokens";
    const TOO_LARGE: &str =
        "too large|too high|at most|maximum|is limited|less than|<=|range|exceed";
    let has = |list: &str| list.split('|').any(|words| text.contains(words));
    has(LIMITED) && has(TOO_LARGE)
}

/// The largest number in the refusal below the requested one, otherwise half of the requested one.
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
    use serde_json::{Value, json};

    use super::*;

    fn after(dialect: Dialect, refusal: &Value, room: usize) -> Option<(Dialect, String)> {
        let complaint = Complaint::read(refusal.to_string().as_bytes());
        match dialect.after(&complaint, room)? {
            Step::Always(next) => Some((next, next.to_string())),
            Step::Room(left) => Some((dialect, format!("room for {left}"))),
        }
    }

    /// The refusals come from the documentation of servers and from reports of users.
    #[test]
    fn every_server_is_understood() {
        for case in include_str!("tests/refusals.txt").lines().skip(1) {
            let (expect, refusal) = case.split_once(" | ").unwrap();
            let refusal = serde_json::from_str(refusal).unwrap_or_else(|_| json!([refusal]));
            let found = after(Dialect::default(), &refusal, 4_096).map(|(_, next)| next);
            assert_eq!(found.as_deref().unwrap_or("nothing"), expect, "{refusal}");
        }
        let too_large = json!({"message": "max_tokens is too large"});
        assert_eq!(
            after(Dialect::default(), &too_large, 300),
            None,
            "it has an end"
        );
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
                "This response_format type",
                "json_object, no temperature, no limit of tokens",
            ),
            (
                "json_object is newer",
                "no response_format, no temperature, no limit of tokens",
            ),
        ] {
            let (next, form) = after(dialect, &json!({"message": message}), 4_096).unwrap();
            assert_eq!(form, expect);
            dialect = next;
        }
        for message in [
            "max_tokens",
            "temperature",
            "response_format",
            "json_schema",
        ] {
            assert_eq!(
                after(dialect, &json!({"message": message}), 4_096),
                None,
                "{message}"
            );
        }
    }
}

use serde_json::{Map, Value};

const RESERVED: [&str; 8] = [
    "max_completion_tokens",
    "max_tokens",
    "messages",
    "model",
    "n",
    "response_format",
    "stream",
    "tools",
];

#[derive(Clone, Debug, Default, PartialEq)]
pub struct ExtraBody(Map<String, Value>);

#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ExtraBodyError {
    #[error("must be a JSON object such as {{\"reasoning_effort\":\"low\"}}: {0}")]
    NoObject(String),
    #[error("must not set {0:?}, which the program sets itself")]
    Reserved(&'static str),
}

impl ExtraBody {
    pub fn parse(text: &str) -> Result<Self, ExtraBodyError> {
        let fields: Map<String, Value> = serde_json::from_str(text)
            .map_err(|error| ExtraBodyError::NoObject(error.to_string()))?;
        match RESERVED.into_iter().find(|name| fields.contains_key(*name)) {
            Some(name) => Err(ExtraBodyError::Reserved(name)),
            None => Ok(Self(fields)),
        }
    }

    pub(crate) const fn fields(&self) -> &Map<String, Value> {
        &self.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_object_without_reserved_fields_is_taken() {
        let extra = ExtraBody::parse(r#" {"reasoning_effort":"low","a":{"n":1}} "#).unwrap();
        assert_eq!(extra.fields().len(), 2);
        assert_eq!(ExtraBody::parse("{}"), Ok(ExtraBody::default()));
        for (text, expect) in [
            (
                "",
                "must be a JSON object such as {\"reasoning_effort\":\"low\"}: EOF",
            ),
            ("[]", "must be a JSON object"),
            ("{\"a\":1", "must be a JSON object"),
            ("{\"a\":1} x", "must be a JSON object"),
            ("\"a\"", "must be a JSON object"),
        ] {
            let error = ExtraBody::parse(text).unwrap_err().to_string();
            assert!(error.starts_with(expect), "{error}");
        }
        for name in RESERVED {
            let error = ExtraBody::parse(&format!("{{\"{name}\":null}}")).unwrap_err();
            assert_eq!(
                error.to_string(),
                format!("must not set {name:?}, which the program sets itself")
            );
        }
    }
}

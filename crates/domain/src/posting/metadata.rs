//! `metadata`: a JSON object that is kept as text, so that what was sent comes back.

use std::sync::Arc;

use super::limits;
use crate::body::string_len;

/// A JSON object, as compact text: without insignificant white space, everything else (order
/// and repetition of keys, spelling of numbers and strings) as sent.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Metadata(Arc<str>);

/// Why a JSON value is no metadata.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum InvalidMetadata {
    /// It is of another type.
    #[error("must be an object")]
    NotAnObject,
    /// It nests deeper than [`limits::METADATA_DEPTH`].
    #[error("must not nest deeper than {} levels", limits::METADATA_DEPTH)]
    TooDeep,
    /// A string in it has the character U+0000, which not every store can keep.
    #[error("must not contain the character U+0000")]
    Nul,
    /// A string in it has one half of a surrogate pair, which is no character.
    #[error("must not contain an unpaired surrogate")]
    Surrogate,
}

impl Metadata {
    /// Takes the text of one JSON value. Text that is not JSON gives some error or a useless
    /// object, but nothing worse: whoever calls this has parsed it before.
    pub fn from_json(json: &str) -> Result<Self, InvalidMetadata> {
        if !json.starts_with('{') {
            return Err(InvalidMetadata::NotAnObject);
        }
        let mut compact = String::with_capacity(json.len());
        let mut depth = 0_usize;
        let mut rest = json;
        while let Some(at) = rest.find(['"', '{', '[', '}', ']', ' ', '\t', '\n', '\r']) {
            let (plain, from) = rest.split_at(at);
            compact.push_str(plain);
            let taken = match from.as_bytes()[0] {
                b'"' => {
                    let string = &from[..string_len(from)];
                    check_string(string)?;
                    compact.push_str(string);
                    string.len()
                }
                b' ' | b'\t' | b'\n' | b'\r' => 1,
                bracket => {
                    match bracket {
                        b'{' | b'[' => depth += 1,
                        _ => depth = depth.saturating_sub(1),
                    }
                    if depth > limits::METADATA_DEPTH {
                        return Err(InvalidMetadata::TooDeep);
                    }
                    compact.push(char::from(bracket));
                    1
                }
            };
            rest = &from[taken..];
        }
        compact.push_str(rest);
        Ok(Self(compact.into()))
    }

    /// Takes text back from a store, which got it from [`Self::as_str`].
    pub fn from_store(json: &str) -> Self {
        Self(json.into())
    }

    /// The object's JSON text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

/// Looks for escapes that stand for no storable character.
fn check_string(literal: &str) -> Result<(), InvalidMetadata> {
    let mut rest = literal;
    while let Some(at) = rest.find('\\') {
        let unit = |text: &str| {
            let hex = text.strip_prefix("\\u")?.get(..4)?;
            u16::from_str_radix(hex, 16).ok()
        };
        let escape = &rest[at..];
        let taken = match unit(escape) {
            Some(0) => return Err(InvalidMetadata::Nul),
            Some(0xD800..=0xDBFF) => match escape.get(6..).and_then(unit) {
                Some(0xDC00..=0xDFFF) => 12,
                _ => return Err(InvalidMetadata::Surrogate),
            },
            Some(0xDC00..=0xDFFF) => return Err(InvalidMetadata::Surrogate),
            Some(_) => 6,
            None => 2,
        };
        rest = escape.get(taken..).unwrap_or_default();
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn check(json: &str, expect: Result<&str, InvalidMetadata>) {
        let metadata = Metadata::from_json(json);
        assert_eq!(
            metadata.as_ref().map(Metadata::as_str).map_err(|e| *e),
            expect,
            "{json}"
        );
    }

    #[test]
    fn white_space_goes_and_everything_else_stays() {
        check(
            "{ \"b\" : [ 1.50 , 1e2 ],\n\t\"a\": \" x \\\" { \\\\\" }",
            Ok(r#"{"b":[1.50,1e2],"a":" x \" { \\"}"#),
        );
        check(r#"{"a":1,"a":2}"#, Ok(r#"{"a":1,"a":2}"#));
        check(r#"{"é":"🦀 ü"}"#, Ok(r#"{"é":"🦀 ü"}"#));
    }

    #[test]
    fn only_objects_are_metadata() {
        for json in ["[]", "1", "\"a\"", "true"] {
            check(json, Err(InvalidMetadata::NotAnObject));
        }
    }

    #[test]
    fn depth_is_limited() {
        let nested = |levels: usize| {
            format!(
                "{{\"a\":{}{}}}",
                "[".repeat(levels - 1),
                "]".repeat(levels - 1)
            )
        };
        assert!(Metadata::from_json(&nested(limits::METADATA_DEPTH)).is_ok());
        check(
            &nested(limits::METADATA_DEPTH + 1),
            Err(InvalidMetadata::TooDeep),
        );
    }

    #[test]
    fn what_no_store_can_keep_is_refused() {
        check(r#"{"a":"\u0000"}"#, Err(InvalidMetadata::Nul));
        check(r#"{"\u0000":1}"#, Err(InvalidMetadata::Nul));
        check(r#"{"a":["x\u0000"]}"#, Err(InvalidMetadata::Nul));
        check(r#"{"a":"\\u0000"}"#, Ok(r#"{"a":"\\u0000"}"#));
        check(r#"{"a":"\ud83e"}"#, Err(InvalidMetadata::Surrogate));
        check(r#"{"a":"\udd80\ud83e"}"#, Err(InvalidMetadata::Surrogate));
        check(r#"{"a":"\ud83e\udd80"}"#, Ok(r#"{"a":"\ud83e\udd80"}"#));
    }

    proptest! {
        #[test]
        fn compaction_keeps_the_value_and_is_idempotent(
            keys in prop::collection::vec((".*", any::<i64>()), 0..6)
        ) {
            let value: serde_json::Map<_, _> = keys
                .into_iter()
                .map(|(key, number)| (key.replace('\0', ""), number.into()))
                .collect();
            let value = serde_json::Value::Object(value);
            let compact = Metadata::from_json(&serde_json::to_string_pretty(&value).unwrap()).unwrap();
            prop_assert_eq!(serde_json::from_str::<serde_json::Value>(compact.as_str()).unwrap(), value);
            prop_assert_eq!(Metadata::from_json(compact.as_str()), Ok(compact));
        }

        #[test]
        fn no_text_panics(text in "\\{.*") {
            let _ = Metadata::from_json(&text);
        }
    }
}

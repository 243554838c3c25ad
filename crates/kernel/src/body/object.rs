//! JSON objects that are kept as text, so that they come back as sent.

use std::{borrow::Cow, collections::BTreeSet};

use super::vast::{is_vast, string_len};

/// The deepest nesting, the object itself included: deeper text breaks the parsers of readers.
const DEPTH: usize = 64;

/// The reason why a JSON value is no object that can be kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum InvalidObject {
    /// It is this instead.
    #[error("must be an object, not {0}")]
    NotAnObject(&'static str),
    /// It nests too deeply.
    #[error("must not nest deeper than {DEPTH} levels")]
    TooDeep,
    /// A string in it has the character U+0000, which not every store can keep.
    #[error("must not contain the character U+0000")]
    Nul,
    /// A number in it is too large for a double (RFC 7493 §2.2).
    #[error("must not contain numbers that are too large for a double")]
    Number,
    /// An object in it has two members of one name (RFC 7493 §2.3).
    #[error("must not have the same name twice in one object")]
    Repeated,
    /// A string in it has one half of a surrogate pair, which is no character.
    #[error("must not contain an unpaired surrogate")]
    Surrogate,
}

/// The text of a JSON object without insignificant white space, otherwise as sent: order of names,
/// spelling of numbers and strings. Input that parsers disagree about is refused (I-JSON, RFC
/// 7493).
///
/// The caller has parsed the text before; what is not JSON gives an error or a meaningless object,
/// nothing worse.
///
/// An empty list counts as an empty object: PHP cannot tell them apart.
pub fn compact_object(json: &str) -> Result<String, InvalidObject> {
    if is_empty_list(json) {
        return Ok("{}".to_owned());
    }
    if !json.starts_with('{') {
        return Err(InvalidObject::NotAnObject(kind(json)));
    }
    let mut compact = String::with_capacity(json.len());
    // The names so far in each object that is open; none in an array.
    let mut names: Vec<BTreeSet<Cow<'_, str>>> = Vec::new();
    let mut rest = json;
    while let Some(at) = rest.find(['"', '{', '[', '}', ']', ' ', '\t', '\n', '\r']) {
        let (plain, from) = rest.split_at(at);
        check_numbers(plain)?;
        compact.push_str(plain);
        let taken = match from.as_bytes()[0] {
            b'"' => {
                let string = &from[..string_len(from)];
                check_string(string)?;
                let is_name = from[string.len()..].trim_ascii_start().starts_with(':');
                if is_name
                    && let Some(names) = names.last_mut()
                    && !names.insert(unescaped(string))
                {
                    return Err(InvalidObject::Repeated);
                }
                compact.push_str(string);
                string.len()
            }
            b' ' | b'\t' | b'\n' | b'\r' => 1,
            bracket => {
                match bracket {
                    b'{' | b'[' => names.push(BTreeSet::new()),
                    _ => drop(names.pop()),
                }
                if names.len() > DEPTH {
                    return Err(InvalidObject::TooDeep);
                }
                compact.push(char::from(bracket));
                1
            }
        };
        rest = &from[taken..];
    }
    check_numbers(rest)?;
    compact.push_str(rest);
    Ok(compact)
}

/// The type of a JSON value that is no object.
fn kind(json: &str) -> &'static str {
    match json.as_bytes().first() {
        Some(b'"') => "a string",
        Some(b'[') => "an array",
        Some(b't' | b'f') => "a boolean",
        _ => "a number",
    }
}

fn is_empty_list(json: &str) -> bool {
    let inner = json
        .strip_prefix('[')
        .and_then(|rest| rest.strip_suffix(']'));
    inner.is_some_and(|inner| inner.trim_ascii().is_empty())
}

/// Looks for numbers between other tokens.
fn check_numbers(plain: &str) -> Result<(), InvalidObject> {
    if plain.split([':', ',']).any(is_vast) {
        Err(InvalidObject::Number)
    } else {
        Ok(())
    }
}

/// The value of a string literal.
fn unescaped(literal: &str) -> Cow<'_, str> {
    if literal.contains('\\')
        && let Ok(text) = serde_json::from_str(literal)
    {
        return Cow::Owned(text);
    }
    Cow::Borrowed(literal.trim_matches('"'))
}

/// Finds escapes that encode no storable character.
fn check_string(literal: &str) -> Result<(), InvalidObject> {
    let mut rest = literal;
    while let Some(at) = rest.find('\\') {
        let unit = |text: &str| {
            let hex = text.strip_prefix("\\u")?.get(..4)?;
            u16::from_str_radix(hex, 16).ok()
        };
        let escape = &rest[at..];
        let taken = match unit(escape) {
            Some(0) => return Err(InvalidObject::Nul),
            Some(0xD800..=0xDBFF) => match escape.get(6..).and_then(unit) {
                Some(0xDC00..=0xDFFF) => 12,
                _ => return Err(InvalidObject::Surrogate),
            },
            Some(0xDC00..=0xDFFF) => return Err(InvalidObject::Surrogate),
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

    fn check(json: &str, expect: Result<&str, InvalidObject>) {
        let compact = compact_object(json);
        assert_eq!(compact.as_deref().map_err(|e| *e), expect, "{json}");
    }

    #[test]
    fn white_space_goes_and_everything_else_stays() {
        check(
            "{ \"b\" : [ 1.50 , 1e2 ],\n\t\"a\": \" x \\\" { \\\\\" }",
            Ok(r#"{"b":[1.50,1e2],"a":" x \" { \\"}"#),
        );
        check(r#"{"é":"🦀 ü"}"#, Ok(r#"{"é":"🦀 ü"}"#));
    }

    #[test]
    fn only_objects_are_taken() {
        for (json, kind) in [
            ("[1]", "an array"),
            ("[{}]", "an array"),
            ("-1", "a number"),
            ("\"a\"", "a string"),
            ("true", "a boolean"),
        ] {
            check(json, Err(InvalidObject::NotAnObject(kind)));
        }
        for json in ["{}", "[]", "[ \n\t]"] {
            check(json, Ok("{}"));
        }
    }

    #[test]
    fn a_name_is_there_once() {
        let repeated = Err(InvalidObject::Repeated);
        check(
            r#"{"a":1,"b":{"a":[{"a":1},{"a":2},"a","a"]},"A":2}"#,
            Ok(r#"{"a":1,"b":{"a":[{"a":1},{"a":2},"a","a"]},"A":2}"#),
        );
        check(r#"{"a":1,"a":2}"#, repeated);
        check(r#"{"a":{"b":"c"},"a" : 1}"#, repeated);
        check(r#"{"x":[{"é":1,"\u00e9":1}]}"#, repeated);
        check(r#"{"":1,"":1}"#, repeated);
        check(r#"{"a":1,"a\"":2,"\"":3}"#, Ok(r#"{"a":1,"a\"":2,"\"":3}"#));
    }

    #[test]
    fn numbers_fit_a_double() {
        let long = "9".repeat(5_000);
        for number in ["1e400", "-1E+400", "1.8e308", &"9".repeat(309), &long] {
            for json in [
                format!("{{\"a\":{number}}}"),
                format!("{{\"a\":[1, {number} ,2]}}"),
                format!("{{\"a\":[1,{number}]}}"),
            ] {
                check(&json, Err(InvalidObject::Number));
            }
        }
        let decimals = format!("0.{long}");
        for number in ["1.7e308", "-1e-400", "18446744073709551616", &decimals] {
            let json = format!("{{\"a\":{number},\"1e400\":\"1e400\"}}");
            check(&json, Ok(&json));
        }
    }

    #[test]
    fn depth_is_limited() {
        let nested = |n: usize| format!(r#"{{"a":{}{}}}"#, "[".repeat(n), "]".repeat(n));
        assert!(compact_object(&nested(63)).is_ok());
        check(&nested(64), Err(InvalidObject::TooDeep));
    }

    #[test]
    fn what_no_store_can_keep_is_refused() {
        check(r#"{"a":"\u0000"}"#, Err(InvalidObject::Nul));
        check(r#"{"\u0000":1}"#, Err(InvalidObject::Nul));
        check(r#"{"a":["x\u0000"]}"#, Err(InvalidObject::Nul));
        check(r#"{"a":"\\u0000"}"#, Ok(r#"{"a":"\\u0000"}"#));
        check(r#"{"a":"\ud83e"}"#, Err(InvalidObject::Surrogate));
        check(r#"{"a":"\udd80\ud83e"}"#, Err(InvalidObject::Surrogate));
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
            let compact = compact_object(&serde_json::to_string_pretty(&value).unwrap()).unwrap();
            prop_assert_eq!(serde_json::from_str::<serde_json::Value>(&compact).unwrap(), value);
            prop_assert_eq!(compact_object(&compact), Ok(compact));
        }

        #[test]
        fn no_text_panics(text in "\\{.*") {
            let _ = compact_object(&text);
        }
    }
}

//! JSON objects kept as text, so that they are returned as sent.

use std::{borrow::Cow, collections::BTreeSet};

use super::vast::{is_vast, string_len};

/// The deepest nesting, outermost object included: deeper text breaks readers' parsers.
const DEPTH: usize = 64;

#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum InvalidObject {
    /// The text is a value of this type instead.
    #[error("must be an object, not {0}")]
    NotAnObject(&'static str),
    /// It nests too deeply.
    #[error("must not nest deeper than {DEPTH} levels")]
    TooDeep,
    /// A string contains U+0000, which not every store accepts.
    #[error("must not contain the character U+0000")]
    Nul,
    /// A number is too large for a double (RFC 7493 §2.2).
    #[error("must not contain numbers that are too large for a double")]
    Number,
    /// An object repeats a name (RFC 7493 §2.3).
    #[error("must not have the same name twice in one object")]
    Repeated,
    /// A string contains half a surrogate pair, which is no character.
    #[error("must not contain an unpaired surrogate")]
    Surrogate,
}

/// The text of a JSON object without insignificant white space. Its order, and the spelling of
/// numbers and strings, stay as sent. Input that parsers disagree about is refused (I-JSON, RFC
/// 7493).
///
/// The caller must pass valid JSON. Any other text gives an error or a meaningless object.
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
    // The names so far in each open object; empty for arrays.
    let mut names: Vec<BTreeSet<Cow<'_, str>>> = Vec::new();
    let mut rest = json;
    while let Some(at) = rest.find(['"', '{', '[', '}', ']', ' ', '\t', '\n', '\r']) {
        let (plain, from) = rest.split_at(at);
        check_numbers(plain)?;
        compact.push_str(plain);
        let taken = match from.as_bytes()[0] {
            b'"' => {
                let string = &from[..string_len(from)];
                let text = unescaped(string)?;
                let is_name = from[string.len()..].trim_ascii_start().starts_with(':');
                if is_name
                    && let Some(names) = names.last_mut()
                    && !names.insert(text)
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

fn check_numbers(plain: &str) -> Result<(), InvalidObject> {
    if plain.split([':', ',']).any(is_vast) {
        Err(InvalidObject::Number)
    } else {
        Ok(())
    }
}

fn unescaped(literal: &str) -> Result<Cow<'_, str>, InvalidObject> {
    if !literal.contains('\\') {
        return Ok(Cow::Borrowed(literal.trim_matches('"')));
    }
    // The only escape that the parser refuses is half of a surrogate pair.
    let text: String = serde_json::from_str(literal).map_err(|_| InvalidObject::Surrogate)?;
    if text.contains('\0') {
        return Err(InvalidObject::Nul);
    }
    Ok(Cow::Owned(text))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn an_object_comes_back_as_sent_without_white_space() {
        for (json, expect) in [
            (
                "{ \"b\" : [ 1.50 , 1e2 ],\n\t\"a\": \" x \\\" { \\\\\" }",
                r#"{"b":[1.50,1e2],"a":" x \" { \\"}"#,
            ),
            (r#"{"é":"🦀 ü"}"#, r#"{"é":"🦀 ü"}"#),
            ("[ \n\t]", "{}"),
        ] {
            assert_eq!(compact_object(json).as_deref(), Ok(expect), "{json}");
        }
        let decimals = format!(r#"{{"a":0.{}}}"#, "9".repeat(5_000));
        for json in [
            "{}",
            r#"{"a":1,"b":{"a":[{"a":1},{"a":2},"a","a"]},"A":2}"#,
            r#"{"a":1,"a\"":2,"\"":3}"#,
            r#"{"a":[1.7e308,-1e-400,18446744073709551616],"1e400":"1e400"}"#,
            &decimals,
            r#"{"a":"\\u0000"}"#,
            r#"{"a":"\ud83e\udd80"}"#,
            &nested(63),
        ] {
            assert_eq!(compact_object(json).as_deref(), Ok(json));
        }
    }

    fn nested(depth: usize) -> String {
        format!(r#"{{"a":{}{}}}"#, "[".repeat(depth), "]".repeat(depth))
    }

    #[test]
    fn what_parsers_disagree_about_or_stores_cannot_keep_is_refused() {
        use InvalidObject::{NotAnObject, Nul, Number, Repeated, Surrogate, TooDeep};
        let nines = |length| format!(r#"{{"a":[1, {} ,2]}}"#, "9".repeat(length));
        for (json, error) in [
            ("[1]", NotAnObject("an array")),
            ("[{}]", NotAnObject("an array")),
            ("-1", NotAnObject("a number")),
            ("\"a\"", NotAnObject("a string")),
            ("true", NotAnObject("a boolean")),
            (r#"{"a":1,"a":2}"#, Repeated),
            (r#"{"a":{"b":"c"},"a" : 1}"#, Repeated),
            (r#"{"x":[{"é":1,"\u00e9":1}]}"#, Repeated),
            (r#"{"":1,"":1}"#, Repeated),
            (r#"{"a":1e400}"#, Number),
            (r#"{"a":[1,-1E+400]}"#, Number),
            (r#"{"a":[1, 1.8e308 ,2]}"#, Number),
            (&nines(309), Number),
            (&nines(5_000), Number),
            (&nested(64), TooDeep),
            (r#"{"a":"\u0000"}"#, Nul),
            (r#"{"\u0000":1}"#, Nul),
            (r#"{"a":["x\u0000"]}"#, Nul),
            (r#"{"a":"\ud83e"}"#, Surrogate),
            (r#"{"a":"\udd80\ud83e"}"#, Surrogate),
        ] {
            assert_eq!(compact_object(json), Err(error), "{json}");
        }
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

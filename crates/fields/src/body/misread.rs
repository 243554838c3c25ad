//! Errors in valid JSON that the parser reports without the field: a repeated field, and half of a
//! surrogate pair.

use serde::de::IgnoredAny;

use super::{
    members::NAME,
    tokens::{TokenKind, Tokens},
};
use crate::line::shown;

pub const HALF_OF_PAIR: &str = "has one half of a surrogate pair, which is no character; remove it";

/// Explains the parser's error with the field and a remedy. A place in valid JSON is left out,
/// because the text may be a part of a line.
pub(super) fn cause(json: &str, error: &serde_json::Error) -> String {
    let message = error.to_string();
    if serde_json::from_str::<IgnoredAny>(json).is_err() {
        return message;
    }
    let lines = json.split_inclusive('\n').map(str::len);
    let start: usize = lines.take(error.line().saturating_sub(1)).sum();
    match field_before(json, start + error.column()) {
        Some(field) if error.is_data() => format!("{field} is given twice; send it once"),
        Some(field) => format!("{field} {HALF_OF_PAIR}"),
        None => {
            let why = message.split(" at line ").next();
            why.unwrap_or_default().to_owned()
        }
    }
}

enum Step {
    Name(String),
    Index(usize),
}

/// The path of the string that begins last before `end`.
fn field_before(json: &str, end: usize) -> Option<String> {
    let mut path: Vec<Step> = Vec::new();
    let mut is_string = false;
    let mut tokens = Tokens::from(json.as_bytes(), 0).peekable();
    while let Some(token) = tokens.next_if(|token| token.at < end) {
        is_string = matches!(token.kind, TokenKind::Text { .. });
        let is_name = tokens.peek().is_some_and(|it| it.kind == TokenKind::Colon);
        match (token.kind, path.last_mut()) {
            (TokenKind::Open, _) => path.push(match token.text {
                b"[" => Step::Index(0),
                _ => Step::Name(String::new()),
            }),
            (TokenKind::Close, _) => drop(path.pop()),
            (TokenKind::Comma, Some(Step::Index(index))) => *index += 1,
            (TokenKind::Text { .. }, Some(Step::Name(name))) if is_name => {
                let text = String::from_utf8_lossy(token.text);
                let read = serde_json::from_str::<String>(&text);
                *name = shown(read.as_deref().unwrap_or(text.trim_matches('"')), NAME);
            }
            _ => {}
        }
    }
    let path: Vec<_> = path
        .into_iter()
        .map(|step| match step {
            Step::Name(name) => name,
            Step::Index(index) => index.to_string(),
        })
        .collect();
    is_string.then(|| path.join("."))
}

#[cfg(test)]
mod tests {
    use crate::body::{parse, unknown::tests::Known};

    #[test]
    fn the_field_and_its_cure_are_named() {
        let twice = "is given twice; send it once";
        let half = "has one half of a surrogate pair, which is no character; remove it";
        for (body, field, why) in [
            (
                r#"{"title":"A","salary_min":1e400,"title" : "B"}"#,
                "title",
                twice,
            ),
            (
                "{\n \"x\":[{}],\n \"title\":1,\n \"title\":1}",
                "title",
                twice,
            ),
            (r#"{"latitude":1,"latitude":1}"#, "latitude", twice),
            (
                r#"{"company":{"name":"A","x":{},"name":"B"}}"#,
                "company.name",
                twice,
            ),
            (r#"{"x":"\udc00","title":"a\ud83d"}"#, "title", half),
            (
                r#"{"x":[1,{"title":2}],"company":{"name":"\udc00\u0041"}}"#,
                "company.name",
                half,
            ),
            (r#"{"title":"A","x\udc00":1}"#, r"x\udc00", half),
        ] {
            let error = parse::<Known>(body).unwrap_err();
            let expect = format!("The body is not valid JSON: {field} {why}.");
            assert_eq!(error.to_string(), expect, "{body}");
        }
    }
}

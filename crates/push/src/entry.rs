use std::collections::HashMap;

use serde::{Deserialize, de::IgnoredAny};
use serde_json::value::RawValue;

#[derive(Debug, Deserialize)]
pub struct Entry<'a> {
    #[serde(borrow)]
    pub id: &'a RawValue,
    #[serde(borrow)]
    pub payload: &'a RawValue,
}

/// A reject whose payload is the text of an unreadable line. Other lines with a text as their
/// payload are written the same way.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Unread {
    #[serde(rename = "id")]
    _id: IgnoredAny,
    payload: String,
    #[serde(rename = "status")]
    _status: IgnoredAny,
    #[serde(rename = "message")]
    _message: IgnoredAny,
    #[serde(rename = "errors")]
    _errors: IgnoredAny,
}

/// Appends the line without a line break. Keeps only identifier and payload, so that rejects can be
/// pushed as they are. An unreadable line of rejects is sent as its text. The service refuses any
/// text that is not an [`Entry`].
pub fn write_line(text: &[u8], reopens: bool, body: &mut Vec<u8>) {
    if let Ok(Unread { payload, .. }) = serde_json::from_slice(text) {
        let line = payload.replace(['\n', '\r'], " ");
        return write_entry(line.as_bytes(), reopens, body);
    }
    write_entry(text, reopens, body);
}

fn write_entry(text: &[u8], reopens: bool, body: &mut Vec<u8>) {
    let Ok(Entry { id, payload }) = serde_json::from_slice(text) else {
        body.extend(text);
        return;
    };
    body.extend(b"{\"id\":");
    body.extend(id.get().as_bytes());
    body.extend(b",\"payload\":");
    match Some(payload.get()).filter(|_| reopens).and_then(reopening) {
        Some(members) => {
            body.extend(b"{\"expiration\":null");
            if !members.starts_with('}') {
                body.push(b',');
            }
            body.extend(members.as_bytes());
        }
        None => body.extend(payload.get().as_bytes()),
    }
    body.push(b'}');
}

pub fn is_end(text: &[u8]) -> bool {
    let members = text.trim_ascii_start().strip_prefix(b"{");
    members.is_some_and(|members| members.trim_ascii_start().starts_with(b"\"end\""))
}

/// The text after the opening brace of a payload, unless it has the member `expiration`.
fn reopening(payload: &str) -> Option<&str> {
    let members = payload.strip_prefix('{')?.trim_start();
    let names: HashMap<String, &RawValue> = serde_json::from_str(payload).ok()?;
    (!names.contains_key("expiration")).then_some(members)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sent(text: &str, reopens: bool) -> String {
        let mut body = Vec::new();
        write_line(text.as_bytes(), reopens, &mut body);
        String::from_utf8(body).unwrap()
    }

    #[test]
    fn what_is_sent_keeps_its_spelling() {
        let payload = r#"{"salary_min":1.50e3, "big":123456789012345678901234567890,"t":"\u00e9"}"#;
        let line =
            format!(r#"{{"payload": {payload} , "id":"\u0061","status":422,"errors":{{}}}}"#);
        let expect = format!(r#"{{"id":"\u0061","payload":{payload}}}"#);
        assert_eq!(sent(&line, false), expect);
        for other in [
            "nonsense",
            r#"{"id":"a"}"#,
            r#"{"id":"a","payload":{},"id":"b"}"#,
            "[]",
        ] {
            assert_eq!(sent(other, true), other);
        }
        let deep = format!(r#"{{"a":{}{}}}"#, "[".repeat(100_000), "]".repeat(100_000));
        let line = format!(r#"{{"id":"a","payload":{deep}}}"#);
        assert_eq!(sent(&line, false), line);
        let with = deep.replacen('{', r#"{"expiration":null,"#, 1);
        assert_eq!(
            sent(&line, true),
            format!(r#"{{"id":"a","payload":{with}}}"#)
        );
    }

    #[test]
    fn a_payload_without_expiration_gets_one() {
        for (payload, expect) in [
            ("{}", r#"{"expiration":null}"#),
            ("{ }", r#"{"expiration":null}"#),
            (r#"{ "n": 1.0 }"#, r#"{"expiration":null,"n": 1.0 }"#),
            (
                r#"{"company":{"expiration":1}}"#,
                r#"{"expiration":null,"company":{"expiration":1}}"#,
            ),
            (r#"{"expiration":{}}"#, r#"{"expiration":{}}"#),
            (r#"{"expiration":null}"#, r#"{"expiration":null}"#),
            (r#"{"e\u0078piration":{}}"#, r#"{"e\u0078piration":{}}"#),
            ("[1]", "[1]"),
            ("null", "null"),
            (r#""{""#, r#""{""#),
        ] {
            let line = format!(r#"{{"id":"a","payload":{payload}}}"#);
            let expect = format!(r#"{{"id":"a","payload":{expect}}}"#);
            assert_eq!(sent(&line, true), expect);
        }
    }
}

//! Tables of requests that are refused.

use super::{BODY_LIMIT, INTERNALS, Response, TestApp, posting, request};

pub fn assert_is_error(response: &Response, status: u16, name: &str) {
    assert_eq!(response.status, status, "{name}: {response:?}");
    assert!(!response.message().is_empty(), "{name}");
    assert!(!response.text().contains(INTERNALS), "{name}: {response:?}");
    assert!(response.header("X-Request-Id").is_some(), "{name}");
    let options = response.header("X-Content-Type-Options");
    assert_eq!(options, Some("nosniff"), "{name}");
}

/// Sends the requests of a table below `base`, and compares the answers. A line has these columns:
///
/// ```text
/// METHOD PATH; Header: value | body | status | part of the message | Header: part of its value
/// ```
///
/// A body is JSON, a type and a colon before the content, `posting` for a valid new posting, or
/// empty for no body. `LARGE` is a text that exceeds the body limit.
pub async fn check(app: &TestApp, token: Option<&str>, base: &str, table: &str) {
    for line in table.lines().filter(|line| !line.trim().is_empty()) {
        let mut columns = line.split('|').map(str::trim);
        let mut next = || columns.next().unwrap_or_default();
        let (sent, body, status, says, header) = (next(), next(), next(), next(), next());
        let mut parts = sent.split("; ");
        let target = parts.next().unwrap();
        let (method, path) = target.split_once(' ').unwrap_or((target, ""));
        let mut sent = request(method, &format!("{base}{}", path.trim()));
        if let Some(token) = token {
            sent = sent.token(token);
        }
        for header in parts {
            let (name, value) = header.split_once(": ").unwrap();
            sent = sent.header(name, value);
        }
        sent = match body.split_once(':') {
            None if body.is_empty() => sent,
            None if body == "posting" => sent.json(&posting()),
            Some((kind, text)) if !body.starts_with(['{', '[']) => {
                let text = text.trim().replace("LARGE", &"x".repeat(BODY_LIMIT + 1));
                sent.header("Content-Type", kind).body(text)
            }
            _ => sent.header("Content-Type", "application/json").body(body),
        };
        let response = sent.send(app).await;
        assert_is_error(&response, status.parse().unwrap(), line);
        assert!(response.message().contains(says), "{line}: {response:?}");
        if let Some((name, part)) = header.split_once(": ") {
            let value = response.header(name).unwrap_or_default();
            assert!(value.contains(part), "{line}: {response:?}");
        }
    }
}

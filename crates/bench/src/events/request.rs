//! Requests for events, and what their answers say.

use anyhow::{Context, Result};
use serde_json::Value;

use crate::http::Connection;
use crate::service::Service;

/// The page size, the largest that is allowed.
pub const LIMIT: u32 = 1_000;

/// The headers of a request for events.
pub fn headers(service: &Service) -> String {
    format!("Authorization: Bearer {}\r\n", service.token)
}

/// Method and target of a request for events.
pub fn target(after: Option<&str>, wait: u32) -> String {
    let after = after.map_or_else(String::new, |after| format!("&after={after}"));
    format!("GET /api/job-board/events?limit={LIMIT}&wait={wait}{after}")
}

/// The cursor for the next request.
pub fn next_cursor(body: &str) -> Result<String> {
    const NAME: &str = r#""next_cursor":""#;
    let start = body.rfind(NAME).context("no next_cursor")? + NAME.len();
    let rest = body.get(start..).unwrap_or_default();
    let (cursor, _) = rest.split_once('"').context("next_cursor does not end")?;
    Ok(cursor.to_owned())
}

/// The cursor of the end of the log.
pub fn end(service: &Service) -> Result<String> {
    let mut connection = Connection::open(service.address)?;
    let target = target(Some("latest"), 0);
    let (status, body) = connection.exchange(&target, &headers(service), "")?;
    anyhow::ensure!(status == 200, "no end of the log: {status} {body}");
    next_cursor(&body)
}

/// The events in an answer.
pub fn data(body: &str) -> Result<Vec<Value>> {
    let mut answer: Value = serde_json::from_str(body)?;
    match answer.get_mut("data").map(Value::take) {
        Some(Value::Array(events)) => Ok(events),
        _ => anyhow::bail!("an answer without data"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_cursor_stands_behind_the_events() {
        let body = r#"{"data":[{"id":"1-1","data":{"status_reason":"x"}}],"next_cursor":"1-2"}"#;
        assert_eq!(next_cursor(body).unwrap(), "1-2");
        assert_eq!(data(body).unwrap().len(), 1);
        assert!(next_cursor("{}").is_err());
    }
}

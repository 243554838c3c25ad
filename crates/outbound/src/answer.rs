use std::{
    error::Error,
    time::{Duration, SystemTime},
};

use reqwest::{
    Response,
    header::{HeaderMap, RETRY_AFTER},
};
use secrecy::{ExposeSecret, SecretString};

const LONGEST_LINE: usize = 400;

#[derive(Debug, thiserror::Error)]
pub enum Unread {
    #[error("is too long")]
    TooLong,
    #[error("broke off: {}", cause(.0))]
    BrokeOff(reqwest::Error),
}

pub async fn body(mut response: Response, limit: usize) -> Result<Vec<u8>, Unread> {
    let mut body = Vec::new();
    loop {
        match response.chunk().await {
            Ok(Some(chunk)) if body.len() + chunk.len() <= limit => body.extend(chunk),
            Ok(None) => return Ok(body),
            Ok(Some(_)) => return Err(Unread::TooLong),
            Err(error) => return Err(Unread::BrokeOff(error)),
        }
    }
}

/// The root cause of an error. The errors above it say less, and one of them contains the URL.
pub fn cause(error: &reqwest::Error) -> String {
    if error.is_timeout() {
        let what = if error.is_connect() {
            "the connection timed out"
        } else {
            "the answer timed out"
        };
        return what.to_owned();
    }
    let mut cause: &dyn Error = error;
    while let Some(deeper) = cause.source() {
        cause = deeper;
    }
    match cause.downcast_ref::<reqwest::Error>() {
        Some(_) => "the request failed".to_owned(),
        None => cause.to_string(),
    }
}

/// The wait in `Retry-After` (RFC 9110 §10.2.3), as seconds or until a date.
pub fn retry_after(headers: &HeaderMap) -> Option<Duration> {
    let text = headers.get(RETRY_AFTER)?.to_str().ok()?.trim();
    if let Ok(seconds) = text.parse() {
        return Some(Duration::from_secs(seconds));
    }
    let date = httpdate::parse_http_date(text).ok()?;
    Some(date.duration_since(SystemTime::now()).unwrap_or_default())
}

/// Returns one line of at most 400 characters for an operator. The key is removed.
pub fn line(text: &str, key: Option<&SecretString>) -> String {
    let text = match key.map(ExposeSecret::expose_secret) {
        None | Some("") => text.to_owned(),
        Some(key) => text.replace(key, "[key]"),
    };
    let line = text.replace(char::is_control, " ");
    match line.char_indices().nth(LONGEST_LINE - 1) {
        Some((end, _)) if line.chars().count() > LONGEST_LINE => format!("{}…", &line[..end]),
        _ => line,
    }
}

#[cfg(test)]
mod tests {
    use reqwest::header::HeaderValue;

    use super::*;

    #[test]
    fn retry_after_is_seconds_or_a_date() {
        let read = |text: &'static str| {
            let headers = HeaderMap::from_iter([(RETRY_AFTER, HeaderValue::from_static(text))]);
            retry_after(&headers)
        };
        assert_eq!(read("7"), Some(Duration::from_secs(7)));
        assert_eq!(read(" 0 "), Some(Duration::ZERO));
        assert_eq!(
            read("Sun, 06 Nov 1994 08:49:37 GMT"),
            Some(Duration::ZERO),
            "in the past"
        );
        for far in ["Tue, 31 Dec 2199 23:59:59 GMT", "18446744073709551615"] {
            assert!(read(far) > Some(Duration::from_hours(24)), "{far}");
        }
        for none in ["soon", "-1", "1.5", ""] {
            assert_eq!(read(none), None, "{none:?}");
        }
        assert_eq!(retry_after(&HeaderMap::new()), None);
    }

    #[test]
    fn a_line_is_one_of_a_bounded_length_without_the_key() {
        let key = "sesame".into();
        assert_eq!(line("a\r\nsesame\u{1b}b", Some(&key)), "a  [key] b");
        assert_eq!(line("a sesame", None), "a sesame");
        assert_eq!(line("as it is", Some(&"".into())), "as it is");
        let fits = "ä".repeat(LONGEST_LINE);
        assert_eq!(line(&fits, None), fits);
        let cut = line(&format!("{fits}ä"), None);
        assert_eq!(cut.chars().count(), LONGEST_LINE);
        assert!(cut.ends_with("ä…"), "{cut}");
    }
}

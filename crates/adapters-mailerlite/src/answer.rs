//! What an answer means, and the lack of one.

use std::{error::Error, time::Duration};

use domain::subscriber::{
    Email,
    provider::{Found, ProviderError},
};
use reqwest::{
    Response, StatusCode,
    header::{HeaderMap, RETRY_AFTER},
};
use time::{
    OffsetDateTime, PrimitiveDateTime, format_description::BorrowedFormatItem,
    macros::format_description,
};

use crate::wire::{Complaint, Envelope};

/// As much of an answer is read; a person with every group of an account is far smaller.
const LARGEST: usize = 1024 * 1024;

/// Whoever asks to be left alone for longer is asked again after this time.
const LONGEST_WAIT: Duration = Duration::from_hours(24);

/// An answer that came in full.
#[derive(Debug)]
pub struct Answer {
    status: StatusCode,
    after: Option<Duration>,
    body: Vec<u8>,
}

impl Answer {
    /// Reads an answer to its end.
    pub async fn read(mut response: Response) -> Result<Self, ProviderError> {
        let status = response.status();
        let after = retry_after(response.headers());
        let mut body = Vec::new();
        loop {
            match response.chunk().await {
                Ok(Some(chunk)) if body.len() + chunk.len() <= LARGEST => body.extend(chunk),
                Ok(None) => break,
                Ok(Some(_)) => {
                    let message = format!("the provider's answer ({status}) is too long");
                    return Err(ProviderError::Retry { message, after });
                }
                Err(error) => {
                    let cause = cause(&error);
                    let message = format!("the provider's answer ({status}) broke off: {cause}");
                    return Err(ProviderError::Retry { message, after });
                }
            }
        }
        Ok(Self {
            status,
            after,
            body,
        })
    }

    /// Whether it was done.
    pub fn is_success(&self) -> bool {
        self.status.is_success()
    }

    /// Whether there is nobody.
    pub fn is_nobody(&self) -> bool {
        self.status == StatusCode::NOT_FOUND && !self.complaint().is_of_address()
    }

    /// Whether nothing is taken in because the person is suppressed.
    pub fn is_suppression_of(&self, email: &Email) -> bool {
        self.status == StatusCode::UNPROCESSABLE_ENTITY && self.complaint().is_of_suppression(email)
    }

    /// The person that was answered.
    pub fn found(&self) -> Result<Found, ProviderError> {
        serde_json::from_slice(&self.body)
            .ok()
            .and_then(Envelope::found)
            .ok_or_else(|| ProviderError::Retry {
                message: format!("the provider answered {} without a person", self.status),
                after: self.after,
            })
    }

    /// The failure that it is.
    pub fn error(&self) -> ProviderError {
        let status = self.status;
        if status.is_redirection() {
            return ProviderError::Locked(format!(
                "the provider answered {status}; no redirect is followed: check the base URL"
            ));
        }
        let mut message = format!("the provider answered {status}");
        let complaint = self.complaint().text();
        if !complaint.is_empty() {
            message.extend([": ", &complaint]);
        }
        match status {
            StatusCode::UNAUTHORIZED | StatusCode::FORBIDDEN => ProviderError::Locked(message),
            StatusCode::REQUEST_TIMEOUT | StatusCode::TOO_MANY_REQUESTS => self.retry(message),
            _ if status.is_client_error() => ProviderError::Permanent(message),
            _ => self.retry(message),
        }
    }

    fn retry(&self, message: String) -> ProviderError {
        let after = self.after;
        ProviderError::Retry { message, after }
    }

    /// What is wrong; nothing where that is not said in JSON.
    fn complaint(&self) -> Complaint {
        Complaint::read(&self.body)
    }
}

/// No answer came.
pub fn no_answer(error: &reqwest::Error) -> ProviderError {
    let message = format!("no answer from the provider: {}", cause(error));
    if error.is_builder() {
        return ProviderError::Permanent(message);
    }
    ProviderError::Retry {
        message,
        after: None,
    }
}

/// The first cause. Those above it say less, and one of them says the whole address.
fn cause(error: &reqwest::Error) -> String {
    if error.is_timeout() {
        let what = if error.is_connect() {
            "no connection in time"
        } else {
            "not in time"
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

/// `Retry-After` (RFC 9110 §10.2.3): seconds, or a date.
fn retry_after(headers: &HeaderMap) -> Option<Duration> {
    const DATE: &[BorrowedFormatItem<'_>] = format_description!(
        "[weekday repr:short], [day] [month repr:short] [year] [hour]:[minute]:[second] GMT"
    );
    let text = headers.get(RETRY_AFTER)?.to_str().ok()?.trim();
    let wait = if let Ok(seconds) = text.parse() {
        Duration::from_secs(seconds)
    } else {
        let date = PrimitiveDateTime::parse(text, DATE).ok()?.assume_utc();
        let wait = date - OffsetDateTime::now_utc();
        wait.try_into().unwrap_or_default()
    };
    Some(wait.min(LONGEST_WAIT))
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
        for far in ["Fri, 31 Dec 2199 23:59:59 GMT", "18446744073709551615"] {
            assert_eq!(read(far), Some(LONGEST_WAIT), "{far}");
        }
        for none in ["soon", "-1", "1.5", ""] {
            assert_eq!(read(none), None, "{none:?}");
        }
        assert_eq!(retry_after(&HeaderMap::new()), None);
    }
}

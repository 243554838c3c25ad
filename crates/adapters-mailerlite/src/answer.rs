use std::time::Duration;

use newsletter::subscriber::{
    Email,
    provider::{Found, ProviderError},
};
use reqwest::{Response, StatusCode};
use serde_json::Value;

use crate::{complaint::Complaint, person, rate_limiter::Allowance};

/// The largest answer in bytes. A page of subscribers with every field is far smaller.
const LARGEST: usize = 4 * 1024 * 1024;

/// The longest pause after a rate limit. Limits count by the minute.
const LONGEST_REST: Duration = Duration::from_hours(1);

/// The longest pause for other failures, which may concern only one request.
const LONGEST_WAIT: Duration = Duration::from_mins(5);

#[derive(Debug)]
pub struct Answer {
    status: StatusCode,
    after: Option<Duration>,
    allowance: Option<Allowance>,
    body: Vec<u8>,
}

impl Answer {
    pub async fn read(response: Response) -> Result<Self, ProviderError> {
        let status = response.status();
        let after = outbound::retry_after(response.headers());
        let allowance = Allowance::read(response.headers());
        match outbound::body(response, LARGEST).await {
            Ok(body) => Ok(Self {
                status,
                after,
                allowance,
                body,
            }),
            Err(error) => {
                let message = format!("the provider's answer ({status}) {error}");
                Err(retry(message, after))
            }
        }
    }

    #[cfg(fuzzing)]
    pub fn of(status: u16, after: Option<Duration>, body: Vec<u8>) -> Option<Self> {
        Some(Self {
            status: StatusCode::from_u16(status).ok()?,
            after,
            allowance: None,
            body,
        })
    }

    pub const fn allowance(&self) -> Option<Allowance> {
        self.allowance
    }

    pub fn succeeded(&self) -> Result<&Self, ProviderError> {
        if self.status.is_success() {
            Ok(self)
        } else {
            Err(self.error())
        }
    }

    pub fn unless_absent(&self) -> Result<Option<&Self>, ProviderError> {
        if self.is_absent() {
            return Ok(None);
        }
        self.succeeded().map(Some)
    }

    /// Whether the API itself says that the subscriber is absent: a 404 of a proxy proves nothing.
    pub fn is_absent(&self) -> bool {
        self.status == StatusCode::NOT_FOUND && self.complaint().is_absence()
    }

    /// Whether the fields were refused because the subscriber is suppressed.
    pub fn is_suppression_of(&self, email: &Email) -> bool {
        self.status == StatusCode::UNPROCESSABLE_ENTITY && self.complaint().is_suppression_of(email)
    }

    /// The JSON of a successful answer. Anything else, such as a proxy's page, is retried.
    pub fn json(&self) -> Result<Value, ProviderError> {
        let body: Option<Value> = serde_json::from_slice(&self.body).ok();
        body.filter(Value::is_object).ok_or_else(|| {
            let message = format!("the provider answered {} without JSON", self.status);
            retry(message, self.after)
        })
    }

    /// The subscriber of a successful answer. Another address or value is a permanent error.
    pub fn person(&self, email: &Email) -> Result<Found, ProviderError> {
        person::of_address(&self.json()?, email).map_err(|why| self.misunderstood(&why))
    }

    pub fn misunderstood(&self, why: &str) -> ProviderError {
        ProviderError::Permanent(format!("the provider answered {}, but {why}", self.status))
    }

    fn error(&self) -> ProviderError {
        let status = self.status;
        if status.is_redirection() {
            let message = format!(
                "the provider answered {status}; redirects are not followed: check the base URL"
            );
            return retry(message, self.after);
        }
        let complaint = self.complaint();
        let mut message = format!("the provider answered {status}");
        let text = complaint.text();
        if !text.is_empty() {
            message.extend([": ", &text]);
        }
        match status {
            StatusCode::UNAUTHORIZED => ProviderError::Locked(message),
            // Only the API's own 403 locks the account. A proxy or firewall may refuse an
            // individual request, with an HTML page.
            StatusCode::FORBIDDEN if complaint.is_of_the_api() => ProviderError::Locked(message),
            StatusCode::TOO_MANY_REQUESTS => ProviderError::Limited {
                message,
                after: self.after.map(|after| after.min(LONGEST_REST)),
            },
            StatusCode::REQUEST_TIMEOUT => retry(message, self.after),
            StatusCode::NOT_FOUND if !complaint.is_absence() => {
                ProviderError::Permanent(format!("{message} (check the base URL)"))
            }
            _ if status.is_client_error() => ProviderError::Permanent(message),
            _ => retry(message, self.after),
        }
    }

    /// Empty if the body is not JSON.
    fn complaint(&self) -> Complaint {
        Complaint::read(&self.body)
    }
}

fn retry(message: String, after: Option<Duration>) -> ProviderError {
    ProviderError::Retry {
        message,
        after: after.map(|after| after.min(LONGEST_WAIT)),
    }
}

pub fn no_answer(error: &reqwest::Error) -> ProviderError {
    let message = format!("no answer from the provider: {}", outbound::cause(error));
    if error.is_builder() {
        return ProviderError::Permanent(message);
    }
    retry(message, None)
}

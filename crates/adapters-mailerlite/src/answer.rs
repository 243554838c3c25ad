//! What an answer means, and the lack of one.

use std::time::Duration;

use domain::subscriber::{
    Email,
    provider::{Found, ProviderError},
};
use reqwest::{Response, StatusCode};

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
    pub async fn read(response: Response) -> Result<Self, ProviderError> {
        let status = response.status();
        let after = outbound::retry_after(response.headers()).map(|wait| wait.min(LONGEST_WAIT));
        match outbound::body(response, LARGEST).await {
            Ok(body) => Ok(Self {
                status,
                after,
                body,
            }),
            Err(error) => {
                let message = format!("the provider's answer ({status}) {error}");
                Err(ProviderError::Retry { message, after })
            }
        }
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
    let message = format!("no answer from the provider: {}", outbound::cause(error));
    if error.is_builder() {
        return ProviderError::Permanent(message);
    }
    ProviderError::Retry {
        message,
        after: None,
    }
}

//! Interprets answers of the service, and the lack of one.

use std::{error::Error, time::Duration};

use anyhow::anyhow;
use outbound::retry_after;
use reqwest::{Response, StatusCode, header::LOCATION};
use serde::Deserialize;
use serde_json::value::RawValue;

/// An answer that takes longer is given up, and the line sent again.
pub const ANSWER_TIMEOUT: Duration = Duration::from_mins(1);

/// The outcome of a line.
#[derive(Debug)]
pub enum Outcome {
    /// The posting is new.
    Created,
    /// The posting existed, and is now as the line says.
    Updated,
    /// The service, or this program, rejects the line.
    Refused(Refusal),
    /// The service was unavailable for too long. The line may be good.
    Failed {
        /// The last failure.
        refusal: Refusal,
        /// Whether no other line got an answer in that time either.
        is_outage: bool,
    },
}

/// The reason why a line was not accepted.
#[derive(Debug)]
pub struct Refusal {
    /// The HTTP status of the answer, if there was one.
    pub status: Option<u16>,
    /// The answer's message, or this program's.
    pub message: String,
    /// The errors by field, as the service spelled them.
    pub errors: Option<Box<RawValue>>,
}

/// An attempt without an outcome.
#[derive(Debug)]
pub enum AttemptError {
    /// A retry may succeed.
    Transient {
        /// The status of the answer; `None` when there was no answer.
        status: Option<StatusCode>,
        /// The reason.
        message: String,
        /// The wait that the service asks for.
        after: Option<Duration>,
    },
    /// No request can succeed.
    Fatal(anyhow::Error),
}

#[derive(Deserialize)]
struct ErrorBody {
    message: String,
    errors: Option<Box<RawValue>>,
}

impl AttemptError {
    /// An attempt that got no answer.
    pub fn of_transport(error: &reqwest::Error) -> Self {
        let message = if error.is_timeout() && !error.is_connect() {
            format!("no answer within {} s", ANSWER_TIMEOUT.as_secs())
        } else {
            let mut cause: &dyn Error = error;
            while let Some(deeper) = cause.source() {
                cause = deeper;
            }
            cause.to_string()
        };
        Self::Transient {
            status: None,
            message,
            after: None,
        }
    }

    /// An answer that the service is overloaded or unavailable.
    pub fn of_overload(response: &Response) -> Option<Self> {
        let status = response.status();
        let may_pass = status.is_server_error()
            || matches!(
                status,
                StatusCode::TOO_MANY_REQUESTS | StatusCode::REQUEST_TIMEOUT
            );
        may_pass.then(|| Self::Transient {
            status: Some(status),
            message: format!("the service answered {status}"),
            after: retry_after(response.headers()),
        })
    }
}

/// The error for a redirect, which is not followed: it would send credentials to an address that
/// the user has not given.
pub fn redirected(response: &Response) -> Option<anyhow::Error> {
    let location = response.headers().get(LOCATION)?.to_str().ok()?;
    response.status().is_redirection().then(|| {
        anyhow!(
            "{} redirects to {location}; give the address it redirects to as --url",
            response.url()
        )
    })
}

/// Interprets the answer to a push.
pub async fn outcome(response: Response) -> Result<Outcome, AttemptError> {
    if let Some(failure) = AttemptError::of_overload(&response) {
        // Read to its end, so that the connection can be reused.
        _ = response.bytes().await;
        return Err(failure);
    }
    if let Some(error) = redirected(&response) {
        return Err(AttemptError::Fatal(error));
    }
    let status = response.status();
    if status.is_success() {
        _ = response.bytes().await;
        let is_new = status == StatusCode::CREATED;
        return Ok(if is_new {
            Outcome::Created
        } else {
            Outcome::Updated
        });
    }
    Ok(Outcome::Refused(refusal(response).await))
}

/// The reason for the refusal of a push.
pub async fn refusal(response: Response) -> Refusal {
    let status = response.status();
    let body = response.bytes().await.unwrap_or_default();
    let (message, errors) = match serde_json::from_slice(&body) {
        Ok(ErrorBody { message, errors }) => (message, errors),
        Err(_) => (format!("the service answered {status}"), None),
    };
    Refusal {
        status: Some(status.as_u16()),
        message,
        errors,
    }
}

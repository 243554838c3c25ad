//! What an answer means for the line that was sent, or the lack of one.

use std::{error::Error, time::Duration};

use anyhow::anyhow;
use outbound::retry_after;
use reqwest::{Response, StatusCode, header::LOCATION};
use serde::Deserialize;
use serde_json::value::RawValue;

/// An answer that takes longer is given up, and the line sent again.
pub const ANSWER_TIMEOUT: Duration = Duration::from_mins(1);

/// What became of a line.
#[derive(Debug)]
pub enum Outcome {
    /// The posting is new.
    Created,
    /// The posting was there, and is now as the line says.
    Updated,
    /// The service, or this program, does not take the line as it is.
    Refused(Refusal),
    /// The service did not do its work for too long. The line may be good.
    Failed {
        /// What it said last.
        refusal: Refusal,
        /// Whether it did nothing for any other line either meanwhile.
        is_outage: bool,
    },
}

/// Why a line was not taken.
#[derive(Debug)]
pub struct Refusal {
    /// The HTTP status of the answer, if there was one.
    pub status: Option<u16>,
    /// The answer's message, or this program's.
    pub message: String,
    /// The errors by field, as the service spelled them.
    pub errors: Option<Box<RawValue>>,
}

/// Why an attempt had no result.
#[derive(Debug)]
pub enum Trouble {
    /// It may pass.
    Passing {
        /// The status of the answer; `None` when there was no answer.
        status: Option<StatusCode>,
        /// What happened.
        message: String,
        /// How long the service asks to be left alone.
        after: Option<Duration>,
    },
    /// Nothing that is sent can succeed.
    Fatal(anyhow::Error),
}

#[derive(Deserialize)]
struct ErrorBody {
    message: String,
    errors: Option<Box<RawValue>>,
}

impl Trouble {
    /// No answer came.
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
        Self::Passing {
            status: None,
            message,
            after: None,
        }
    }

    /// The answer is that there is none at the moment.
    pub fn of_overload(response: &Response) -> Option<Self> {
        let status = response.status();
        let may_pass = status.is_server_error()
            || matches!(
                status,
                StatusCode::TOO_MANY_REQUESTS | StatusCode::REQUEST_TIMEOUT
            );
        may_pass.then(|| Self::Passing {
            status: Some(status),
            message: format!("the service answered {status}"),
            after: retry_after(response.headers()),
        })
    }
}

/// Following a redirect would send credentials to where nobody told us to.
pub fn redirected(response: &Response) -> Option<anyhow::Error> {
    let location = response.headers().get(LOCATION)?.to_str().ok()?;
    response.status().is_redirection().then(|| {
        anyhow!(
            "{} redirects to {location}; give the address it redirects to as --url",
            response.url()
        )
    })
}

/// What an answer to a push means.
pub async fn outcome(response: Response) -> Result<Outcome, Trouble> {
    if let Some(trouble) = Trouble::of_overload(&response) {
        // Read to its end, so that the connection can be used again.
        _ = response.bytes().await;
        return Err(trouble);
    }
    if let Some(error) = redirected(&response) {
        return Err(Trouble::Fatal(error));
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

/// Why a push is refused.
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

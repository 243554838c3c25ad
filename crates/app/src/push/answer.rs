//! Interprets answers of the service, and the lack of one.

use std::{error::Error, time::Duration};

use anyhow::anyhow;
use outbound::retry_after;
use reqwest::{Response, StatusCode, header::LOCATION};

use super::counts::Counts;

/// An attempt without a result.
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
        /// What it says it has done nevertheless.
        done: Counts,
    },
    /// The body is larger than the service takes.
    TooLarge { message: String, done: Counts },
    /// No request can succeed.
    Fatal(anyhow::Error),
}

impl AttemptError {
    /// An attempt that got no answer.
    pub fn of_transport(error: &reqwest::Error) -> Self {
        let mut cause: &dyn Error = error;
        while let Some(deeper) = cause.source() {
            cause = deeper;
        }
        let message = if error.is_timeout() && !error.is_connect() {
            "the service does not answer".to_owned()
        } else {
            cause.to_string()
        };
        Self::without_answer(message)
    }

    /// An attempt that got no answer, for a reason.
    pub fn without_answer(message: String) -> Self {
        Self::Transient {
            status: None,
            message,
            after: None,
            done: Counts::default(),
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
            message: format!("the service answered {}", status.as_u16()),
            after: retry_after(response.headers()),
            done: Counts::default(),
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

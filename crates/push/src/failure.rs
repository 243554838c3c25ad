use std::time::Duration;

use anyhow::anyhow;
use outbound::retry_after;
use reqwest::{Response, StatusCode, header::LOCATION};

use crate::counts::Counts;

#[derive(Debug)]
pub enum Failure {
    /// Another attempt may succeed.
    Passing {
        message: String,
        after: Option<Duration>,
        is_answer: bool,
        /// Outcomes of lines that the failed attempt completed.
        done: Counts,
    },
    Last(anyhow::Error),
}

impl Failure {
    pub fn passing(message: String) -> Self {
        Self::Passing {
            message,
            after: None,
            is_answer: false,
            done: Counts::default(),
        }
    }

    pub fn last(message: String) -> Self {
        Self::Last(anyhow!(message))
    }

    pub fn of_overload(response: &Response) -> Option<Self> {
        let status = response.status();
        may_pass(status).then(|| Self::Passing {
            message: format!("the service answered {}", status.as_u16()),
            after: retry_after(response.headers()),
            is_answer: true,
            done: Counts::default(),
        })
    }

    /// Redirects are not followed, because that would send credentials to another address.
    pub fn of_redirect(response: &Response) -> Option<Self> {
        let location = response.headers().get(LOCATION)?.to_str().ok()?;
        response.status().is_redirection().then(|| {
            Self::last(format!(
                "{} redirects to {location}; give the address it redirects to as --url",
                response.url()
            ))
        })
    }
}

/// Whether a status means that the service is overloaded or unavailable.
pub fn may_pass(status: StatusCode) -> bool {
    let is_overload =
        [StatusCode::TOO_MANY_REQUESTS, StatusCode::REQUEST_TIMEOUT].contains(&status);
    status.is_server_error() || is_overload
}

impl From<reqwest::Error> for Failure {
    fn from(error: reqwest::Error) -> Self {
        Self::passing(outbound::cause(&error))
    }
}

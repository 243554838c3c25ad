//! The meaning of an answer, and of a missing one.

use std::time::Duration;

use domain::enrichment::{Draft, DraftError, EnrichError, Objection};
use outbound::Unread;
use reqwest::{Response, StatusCode};

use crate::{
    completion::{self, CUT_OFF, Completion, Reply, bounded},
    draft,
    meter::Outcome,
};

/// The largest answer that is read. The longest draft, with every character escaped, is smaller.
const LARGEST: usize = 4 * 1024 * 1024;

/// The longest pause that an endpoint can ask for.
const LONGEST_WAIT: Duration = Duration::from_hours(1);

/// A call without a draft.
#[derive(Debug)]
pub struct Failure {
    /// Its outcome in the metrics.
    pub outcome: Outcome,
    /// The error.
    pub error: DraftError,
}

impl Failure {
    fn unavailable(outcome: Outcome, message: String, after: Option<Duration>) -> Self {
        Self {
            outcome,
            error: EnrichError::Unavailable { message, after }.into(),
        }
    }

    fn permanent(outcome: Outcome, message: String) -> Self {
        Self {
            outcome,
            error: EnrichError::Permanent(message).into(),
        }
    }

    fn unusable(answer: &str, faults: Vec<String>) -> Self {
        Self {
            outcome: Outcome::Unusable,
            error: DraftError::Unusable(Objection {
                answer: bounded(answer),
                faults,
            }),
        }
    }
}

/// A failure without an answer.
pub fn no_answer(error: &reqwest::Error) -> Failure {
    let message = format!("no answer from the model: {}", outbound::cause(error));
    if error.is_builder() {
        return Failure::permanent(Outcome::Failed, message);
    }
    Failure::unavailable(lateness(error), message, None)
}

fn lateness(error: &reqwest::Error) -> Outcome {
    if error.is_timeout() {
        Outcome::Timeout
    } else {
        Outcome::Failed
    }
}

/// Reads an answer's body.
pub async fn read(response: Response) -> Result<Completion, Failure> {
    let status = response.status();
    let after = outbound::retry_after(response.headers()).map(|wait| wait.min(LONGEST_WAIT));
    let body = match outbound::body(response, LARGEST).await {
        Ok(body) => body,
        Err(error) => {
            let outcome = match &error {
                Unread::BrokeOff(error) => lateness(error),
                Unread::TooLong => Outcome::Failed,
            };
            let message = format!("the model's answer ({status}) {error}");
            return Err(Failure::unavailable(outcome, message, after));
        }
    };
    if !status.is_success() {
        return Err(refused(status, &body, after));
    }
    Completion::read(&body).ok_or_else(|| {
        if body.trim_ascii_start().starts_with(b"<") {
            let message = format!(
                "the model's endpoint answered {status} with a web page; check the base URL"
            );
            return Failure::unavailable(Outcome::Failed, message, None);
        }
        let fault = "The answer could not be read.".to_owned();
        Failure::unusable("", vec![fault])
    })
}

/// The failure of a status: the endpoint's if any posting would meet it, else perhaps this
/// posting's.
fn refused(status: StatusCode, body: &[u8], after: Option<Duration>) -> Failure {
    let mut message = format!("the model's endpoint answered {status}");
    if status.is_redirection() {
        message.push_str("; no redirect is followed: check the base URL");
        return Failure::unavailable(Outcome::Failed, message, after);
    }
    if let Some(complaint) = completion::complaint(body) {
        message.extend([": ", &complaint]);
    }
    match status {
        StatusCode::UNAUTHORIZED
        | StatusCode::PAYMENT_REQUIRED
        | StatusCode::FORBIDDEN
        | StatusCode::PROXY_AUTHENTICATION_REQUIRED => {
            Failure::unavailable(Outcome::Denied, message, after)
        }
        StatusCode::TOO_MANY_REQUESTS => Failure::unavailable(Outcome::Limited, message, after),
        StatusCode::NOT_FOUND | StatusCode::METHOD_NOT_ALLOWED | StatusCode::REQUEST_TIMEOUT => {
            Failure::unavailable(Outcome::Failed, message, after)
        }
        _ if status.is_client_error() && completion::is_filtered(body) => {
            Failure::permanent(Outcome::Refused, message)
        }
        _ if status.is_client_error() => Failure::permanent(Outcome::Failed, message),
        _ => Failure::unavailable(Outcome::Failed, message, after),
    }
}

/// The draft of a reply.
pub fn draft(reply: Reply) -> Result<Draft, Failure> {
    match reply {
        Reply::Whole(text) => draft::read(&text).map_err(|faults| Failure::unusable(&text, faults)),
        Reply::Cut(text) => Err(Failure::unusable(&text, vec![CUT_OFF.to_owned()])),
        Reply::Refused(words) => {
            let message = format!("the model refused: {words}");
            Err(Failure::permanent(Outcome::Refused, message))
        }
        // A gateway reports a failed model this way, with a good status.
        Reply::Missing(Some(complaint)) => Err(Failure {
            outcome: Outcome::Failed,
            error: DraftError::Failed(EnrichError::Retry {
                message: format!("the model's endpoint answered with an error: {complaint}"),
                after: None,
            }),
        }),
        Reply::Missing(None) => Err(Failure::unusable(
            "",
            vec!["There was no answer.".to_owned()],
        )),
    }
}

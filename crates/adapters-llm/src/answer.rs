use std::time::Duration;

use enrichment::{Draft, DraftError, EnrichError, Feedback};
use outbound::Unread;
use reqwest::{Response, StatusCode};

use crate::{
    completion::{CUT_OFF, Complaint, Completion, Reply, bounded},
    draft,
    meter::Outcome,
};

/// The largest answer in bytes. The longest draft is smaller, even with every character escaped.
const LARGEST: usize = 4 * 1024 * 1024;

const LONGEST_WAIT: Duration = Duration::from_hours(1);

#[derive(Debug)]
pub struct Failure {
    pub outcome: Outcome,
    pub cause: Cause,
}

#[derive(Debug)]
pub enum Cause {
    /// The cause is known, for example overload, denied access or an unusable answer.
    Error(DraftError),
    /// The endpoint refuses the request, perhaps only for this posting.
    Refused {
        status: u16,
        message: String,
        complaint: Complaint,
    },
    TimedOut(String),
}

impl Failure {
    fn new(outcome: Outcome, cause: Cause) -> Self {
        Self { outcome, cause }
    }

    pub fn permanent(outcome: Outcome, message: String) -> Self {
        let error = EnrichError::Permanent(message);
        Self::new(outcome, Cause::Error(error.into()))
    }

    fn unavailable(outcome: Outcome, message: String, after: Option<Duration>) -> Self {
        let error = EnrichError::Unavailable { message, after };
        Self::new(outcome, Cause::Error(error.into()))
    }

    fn unusable(answer: &str, faults: Vec<String>) -> Self {
        let answer = bounded(answer);
        let error = DraftError::Unusable(Feedback { answer, faults });
        Self::new(Outcome::Unusable, Cause::Error(error))
    }

    fn of_connection(error: &reqwest::Error, message: String, after: Option<Duration>) -> Self {
        if error.is_timeout() && !error.is_connect() {
            return Self::new(Outcome::Timeout, Cause::TimedOut(message));
        }
        let outcome = if error.is_timeout() {
            Outcome::Timeout
        } else {
            Outcome::Failed
        };
        Self::unavailable(outcome, message, after)
    }
}

pub fn no_answer(error: &reqwest::Error) -> Failure {
    let message = format!("no answer from the model: {}", outbound::cause(error));
    if error.is_builder() {
        return Failure::permanent(Outcome::Failed, message);
    }
    Failure::of_connection(error, message, None)
}

pub async fn read(response: Response) -> Result<Completion, Failure> {
    let status = response.status();
    let after = outbound::retry_after(response.headers()).map(|wait| wait.min(LONGEST_WAIT));
    let body = match outbound::body(response, LARGEST).await {
        Ok(body) => body,
        Err(error) => {
            let message = format!("the model's answer ({status}) {error}");
            return Err(match &error {
                Unread::BrokeOff(error) => Failure::of_connection(error, message, after),
                Unread::TooLong => Failure::unavailable(Outcome::Failed, message, after),
            });
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

/// Classifies a refusal. If every posting would cause it, the endpoint is at fault. Otherwise this
/// posting may be the cause. Some builds of llama.cpp answer 500 to an unknown parameter.
fn refused(status: StatusCode, body: &[u8], after: Option<Duration>) -> Failure {
    let mut message = format!("the model's endpoint answered {status}");
    if status.is_redirection() {
        message.push_str("; no redirect is followed: check the base URL");
        return Failure::unavailable(Outcome::Failed, message, after);
    }
    let complaint = Complaint::read(body);
    if let Some(said) = &complaint.message {
        message.extend([": ", said]);
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
        _ if status.is_client_error() && complaint.is_filtered => {
            Failure::permanent(Outcome::Refused, message)
        }
        _ if status.is_client_error() || complaint.names("response_format") => {
            let status = status.as_u16();
            let refused = Cause::Refused {
                status,
                message,
                complaint,
            };
            Failure::new(Outcome::Failed, refused)
        }
        _ => Failure::unavailable(Outcome::Failed, message, after),
    }
}

pub fn draft(reply: Reply) -> Result<Draft, Failure> {
    match reply {
        Reply::Whole(text) => draft::read(&text).map_err(|faults| Failure::unusable(&text, faults)),
        Reply::Cut(text) => Err(Failure::unusable(&text, vec![CUT_OFF.to_owned()])),
        Reply::Refused(words) => {
            let message = format!("the model refused: {words}");
            Err(Failure::permanent(Outcome::Refused, message))
        }
        // Gateways report a failed model in this way, with a success status.
        Reply::Missing(Some(complaint)) => {
            let error = EnrichError::Retry {
                message: format!("the model's endpoint answered with an error: {complaint}"),
                after: None,
            };
            Err(Failure::new(Outcome::Failed, Cause::Error(error.into())))
        }
        Reply::Missing(None) => Err(Failure::unusable(
            "",
            vec!["There was no answer.".to_owned()],
        )),
    }
}

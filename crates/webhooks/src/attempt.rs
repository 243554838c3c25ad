//! One delivery attempt and its outcome.

use std::time::Duration;

use fields::line::bounded;
use kernel::trace::TraceParent;
use time::OffsetDateTime;

use super::{EndpointUrl, Secret};

const LONGEST_ERROR: usize = 200;

/// An event to send to one receiver.
#[derive(Clone, Copy, Debug)]
pub struct Delivery<'a> {
    /// The receiver.
    pub url: &'a EndpointUrl,
    /// The event's id (`webhook-id`), the same in each attempt. Receivers recognise repetitions by
    /// this id.
    pub id: &'a str,
    /// The time of this attempt (`webhook-timestamp`).
    pub timestamp: OffsetDateTime,
    /// The signing secrets, newest first: two during a rotation.
    pub secrets: &'a [Secret],
    /// The JSON body.
    pub body: &'a [u8],
    /// The attempt's trace, for the receiver to continue.
    pub trace: Option<TraceParent>,
}

/// One delivery attempt.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Attempt {
    /// The receiver's answer, or the reason why there was none.
    pub outcome: Outcome,
    /// The time until the answer or the failure.
    pub duration: Duration,
    /// The error on one line of at most 200 characters.
    pub error: Option<String>,
}

/// The outcome of one attempt.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// The receiver answered with this 2xx status.
    Delivered(u16),
    /// The receiver answered with another status, for example a redirect, which is not followed.
    Refused {
        /// The status.
        status: u16,
        /// The wait that the receiver requested (`Retry-After`).
        retry_after: Option<Duration>,
    },
    /// 410: the receiver wants no more events.
    Gone,
    /// There was no answer.
    NoAnswer(NoAnswer),
}

/// The reason why there was no answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NoAnswer {
    /// The URL or one of its addresses is forbidden. Nothing was sent.
    #[error("the address is refused")]
    AddressRefused,
    /// The name did not resolve, or the connection failed or was closed.
    #[error("no connection")]
    Connection,
    /// The certificate does not match, or the receiver does not use TLS.
    #[error("no secure connection")]
    Tls,
    /// The time limit of an attempt was reached.
    #[error("no answer in time")]
    Timeout,
    /// The answer is not HTTP.
    #[error("the answer is broken")]
    Broken,
    /// The service could not send the request. The receiver is not at fault.
    #[error("the request cannot be made")]
    Unsendable,
}

impl Attempt {
    /// An attempt that was answered.
    pub fn answered(status: u16, retry_after: Option<Duration>, duration: Duration) -> Self {
        let outcome = match status {
            200..=299 => Outcome::Delivered(status),
            410 => Outcome::Gone,
            _ => Outcome::Refused {
                status,
                retry_after,
            },
        };
        let error = match status {
            200..=299 => None,
            300..=399 => Some(format!("answered {status}; redirects are not followed")),
            410 => Some("answered 410: no more events are wanted".to_owned()),
            _ => Some(format!("answered {status}")),
        };
        Self {
            outcome,
            duration,
            error,
        }
    }

    /// An attempt without an answer. `cause` describes the reason.
    pub fn unanswered(reason: NoAnswer, cause: &str, duration: Duration) -> Self {
        let mut error = format!("{reason}");
        if !cause.is_empty() {
            error.extend([": ", cause]);
        }
        Self {
            outcome: Outcome::NoAnswer(reason),
            duration,
            error: Some(bounded(&error, LONGEST_ERROR)),
        }
    }
}

impl Outcome {
    /// Whether the receiver accepted the event.
    pub const fn is_delivered(self) -> bool {
        matches!(self, Self::Delivered(_))
    }

    /// Whether the receiver did not answer, probably for reasons unrelated to the event.
    pub const fn is_silent(self) -> bool {
        matches!(self, Self::NoAnswer(_)) && self.is_about_receiver()
    }

    /// Whether the outcome is about the receiver. An unsendable event says nothing about it.
    pub const fn is_about_receiver(self) -> bool {
        !matches!(self, Self::NoAnswer(NoAnswer::Unsendable))
    }

    /// The status of the answer.
    pub const fn status(self) -> Option<u16> {
        match self {
            Self::Delivered(status) | Self::Refused { status, .. } => Some(status),
            Self::Gone => Some(410),
            Self::NoAnswer(_) => None,
        }
    }

    /// The wait that the receiver requested (`Retry-After`).
    pub const fn retry_after(self) -> Option<Duration> {
        match self {
            Self::Refused { retry_after, .. } => retry_after,
            Self::Delivered(_) | Self::Gone | Self::NoAnswer(_) => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TIME: Duration = Duration::from_millis(7);
    const WAIT: Option<Duration> = Some(Duration::from_secs(9));

    #[test]
    fn the_status_decides() {
        let refused = |status| Outcome::Refused {
            status,
            retry_after: WAIT,
        };
        let answered = |status: u16| Some(format!("answered {status}"));
        let delivered = [200, 204, 299].map(|status| (status, Outcome::Delivered(status), None));
        let plain = [101, 199, 400, 404, 409, 411, 429, 500, 503, 999];
        let plain = plain.map(|status| (status, refused(status), answered(status)));
        let redirects = [300, 302, 307].map(|status| {
            let error = format!("answered {status}; redirects are not followed");
            (status, refused(status), Some(error))
        });
        let error = "answered 410: no more events are wanted".to_owned();
        let gone = [(410, Outcome::Gone, Some(error))];
        for (status, outcome, error) in [&delivered[..], &plain, &redirects, &gone].concat() {
            let expect = Attempt {
                outcome,
                duration: TIME,
                error,
            };
            assert_eq!(Attempt::answered(status, WAIT, TIME), expect);
            assert_eq!(outcome.is_delivered(), status < 300 && status > 199);
            assert_eq!(
                (outcome.is_silent(), outcome.status()),
                (false, Some(status))
            );
        }
    }

    #[test]
    fn a_missing_answer_is_one_short_line() {
        let of = |cause: &str| Attempt::unanswered(NoAnswer::Connection, cause, TIME);
        let refused = of("connection\r\nrefused");
        assert!(refused.outcome.is_silent());
        assert_eq!((refused.outcome.status(), refused.duration), (None, TIME));
        let expect = "no connection: connection refused";
        assert_eq!(refused.error.as_deref(), Some(expect));
        assert_eq!(of("").error.as_deref(), Some("no connection"));
        let longest = "ü".repeat(LONGEST_ERROR - "no connection: ".len());
        assert!(of(&longest).error.unwrap().ends_with('ü'));
        let cut = of(&format!("{longest}ü")).error.unwrap();
        assert_eq!(cut.chars().count(), LONGEST_ERROR);
        assert!(cut.ends_with("ü…"), "{cut}");
    }
}

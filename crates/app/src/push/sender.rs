//! Sends a line: builds the request, and retries it.

use std::{
    sync::{Mutex, PoisonError},
    time::{Duration, Instant},
};

use anyhow::{Context as _, anyhow};
use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};
use reqwest::{
    Client, Request, Response, StatusCode,
    header::{AUTHORIZATION, CONTENT_TYPE, HeaderValue},
};
use serde_json::value::RawValue;
use url::Url;

use super::{
    answer::{ANSWER_TIMEOUT, AttemptError, Outcome, Refusal, outcome, refusal},
    retry::{Attempts, RetryPolicy},
    token::{Credentials, Tokens},
};

const CONNECT_TIMEOUT: Duration = Duration::from_secs(10);

/// The characters of an identifier to percent-encode: all but the unreserved ones (RFC 3986 §2.3).
const ENCODED: &AsciiSet = &NON_ALPHANUMERIC
    .remove(b'-')
    .remove(b'.')
    .remove(b'_')
    .remove(b'~');

/// Sends lines to one service.
#[derive(Debug)]
pub struct Sender {
    http: Client,
    postings: Url,
    tokens: Tokens,
    policy: RetryPolicy,
    last_answer: Mutex<Instant>,
}

impl Sender {
    /// Connects and gets a first token, so that a wrong address or wrong credentials fail before
    /// anything is sent.
    pub async fn connect(
        url: &Url,
        credentials: Credentials,
        concurrency: usize,
        policy: RetryPolicy,
    ) -> anyhow::Result<Self> {
        let base = outbound::base(url)
            .ok_or_else(|| anyhow!("--url must start with http:// or https://, but is {url}"))?;
        let timeouts = outbound::Timeouts {
            connection: CONNECT_TIMEOUT,
            answer: ANSWER_TIMEOUT,
        };
        let http =
            outbound::client(&base, timeouts, concurrency).context("no HTTP client can be made")?;
        let tokens = Tokens::new(http.clone(), base.join("oauth/token")?, credentials);
        let postings = base.join("api/job-board/job-postings/")?;
        let last_answer = Mutex::new(Instant::now());
        let sender = Self {
            http,
            postings,
            tokens,
            policy,
            last_answer,
        };
        sender.first_token(url).await?;
        Ok(sender)
    }

    async fn first_token(&self, url: &Url) -> anyhow::Result<()> {
        let mut attempts = Attempts::new(self.policy);
        loop {
            match self.tokens.authorization(None).await {
                Ok(_) => return Ok(()),
                Err(AttemptError::Fatal(error)) => return Err(error),
                Err(AttemptError::Transient {
                    status: None,
                    message,
                    ..
                }) => {
                    return Err(anyhow!(
                        "{url} cannot be reached: {message}; check --url and whether the \
                         service is running"
                    ));
                }
                Err(AttemptError::Transient { message, after, .. }) => {
                    let Some(wait) = attempts.next_wait(after) else {
                        return Err(anyhow!(attempts.given_up(&message)));
                    };
                    tokio::time::sleep(wait).await;
                }
            }
        }
    }

    /// Sends a line until it has an outcome or the retry policy gives up. An error means that no
    /// other line can succeed either.
    pub async fn send(&self, id: &str, payload: &RawValue) -> anyhow::Result<Outcome> {
        let request = match self.request(id, payload) {
            Ok(request) => request,
            Err(message) => {
                return Ok(Outcome::Refused(Refusal {
                    status: None,
                    message,
                    errors: None,
                }));
            }
        };
        let mut attempts = Attempts::new(self.policy);
        loop {
            let (status, message, after) = match self.attempt(&request).await {
                Ok(outcome) => {
                    self.note_answer();
                    return Ok(outcome);
                }
                Err(AttemptError::Fatal(error)) => return Err(error),
                Err(AttemptError::Transient {
                    status,
                    message,
                    after,
                }) => (status, message, after),
            };
            // A service that fails on this line still answers for other lines.
            if status == Some(StatusCode::INTERNAL_SERVER_ERROR) {
                self.note_answer();
            }
            let Some(wait) = attempts.next_wait(after) else {
                let message = attempts.given_up(&message);
                let status = status.map(|status| status.as_u16());
                let refusal = Refusal {
                    status,
                    message,
                    errors: None,
                };
                let is_outage = self.last_answer() < attempts.started();
                return Ok(Outcome::Failed { refusal, is_outage });
            };
            tokio::time::sleep(wait).await;
        }
    }

    fn request(&self, id: &str, payload: &RawValue) -> Result<Request, String> {
        if matches!(id, "." | "..") {
            return Err(format!(
                "the id {id:?} cannot be sent: in the path of a URL it has a meaning of its own"
            ));
        }
        let segment = utf8_percent_encode(id, ENCODED).to_string();
        let url = self
            .postings
            .join(&format!("./{segment}"))
            .map_err(|error| error.to_string())?;
        self.http
            .put(url)
            .header(CONTENT_TYPE, HeaderValue::from_static("application/json"))
            .body(payload.get().to_owned())
            .build()
            .map_err(|error| error.without_url().to_string())
    }

    /// Makes one attempt; a refused token is replaced once.
    async fn attempt(&self, request: &Request) -> Result<Outcome, AttemptError> {
        let authorization = self.tokens.authorization(None).await?;
        let response = self.execute(request, &authorization).await?;
        if response.status() != StatusCode::UNAUTHORIZED {
            return outcome(response).await;
        }
        let authorization = self.tokens.authorization(Some(&authorization)).await?;
        let response = self.execute(request, &authorization).await?;
        if response.status() != StatusCode::UNAUTHORIZED {
            return outcome(response).await;
        }
        let refusal = refusal(response).await;
        Err(AttemptError::Fatal(anyhow!(
            "the service does not accept the token that it has just given: {}",
            refusal.message
        )))
    }

    async fn execute(
        &self,
        request: &Request,
        authorization: &HeaderValue,
    ) -> Result<Response, AttemptError> {
        let mut request = request
            .try_clone()
            .ok_or_else(|| AttemptError::Fatal(anyhow!("a request cannot be sent again")))?;
        request
            .headers_mut()
            .insert(AUTHORIZATION, authorization.clone());
        self.http
            .execute(request)
            .await
            .map_err(|error| AttemptError::of_transport(&error))
    }

    fn note_answer(&self) {
        *self
            .last_answer
            .lock()
            .unwrap_or_else(PoisonError::into_inner) = Instant::now();
    }

    fn last_answer(&self) -> Instant {
        *self
            .last_answer
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
    }
}

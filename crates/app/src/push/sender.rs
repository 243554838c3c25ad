//! Sends an import until it has an answer: builds the requests, and retries them.

use std::time::Duration;

use anyhow::{Context as _, anyhow};
use outbound::retry_after;
use reqwest::{
    Body, Client, Method, RequestBuilder, Response, StatusCode,
    header::{AUTHORIZATION, CONTENT_LENGTH, CONTENT_TYPE, HeaderValue},
};
use url::Url;

use super::{
    answer::{AttemptError, redirected},
    counts::Counts,
    progress::Progress,
    receipts::{Answer, Missing, Summary},
    retry::{Attempts, RetryPolicy},
    token::{Credentials, Tokens},
};

const CONNECT_TIMEOUT: Duration = Duration::from_secs(10);

/// Sends imports to one service.
#[derive(Debug)]
pub struct Sender {
    http: Client,
    base: Url,
    tokens: Tokens,
    policy: RetryPolicy,
    progress: Progress,
}

/// A request with many lines.
pub struct Upload<B> {
    pub method: Method,
    /// The path and the query, below the service's address.
    pub path: String,
    /// Whether unknown fields are refused.
    pub is_strict: bool,
    /// Whether nothing is written.
    pub is_dry_run: bool,
    /// The length of the body, if it is known.
    pub length: Option<usize>,
    /// Makes the body for each attempt.
    pub body: B,
}

/// The end of an upload.
#[derive(Debug)]
pub enum Delivery {
    /// Every line has its outcome.
    Complete {
        counts: Counts,
        /// What a catalogue lacks.
        missing: Option<Missing>,
        answer: Box<Answer>,
    },
    /// The body is larger than the service takes.
    TooLarge(String),
    /// The service was unavailable for too long.
    GivenUp {
        /// The status of the last answer, if there was one.
        status: Option<StatusCode>,
        message: String,
    },
}

impl Sender {
    /// Connects and gets a first token, so that a wrong address or wrong credentials fail before
    /// anything is sent.
    pub async fn connect(
        url: &Url,
        credentials: Credentials,
        policy: RetryPolicy,
        progress: Progress,
    ) -> anyhow::Result<Self> {
        let base = outbound::base(url)
            .ok_or_else(|| anyhow!("--url must start with http:// or https://, but is {url}"))?;
        let http = outbound::upload_client(&base, CONNECT_TIMEOUT)
            .context("no HTTP client can be made")?;
        let tokens = Tokens::new(http.clone(), base.join("oauth/token")?, credentials);
        let sender = Self {
            http,
            base,
            tokens,
            policy,
            progress,
        };
        sender.first_token(url).await?;
        Ok(sender)
    }

    async fn first_token(&self, url: &Url) -> anyhow::Result<()> {
        let mut attempts = Attempts::new(self.policy);
        loop {
            let (message, after) = match self.tokens.authorization(None).await {
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
                Err(AttemptError::Transient { message, after, .. }) => (message, after),
                Err(AttemptError::TooLarge { message, .. }) => return Err(anyhow!(message)),
            };
            let Some(wait) = attempts.next_wait(after) else {
                return Err(anyhow!(attempts.given_up(&message)));
            };
            self.wait(&message, wait, &attempts).await;
        }
    }

    /// Waits before the next attempt.
    async fn wait(&self, message: &str, wait: Duration, attempts: &Attempts) {
        self.progress.wait(message, wait, attempts.next_number());
        tokio::time::sleep(wait).await;
    }

    /// Sends a body until it has a complete answer or the retry policy gives up. `done` is what
    /// earlier attempts at its lines have done, and this adds to it. An error means that no other
    /// request can succeed either.
    pub async fn deliver<B: Fn() -> anyhow::Result<Body>>(
        &self,
        upload: &Upload<B>,
        done: &mut Counts,
    ) -> anyhow::Result<Delivery> {
        let mut attempts = Attempts::new(self.policy);
        loop {
            let attempt = self.attempt(upload).await;
            let mut add = |now: &Counts| {
                if !upload.is_dry_run {
                    done.add(now);
                }
            };
            let (status, message, after) = match attempt {
                Ok((summary, answer)) => {
                    return Ok(Delivery::Complete {
                        counts: summary.counts.after(done),
                        missing: summary.missing,
                        answer: Box::new(answer),
                    });
                }
                Err(AttemptError::Fatal(error)) => return Err(error),
                Err(AttemptError::TooLarge { message, done: now }) => {
                    add(&now);
                    return Ok(Delivery::TooLarge(message));
                }
                Err(AttemptError::Transient {
                    status,
                    message,
                    after,
                    done: now,
                }) => {
                    add(&now);
                    (status, message, after)
                }
            };
            let Some(wait) = attempts.next_wait(after) else {
                let message = attempts.given_up(&message);
                return Ok(Delivery::GivenUp { status, message });
            };
            self.wait(&message, wait, &attempts).await;
        }
    }

    /// Makes one attempt; a refused token is replaced once.
    async fn attempt<B: Fn() -> anyhow::Result<Body>>(
        &self,
        upload: &Upload<B>,
    ) -> Result<(Summary, Answer), AttemptError> {
        let authorization = self.tokens.authorization(None).await?;
        let response = self.execute(upload, &authorization).await?;
        if response.status() != StatusCode::UNAUTHORIZED {
            return self.interpret(response).await;
        }
        let authorization = self.tokens.authorization(Some(&authorization)).await?;
        let response = self.execute(upload, &authorization).await?;
        if response.status() != StatusCode::UNAUTHORIZED {
            return self.interpret(response).await;
        }
        let answer = self.watched(Answer::read(response, &self.progress)).await?;
        Err(AttemptError::Fatal(anyhow!(
            "the service does not accept the token that it has just given: {}",
            answer.message.unwrap_or_default()
        )))
    }

    async fn execute<B: Fn() -> anyhow::Result<Body>>(
        &self,
        upload: &Upload<B>,
        authorization: &HeaderValue,
    ) -> Result<Response, AttemptError> {
        let request = self.request(upload).map_err(AttemptError::Fatal)?;
        let request = request.header(AUTHORIZATION, authorization.clone());
        self.progress.send();
        let sent = async {
            request
                .send()
                .await
                .map_err(|error| match outbound::find::<BodyError>(&error) {
                    Some(BodyError(message)) => AttemptError::Fatal(anyhow!(message.clone())),
                    None => AttemptError::of_transport(&error),
                })
        };
        let response = self.watched(sent).await?;
        self.progress.moved();
        Ok(response)
    }

    fn request<B: Fn() -> anyhow::Result<Body>>(
        &self,
        upload: &Upload<B>,
    ) -> anyhow::Result<RequestBuilder> {
        let url = self.base.join(&upload.path)?;
        let mut request = self.http.request(upload.method.clone(), url).header(
            CONTENT_TYPE,
            HeaderValue::from_static("application/x-ndjson"),
        );
        if let Some(length) = upload.length {
            request = request.header(CONTENT_LENGTH, length);
        }
        if upload.is_strict {
            request = request.header("Prefer", "handling=strict");
        }
        Ok(request.body((upload.body)()?))
    }

    /// Fails when nothing has moved for too long.
    async fn watched<T>(
        &self,
        work: impl Future<Output = Result<T, AttemptError>>,
    ) -> Result<T, AttemptError> {
        tokio::pin!(work);
        loop {
            let idle = self.progress.idle_time();
            if idle >= self.policy.patience {
                return Err(AttemptError::without_answer(format!(
                    "nothing has moved for {} s",
                    idle.as_secs()
                )));
            }
            tokio::select! {
                done = &mut work => return done,
                () = tokio::time::sleep(self.policy.patience.saturating_sub(idle)) => {}
            }
        }
    }

    async fn interpret(&self, response: Response) -> Result<(Summary, Answer), AttemptError> {
        if let Some(error) = redirected(&response) {
            return Err(AttemptError::Fatal(error));
        }
        let status = response.status();
        let overload = AttemptError::of_overload(&response);
        let after = retry_after(response.headers());
        let path = response.url().path().to_owned();
        let answer = match self.watched(Answer::read(response, &self.progress)).await {
            Ok(answer) => answer,
            // An error that could not be read to its end is one nevertheless.
            Err(error @ AttemptError::Transient { .. }) => return Err(overload.unwrap_or(error)),
            Err(error) => return Err(error),
        };
        let said = answer.message.clone().unwrap_or_else(|| status.to_string());
        let done = answer
            .summary
            .map(|summary| summary.counts)
            .unwrap_or_default();
        let transient = |message| {
            Err(AttemptError::Transient {
                status: Some(status),
                message,
                after,
                done,
            })
        };
        match answer.summary {
            Some(summary) if status.is_success() && summary.complete => Ok((summary, answer)),
            _ if status == StatusCode::CONFLICT => {
                transient("another import of this catalogue is running".to_owned())
            }
            _ if status == StatusCode::PAYLOAD_TOO_LARGE => Err(AttemptError::TooLarge {
                message: said,
                done,
            }),
            _ if overload.is_some() => {
                transient(format!("the service answered {}", status.as_u16()))
            }
            Some(_) => transient("the service broke the import off".to_owned()),
            None if status.is_success() && answer.message.is_none() => {
                transient("the service's answer broke off".to_owned())
            }
            None if status == StatusCode::NOT_FOUND => Err(AttemptError::Fatal(anyhow!(
                "the service has no {path}; check --url and its version ({said})"
            ))),
            None => Err(AttemptError::Fatal(anyhow!(
                "the service refuses the import: {said}"
            ))),
        }
    }
}

/// The reason why a body ended early, so that the service does not take it for complete.
#[derive(Debug)]
pub struct BodyError(pub String);

impl std::fmt::Display for BodyError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for BodyError {}

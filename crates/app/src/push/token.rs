//! Access tokens by client credentials (RFC 6749 §4.4), shared by all requests.

use std::time::{Duration, Instant};

use anyhow::{Context as _, anyhow};
use reqwest::{Client, Response, StatusCode, header::HeaderValue};
use secrecy::{ExposeSecret as _, SecretString};
use serde::Deserialize;
use tokio::sync::Mutex;
use url::Url;

use super::answer::{AttemptError, redirected};

/// An answer that takes longer is given up, and a token asked for again.
const ANSWER_TIMEOUT: Duration = Duration::from_mins(1);
/// The remaining lifetime at which a token is replaced, or a quarter of its lifetime if that is
/// less.
const MARGIN: Duration = Duration::from_secs(30);

/// Client credentials.
#[derive(Clone, Debug)]
pub struct Credentials {
    /// The `client_id`.
    pub client_id: String,
    /// The `client_secret`.
    pub client_secret: SecretString,
}

/// Caches the current token, and requests a new one when necessary.
#[derive(Debug)]
pub struct Tokens {
    http: Client,
    endpoint: Url,
    credentials: Credentials,
    // Held while a token is requested, so that concurrent requests wait for it instead of
    // requesting their own.
    current: Mutex<Option<Token>>,
}

#[derive(Debug)]
struct Token {
    authorization: HeaderValue,
    replace_at: Option<Instant>,
}

#[derive(Deserialize)]
struct Granted {
    access_token: String,
    expires_in: Option<u64>,
}

#[derive(Deserialize)]
struct Denied {
    error: String,
    error_description: Option<String>,
}

impl Tokens {
    /// Requests tokens from an endpoint.
    pub fn new(http: Client, endpoint: Url, credentials: Credentials) -> Self {
        Self {
            http,
            endpoint,
            credentials,
            current: Mutex::new(None),
        }
    }

    /// The value of the `Authorization` header. `refused` is a value that the service did not
    /// accept; it is not returned again.
    pub async fn authorization(
        &self,
        refused: Option<&HeaderValue>,
    ) -> Result<HeaderValue, AttemptError> {
        let mut current = self.current.lock().await;
        if let Some(token) = current.as_ref()
            && Some(&token.authorization) != refused
            && token.replace_at.is_none_or(|at| Instant::now() < at)
        {
            return Ok(token.authorization.clone());
        }
        let token = self.request_token().await?;
        Ok(current.insert(token).authorization.clone())
    }

    async fn request_token(&self) -> Result<Token, AttemptError> {
        let asked_at = Instant::now();
        let form = [
            ("grant_type", "client_credentials"),
            ("client_id", &self.credentials.client_id),
            (
                "client_secret",
                self.credentials.client_secret.expose_secret(),
            ),
            ("scope", "job-postings:write"),
        ];
        let request = self
            .http
            .post(self.endpoint.clone())
            .timeout(ANSWER_TIMEOUT)
            .form(&form);
        let response = request
            .send()
            .await
            .map_err(|error| AttemptError::of_transport(&error))?;
        if let Some(failure) = AttemptError::of_overload(&response) {
            return Err(failure);
        }
        if !response.status().is_success() {
            return Err(AttemptError::Fatal(self.denied(response).await));
        }
        let body = response
            .bytes()
            .await
            .map_err(|error| AttemptError::of_transport(&error))?;
        let granted = serde_json::from_slice(&body).map_err(anyhow::Error::from);
        granted
            .and_then(|granted| token(&granted, asked_at))
            .map_err(|error| {
                AttemptError::Fatal(
                    error.context(format!("{} did not answer with a token", self.endpoint)),
                )
            })
    }

    async fn denied(&self, response: Response) -> anyhow::Error {
        if let Some(error) = redirected(&response) {
            return error;
        }
        let status = response.status();
        let body = response.bytes().await.unwrap_or_default();
        let denied = serde_json::from_slice::<Denied>(&body).ok();
        let code = denied.as_ref().map(|denied| denied.error.as_str());
        let said = denied.as_ref().map_or_else(
            || status.to_string(),
            |denied| {
                denied
                    .error_description
                    .clone()
                    .unwrap_or_else(|| denied.error.clone())
            },
        );
        match code {
            Some("invalid_client") => anyhow!(
                "the service does not know this client id with this secret, or the client was \
                 revoked; check --client-id and --client-secret ({said})"
            ),
            Some("invalid_scope" | "unauthorized_client") => anyhow!(
                "the client {} may not push; it needs the scope job-postings:write ({said})",
                self.credentials.client_id
            ),
            Some(code) => anyhow!("{} gave no token: {code} ({said})", self.endpoint),
            None if status == StatusCode::NOT_FOUND => anyhow!(
                "there is no token endpoint at {}; check --url ({said})",
                self.endpoint
            ),
            None => anyhow!(
                "{} gave no token: it answered {said}; check --url",
                self.endpoint
            ),
        }
    }
}

fn token(granted: &Granted, asked_at: Instant) -> anyhow::Result<Token> {
    let mut authorization = HeaderValue::try_from(format!("Bearer {}", granted.access_token))
        .context("the access token is no header value")?;
    authorization.set_sensitive(true);
    let replace_at = granted.expires_in.and_then(|seconds| {
        let lifetime = Duration::from_secs(seconds);
        asked_at.checked_add(lifetime.saturating_sub(MARGIN.min(lifetime / 4)))
    });
    Ok(Token {
        authorization,
        replace_at,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_token_is_replaced_before_it_expires() {
        let now = Instant::now();
        let replaced_after = |expires_in| {
            let granted = Granted {
                access_token: "t".to_owned(),
                expires_in,
            };
            token(&granted, now)
                .unwrap()
                .replace_at
                .map(|at| (at - now).as_secs_f32())
        };
        assert_eq!(replaced_after(Some(3_600)), Some(3_570.0));
        assert_eq!(replaced_after(Some(60)), Some(45.0));
        assert_eq!(replaced_after(Some(1)), Some(0.75));
        assert_eq!(
            replaced_after(Some(u64::MAX)),
            None,
            "never, as far as a clock can tell"
        );
        assert_eq!(replaced_after(None), None, "only once it is refused");
    }

    #[test]
    fn a_token_does_not_show_in_logs() {
        let granted = Granted {
            access_token: "sesame".to_owned(),
            expires_in: None,
        };
        let token = token(&granted, Instant::now()).unwrap();
        assert!(!format!("{token:?}").contains("sesame"));
    }
}

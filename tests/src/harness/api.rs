//! A client of the API.

use std::time::Duration;

use reqwest::{Method, RequestBuilder};
use serde_json::Value;

use super::{Answer, SETTLING, eventually};

/// A client of the API with a token.
#[derive(Clone)]
pub struct Api {
    http: reqwest::Client,
    url: String,
    token: String,
}

impl Api {
    /// The path of the list of postings.
    pub const LIST: &str = "/api/job-board/job-postings";

    /// A client of the API at this address.
    pub fn new(url: &str, token: &str) -> Self {
        Self {
            http: client(),
            url: url.to_owned(),
            token: token.to_owned(),
        }
    }

    /// The same client with another token.
    pub fn with_token(&self, token: &str) -> Self {
        Self {
            token: token.to_owned(),
            ..self.clone()
        }
    }

    /// The token.
    pub fn token(&self) -> &str {
        &self.token
    }

    /// The path of a posting.
    pub fn path(identifier: &str) -> String {
        format!("{}/{}", Self::LIST, encode(identifier))
    }

    /// A request builder, without a token.
    pub fn request(&self, method: Method, path: &str) -> RequestBuilder {
        self.http.request(method, format!("{}{path}", self.url))
    }

    /// A request builder with the token.
    pub fn authorized(&self, method: Method, path: &str) -> RequestBuilder {
        self.request(method, path).bearer_auth(&self.token)
    }

    /// Pushes a posting.
    pub async fn put(&self, identifier: &str, payload: &Value) -> Answer {
        self.try_put(identifier, payload).await.unwrap()
    }

    /// Pushes a posting to a server that may be down.
    pub async fn try_put(&self, identifier: &str, payload: &Value) -> reqwest::Result<Answer> {
        let request = self.authorized(Method::PUT, &Self::path(identifier));
        Answer::read(request.json(payload).send().await?).await
    }

    /// Pushes an arbitrary body.
    pub async fn put_text(&self, identifier: &str, body: impl Into<reqwest::Body>) -> Answer {
        let request = self
            .authorized(Method::PUT, &Self::path(identifier))
            .header("content-type", "application/json")
            .body(body);
        Answer::of(request.send().await.unwrap()).await
    }

    /// Sends `GET` for a path.
    pub async fn get(&self, path: &str) -> Answer {
        let send = || self.authorized(Method::GET, path).send();
        // The server may close a connection at the moment at which it is used again.
        let response = match send().await {
            Err(error) if error.is_request() => send().await,
            response => response,
        };
        Answer::of(response.unwrap()).await
    }

    /// Reads a posting, which must exist.
    pub async fn show(&self, identifier: &str) -> Value {
        self.get(&Self::path(identifier)).await.data()
    }

    /// Whether a posting exists.
    pub async fn exists(&self, identifier: &str) -> bool {
        self.get(&Self::path(identifier)).await.status == 200
    }

    /// Waits until a posting has this status, and returns it.
    pub async fn until(&self, identifier: &str, status: &str) -> Value {
        eventually(&format!("{identifier}: {status}"), SETTLING, || async {
            let posting = self.show(identifier).await;
            (posting["status"] == status).then_some(posting)
        })
        .await
    }
}

/// Percent-encodes everything that is not unreserved (RFC 3986 §2.3).
pub fn encode(text: &str) -> String {
    use std::fmt::Write;

    let mut encoded = String::new();
    for byte in text.bytes() {
        if byte.is_ascii_alphanumeric() || b"-._~".contains(&byte) {
            encoded.push(char::from(byte));
        } else {
            write!(encoded, "%{byte:02X}").unwrap();
        }
    }
    encoded
}

/// An HTTP client without proxies or redirects.
fn client() -> reqwest::Client {
    // Only the first call in a process has an effect.
    let _ = rustls::crypto::ring::default_provider().install_default();
    reqwest::Client::builder()
        .no_proxy()
        .redirect(reqwest::redirect::Policy::none())
        .timeout(Duration::from_mins(1))
        // The server closes idle connections after 5 seconds. A push that is sent at that moment
        // fails, and is not repeated automatically.
        .pool_idle_timeout(Duration::from_secs(2))
        .build()
        .unwrap()
}

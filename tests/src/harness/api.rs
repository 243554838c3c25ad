use std::time::{Duration, Instant};

use reqwest::{Method, RequestBuilder};
use serde_json::Value;
use tokio::time::sleep;

use super::{Answer, SETTLING, eventually};

/// The wait before a request is repeated, unless the server requests another wait.
const RETRY: Duration = Duration::from_millis(200);

#[derive(Clone)]
pub struct Api {
    http: reqwest::Client,
    url: String,
    token: String,
}

impl Api {
    pub const LIST: &str = "/api/job-board/job-postings";

    pub fn new(url: &str, token: &str) -> Self {
        Self {
            http: client(),
            url: url.to_owned(),
            token: token.to_owned(),
        }
    }

    pub fn with_token(&self, token: &str) -> Self {
        Self {
            token: token.to_owned(),
            ..self.clone()
        }
    }

    pub fn token(&self) -> &str {
        &self.token
    }

    pub fn path(identifier: &str) -> String {
        format!("{}/{}", Self::LIST, encode(identifier))
    }

    pub fn request(&self, method: Method, path: &str) -> RequestBuilder {
        self.http.request(method, format!("{}{path}", self.url))
    }

    pub fn authorized(&self, method: Method, path: &str) -> RequestBuilder {
        self.request(method, path).bearer_auth(&self.token)
    }

    /// Sends a request as a well-behaved client on a busy machine. Repeats a request if its
    /// connection was lost, its body was too slow (408), or the answer was 503.
    pub async fn send(&self, request: RequestBuilder) -> Answer {
        let (start, mut is_repeated) = (Instant::now(), false);
        loop {
            let wait = match request.try_clone().unwrap().send().await {
                Ok(response) => {
                    let answer = Answer::read(response).await.unwrap();
                    if !answer.is_temporary() || start.elapsed() > SETTLING {
                        return Answer {
                            is_repeated,
                            ..answer
                        };
                    }
                    answer.retry_after().unwrap_or(RETRY)
                }
                Err(error) => {
                    assert!(
                        error.is_request() && start.elapsed() < SETTLING,
                        "{error:?}"
                    );
                    RETRY
                }
            };
            sleep(wait).await;
            is_repeated = true;
        }
    }

    pub async fn put(&self, identifier: &str, payload: &Value) -> Answer {
        self.send(self.pushing(identifier, payload)).await
    }

    pub async fn try_put(&self, identifier: &str, payload: &Value) -> reqwest::Result<Answer> {
        Answer::read(self.pushing(identifier, payload).send().await?).await
    }

    fn pushing(&self, identifier: &str, payload: &Value) -> RequestBuilder {
        let request = self.authorized(Method::PUT, &Self::path(identifier));
        request.json(payload)
    }

    pub async fn put_text(&self, identifier: &str, body: impl Into<reqwest::Body>) -> Answer {
        let request = self
            .authorized(Method::PUT, &Self::path(identifier))
            .header("content-type", "application/json")
            .body(body);
        self.send(request).await
    }

    pub async fn get(&self, path: &str) -> Answer {
        self.send(self.authorized(Method::GET, path)).await
    }

    pub async fn post(&self, path: &str, body: &Value) -> Answer {
        self.send(self.authorized(Method::POST, path).json(body))
            .await
    }

    pub async fn until_ready(&self, is_ready: bool) {
        let status = if is_ready { 200 } else { 503 };
        eventually(&format!("/readyz: {status}"), SETTLING, || async {
            let asked = self.request(Method::GET, "/readyz").send().await;
            (asked.ok()?.status() == status).then_some(())
        })
        .await;
    }

    pub async fn show(&self, identifier: &str) -> Value {
        self.get(&Self::path(identifier)).await.data()
    }

    pub async fn exists(&self, identifier: &str) -> bool {
        self.get(&Self::path(identifier)).await.status == 200
    }

    pub async fn until_exists(&self, identifier: &str) {
        eventually(&format!("{identifier} is there"), SETTLING, || async {
            self.exists(identifier).await.then_some(())
        })
        .await;
    }

    pub async fn until_answered(&self, status: u16) {
        eventually(&format!("the list: {status}"), SETTLING, || async {
            (self.get(Self::LIST).await.status == status).then_some(())
        })
        .await;
    }

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

fn client() -> reqwest::Client {
    // Only the first call in a process has an effect.
    let _ = rustls::crypto::ring::default_provider().install_default();
    reqwest::Client::builder()
        .no_proxy()
        .redirect(reqwest::redirect::Policy::none())
        .timeout(Duration::from_mins(5))
        // The server closes idle connections after 5 seconds.
        .pool_idle_timeout(Duration::from_secs(2))
        .build()
        .unwrap()
}

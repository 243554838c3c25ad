use std::time::Duration;

use reqwest::header::HeaderMap;
use serde_json::{Value, json};
use uuid::Uuid;

#[derive(Debug)]
pub struct Answer {
    pub status: u16,
    pub headers: HeaderMap,
    pub body: String,
    /// Whether the request was sent before, and may already have been carried out.
    pub is_repeated: bool,
}

impl Answer {
    /// Reads an answer, and checks the contract's rules for every answer. An error means that the
    /// server was killed meanwhile.
    pub async fn read(response: reqwest::Response) -> reqwest::Result<Self> {
        let status = response.status().as_u16();
        let headers = response.headers().clone();
        let body = response.text().await?;
        let answer = Self {
            status,
            headers,
            body,
            is_repeated: false,
        };
        assert!(!answer.header("x-request-id").is_empty(), "{answer:#?}");
        assert_ne!(answer.status, 500, "{answer:#?}");
        Ok(answer)
    }

    pub fn header(&self, name: &str) -> &str {
        self.headers
            .get(name)
            .map_or("", |value| value.to_str().unwrap())
    }

    /// The value of `Retry-After`, which every 503 and 429 must have.
    pub fn retry_after(&self) -> Option<Duration> {
        let seconds = self.header("retry-after").parse().ok();
        seconds.map(Duration::from_secs)
    }

    /// Whether the request must be repeated, because it was not (or perhaps not) carried out.
    pub fn is_temporary(&self) -> bool {
        self.status == 408 || self.status == 503 && self.retry_after().is_some()
    }

    pub fn json(&self) -> Value {
        serde_json::from_str(&self.body).unwrap_or_else(|error| panic!("{error}: {self:#?}"))
    }

    pub fn created(&self) -> Uuid {
        let was_there = self.is_repeated && self.status == 200;
        self.pushed(if was_there { 200 } else { 201 })
    }

    pub fn updated(&self) -> Uuid {
        self.pushed(200)
    }

    fn pushed(&self, status: u16) -> Uuid {
        assert_eq!(self.status, status, "{self:#?}");
        let body = self.json();
        let uuid = body["data"]["uuid"].as_str().unwrap_or_default().to_owned();
        // The body has no other fields.
        assert_eq!(body, json!({"data": {"uuid": uuid}}));
        uuid.parse()
            .unwrap_or_else(|error| panic!("{error}: {self:#?}"))
    }

    pub fn data(&self) -> Value {
        assert_eq!(self.status, 200, "{self:#?}");
        self.json()["data"].clone()
    }

    pub fn error(&self, status: u16) -> String {
        assert_eq!(self.status, status, "{self:#?}");
        let body = self.json();
        let message = body["message"].as_str().unwrap_or_default();
        assert!(!message.is_empty(), "{self:#?}");
        if [429, 503].contains(&status) {
            assert_ne!(self.retry_after(), None, "{self:#?}");
        }
        message.to_owned()
    }

    #[track_caller]
    pub fn is_exactly(&self, status: u16, body: &Value) {
        assert_eq!((self.status, &self.json()), (status, body), "{self:#?}");
    }
}

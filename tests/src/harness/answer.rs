//! An answer of the API, with the checks that every answer must pass.

use reqwest::header::HeaderMap;
use serde_json::{Value, json};
use uuid::Uuid;

/// An answer of the API.
#[derive(Debug)]
pub struct Answer {
    pub status: u16,
    pub headers: HeaderMap,
    pub body: String,
}

impl Answer {
    /// Reads an answer, and checks the contract's rules for every answer.
    pub async fn of(response: reqwest::Response) -> Self {
        Self::read(response).await.unwrap()
    }

    /// The same of a server that may be killed meanwhile.
    pub async fn read(response: reqwest::Response) -> reqwest::Result<Self> {
        let status = response.status().as_u16();
        let headers = response.headers().clone();
        let body = response.text().await?;
        let answer = Self {
            status,
            headers,
            body,
        };
        assert!(!answer.header("x-request-id").is_empty(), "{answer:#?}");
        assert_ne!(answer.status, 500, "{answer:#?}");
        Ok(answer)
    }

    /// A header; empty if it is absent.
    pub fn header(&self, name: &str) -> &str {
        self.headers
            .get(name)
            .map_or("", |value| value.to_str().unwrap())
    }

    /// The body as JSON.
    pub fn json(&self) -> Value {
        serde_json::from_str(&self.body).unwrap_or_else(|error| panic!("{error}: {self:#?}"))
    }

    /// Checks that a push created a posting, and returns its uuid.
    pub fn created(&self) -> Uuid {
        self.pushed(201)
    }

    /// Checks that a push found its posting, and returns its uuid.
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

    /// The `data` of a read.
    pub fn data(&self) -> Value {
        assert_eq!(self.status, 200, "{self:#?}");
        self.json()["data"].clone()
    }

    /// Checks that this is an error with this status, and returns its message.
    pub fn error(&self, status: u16) -> String {
        assert_eq!(self.status, status, "{self:#?}");
        let body = self.json();
        let message = body["message"].as_str().unwrap_or_default();
        assert!(!message.is_empty(), "{self:#?}");
        let keys: Vec<&String> = body.as_object().unwrap().keys().collect();
        assert!(
            keys.iter()
                .all(|key| ["message", "errors"].contains(&key.as_str())),
            "{self:#?}"
        );
        if status != 422 {
            assert_eq!(body.get("errors"), None, "{self:#?}");
        }
        // An identifier that the client may not use is no matter of the token.
        let is_forbidden = status == 403 && message.contains("identifiers that begin with");
        match status {
            403 if is_forbidden => assert_eq!(self.header("www-authenticate"), "", "{self:#?}"),
            401 | 403 => assert!(
                self.header("www-authenticate").starts_with("Bearer"),
                "{self:#?}"
            ),
            405 => assert_ne!(self.header("allow"), "", "{self:#?}"),
            429 | 503 => assert_ne!(self.header("retry-after"), "", "{self:#?}"),
            _ => {}
        }
        message.to_owned()
    }

    /// Checks that the body is exactly the error of the specification.
    #[track_caller]
    pub fn is_exactly(&self, status: u16, body: &Value) {
        assert_eq!((self.status, &self.json()), (status, body), "{self:#?}");
    }
}

use std::io;

use futures_util::stream;
use reqwest::{Body, Method};
use serde_json::{Value, json};
use tokio::{sync::mpsc, task::JoinHandle};

use super::Api;

pub const IMPORTS: &str = "/api/job-board/imports";

pub fn catalogue(name: &str) -> String {
    format!("/api/job-board/catalogues/{name}")
}

pub fn line(id: &str, payload: &Value) -> String {
    format!("{}\n", json!({"id": id, "payload": payload}))
}

#[derive(Debug)]
pub struct ImportAnswer {
    pub status: u16,
    pub retry_after: Option<u64>,
    /// The summary; `null` for an import that did not begin.
    pub summary: Value,
}

impl ImportAnswer {
    async fn of(response: reqwest::Response) -> reqwest::Result<Self> {
        let status = response.status().as_u16();
        let header = response.headers().get("retry-after");
        let retry_after = header.map(|value| value.to_str().unwrap().parse().unwrap());
        let text = response.text().await?;
        let last = text.lines().last().unwrap_or_default();
        let mut last: Value = serde_json::from_str(last).unwrap_or_default();
        Ok(Self {
            status,
            retry_after,
            summary: last["summary"].take(),
        })
    }

    pub fn complete(self) -> Value {
        assert_eq!(self.status, 200, "{self:#?}");
        assert_eq!(self.summary["complete"], true, "{self:#?}");
        self.summary
    }

    pub fn count(&self, name: &str) -> u64 {
        self.summary[name]
            .as_u64()
            .unwrap_or_else(|| panic!("no {name}: {self:#?}"))
    }
}

pub struct Sending {
    body: mpsc::Sender<io::Result<String>>,
    answer: JoinHandle<reqwest::Result<ImportAnswer>>,
}

impl Sending {
    pub fn begin(api: &Api, path: &str) -> Self {
        let (body, pieces) = mpsc::channel(16);
        let pieces = stream::unfold(pieces, |mut pieces| async {
            pieces.recv().await.map(|piece| (piece, pieces))
        });
        let request = request(api, path, Body::wrap_stream(pieces));
        let answer = tokio::spawn(async { ImportAnswer::of(request.send().await?).await });
        Self { body, answer }
    }

    /// Sends a piece of the body. Returns `false` if the server accepts no more.
    pub async fn send(&self, piece: String) -> bool {
        self.body.send(Ok(piece)).await.is_ok()
    }

    pub async fn end(self) -> reqwest::Result<ImportAnswer> {
        drop(self.body);
        self.answer.await.unwrap()
    }
}

fn request(api: &Api, path: &str, body: impl Into<Body>) -> reqwest::RequestBuilder {
    let method = if path.starts_with(IMPORTS) {
        Method::POST
    } else {
        Method::PUT
    };
    let request = api.authorized(method, path).body(body);
    request.header("content-type", "application/x-ndjson")
}

pub async fn import(api: &Api, path: &str, body: impl Into<Body>) -> ImportAnswer {
    let response = request(api, path, body).send().await.unwrap();
    ImportAnswer::of(response).await.unwrap()
}

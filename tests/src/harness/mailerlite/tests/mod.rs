//! Tests the stand-in against the documented and observed behaviour of the provider.

mod faults;
mod requests;
mod resources;
mod subscribers;

use reqwest::{Method, Response};
use serde_json::Value;

use super::{Account, MailerLite};

/// A client of the stand-in.
struct Client<'a> {
    http: reqwest::Client,
    provider: &'a MailerLite,
    key: &'a str,
}

impl<'a> Client<'a> {
    fn new(provider: &'a MailerLite, account: Account) -> Self {
        // Only the first call in a process has an effect.
        let _ = rustls::crypto::ring::default_provider().install_default();
        Self {
            http: reqwest::Client::builder().no_proxy().build().unwrap(),
            provider,
            key: account.key(),
        }
    }

    async fn send(&self, method: Method, path: &str, body: &Value) -> reqwest::Result<Response> {
        let url = format!("{}/{path}", self.provider.url());
        let request = self.http.request(method, url).bearer_auth(self.key);
        request.json(body).send().await
    }

    async fn ask(&self, method: Method, path: &str, body: Value) -> (u16, Value) {
        let response = self.send(method, path, &body).await.unwrap();
        let status = response.status().as_u16();
        let body = response.bytes().await.unwrap();
        (status, serde_json::from_slice(&body).unwrap_or_default())
    }

    async fn upsert(&self, body: Value) -> (u16, Value) {
        self.ask(Method::POST, "subscribers", body).await
    }

    async fn get(&self, path: &str) -> (u16, Value) {
        self.ask(Method::GET, path, Value::Null).await
    }
}

fn id(answer: &Value) -> &str {
    answer["data"]["id"].as_str().unwrap()
}

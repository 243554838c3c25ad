//! A receiver of webhooks, which keeps its deliveries and answers as a test says.

use std::{
    collections::HashMap,
    io,
    net::Ipv4Addr,
    sync::{Arc, Mutex},
    time::{Duration, Instant},
};

use base64::{Engine as _, engine::general_purpose::STANDARD};
use http_body_util::Empty;
use hyper::{Request, Response, body::Bytes};
use ring::hmac;
use serde_json::Value;

use super::stand_in;

/// How to answer.
#[derive(Clone, Copy, Debug)]
pub enum Reply {
    /// With a status.
    Status(u16),
    /// With a status after a while.
    Slowly(u16, Duration),
    /// The connection is closed without a word.
    Close,
}

/// A delivery that arrived.
#[derive(Clone, Debug)]
pub struct Got {
    pub at: Instant,
    /// The path that it came to.
    pub path: String,
    /// `webhook-id`.
    pub id: String,
    timestamp: String,
    signatures: String,
    /// `traceparent`, if there is one.
    pub traceparent: Option<String>,
    raw: Bytes,
    pub body: Value,
    /// The number of deliveries of this event to this path before.
    pub before: usize,
}

impl Got {
    /// The identifier of its posting.
    pub fn identifier(&self) -> &str {
        let identifier = &self.body["data"]["unique_source_identifier"];
        identifier.as_str().unwrap_or_default()
    }

    /// The type of its event.
    pub fn name(&self) -> &str {
        self.body["type"].as_str().unwrap()
    }

    /// Whether one of its signatures is made with this secret.
    pub fn is_signed_with(&self, secret: &str) -> bool {
        let key = STANDARD.decode(secret.strip_prefix("whsec_").unwrap());
        let key = hmac::Key::new(hmac::HMAC_SHA256, &key.unwrap());
        let mut signed = format!("{}.{}.", self.id, self.timestamp).into_bytes();
        signed.extend_from_slice(&self.raw);
        let tag = format!("v1,{}", STANDARD.encode(hmac::sign(&key, &signed)));
        self.signatures.split(' ').any(|one| one == tag)
    }

    /// The number of its signatures.
    pub fn signatures(&self) -> usize {
        self.signatures.split(' ').count()
    }
}

/// A running receiver.
pub struct Receiver {
    got: Arc<Mutex<Vec<Got>>>,
    server: stand_in::Server,
}

impl Receiver {
    /// Starts one that answers 204.
    pub fn start() -> Self {
        Self::with(|_| Reply::Status(204))
    }

    /// Starts one.
    pub fn with(reply: impl Fn(&Got) -> Reply + Send + Sync + 'static) -> Self {
        let got: Arc<Mutex<Vec<Got>>> = Arc::default();
        let counts: Arc<Mutex<HashMap<(String, String), usize>>> = Arc::default();
        let (kept, reply) = (Arc::clone(&got), Arc::new(reply));
        let listener = stand_in::Server::listen((Ipv4Addr::LOCALHOST, 0));
        let server = stand_in::Server::start(listener, move |request| {
            let delivery = read(&request, &mut counts.lock().unwrap());
            kept.lock().unwrap().push(delivery.clone());
            let reply = reply(&delivery);
            async move { answer(reply).await }
        });
        Self { got, server }
    }

    /// The address of a path.
    pub fn url(&self, path: &str) -> String {
        format!("http://{}{path}", self.server.address())
    }

    /// The deliveries so far.
    pub fn got(&self) -> Vec<Got> {
        self.got.lock().unwrap().clone()
    }

    /// The deliveries to a path.
    pub fn at(&self, path: &str) -> Vec<Got> {
        let all = self.got().into_iter();
        all.filter(|got| got.path == path).collect()
    }
}

fn read(request: &Request<Bytes>, counts: &mut HashMap<(String, String), usize>) -> Got {
    assert_eq!(request.method(), "POST");
    let header = |name: &str| request.headers()[name].to_str().unwrap().to_owned();
    assert_eq!(header("content-type"), "application/json");
    let (path, id) = (request.uri().path().to_owned(), header("webhook-id"));
    let traceparent = request.headers().get("traceparent");
    let traceparent = traceparent.map(|value| value.to_str().unwrap().to_owned());
    let count = counts.entry((path.clone(), id.clone())).or_default();
    let before = *count;
    *count += 1;
    Got {
        at: Instant::now(),
        path,
        id,
        timestamp: header("webhook-timestamp"),
        signatures: header("webhook-signature"),
        traceparent,
        raw: request.body().clone(),
        body: serde_json::from_slice(request.body()).unwrap(),
        before,
    }
}

async fn answer(reply: Reply) -> io::Result<Response<Empty<Bytes>>> {
    let respond = |status| Response::builder().status(status);
    let response = match reply {
        Reply::Status(status) => respond(status),
        Reply::Slowly(status, time) => {
            tokio::time::sleep(time).await;
            respond(status)
        }
        Reply::Close => return Err(io::ErrorKind::ConnectionAborted.into()),
    };
    Ok(response.body(Empty::new()).unwrap())
}

use std::{
    io,
    net::Ipv4Addr,
    sync::{Arc, Mutex},
    time::{Duration, Instant},
};

use http_body_util::Empty;
use hyper::{Request, Response, body::Bytes};
use serde_json::Value;

use super::stand_in;

#[derive(Clone, Debug)]
pub struct Got {
    pub at: Instant,
    pub path: String,
    pub id: String,
    pub traceparent: Option<String>,
    pub body: Value,
    pub before: usize,
}

impl Got {
    pub fn identifier(&self) -> &str {
        let identifier = &self.body["data"]["unique_source_identifier"];
        identifier.as_str().unwrap_or_default()
    }

    pub fn name(&self) -> &str {
        self.body["type"].as_str().unwrap()
    }
}

pub struct Receiver {
    got: Arc<Mutex<Vec<Got>>>,
    server: stand_in::Server,
}

impl Receiver {
    pub fn start() -> Self {
        Self::slow(Duration::ZERO)
    }

    pub fn slow(time: Duration) -> Self {
        let got = Arc::<Mutex<Vec<Got>>>::default();
        let kept = Arc::clone(&got);
        let listener = stand_in::Server::listen((Ipv4Addr::LOCALHOST, 0));
        let server = stand_in::Server::start(listener, move |request| {
            let mut kept = kept.lock().unwrap();
            let delivery = read(&request, &kept);
            kept.push(delivery);
            async move {
                tokio::time::sleep(time).await;
                let response = Response::builder().status(204);
                Ok::<_, io::Error>(response.body(Empty::<Bytes>::new()).unwrap())
            }
        });
        Self { got, server }
    }

    pub fn url(&self, path: &str) -> String {
        format!("http://{}{path}", self.server.address())
    }

    pub fn got(&self) -> Vec<Got> {
        self.got.lock().unwrap().clone()
    }

    pub fn first_of(&self, identifier: &str) -> Option<Got> {
        let got = self.got.lock().unwrap();
        got.iter()
            .find(|got| got.identifier() == identifier)
            .cloned()
    }

    pub fn at(&self, path: &str) -> Vec<Got> {
        let all = self.got().into_iter();
        all.filter(|got| got.path == path).collect()
    }
}

fn read(request: &Request<Bytes>, earlier: &[Got]) -> Got {
    assert_eq!(request.method(), "POST");
    let headers = request.headers();
    let header = |name: &str| Some(headers.get(name)?.to_str().unwrap().to_owned());
    assert_eq!(header("content-type").as_deref(), Some("application/json"));
    let (path, id) = (
        request.uri().path().to_owned(),
        header("webhook-id").unwrap(),
    );
    let before = earlier
        .iter()
        .filter(|it| (&it.path, &it.id) == (&path, &id));
    Got {
        at: Instant::now(),
        before: before.count(),
        path,
        id,
        traceparent: header("traceparent"),
        body: serde_json::from_slice(request.body()).unwrap(),
    }
}

mod addresses;
mod answers;
mod requests;

use std::{
    io,
    net::IpAddr,
    sync::{
        Arc, Mutex,
        atomic::{AtomicUsize, Ordering},
    },
    time::Duration,
};

use async_trait::async_trait;
use time::macros::datetime;
use tokio::{
    io::{AsyncReadExt as _, AsyncWriteExt as _},
    net::{TcpListener, TcpStream},
};
use webhooks::{
    Attempt, Delivery, EndpointUrl, NoAnswer, Outcome, PrivateAddresses, Secret, Sender as _,
};

use crate::{
    WebhookClient,
    client::Limits,
    resolver::{Lookup, SystemLookup},
};

/// Long limits, for a busy machine.
const PATIENT: Limits = Limits {
    resolution: Duration::from_mins(1),
    connection: Duration::from_mins(1),
    answer: Duration::from_mins(1),
    rest: Duration::from_mins(1),
};

/// The id, secret and body of the example in the specification.
const ID: &str = "msg_p5jXN8AQM9LWM0D4loKWxJek";
const SECRET: &str = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";
const BODY: &[u8] = br#"{"test": 2432232314}"#;

fn client(private: PrivateAddresses, limits: Limits) -> WebhookClient {
    WebhookClient::with_lookup(private, limits, Arc::new(SystemLookup::new(1))).unwrap()
}

fn local() -> WebhookClient {
    client(PrivateAddresses::Allow, PATIENT)
}

fn stored(url: &str) -> EndpointUrl {
    EndpointUrl::from_store(url).unwrap()
}

async fn send(client: &WebhookClient, url: &EndpointUrl) -> Attempt {
    let secrets = [Secret::parse(SECRET).unwrap()];
    let delivery = Delivery {
        url,
        id: ID,
        timestamp: datetime!(2021-02-25 15:02:10.987 UTC),
        secrets: &secrets,
        body: BODY,
        trace: None,
    };
    client.send(&delivery).await
}

fn reason(attempt: &Attempt) -> Option<NoAnswer> {
    match attempt.outcome {
        Outcome::NoAnswer(reason) => Some(reason),
        _ => None,
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Then {
    Stays,
    Closes,
    /// Sends without an end.
    GoesOn,
}

struct Receiver {
    url: EndpointUrl,
    connections: Arc<AtomicUsize>,
    requests: Arc<Mutex<Vec<String>>>,
}

impl Receiver {
    async fn new(answer: impl Into<String>, then: Then) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let port = listener.local_addr().unwrap().port();
        let connections = Arc::new(AtomicUsize::new(0));
        let requests = Arc::<Mutex<Vec<String>>>::default();
        let (counter, log, answer) = (connections.clone(), requests.clone(), answer.into());
        tokio::spawn(async move {
            loop {
                let (stream, _) = listener.accept().await.unwrap();
                counter.fetch_add(1, Ordering::SeqCst);
                tokio::spawn(receive(stream, answer.clone(), then, log.clone()));
            }
        });
        Self {
            url: stored(&format!("http://127.0.0.1:{port}/hooks?a=b")),
            connections,
            requests,
        }
    }

    fn connections(&self) -> usize {
        self.connections.load(Ordering::SeqCst)
    }

    fn requests(&self) -> Vec<String> {
        self.requests.lock().unwrap().clone()
    }
}

async fn receive(
    mut stream: TcpStream,
    answer: String,
    then: Then,
    log: Arc<Mutex<Vec<String>>>,
) -> io::Result<()> {
    loop {
        let mut request = Vec::new();
        while !request.ends_with(BODY) {
            request.push(stream.read_u8().await?);
        }
        log.lock()
            .unwrap()
            .push(String::from_utf8(request).unwrap());
        stream.write_all(answer.as_bytes()).await?;
        match then {
            Then::Stays => {}
            Then::Closes => {
                stream.shutdown().await?;
                // Wait for the client to close first. Otherwise closing could reset the connection.
                stream.read_to_end(&mut Vec::new()).await?;
                return Ok(());
            }
            Then::GoesOn => loop {
                stream.write_all(&[b'x'; 1024]).await?;
            },
        }
    }
}

/// Lookups by a function, with the number of calls.
struct Names<F>(F, AtomicUsize);

#[async_trait]
impl<F> Lookup for Names<F>
where
    F: Fn(&str, usize) -> io::Result<Vec<IpAddr>> + Send + Sync,
{
    async fn lookup(&self, name: &str) -> io::Result<Vec<IpAddr>> {
        (self.0)(name, self.1.fetch_add(1, Ordering::SeqCst))
    }
}

fn with_names<F>(private: PrivateAddresses, limits: Limits, names: F) -> WebhookClient
where
    F: Fn(&str, usize) -> io::Result<Vec<IpAddr>> + Send + Sync + 'static,
{
    let lookup = Arc::new(Names(names, AtomicUsize::new(0)));
    WebhookClient::with_lookup(private, limits, lookup).unwrap()
}

mod backend;
mod cases;
mod client;
mod import;
mod newsletter;
mod receiver;

use std::{net::SocketAddr, path::Path, rc::Rc, sync::Arc, time::Duration};

use access::{Client, ClientError, Clients, Gate, Scope, Share, StoredSecret, testing};
use actix_web::{HttpMessage as _, HttpRequest, web};
use adapters_http::{
    Application, ClientPages, HttpSettings, PageRoutes, Ports, ReadPorts, StopHandle, Timeouts,
};
use async_trait::async_trait;
use kernel::ClientId;
use serde_json::{Value, json};
use stores::Stores;
use tempfile::TempDir;
use time::OffsetDateTime;
use tokens::{ClientSecret, KeyFolder, KeyId};
use uuid::Uuid;
use webhooks::PrivateAddresses;

pub use self::{
    backend::{Backend, INTERNALS},
    cases::{assert_is_error, check},
    client::{Connection, Request, Response, request},
    newsletter::{FakeNewsletter, KNOWN_TOKEN},
    receiver::Receiver,
};

pub const BODY_LIMIT: usize = 64 * 1024;

pub const IMPORT_LIMIT: u64 = 4 << 20;

pub const PATH: &str = "/api/job-board/job-postings";

/// Short time limits. actix-http's clock has steps of half a second, so they cannot be shorter.
pub const QUICK: Timeouts = Timeouts {
    head: Duration::from_secs(1),
    keep_alive: Duration::from_secs(1),
    body: Duration::from_secs(4),
    anonymous_body: Duration::from_secs(1),
    linger: Duration::from_secs(1),
    stalled_answer: Duration::from_secs(1),
};

pub const SECRETS: [&str; 2] = ["the-first-secret", "the-second-secret"];

pub struct TestApp {
    pub backend: Arc<Backend>,
    pub stop: StopHandle,
    pub serving: tokio::task::JoinHandle<std::io::Result<()>>,
    address: SocketAddr,
    _keys: TempDir,
}

struct FakePages;

#[async_trait]
impl ClientPages for FakePages {
    fn routes(&self, public_url: &str) -> PageRoutes {
        let text = format!("pages of {public_url}");
        Arc::new(move |config| {
            let text = text.clone();
            config
                .route("", web::get().to(move || std::future::ready(text.clone())))
                .route("/visit/{client}/{share}", web::get().to(visit));
        })
    }

    async fn link(
        &self,
        client: &Client,
        public_url: &str,
    ) -> Result<(String, OffsetDateTime), ClientError> {
        let scopes = client.scopes.iter().map(|scope| scope.as_str());
        let scopes: Vec<_> = scopes.collect();
        let url = format!(
            "{public_url}/integration?client={}&scopes={}",
            client.id,
            scopes.join(",")
        );
        Ok((url, OffsetDateTime::UNIX_EPOCH))
    }
}

async fn visit(path: web::Path<(String, usize)>, request: HttpRequest) -> String {
    let gate = request.extensions().get::<Rc<dyn Gate>>().cloned().unwrap();
    let (client, places) = path.into_inner();
    let client: ClientId = client.parse().unwrap();
    if let Err(crowded) = gate.count(client).await {
        return format!("{crowded:?}");
    }
    let mut held = Vec::new();
    for share in [Share::Page, Share::ReceiverCall] {
        for _ in 0..places {
            match gate.take(client, share) {
                Ok(place) => held.push(place),
                Err(crowded) => return format!("{} {crowded:?}", held.len()),
            }
        }
    }
    held.len().to_string()
}

pub fn ports(backend: &Arc<Backend>) -> Ports {
    Ports {
        stores: Stores {
            postings: backend.clone(),
            activity: backend.clone(),
            health: backend.clone(),
            ..Stores::of(&backend.store)
        },
        ingest: backend.clone(),
        imports: Arc::new(import::Handle(backend.clone())),
        corrections: Arc::new(import::Handle(backend.clone())),
        reads: Arc::new(ReadPorts {
            postings: backend.clone(),
            events: backend.clone(),
            lag: Duration::ZERO,
        }),
        newsletter: backend.newsletter.clone(),
        sender: backend.receiver.clone(),
        private_addresses: PrivateAddresses::Refuse,
        lifetime: domain::posting::Lifetime::NEVER,
        pages: Arc::new(FakePages),
        recorder: backend.clone(),
        tracer: None,
    }
}

pub fn settings(bind: SocketAddr, keys: &Path) -> HttpSettings {
    HttpSettings {
        bind,
        public_url: None,
        body_limit: BODY_LIMIT,
        import_limit: IMPORT_LIMIT,
        token_ttl: Duration::from_hours(1),
        keys: keys.to_owned(),
        webhook_secrets: SECRETS.map(Into::into).into(),
        board_name: "Ada’s & Bob’s Board".to_owned(),
        appeal: Some("https://board.example/appeals".into()),
        workers: Some(1),
        max_connections: 1000,
        client_requests: 64,
        memory_budget: 256 << 20,
        timeouts: Timeouts::default(),
    }
}

impl TestApp {
    pub fn spawn() -> Self {
        Self::spawn_with(|_| {})
    }

    pub fn spawn_with(change: impl FnOnce(&mut HttpSettings)) -> Self {
        let keys = tempfile::tempdir().unwrap();
        KeyFolder::new(keys.path())
            .generate(KeyId::new(Uuid::now_v7()).unwrap())
            .unwrap();
        let backend = Arc::new(Backend::default());
        let mut settings = settings("127.0.0.1:0".parse().unwrap(), keys.path());
        change(&mut settings);
        let application = Application::build(ports(&backend), &settings).unwrap();
        let (address, stop) = (application.addr(), application.stop_handle());
        let serving = tokio::spawn(application.run());
        Self {
            backend,
            stop,
            serving,
            address,
            _keys: keys,
        }
    }

    pub async fn token(&self, scopes: &[Scope]) -> String {
        let of_client = self.client(|client| client.scopes = scopes.to_vec());
        of_client.await.1
    }

    pub async fn client(&self, change: impl FnOnce(&mut Client)) -> (ClientId, String) {
        let (id, form) = self.credentials(change).await;
        let answer = self.ask_for_token(&form).await;
        assert_eq!(answer.status, 200, "{answer:?}");
        let token = answer.json()["access_token"].as_str().unwrap().to_owned();
        (id, token)
    }

    pub async fn ask_for_token(&self, form: &str) -> Response {
        let request = request("POST", "/oauth/token");
        let request = request.header("Content-Type", "application/x-www-form-urlencoded");
        request.body(form).send(self).await
    }

    pub async fn credentials(&self, change: impl FnOnce(&mut Client)) -> (ClientId, String) {
        let secret = ClientSecret::generate().unwrap();
        let (id, now) = (ClientId::new(Uuid::now_v7()), OffsetDateTime::now_utc());
        let mut client = Client {
            id,
            name: "Test".to_owned(),
            scopes: vec![Scope::JobPostingsWrite],
            secrets: vec![StoredSecret::new(secret.digest(), now)],
            created_at: now,
            ..testing::client(1)
        };
        change(&mut client);
        self.backend.store.insert(&client, None).await.unwrap();
        let form = format!(
            "grant_type=client_credentials&client_id={id}&client_secret={}",
            secret.expose()
        );
        (id, form)
    }

    pub async fn with_writer() -> (Self, String) {
        let app = Self::spawn();
        let token = app.writer().await;
        (app, token)
    }

    pub async fn writer(&self) -> String {
        self.token(&[Scope::JobPostingsWrite]).await
    }

    pub async fn reporter(&self) -> String {
        self.token(&[Scope::NewsletterSubscribersWrite]).await
    }

    pub async fn get(&self, token: &str, path: &str) -> Response {
        request("GET", path).token(token).send(self).await
    }

    pub async fn connect(&self) -> Connection {
        Connection::open(self.address).await
    }
}

pub fn posting() -> Value {
    json!({
        "title": "Engineer",
        "raw_description": "<p>Build things.</p>",
        "application_url": "https://example.com/apply",
        "company": {"name": "Example", "website_url": "https://example.com"}
    })
}

pub fn put(token: &str, identifier: &str, body: &Value) -> Request {
    let put = request("PUT", &format!("{PATH}/{identifier}"));
    put.token(token).json(body)
}

pub async fn push(app: &TestApp, token: &str, identifier: &str, body: &Value) -> String {
    let answer = put(token, identifier, body).send(app).await;
    assert!(matches!(answer.status, 200 | 201), "{answer:?}");
    answer.json()["data"]["uuid"].as_str().unwrap().to_owned()
}

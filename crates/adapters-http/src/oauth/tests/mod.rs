//! Tests of OAuth with clients in memory, a key folder and a virtual clock.

mod bearer;
mod keys;
mod metadata;
mod requests;

use std::{
    collections::HashMap,
    fmt::Display,
    sync::{
        Arc, Mutex,
        atomic::{AtomicBool, AtomicI64, AtomicUsize, Ordering},
    },
    time::Duration as StdDuration,
};

use access::{
    ActivityRecorder, Client, ClientWrite, Clients, Scope, StoredSecret,
    activity::{Counts, Refusal},
    testing,
};
use actix_web::{
    App,
    body::to_bytes,
    dev::ServiceResponse,
    http::header::{AUTHORIZATION, HeaderMap, HeaderValue},
    test::{TestRequest, call_service, init_service},
    web::Data,
};
use async_trait::async_trait;
use kernel::{ClientId, StoreError, Version, audit::Entry};
use runtime::Clock;
use serde_json::Value;
use tempfile::TempDir;
use time::{Duration, OffsetDateTime};
use tokens::{ClientSecret, KeyFolder, KeyId, KeyRing, TokenFault};
use uuid::Uuid;

use super::*;
use crate::{
    limit::Uptime,
    slots::{Limits, Slots},
};

const ISSUER: &str = "https://jobs.example";
const TTL: i64 = 3600;
const START: i64 = 1_767_225_600;

fn key_id(at: OffsetDateTime, n: u8) -> KeyId {
    let millis = u64::try_from(at.unix_timestamp_nanos() / 1_000_000).unwrap();
    KeyId::new(uuid::Builder::from_unix_timestamp_millis(millis, &[n; 10]).into_uuid()).unwrap()
}

fn at(seconds: i64) -> OffsetDateTime {
    OffsetDateTime::from_unix_timestamp(START + seconds).unwrap()
}

#[derive(Default)]
pub(crate) struct FakeClients {
    clients: Mutex<HashMap<ClientId, Client>>,
    down: AtomicBool,
    finds: AtomicUsize,
    looks: AtomicUsize,
}

#[async_trait]
impl Clients for FakeClients {
    async fn insert(&self, client: &Client, _: Option<&Entry>) -> Result<(), StoreError> {
        let mut clients = self.clients.lock().unwrap();
        clients.insert(client.id, client.clone());
        Ok(())
    }

    async fn find(&self, id: ClientId) -> Result<Option<Client>, StoreError> {
        self.finds.fetch_add(1, Ordering::SeqCst);
        // Lets other tasks run in between, as a real store would.
        tokio::task::yield_now().await;
        if self.down.load(Ordering::SeqCst) {
            return Err(StoreError::Unavailable("secret internals".to_owned()));
        }
        Ok(self.clients.lock().unwrap().get(&id).cloned())
    }

    async fn list(&self, _: usize) -> Result<Vec<Client>, StoreError> {
        unreachable!("the API lists no clients")
    }

    async fn versions(&self, ids: &[ClientId]) -> Result<HashMap<ClientId, Version>, StoreError> {
        self.looks.fetch_add(1, Ordering::SeqCst);
        tokio::task::yield_now().await;
        if self.down.load(Ordering::SeqCst) {
            return Err(StoreError::Unavailable("secret internals".to_owned()));
        }
        let clients = self.clients.lock().unwrap();
        let known = ids.iter().filter_map(|id| clients.get(id));
        Ok(known.map(|client| (client.id, client.version)).collect())
    }

    async fn update(&self, _: &ClientWrite, _: Option<&Entry>) -> Result<(), StoreError> {
        unreachable!("the API changes no clients")
    }
}

impl FakeClients {
    pub(crate) fn change(&self, id: ClientId, change: impl FnOnce(&mut Client)) {
        change(self.clients.lock().unwrap().get_mut(&id).unwrap());
    }

    pub(crate) fn revoke(&self, id: ClientId) {
        self.change(id, |client| client.revoked_at = Some(at(0)));
    }
}

#[derive(Default)]
struct Uses(Mutex<Vec<(ClientId, [u8; 32], OffsetDateTime)>>);

impl ActivityRecorder for Uses {
    fn pushed(&self, _: ClientId, _: Counts, _: OffsetDateTime) {}

    fn explained(&self, _: ClientId, _: Refusal) {}

    fn used(&self, client: ClientId, digest: [u8; 32], at: OffsetDateTime) {
        self.0.lock().unwrap().push((client, digest, at));
    }
}

pub(crate) struct Harness {
    folder: KeyFolder,
    pub(crate) clients: Arc<FakeClients>,
    uses: Arc<Uses>,
    authorizer: Data<Authorizer>,
    clock: Arc<AtomicI64>,
    _directory: TempDir,
}

impl Harness {
    pub(crate) fn new() -> Self {
        let harness = Self::without_key();
        harness.folder.generate(key_id(at(0), 0)).unwrap();
        harness.authorizer.keys().reload();
        harness
    }

    fn without_key() -> Self {
        let directory = tempfile::tempdir().unwrap();
        let folder = KeyFolder::new(directory.path().join("keys"));
        let clients = Arc::new(FakeClients::default());
        let uses = Arc::new(Uses::default());
        let clock = Arc::new(AtomicI64::new(0));
        let keys = KeyRing::open(folder.clone()).unwrap();
        let authorizer = authorizer(keys, &clients, &uses, shown(&clock));
        Self {
            folder,
            clients,
            uses,
            authorizer,
            clock,
            _directory: directory,
        }
    }

    fn other_process(&self) -> Data<Authorizer> {
        self.process_with(KeyRing::open(self.folder.clone()).unwrap())
    }

    fn process_with(&self, keys: KeyRing) -> Data<Authorizer> {
        authorizer(keys, &self.clients, &self.uses, shown(&self.clock))
    }

    pub(crate) fn set_clock(&self, seconds: i64) {
        self.clock.store(seconds * 1000, Ordering::SeqCst);
    }

    async fn authorize(
        &self,
        headers: &HeaderMap,
        scopes: &'static [Scope],
    ) -> Result<ClientId, AuthError> {
        authorize_in(&self.authorizer, headers, scopes).await
    }

    async fn client(&self, scopes: &[Scope]) -> (ClientId, String) {
        let secret = ClientSecret::generate().unwrap();
        let mut random = [0; 16];
        random.copy_from_slice(&secret.digest()[..16]);
        let id = ClientId::new(uuid::Builder::from_random_bytes(random).into_uuid());
        let client = Client {
            id,
            scopes: scopes.to_vec(),
            secrets: vec![StoredSecret::new(secret.digest(), at(0))],
            ..testing::client(1)
        };
        self.clients.insert(&client, None).await.unwrap();
        (id, secret.expose().to_owned())
    }

    async fn token(&self, scopes: &[Scope]) -> (ClientId, String) {
        let (id, secret) = self.client(scopes).await;
        let answer = self.post(&[], &form(id, &secret)).await;
        assert_eq!(answer.status, 200, "{}", answer.body);
        (id, answer.body["access_token"].as_str().unwrap().to_owned())
    }

    pub(crate) async fn reader(&self) -> Caller {
        const SCOPES: &[Scope] = &[Scope::JobPostingsRead];
        let headers = bearer(&self.token(SCOPES).await.1);
        let caller = self.authorizer.authorize(&headers, SCOPES, true, |_, _| {});
        caller.await.unwrap()
    }

    async fn post(&self, headers: &[(&str, &str)], form: &str) -> Answer {
        let mut request = TestRequest::post()
            .uri(token::PATH)
            .insert_header(("content-type", "application/x-www-form-urlencoded"))
            .set_payload(form.to_owned());
        for header in headers {
            request = request.append_header(*header);
        }
        self.send(request).await
    }

    async fn send(&self, request: TestRequest) -> Answer {
        let app = init_service(
            App::new()
                .app_data(Data::clone(&self.authorizer))
                .configure(routes),
        )
        .await;
        Answer::of(call_service(&app, request.to_request()).await).await
    }
}

fn form(id: impl Display, secret: impl Display) -> String {
    format!("grant_type=client_credentials&client_id={id}&client_secret={secret}")
}

async fn authorize_in(
    authorizer: &Arc<Authorizer>,
    headers: &HeaderMap,
    scopes: &'static [Scope],
) -> Result<ClientId, AuthError> {
    let caller = authorizer.authorize(headers, scopes, true, |_, _| {});
    caller.await.map(|caller| caller.id())
}

fn shown(millis: &Arc<AtomicI64>) -> Clock {
    let millis = Arc::clone(millis);
    Arc::new(move || at(0) + Duration::milliseconds(millis.load(Ordering::SeqCst)))
}

fn authorizer(
    keys: KeyRing,
    clients: &Arc<FakeClients>,
    uses: &Arc<Uses>,
    clock: Clock,
) -> Data<Authorizer> {
    let tokens = tokens::Tokens::new(ISSUER.to_owned());
    let token_ttl = StdDuration::from_secs(TTL.unsigned_abs());
    let shown = Arc::clone(&clock);
    let uptime = Uptime(Arc::new(move || {
        let since_1970 = shown() - OffsetDateTime::UNIX_EPOCH;
        since_1970.try_into().unwrap()
    }));
    let clients: Arc<dyn Clients> = Arc::<FakeClients>::clone(clients);
    let recorder: Arc<dyn ActivityRecorder> = Arc::<Uses>::clone(uses);
    let clocks = (clock, uptime);
    let limits = Limits {
        requests: Slots::new("requests", 100, 100),
        bytes: Slots::of_bytes(1 << 20, 1 << 20),
    };
    Data::new(Authorizer::with_clocks(
        tokens, token_ttl, keys, clients, recorder, clocks, limits,
    ))
}

struct Answer {
    status: u16,
    headers: HeaderMap,
    body: Value,
}

impl Answer {
    async fn of(response: ServiceResponse) -> Self {
        let status = response.status().as_u16();
        let headers = response.headers().clone();
        let bytes = to_bytes(response.into_body()).await.unwrap();
        let body = serde_json::from_slice(&bytes).unwrap_or(Value::Null);
        Self {
            status,
            headers,
            body,
        }
    }

    fn header(&self, name: &str) -> Option<&str> {
        self.headers.get(name).map(|value| value.to_str().unwrap())
    }
}

fn bearer(token: &str) -> HeaderMap {
    let bearer = HeaderValue::try_from(format!("Bearer {token}")).unwrap();
    HeaderMap::from_iter([(AUTHORIZATION, bearer)])
}

//! A console with a store in memory, and a scripted browser.

use std::{
    any::Any,
    cell::RefCell,
    collections::BTreeMap,
    rc::Rc,
    sync::{
        Arc,
        atomic::{AtomicI64, Ordering},
    },
};

use access::{
    Client, Clients, Crowded, Gate, Scope, Share,
    sign_in::{LinkMaker, issue_link, token_digest},
};
use actix_http::Request;
use actix_web::{
    App, HttpMessage as _, HttpResponse,
    body::{MessageBody, to_bytes},
    dev::{Service, ServiceResponse},
    http::{StatusCode, header::HeaderMap},
    test, web,
};
use adapters_console::{Console, Ports, Settings, client_link, integration_routes, new_token};
use async_trait::async_trait;
use domain::{
    catalogue::{
        CatalogueId, CatalogueLease, CatalogueQuery, Catalogues, Leased, Released, Undone,
    },
    company::{Company, CompanyPairView, CompanyReader, CompanyView, PairKind},
    posting::{ENRICH, Lifetime, Posting, PutPosting},
    store::Reads as _,
    usecase::{CatalogueCorrections, CatalogueError, CorrectionOrder, ingest},
};
use kernel::{
    CatalogueName, ClientId, CompanyId, Operator, PostingId, Prefixes, SourceIdentifier, Status,
    StoreError,
    audit::{Attribution, AuditLog as _, AuditQuery},
    outbox::{Kind, Outbox as _},
    testing::{identifier, minutes, noon, uuid},
};
use newsletter::testing::MemoryStore;
use stores::Stores;
use time::{Duration, OffsetDateTime};
use webhooks::{AddressProblem, Attempt, Delivery, EndpointUrl, Outcome, PrivateAddresses, Sender};
use workers::testing::FaultyStore;

pub const EVIL: &str = "\"'><script>alert(1)</script>";

const KINDS: [Kind; 1] = [ENRICH.kind()];

pub struct Desk {
    pub store: Arc<MemoryStore>,
    pub faults: Arc<FaultyStore>,
    pub settings: Settings,
    pub companies: Arc<dyn CompanyReader>,
    pub limits: Rc<Limits>,
    clock: Arc<AtomicI64>,
}

pub struct Answer {
    pub status: StatusCode,
    pub headers: HeaderMap,
    pub body: String,
}

impl Answer {
    pub fn header(&self, name: &str) -> &str {
        let value = self.headers.get(name);
        value.map_or("", |value| value.to_str().unwrap())
    }

    pub fn cookie(&self) -> &str {
        let cookie = self.header("set-cookie");
        cookie.split(';').next().unwrap_or_default()
    }

    pub fn has(&self, parts: &[&str]) {
        for part in parts {
            assert!(self.body.contains(part), "{part}: {}", self.body);
        }
    }

    pub fn lacks(&self, parts: &[&str]) {
        for part in parts {
            assert!(!self.body.contains(part), "{part}: {}", self.body);
        }
    }

    pub fn next(&self) -> Option<String> {
        let (before, _) = self.body.split_once("rel=\"next\"")?;
        let (_, href) = before.rsplit_once("href=\"")?;
        Some(href.trim_end_matches("\" ").replace("&#38;", "&"))
    }

    pub fn token(&self) -> &str {
        let (_, rest) = self.body.split_once("name=\"token\" value=\"").unwrap();
        rest.split('"').next().unwrap()
    }
}

struct Receiver;

#[async_trait]
impl Sender for Receiver {
    async fn send(&self, _: &Delivery<'_>) -> Attempt {
        Attempt {
            outcome: Outcome::Refused {
                status: 418,
                retry_after: None,
            },
            duration: std::time::Duration::from_millis(7),
            error: Some("<b>teapot".to_owned()),
        }
    }

    async fn check(&self, _: &EndpointUrl) -> Result<(), AddressProblem> {
        Ok(())
    }
}

struct Corrections;

#[async_trait]
impl CatalogueCorrections for Corrections {
    async fn release(&self, _: CorrectionOrder) -> Result<Released, CatalogueError> {
        Ok(Released {
            expired: 4,
            left: 1,
        })
    }

    async fn undo(&self, order: CorrectionOrder) -> Result<Undone, CatalogueError> {
        match order.name.as_str() {
            "running" => Err(CatalogueError::Running(7)),
            _ => Ok(Undone {
                reopened: 2,
                restored: 3,
                left: u64::from(order.by.is_some()),
            }),
        }
    }
}

/// The companies of an unavailable store.
pub struct Away;

fn unavailable<T>() -> Result<T, StoreError> {
    Err(StoreError::Unavailable("gone <for> good".to_owned()))
}

#[async_trait]
impl CompanyReader for Away {
    async fn company(&self, _: CompanyId) -> Result<Option<CompanyView>, StoreError> {
        unavailable()
    }

    async fn companies(&self, _: &str, _: usize) -> Result<Vec<CompanyView>, StoreError> {
        unavailable()
    }

    async fn companies_named(&self, _: &str, _: usize) -> Result<Vec<CompanyView>, StoreError> {
        unavailable()
    }

    async fn aliases(&self, _: CompanyId, _: usize) -> Result<Vec<CompanyView>, StoreError> {
        unavailable()
    }

    async fn alike(&self, _: &Company, _: usize) -> Result<Vec<CompanyView>, StoreError> {
        unavailable()
    }

    async fn company_pairs(
        &self,
        _: PairKind,
        _: Option<[CompanyId; 2]>,
        _: usize,
    ) -> Result<Vec<CompanyPairView>, StoreError> {
        unavailable()
    }

    async fn count_postings(
        &self,
        _: CompanyId,
        _: usize,
    ) -> Result<BTreeMap<Status, usize>, StoreError> {
        unavailable()
    }

    async fn misplaced(
        &self,
        _: &Company,
        _: Option<PostingId>,
        _: usize,
    ) -> Result<Vec<(PostingId, SourceIdentifier)>, StoreError> {
        unavailable()
    }
}

/// Limits that admit requests by default.
#[derive(Default)]
pub struct Limits {
    pub of_requests: RefCell<Option<Crowded>>,
    pub of_calls: RefCell<Option<Crowded>>,
    pub asked: RefCell<Vec<&'static str>>,
}

#[async_trait(?Send)]
impl Gate for Limits {
    async fn count(&self, _: ClientId) -> Result<(), Crowded> {
        self.asked.borrow_mut().push("count");
        self.of_requests.borrow().clone().map_or(Ok(()), Err)
    }

    fn take(&self, _: ClientId, share: Share) -> Result<Box<dyn Any>, Crowded> {
        let (name, crowded) = match share {
            Share::Page => ("page", None),
            Share::ReceiverCall => ("call", self.of_calls.borrow().clone()),
        };
        self.asked.borrow_mut().push(name);
        crowded.map_or_else(|| Ok(Box::new(()) as _), Err)
    }
}

#[derive(Default)]
pub struct Ask<'a> {
    pub form: Option<String>,
    pub headers: Vec<(&'a str, &'a str)>,
    pub peer: Option<&'a str>,
}

impl Ask<'_> {
    pub fn request(self, path: &str) -> Request {
        let mut request = match self.form {
            Some(form) => test::TestRequest::post()
                .insert_header(("content-type", "application/x-www-form-urlencoded"))
                .set_payload(form),
            None => test::TestRequest::get(),
        };
        request = request.uri(path).insert_header(("host", "console.example"));
        for header in self.headers {
            request = request.append_header(header);
        }
        if let Some(peer) = self.peer {
            request = request.peer_addr(format!("{peer}:4711").parse().unwrap());
        }
        request.to_request()
    }
}

pub async fn answer<B: MessageBody>(
    app: &impl Service<Request, Response = ServiceResponse<B>, Error = actix_web::Error>,
    request: Request,
) -> Answer {
    match app.call(request).await {
        Ok(response) => read(response.into_parts().1).await,
        Err(error) => read(error.error_response()).await,
    }
}

async fn read<B: MessageBody>(response: HttpResponse<B>) -> Answer {
    let (status, headers) = (response.status(), response.headers().clone());
    let body = to_bytes(response.into_body()).await.ok().unwrap();
    let body = String::from_utf8(body.to_vec()).unwrap();
    Answer {
        status,
        headers,
        body,
    }
}

impl Desk {
    pub fn new() -> Self {
        let faults = FaultyStore::new();
        let store = Arc::clone(&faults.memory);
        Self {
            companies: Arc::clone(&store) as _,
            store,
            faults,
            limits: Rc::default(),
            settings: Settings {
                url: "http://console.example".to_owned(),
                proxy: None,
                has_newsletter: false,
                kinds: &KINDS,
            },
            clock: Arc::default(),
        }
    }

    pub async fn add_client(&self, id: ClientId, name: &str, prefixes: Prefixes) {
        let client = Client {
            id,
            name: name.to_owned(),
            scopes: vec![Scope::JobPostingsWrite],
            prefixes,
            ..access::testing::client(1)
        };
        Clients::insert(&*self.store, &client, None).await.unwrap();
    }

    pub async fn push(&self, puts: &[PutPosting]) {
        let answers = ingest(&*self.store, puts, Lifetime::NEVER, self.now()).await;
        for answer in answers.unwrap() {
            answer.unwrap();
        }
    }

    /// Dead-letters every enrichment, and returns the tasks.
    pub async fn give_up(&self, why: &str) -> Vec<i64> {
        let claimed = self.store.claim(ENRICH, 9, minutes(1), uuid(9), noon());
        let mut tasks = Vec::new();
        for claimed in claimed.await.unwrap() {
            let given_up = self.store.give_up(claimed.token, why, noon());
            given_up.await.unwrap();
            tasks.push(claimed.token.task.0);
        }
        tasks
    }

    pub async fn lease(&self, client: ClientId) -> CatalogueLease {
        self.lease_named(client, "roses", 5).await
    }

    pub async fn lease_named(&self, client: ClientId, name: &str, n: u128) -> CatalogueLease {
        let query = CatalogueQuery {
            client,
            name: CatalogueName::new(name).unwrap(),
            new_id: Some(CatalogueId::new(uuid(n))),
            holder: uuid(6),
            now: noon(),
            until: noon() + minutes(1),
        };
        match Catalogues::lease(&*self.store, &query).await.unwrap() {
            Leased::Held(lease) => lease,
            other => panic!("{other:?}"),
        }
    }

    pub async fn posting(&self, id: &str) -> Posting {
        let known = self.store.load(&[identifier(id)], &[]).await.unwrap();
        known.postings[&identifier(id)].clone()
    }

    pub fn pass(&self, time: Duration) {
        self.clock
            .fetch_add(time.whole_seconds(), Ordering::Relaxed);
    }

    fn ports(&self) -> Ports {
        let clock = Arc::clone(&self.clock);
        Ports {
            stores: Stores {
                store: Arc::clone(&self.faults) as _,
                newsletter: Arc::clone(&self.faults) as _,
                companies: Arc::clone(&self.companies),
                ..Stores::of(&self.store)
            },
            corrections: Arc::new(Corrections),
            sender: Arc::new(Receiver),
            appeal: None,
            private_addresses: PrivateAddresses::default(),
            lifetime: Lifetime::NEVER,
            clock: Arc::new(move || noon() + Duration::seconds(clock.load(Ordering::Relaxed))),
        }
    }

    pub fn now(&self) -> OffsetDateTime {
        noon() + Duration::seconds(self.clock.load(Ordering::Relaxed))
    }

    pub async fn visit(&self, client: &Client) -> String {
        let by = LinkMaker::Client;
        let link = client_link(&*self.store, client, by, "", self.now());
        let (url, _) = link.await.unwrap();
        let (page, form) = url.split_once('?').unwrap();
        let entered = self.post(page, "", form).await;
        assert_eq!(entered.header("location"), "/integration");
        entered.cookie().to_owned()
    }

    pub async fn link(&self, operator: &str) -> String {
        let token = new_token();
        let by = Attribution {
            id: uuid::Uuid::now_v7(),
            operator: Operator::new("ann").unwrap(),
        };
        let operator = Operator::new(operator).unwrap();
        let digest = token_digest(&token);
        let issued = issue_link(&*self.store, digest, operator, &by, self.now());
        issued.await.unwrap();
        token
    }

    pub async fn process(
        &self,
    ) -> impl Service<Request, Response = ServiceResponse<impl MessageBody>, Error = actix_web::Error>
    {
        let console = Console::new(self.ports(), self.settings.clone());
        let integration = integration_routes(self.ports(), "http://console.example");
        let limits = Rc::clone(&self.limits);
        let pages = web::scope("/integration").configure(integration);
        let pages = pages.wrap_fn(move |request, next| {
            let gate: Rc<dyn Gate> = Rc::clone(&limits) as _;
            request.extensions_mut().insert(gate);
            next.call(request)
        });
        let app = App::new().service(pages);
        test::init_service(app.configure(|config| console.configure(config))).await
    }

    pub async fn ask(&self, path: &str, ask: Ask<'_>) -> Answer {
        answer(&self.process().await, ask.request(path)).await
    }

    pub async fn get(&self, path: &str, cookie: &str) -> Answer {
        let headers = vec![("cookie", cookie)];
        let ask = Ask {
            headers,
            ..Ask::default()
        };
        self.ask(path, ask).await
    }

    pub async fn post(&self, path: &str, cookie: &str, form: &str) -> Answer {
        let ask = Ask {
            form: Some(form.to_owned()),
            headers: vec![("cookie", cookie)],
            peer: None,
        };
        self.ask(path, ask).await
    }

    pub async fn sign_in(&self, operator: &str) -> String {
        let link = self.link(operator).await;
        let entered = self.post("/sign-in", "", &format!("link={link}")).await;
        assert_eq!(entered.status, 303);
        entered.cookie().to_owned()
    }

    pub async fn operator(&self, name: &str) -> Visitor<'_> {
        let cookie = self.sign_in(name).await;
        self.visitor("/clients", cookie).await
    }

    pub async fn integrator(&self, client: &Client) -> Visitor<'_> {
        let cookie = self.visit(client).await;
        self.visitor("/integration", cookie).await
    }

    async fn visitor(&self, page: &str, cookie: String) -> Visitor<'_> {
        let page = self.get(page, &cookie).await;
        let token = page.token().to_owned();
        Visitor {
            desk: self,
            cookie,
            token,
        }
    }

    /// The audited actions with their operators, oldest first.
    pub async fn audit(&self) -> Vec<String> {
        let query = AuditQuery {
            limit: 100,
            ..AuditQuery::default()
        };
        let mut entries = self.store.entries(&query).await.unwrap();
        entries.sort_by_key(|entry| entry.run);
        let told = entries
            .iter()
            .map(|entry| format!("{} {}", entry.by, entry.action));
        told.collect()
    }
}

pub struct Visitor<'a> {
    desk: &'a Desk,
    pub cookie: String,
    pub token: String,
}

impl Visitor<'_> {
    pub async fn get(&self, path: &str) -> Answer {
        self.desk.get(path, &self.cookie).await
    }

    pub async fn post(&self, path: &str, form: &str) -> Answer {
        let form = format!("token={}&{form}", self.token);
        self.desk.post(path, &self.cookie, &form).await
    }

    pub async fn check(&self, path: &str, forms: &[(&str, u16)]) {
        for (form, status) in forms {
            let answer = self.post(path, form).await;
            assert_eq!(answer.status, *status, "{form}: {}", answer.body);
        }
    }

    pub async fn follow(&self, path: &str, form: &str) -> Answer {
        let done = self.post(path, form).await;
        assert_eq!(done.status, 303, "{form}: {}", done.body);
        self.get(done.header("location")).await
    }
}

pub fn encoded(value: &str) -> String {
    url::form_urlencoded::byte_serialize(value.as_bytes()).collect()
}

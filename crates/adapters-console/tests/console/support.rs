//! A console with a store in memory, and a browser without a screen.

use std::sync::{
    Arc,
    atomic::{AtomicBool, AtomicI64, Ordering},
};

use access::{
    Client, Clients, Scope,
    sign_in::{SignInToken, SignInTokenKind, SignInTokens, TokenDigest, issue_link, token_digest},
};
use actix_web::{
    App,
    body::to_bytes,
    dev::Service as _,
    http::{StatusCode, header::HeaderMap},
    test, web,
};
use adapters_console::{
    Console, Decisions, Ports, Settings, SharedPorts, client_link, integration_routes, new_token,
};
use async_trait::async_trait;
use domain::{
    catalogue::Undone,
    posting::{ENRICH, Lifetime, Posting, moderation::Moderation},
    usecase::{
        CatalogueError, CompanyChange, CompanyError, ModerationError, UndoCatalogue, UndoOrder,
        moderate, update_company,
    },
};
use kernel::{
    ClientId, CompanyId, Prefixes, SourceIdentifier, StoreError, Version,
    audit::{Attribution, AuditLog as _, AuditQuery, Entry, Operator},
    testing::{by_ann, noon},
};
use newsletter::{
    subscriber::Email,
    testing::MemoryStore,
    usecase::{PersonCommand, PersonError},
};
use time::{Duration, OffsetDateTime};
use webhooks::{AddressProblem, Attempt, Delivery, EndpointUrl, Outcome, PrivateAddresses, Sender};

/// A console with its store and its stand-ins.
pub struct Desk {
    pub store: Arc<MemoryStore>,
    pub settings: Settings,
    clock: Arc<AtomicI64>,
    is_away: Arc<AtomicBool>,
}

/// An answer, read to its end.
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

    /// The value of the cookie that the answer sets.
    pub fn cookie(&self) -> &str {
        let cookie = self.header("set-cookie");
        cookie.split(';').next().unwrap_or_default()
    }

    /// The token of the page's forms.
    pub fn token(&self) -> &str {
        let (_, rest) = self.body.split_once("name=\"token\" value=\"").unwrap();
        rest.split('"').next().unwrap()
    }
}

/// Decides on the store in memory; about people it says what it was asked, and everybody but
/// `nobody@example.com` is known.
struct Decider(Arc<MemoryStore>);

#[async_trait]
impl Decisions for Decider {
    async fn moderate(
        &self,
        identifier: &SourceIdentifier,
        command: &Moderation,
        seen: Option<Version>,
        by: &Attribution,
    ) -> Result<Posting, ModerationError> {
        let (store, lifetime) = (&*self.0, Lifetime::NEVER);
        moderate(store, identifier, command, seen, by, lifetime, noon()).await
    }

    async fn change_company(
        &self,
        id: CompanyId,
        change: &CompanyChange,
        by: &Attribution,
    ) -> Result<(), CompanyError> {
        update_company(&*self.0, &*self.0, id, change, by, noon()).await
    }

    async fn decide_about(
        &self,
        email: &Email,
        command: &PersonCommand,
        by: &Attribution,
    ) -> Result<String, PersonError> {
        if email.as_str() == "nobody@example.com" {
            return Err(PersonError::NotFound);
        }
        Ok(format!("{email} {command:?} {}", by.operator))
    }
}

/// A receiver that answers 418.
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

/// Undoes what it is asked to.
struct Undo;

#[async_trait]
impl UndoCatalogue for Undo {
    async fn undo(&self, order: UndoOrder) -> Result<Undone, CatalogueError> {
        match order.name.as_str() {
            "running" => Err(CatalogueError::Running(7)),
            _ => Ok(Undone {
                reopened: 2,
                left: u64::from(order.by.is_some()),
            }),
        }
    }
}

/// Passes of a store that may be away.
struct Shaky(Arc<MemoryStore>, Arc<AtomicBool>);

impl Shaky {
    fn store(&self) -> Result<&MemoryStore, StoreError> {
        if self.1.load(Ordering::Relaxed) {
            return Err(StoreError::Unavailable("gone <for> good".to_owned()));
        }
        Ok(&self.0)
    }
}

#[async_trait]
impl SignInTokens for Shaky {
    async fn add_token(
        &self,
        token: &SignInToken,
        entry: Option<&Entry>,
    ) -> Result<(), StoreError> {
        SignInTokens::add_token(self.store()?, token, entry).await
    }

    async fn find_token(
        &self,
        kind: SignInTokenKind,
        digest: &TokenDigest,
    ) -> Result<Option<SignInToken>, StoreError> {
        SignInTokens::find_token(self.store()?, kind, digest).await
    }

    async fn redeem_link(
        &self,
        link: &TokenDigest,
        session: &SignInToken,
        entry: &Entry,
    ) -> Result<bool, StoreError> {
        self.store()?.redeem_link(link, session, entry).await
    }

    async fn end_session(&self, session: &TokenDigest, entry: &Entry) -> Result<bool, StoreError> {
        self.store()?.end_session(session, entry).await
    }

    async fn forget_tokens(
        &self,
        before: OffsetDateTime,
        limit: usize,
    ) -> Result<usize, StoreError> {
        SignInTokens::forget_tokens(self.store()?, before, limit).await
    }
}

/// A request to make.
#[derive(Default)]
pub struct Ask<'a> {
    pub form: Option<String>,
    pub headers: Vec<(&'a str, &'a str)>,
    pub peer: Option<&'a str>,
}

impl Desk {
    pub fn new() -> Self {
        Self {
            store: Arc::new(MemoryStore::new()),
            settings: Settings {
                url: "http://console.example".to_owned(),
                ..Settings::default()
            },
            clock: Arc::default(),
            is_away: Arc::default(),
        }
    }

    /// Adds a client of this name.
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

    pub fn set_away(&self, is_away: bool) {
        self.is_away.store(is_away, Ordering::Relaxed);
    }

    /// Lets time pass.
    pub fn pass(&self, time: Duration) {
        self.clock
            .fetch_add(time.whole_seconds(), Ordering::Relaxed);
    }

    fn ports(&self) -> Ports {
        let clock = Arc::clone(&self.clock);
        let shared = SharedPorts {
            sign_in_tokens: Arc::new(Shaky(Arc::clone(&self.store), Arc::clone(&self.is_away))),
            clients: Arc::clone(&self.store) as _,
            activity: Arc::clone(&self.store) as _,
            browser: Arc::clone(&self.store) as _,
            postings: Arc::clone(&self.store) as _,
            catalogues: Arc::clone(&self.store) as _,
            undo: Arc::new(Undo),
            webhooks: Arc::clone(&self.store) as _,
            log: Arc::clone(&self.store) as _,
            sender: Arc::new(Receiver),
            new_ping: Arc::new(|_| Some(("ping_1".to_owned(), b"{}".to_vec()))),
            event_text: Arc::new(|event, posting| {
                let title = posting.map(|view| view.posting.details.title.as_str());
                Some(format!("{} of {title:?}", event.name))
            }),
            appeal: None,
            private_addresses: PrivateAddresses::default(),
            clock: Arc::new(move || noon() + Duration::seconds(clock.load(Ordering::Relaxed))),
        };
        Ports {
            shared,
            store: Arc::clone(&self.store) as _,
            decisions: Arc::new(Decider(Arc::clone(&self.store))),
            companies: Arc::clone(&self.store) as _,
            new_secret: Arc::new(|| Some(("s3cret".to_owned(), [3; 32]))),
            outbox: Arc::clone(&self.store) as _,
            kinds: vec![ENRICH.kind()],
            subscribers: Arc::clone(&self.store) as _,
            census: Arc::clone(&self.store) as _,
            accounts: Arc::clone(&self.store) as _,
            audit: Arc::clone(&self.store) as _,
        }
    }

    pub fn now(&self) -> OffsetDateTime {
        noon() + Duration::seconds(self.clock.load(Ordering::Relaxed))
    }

    /// Signs in for a client, and returns the cookie.
    pub async fn visit(&self, client: &Client) -> String {
        let (url, _) = client_link(&*self.store, client, None, "", self.now())
            .await
            .unwrap();
        let link = url.strip_prefix("/integration/sign-in?link=").unwrap();
        let entered = self
            .post("/integration/sign-in", "", &[("link", link)])
            .await;
        assert_eq!(
            (entered.status.as_u16(), entered.header("location")),
            (303, "/integration")
        );
        entered.cookie().to_owned()
    }

    /// The token of a new link for an operator.
    pub async fn link(&self, operator: &str) -> String {
        let token = new_token();
        let operator = Operator::new(operator).unwrap();
        let now = self.now();
        let by = Attribution {
            id: uuid::Uuid::now_v7(),
            ..by_ann(1)
        };
        issue_link(&*self.store, token_digest(&token), operator, &by, now)
            .await
            .unwrap();
        token
    }

    /// Makes a request.
    pub async fn ask(&self, path: &str, ask: Ask<'_>) -> Answer {
        let console = Console::new(self.ports(), self.settings.clone());
        let integration = integration_routes(self.ports().shared, "http://console.example");
        let app = App::new()
            .service(web::scope("/integration").configure(integration))
            .configure(|config| console.configure(config));
        let app = test::init_service(app).await;
        let mut request = match ask.form {
            Some(form) => test::TestRequest::post()
                .insert_header(("content-type", "application/x-www-form-urlencoded"))
                .set_payload(form),
            None => test::TestRequest::get(),
        };
        request = request.uri(path).insert_header(("host", "console.example"));
        for header in ask.headers {
            request = request.append_header(header);
        }
        if let Some(peer) = ask.peer {
            request = request.peer_addr(format!("{peer}:4711").parse().unwrap());
        }
        let response = match app.call(request.to_request()).await {
            Ok(response) => response.into_parts().1,
            Err(error) => error.error_response(),
        };
        let (status, headers) = (response.status(), response.headers().clone());
        let body = to_bytes(response.into_body()).await.unwrap();
        let body = String::from_utf8(body.to_vec()).unwrap();
        Answer {
            status,
            headers,
            body,
        }
    }

    pub async fn get(&self, path: &str, cookie: &str) -> Answer {
        let headers = vec![("cookie", cookie)];
        self.ask(
            path,
            Ask {
                headers,
                ..Ask::default()
            },
        )
        .await
    }

    pub async fn post(&self, path: &str, cookie: &str, form: &[(&str, &str)]) -> Answer {
        let headers = vec![("cookie", cookie)];
        let form = Some(encoded(form));
        self.ask(
            path,
            Ask {
                form,
                headers,
                ..Ask::default()
            },
        )
        .await
    }

    /// Signs in, and returns the cookie.
    pub async fn sign_in(&self, operator: &str) -> String {
        let link = self.link(operator).await;
        let entered = self.post("/sign-in", "", &[("link", &link)]).await;
        assert_eq!(entered.status, 303);
        entered.cookie().to_owned()
    }

    /// The names of the actions in the audit with their operators, oldest first.
    pub async fn audit(&self) -> Vec<String> {
        let query = AuditQuery {
            limit: 100,
            ..AuditQuery::default()
        };
        let mut entries = self.store.entries(&query).await.unwrap();
        entries.sort_by_key(|entry| entry.id);
        let told = entries
            .iter()
            .map(|entry| format!("{} {}", entry.by, entry.action));
        told.collect()
    }
}

pub fn encoded(form: &[(&str, &str)]) -> String {
    url::form_urlencoded::Serializer::new(String::new())
        .extend_pairs(form)
        .finish()
}

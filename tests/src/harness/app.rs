//! A running site with a client of its API, with which most cases start.

use std::{
    collections::BTreeMap,
    sync::{Arc, Mutex},
};

use serde_json::Value;
use uuid::Uuid;

use super::{Answer, Api, CommandResult, SETTLING, Server, Site, Store, encode, eventually, raw};

/// Every scope there is.
pub const SCOPES: [&str; 4] = [
    "job-postings:write",
    "job-postings:read",
    "newsletter-subscribers:write",
    "webhooks:manage",
];

/// A running site, and a client with all scopes.
pub struct App {
    pub site: Arc<Site>,
    pub api: Api,
    /// The id of the client of `api`.
    pub client_id: String,
    pub client_secret: String,
}

/// The part of an app that tests share. Connections are not, because they belong to one test's
/// runtime.
struct Shared {
    site: Arc<Site>,
    _server: Server,
    client_id: String,
    client_secret: String,
    token: String,
}

/// The shared servers, by store and by whether they have a worker.
static SHARED: Mutex<BTreeMap<(Store, bool), Arc<Shared>>> = Mutex::new(BTreeMap::new());

impl App {
    /// The server that all tests of a store share, with a worker that enriches postings.
    pub fn shared(store: Store) -> Self {
        Self::of(store, true)
    }

    /// A shared server without a worker: postings stay as pushed, and tasks stay in the outbox.
    pub fn quiet(store: Store) -> Self {
        Self::of(store, false)
    }

    fn of(store: Store, works: bool) -> Self {
        let mut all = SHARED
            .lock()
            .expect("the shared server does not start, see above");
        let shared = all.entry((store, works)).or_insert_with(|| {
            let site = Site::new(store);
            let arguments: &[&str] = if works { &[] } else { &["--no-worker"] };
            let server = site.serve_to_the_end(arguments);
            let (client_id, client_secret) = create_client(&site, &SCOPES);
            let token = token(&site, &client_id, &client_secret, None);
            Arc::new(Shared {
                site: Arc::new(site),
                _server: server,
                client_id,
                client_secret,
                token,
            })
        });
        Self {
            site: Arc::clone(&shared.site),
            api: Api::new(&shared.site.url(), &shared.token),
            client_id: shared.client_id.clone(),
            client_secret: shared.client_secret.clone(),
        }
    }

    /// Creates a client on a running site.
    pub fn at(site: Site) -> Self {
        let (client_id, client_secret) = create_client(&site, &SCOPES);
        let token = token(&site, &client_id, &client_secret, None);
        let api = Api::new(&site.url(), &token);
        Self {
            site: Arc::new(site),
            api,
            client_id,
            client_secret,
        }
    }

    /// A new token.
    pub fn token(&self) -> String {
        token(&self.site, &self.client_id, &self.client_secret, None)
    }

    /// Pushes a posting.
    pub async fn put(&self, identifier: &str, payload: &Value) -> Answer {
        self.api.put(identifier, payload).await
    }

    /// Reads a posting, which must exist.
    pub async fn show(&self, identifier: &str) -> Value {
        self.api.show(identifier).await
    }

    /// Runs a command of the program.
    pub fn run(&self, arguments: &[&str]) -> CommandResult {
        self.site.run(arguments)
    }

    /// Gives a posting an operator's verdict.
    pub fn reject(&self, identifier: &str, reason: &str) {
        self.run(&["postings", "reject", identifier, "--reason", reason])
            .succeeded();
    }

    /// Gives a posting an operator's verdict.
    pub fn approve(&self, identifier: &str) {
        self.run(&["postings", "approve", identifier]).succeeded();
    }

    /// The kinds of tasks that wait in the outbox for a posting, in order.
    pub fn outbox(&self, posting: Uuid) -> Vec<String> {
        let posting = posting.to_string();
        let rows = self
            .run(&["outbox", "list", "--limit", "1000000", "--json"])
            .succeeded();
        let rows: Value = serde_json::from_str(&rows).unwrap();
        let rows = rows.as_array().unwrap().iter();
        rows.filter(|row| row["key"] == posting)
            .map(|row| row["kind"].as_str().unwrap().to_owned())
            .collect()
    }

    /// All events that are committed now, in order.
    pub async fn all_events(&self) -> Vec<Value> {
        self.site.database.show_events().await;
        let (mut events, mut after) = (Vec::new(), String::new());
        loop {
            let path = format!("/api/job-board/events?limit=1000{after}");
            let answer = self.api.get(&path).await;
            assert_eq!(answer.status, 200, "{answer:#?}");
            let page = answer.json();
            let found = page["data"].as_array().unwrap();
            if found.is_empty() {
                return events;
            }
            events.extend(found.iter().cloned());
            after = format!("&after={}", page["next_cursor"].as_str().unwrap());
        }
    }

    /// The names of the events of a posting or a company, in order.
    pub async fn events(&self, subject: Uuid) -> Vec<String> {
        let subject = subject.to_string();
        let events = self.all_events().await.into_iter();
        let own = events.filter(|event| event["data"]["uuid"] == subject);
        own.map(|event| event["type"].as_str().unwrap().to_owned())
            .collect()
    }

    /// Waits until the events of a posting or a company are these. One can be read when no commit
    /// that began before its own is under way, in any database of the server.
    pub async fn until_events(&self, subject: Uuid, expect: &[&str]) {
        eventually(&format!("{subject}: {expect:?}"), SETTLING, || async {
            (self.events(subject).await == expect).then_some(())
        })
        .await;
    }
}

/// Waits until the outbox is empty, and nothing was given up.
pub async fn outbox_is_empty(app: &App) {
    eventually("the outbox is empty", SETTLING * 2, || async {
        let rows = app
            .run(&["outbox", "list", "--limit", "1000000", "--json"])
            .succeeded();
        (rows.trim() == "[]").then_some(())
    })
    .await;
    let dead = app
        .run(&["outbox", "list", "--limit", "1000000", "--dead", "--json"])
        .succeeded();
    assert_eq!(dead.trim(), "[]");
}

/// Creates a client. Returns its id and secret.
pub fn create_client(site: &Site, scopes: &[&str]) -> (String, String) {
    let mut arguments = vec!["clients", "create", "--name", "end-to-end", "--json"];
    for scope in scopes {
        arguments.extend(["--scope", scope]);
    }
    let client: Value = serde_json::from_str(&site.run(&arguments).succeeded()).unwrap();
    let text = |key: &str| client[key].as_str().unwrap().to_owned();
    (text("client_id"), text("client_secret"))
}

/// Gets a token, with the client's credentials in the body.
pub fn token(site: &Site, id: &str, secret: &str, scope: Option<&str>) -> String {
    let mut form = format!(
        "grant_type=client_credentials&client_id={}&client_secret={}",
        encode(id),
        encode(secret)
    );
    if let Some(scope) = scope {
        form = format!("{form}&scope={}", encode(scope));
    }
    let headers = [("Content-Type", "application/x-www-form-urlencoded")];
    let answer = raw::exchange(
        &site.host(),
        raw::request("POST", "/oauth/token", &headers, &form),
    );
    assert_eq!(answer.status, 200, "{answer:#?}");
    answer.json()["access_token"].as_str().unwrap().to_owned()
}

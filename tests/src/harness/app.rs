//! A running site with a client of its API, with which most cases start.

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
    pub site: Site,
    pub api: Api,
    /// The id of the client of `api`.
    pub client_id: String,
    pub client_secret: String,
    /// The server, unless the test has it.
    _server: Option<Server>,
}

impl App {
    /// A new site whose server has a worker, which enriches postings.
    pub fn served(store: Store) -> Self {
        Self::served_as(Site::new(store), &[])
    }

    /// A new site without a worker: postings stay as pushed, and tasks stay in the outbox.
    pub fn quiet(store: Store) -> Self {
        Self::served_as(Site::new(store), &["--no-worker"])
    }

    fn served_as(site: Site, arguments: &[&str]) -> Self {
        let server = site.serve(arguments);
        Self {
            _server: Some(server),
            ..Self::at(site)
        }
    }

    /// Creates a client on a running site.
    pub fn at(site: Site) -> Self {
        let (client_id, client_secret) = create_client(&site, &SCOPES);
        let token = token(&site, &client_id, &client_secret, None);
        let api = Api::new(&site.url(), &token);
        Self {
            site,
            api,
            client_id,
            client_secret,
            _server: None,
        }
    }

    /// The same client on a site whose database was copied from its own.
    pub fn with(site: Site, client: &Self) -> Self {
        Self {
            site,
            api: client.api.clone(),
            client_id: client.client_id.clone(),
            client_secret: client.client_secret.clone(),
            _server: None,
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
        let waiting = self.waiting().into_iter();
        let own = waiting.filter(|row| row["key"] == posting);
        own.map(|row| row["kind"].as_str().unwrap().to_owned())
            .collect()
    }

    /// The tasks that wait in the outbox.
    pub fn waiting(&self) -> Vec<Value> {
        self.rows(&["outbox", "list", "--limit", "1000000", "--json"])
    }

    /// The dead tasks in the outbox.
    pub fn dead(&self) -> Vec<Value> {
        self.rows(&["outbox", "list", "--limit", "1000000", "--json", "--dead"])
    }

    /// The rows that a command prints as JSON.
    pub fn rows(&self, command: &[&str]) -> Vec<Value> {
        serde_json::from_str(&self.run(command).succeeded()).unwrap()
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
        app.waiting().is_empty().then_some(())
    })
    .await;
    assert_eq!(app.dead(), Vec::<Value>::new());
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

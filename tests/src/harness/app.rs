use reqwest::Method;
use serde_json::Value;
use tokio::{runtime::Handle, task::block_in_place};
use uuid::Uuid;

use super::{Answer, Api, CommandResult, SETTLING, Server, Site, Store, encode, eventually};

const SCOPES: [&str; 5] = [
    "job-postings:write",
    "job-postings:read",
    "newsletter-subscribers:write",
    "webhooks:manage",
    "reports:write",
];

#[derive(Clone)]
pub struct Client {
    pub id: String,
    pub secret: String,
}

impl Client {
    pub fn create(site: &Site, options: &[&str]) -> Self {
        let mut arguments = vec!["clients", "create", "--name", "end-to-end", "--json"];
        for scope in SCOPES {
            arguments.extend(["--scope", scope]);
        }
        arguments.extend(options);
        let client = site.json(&arguments);
        let text = |key: &str| client[key].as_str().unwrap().to_owned();
        Self {
            id: text("client_id"),
            secret: text("client_secret"),
        }
    }

    pub fn ask(&self, site: &Site) -> Answer {
        let form = format!(
            "grant_type=client_credentials&client_id={}&client_secret={}",
            encode(&self.id),
            encode(&self.secret)
        );
        let api = Api::new(&site.url(), "");
        let request = api.request(Method::POST, "/oauth/token");
        let request = request.header("content-type", "application/x-www-form-urlencoded");
        let answer = api.send(request.body(form));
        block_in_place(|| Handle::current().block_on(answer))
    }

    pub fn token(&self, site: &Site) -> String {
        let answer = self.ask(site);
        assert_eq!(answer.status, 200, "{answer:#?}");
        answer.json()["access_token"].as_str().unwrap().to_owned()
    }

    pub fn api(&self, site: &Site) -> Api {
        Api::new(&site.url(), &self.token(site))
    }
}

pub struct App {
    pub site: Site,
    pub api: Api,
    pub client: Client,
    _server: Option<Server>,
}

impl App {
    /// A service with a worker, which enriches postings.
    pub fn served(store: Store) -> Self {
        Self::served_as(Site::new(store), &[])
    }

    /// A service without a worker: postings stay as pushed, and tasks stay in the outbox.
    pub fn quiet(store: Store) -> Self {
        Self::served_as(Site::new(store), &["--no-worker"])
    }

    pub fn served_as(site: Site, arguments: &[&str]) -> Self {
        let server = site.serve(arguments);
        Self {
            _server: Some(server),
            ..Self::at(site)
        }
    }

    pub fn at(site: Site) -> Self {
        let client = Client::create(&site, &[]);
        Self {
            api: client.api(&site),
            client,
            site,
            _server: None,
        }
    }

    /// The same client on a site whose database is a copy of the first site's.
    pub fn with(site: Site, app: &Self) -> Self {
        Self {
            site,
            api: app.api.clone(),
            client: app.client.clone(),
            _server: None,
        }
    }

    pub fn api_of(&self, site: &Site) -> Api {
        Api::new(&site.url(), self.api.token())
    }

    pub async fn put(&self, identifier: &str, payload: &Value) -> Answer {
        self.api.put(identifier, payload).await
    }

    pub async fn show(&self, identifier: &str) -> Value {
        self.api.show(identifier).await
    }

    pub fn run(&self, arguments: &[&str]) -> CommandResult {
        self.site.run(arguments)
    }

    pub fn reject(&self, identifier: &str, reason: &str) {
        self.run(&["postings", "reject", identifier, "--reason", reason])
            .succeeded();
    }

    pub fn approve(&self, identifier: &str) {
        self.run(&["postings", "approve", identifier]).succeeded();
    }

    pub fn outbox(&self, posting: Uuid) -> Vec<String> {
        let posting = posting.to_string();
        let waiting = self.site.waiting().into_iter();
        let own = waiting.filter(|row| row["key"] == posting);
        own.map(|row| row["kind"].as_str().unwrap().to_owned())
            .collect()
    }

    pub fn dead(&self) -> Vec<Value> {
        self.site.outbox(&["--dead"])
    }

    pub async fn settled(&self) {
        eventually("the outbox is empty", SETTLING, || async {
            self.site.waiting().is_empty().then_some(())
        })
        .await;
        assert_eq!(self.dead(), Vec::<Value>::new());
    }

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

    pub async fn events(&self, subject: Uuid) -> Vec<String> {
        let subject = subject.to_string();
        let events = self.all_events().await.into_iter();
        let own = events.filter(|event| event["data"]["uuid"] == subject);
        own.map(|event| event["type"].as_str().unwrap().to_owned())
            .collect()
    }

    /// Waits for events. An event can be read once no earlier commit is in progress in any database
    /// of the server.
    pub async fn until_events(&self, subject: Uuid, expect: &[&str]) {
        eventually(&format!("{subject}: {expect:?}"), SETTLING, || async {
            (self.events(subject).await == expect).then_some(())
        })
        .await;
    }
}

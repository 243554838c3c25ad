//! A served site whose two accounts at the e-mail provider are the stand-in's, and those who
//! speak to it: the membership system, the provider with its webhook, people with their links.

use std::{
    collections::BTreeMap,
    sync::{Arc, Mutex},
    thread,
};

use reqwest::Method;
use ring::hmac;
use serde_json::{Value, json};

use super::{
    Answer, Api, App, SETTLING, Server, Site, Store, encode, eventually, fresh,
    mailerlite::{Account, Call, MailerLite},
};

/// What deliveries are signed with: one for each account.
pub const SECRETS: [&str; 2] = ["secret-of-the-old-webhook", "secret-of-the-new-webhook"];

/// Where deliveries go.
pub const WEBHOOK: &str = "/api/webhooks/newsletter/update-subscriber-status";

/// Where the link in the e-mail leads.
pub const CONFIRM: &str = "/newsletter/confirm-migration";

/// A served site and its provider.
pub struct Newsletter {
    pub app: App,
    pub provider: Arc<MailerLite>,
    /// What must not be in the log in the end.
    secrets: Mutex<Vec<String>>,
    /// One of its own.
    _server: Option<Server>,
}

/// What is shared of one, see `App::shared`.
struct Shared {
    site: Arc<Site>,
    _server: Server,
    provider: Arc<MailerLite>,
    client_id: String,
    client_secret: String,
    token: String,
}

static SHARED: Mutex<BTreeMap<Store, Arc<Shared>>> = Mutex::new(BTreeMap::new());

/// An address that nobody used before.
pub fn person() -> String {
    format!("{}@example.com", fresh("ada"))
}

/// A stand-in that takes as many requests as there are.
fn patient_provider() -> MailerLite {
    let provider = MailerLite::start();
    for account in [Account::Old, Account::New] {
        provider.limit(account, usize::MAX);
    }
    provider
}

/// Everything that a site has to know of the stand-in but the keys.
pub fn without_keys(site: Site, provider: &MailerLite) -> Site {
    site.with("POSTHASTE_MAILERLITE_OLD_BASE_URL", &provider.url())
        .with("POSTHASTE_MAILERLITE_NEW_BASE_URL", &provider.url())
        .with(
            "POSTHASTE_MAILERLITE_NEW_GROUP_ID",
            &provider.group(Account::New),
        )
        .with("POSTHASTE_MAILERLITE_REQUESTS_PER_MINUTE", "60000")
        // What each case asks the accounts is counted; lists are for those about them.
        .with("POSTHASTE_MAILERLITE_RECONCILE", "off")
        .with("POSTHASTE_MAILERLITE_WEBHOOK_SECRET", &SECRETS.join(","))
}

/// The same with the key of an account.
pub fn with_key(site: Site, account: Account) -> Site {
    let name = match account {
        Account::Old => "POSTHASTE_MAILERLITE_OLD_API_KEY",
        Account::New => "POSTHASTE_MAILERLITE_NEW_API_KEY",
    };
    site.with(name, account.key())
}

impl Newsletter {
    /// The server with a worker that all tests of a store share. Nobody makes its provider fail.
    pub fn shared(store: Store) -> Self {
        let mut all = SHARED
            .lock()
            .expect("the shared server does not start, see above");
        let shared = all.entry(store).or_insert_with(|| {
            let provider = patient_provider();
            let site = with_both_keys(without_keys(Site::new(store), &provider));
            let server = site.serve_to_the_end(&[]);
            let app = App::at(site);
            Arc::new(Shared {
                token: app.api.token().to_owned(),
                site: app.site,
                _server: server,
                provider: Arc::new(provider),
                client_id: app.client_id,
                client_secret: app.client_secret,
            })
        });
        let app = App {
            site: Arc::clone(&shared.site),
            api: Api::new(&shared.site.url(), &shared.token),
            client_id: shared.client_id.clone(),
            client_secret: shared.client_secret.clone(),
        };
        Self::of(app, Arc::clone(&shared.provider), None)
    }

    /// A server of one's own, without a worker, where everything is known of both accounts.
    pub fn served(store: Store) -> Self {
        Self::served_as(store, with_both_keys)
    }

    /// The same where a site that knows no key yet is set up further.
    pub fn served_as(store: Store, set_up: impl FnOnce(Site) -> Site) -> Self {
        let provider = patient_provider();
        let site = set_up(without_keys(Site::new(store), &provider));
        let server = site.serve(&["--no-worker"]);
        Self::of(App::at(site), Arc::new(provider), Some(server))
    }

    fn of(app: App, provider: Arc<MailerLite>, server: Option<Server>) -> Self {
        let keys = [Account::Old.key(), Account::New.key()];
        let secrets = keys.iter().chain(&SECRETS);
        Self {
            secrets: Mutex::new(secrets.map(|&secret| secret.to_owned()).collect()),
            app,
            provider,
            _server: server,
        }
    }

    /// Starts a worker.
    pub fn work(&self) -> Server {
        self.app.site.work()
    }

    /// The path of a subscriber.
    pub fn path(email: &str) -> String {
        format!("/api/newsletter/subscribers/{}", encode(email))
    }

    /// Reports as the membership system does.
    pub async fn put(&self, email: &str, body: &Value) -> Answer {
        put(&self.app.api, email, body).await
    }

    /// The record of a report that was taken.
    pub async fn report(&self, email: &str, body: &Value) -> Value {
        let answer = self.put(email, body).await;
        assert!([200, 201].contains(&answer.status), "{answer:#?}");
        answer.json()["data"].clone()
    }

    /// The record of somebody who was reported.
    pub async fn show(&self, email: &str) -> Value {
        self.app.api.get(&Self::path(email)).await.data()
    }

    /// Delivers as the provider does.
    pub async fn deliver(&self, body: &Value) {
        let answer = deliver(&self.app.api, SECRETS[0], &body.to_string()).await;
        assert_eq!(answer.status, 200, "{answer:#?}");
    }

    /// What lets somebody move.
    pub fn token_of(&self, email: &str) -> String {
        let record = self.app.run(&["subscribers", "show", email, "--json"]);
        let record: Value = serde_json::from_str(&record.succeeded()).unwrap();
        let token = record["migration_token"].as_str().unwrap().to_owned();
        self.secrets.lock().unwrap().push(token.clone());
        token
    }

    /// Presses the button of the page.
    pub async fn confirm(&self, token: &str) -> Answer {
        confirm(&self.app.api, token).await
    }

    /// Waits until nothing waits for somebody any more. Nothing of theirs was given up.
    pub async fn settled(&self, email: &str) {
        let uuid = self.show(email).await["uuid"].as_str().unwrap().to_owned();
        eventually(&format!("{email} is settled"), SETTLING, || async {
            self.waiting(&uuid).is_empty().then_some(())
        })
        .await;
        assert_eq!(self.dead(&uuid), Vec::<Value>::new());
    }

    /// What waits in the outbox for somebody.
    pub fn waiting(&self, uuid: &str) -> Vec<Value> {
        self.rows(&["outbox", "list", "--limit", "1000000", "--json"], uuid)
    }

    /// What was given up for somebody.
    pub fn dead(&self, uuid: &str) -> Vec<Value> {
        self.rows(
            &["outbox", "list", "--limit", "1000000", "--dead", "--json"],
            uuid,
        )
    }

    fn rows(&self, command: &[&str], uuid: &str) -> Vec<Value> {
        let rows = self.app.run(command).succeeded();
        let rows: Vec<Value> = serde_json::from_str(&rows).unwrap();
        let is_theirs = |row: &Value| row["key"].as_str().unwrap().contains(uuid);
        rows.into_iter().filter(is_theirs).collect()
    }

    /// The requests about somebody, in order. None of any may ever make somebody active.
    pub fn calls(&self, account: Account, email: &str) -> Vec<Call> {
        let email = email.to_lowercase();
        let (id, key) = (self.provider.id(account, &email), encode(&email));
        let is_about = |call: &Call| {
            let last = call.path.rsplit('/').next().unwrap_or_default();
            call.body["email"] == email || last == key || (!id.is_empty() && last == id)
        };
        let calls = self.provider.calls(account).into_iter();
        calls
            .inspect(|call| {
                let status = call.body.get("status");
                let is_harmless = status.is_none_or(|status| status == "unsubscribed");
                let is_named = |key| call.body.get(key).is_some();
                assert!(is_harmless && !is_named("resubscribe"), "{call:#?}");
            })
            .filter(is_about)
            .collect()
    }

    /// Their methods.
    pub fn methods(&self, account: Account, email: &str) -> Vec<String> {
        let calls = self.calls(account, email).into_iter();
        calls.map(|call| call.method).collect()
    }

    /// How often an event was raised for somebody, by the log.
    pub fn raised(&self, event: &str, uuid: &str) -> usize {
        let (event, id) = (format!("event={event}"), format!("id={uuid}"));
        let log = self.app.site.log();
        let lines = log.lines();
        lines
            .filter(|line| line.contains(&event) && line.contains(&id))
            .count()
    }
}

impl Drop for Newsletter {
    /// Whatever happened, no secret is in the log.
    fn drop(&mut self) {
        if thread::panicking() {
            return;
        }
        let log = self.app.site.log();
        for secret in self.secrets.lock().unwrap().iter() {
            assert!(!log.contains(secret), "the log has a secret: {secret}");
        }
    }
}

fn with_both_keys(site: Site) -> Site {
    with_key(with_key(site, Account::Old), Account::New)
}

/// Reports through this server.
pub async fn put(api: &Api, email: &str, body: &Value) -> Answer {
    let request = api.authorized(Method::PUT, &Newsletter::path(email));
    Answer::of(request.json(body).send().await.unwrap()).await
}

/// Presses the button of the page at this server.
pub async fn confirm(api: &Api, token: &str) -> Answer {
    let request = api
        .request(Method::POST, CONFIRM)
        .header("content-type", "application/x-www-form-urlencoded")
        .body(format!("token={}", encode(token)));
    Answer::of(request.send().await.unwrap()).await
}

/// Delivers a body to this server, signed with a secret.
pub async fn deliver(api: &Api, secret: &str, body: &str) -> Answer {
    deliver_as(api, &[&signature(secret, body)], body).await
}

/// Delivers a body with these signatures.
pub async fn deliver_as(api: &Api, signatures: &[&str], body: &str) -> Answer {
    let mut request = api
        .request(Method::POST, WEBHOOK)
        .header("content-type", "application/json")
        .body(body.to_owned());
    for signature in signatures {
        request = request.header("Signature", *signature);
    }
    Answer::of(request.send().await.unwrap()).await
}

/// The lower-case hex HMAC-SHA256 of a body.
pub fn signature(secret: &str, body: &str) -> String {
    use std::fmt::Write as _;

    let key = hmac::Key::new(hmac::HMAC_SHA256, secret.as_bytes());
    let mut text = String::new();
    for byte in hmac::sign(&key, body.as_bytes()).as_ref() {
        write!(text, "{byte:02x}").unwrap();
    }
    text
}

/// An event as it is delivered alone.
pub fn event(name: &str, email: &str, status: &str) -> Value {
    json!({
        "id": "100000000000000000", "email": email, "status": status, "source": "api",
        "fields": {"name": "Ada", "country": null}, "event": name, "account_id": 7,
    })
}

/// The body of a report with a membership.
pub fn membership(plan_category: &str, status: &str, expires_at: Option<&str>) -> Value {
    json!({"membership": {
        "plan_category": plan_category, "status": status, "expires_at": expires_at,
    }})
}

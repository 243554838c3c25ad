//! A running site, its e-mail provider, and the callers of its API.

use std::{sync::Mutex, thread};

use reqwest::Method;
use ring::hmac;
use serde_json::{Value, json};

use super::{
    Answer, App, Server, Site, Store, encode, fresh,
    mailerlite::{Account, Call, MailerLite},
};

const SECRETS: [&str; 2] = ["secret-of-the-old-webhook", "secret-of-the-new-webhook"];

const WEBHOOK: &str = "/api/webhooks/newsletter/update-subscriber-status";

const CONFIRM: &str = "/newsletter/confirm-migration";

pub struct Newsletter {
    pub app: App,
    pub provider: MailerLite,
    secrets: Mutex<Vec<String>>,
}

pub fn person() -> String {
    format!("{}@example.com", fresh("ada"))
}

fn connected(site: Site, provider: &MailerLite) -> Site {
    site.with("POSTHASTE_MAILERLITE_OLD_API_KEY", Account::Old.key())
        .with("POSTHASTE_MAILERLITE_NEW_API_KEY", Account::New.key())
        .with("POSTHASTE_MAILERLITE_OLD_BASE_URL", &provider.url())
        .with("POSTHASTE_MAILERLITE_NEW_BASE_URL", &provider.url())
        .with(
            "POSTHASTE_MAILERLITE_NEW_GROUP_ID",
            &provider.group(Account::New),
        )
        .with("POSTHASTE_MAILERLITE_REQUESTS_PER_MINUTE", "60000")
        // Cases count the requests to the accounts.
        .with("POSTHASTE_MAILERLITE_RECONCILE", "off")
        .with("POSTHASTE_MAILERLITE_WEBHOOK_SECRET", &SECRETS.join(","))
        // Only this level logs events.
        .with("POSTHASTE_LOG", "info,posthaste::event=debug")
}

impl Newsletter {
    pub fn working(store: Store) -> Self {
        Self::start(store, &[])
    }

    pub fn served(store: Store) -> Self {
        Self::start(store, &["--no-worker"])
    }

    fn start(store: Store, arguments: &[&str]) -> Self {
        let provider = MailerLite::start();
        for account in [Account::Old, Account::New] {
            provider.limit(account, usize::MAX);
        }
        let site = connected(Site::new(store), &provider);
        let app = App::served_as(site, arguments);
        let keys = [Account::Old.key(), Account::New.key()];
        let secrets = keys.iter().chain(&SECRETS);
        Self {
            secrets: Mutex::new(secrets.map(|&secret| secret.to_owned()).collect()),
            app,
            provider,
        }
    }

    pub fn work(&self) -> Server {
        self.app.site.work()
    }

    pub fn path(email: &str) -> String {
        format!("/api/newsletter/subscribers/{}", encode(email))
    }

    pub async fn put(&self, email: &str, body: &Value) -> Answer {
        let api = &self.app.api;
        let request = api.authorized(Method::PUT, &Self::path(email));
        api.send(request.json(body)).await
    }

    pub async fn report(&self, email: &str, body: &Value) -> Value {
        let answer = self.put(email, body).await;
        assert!([200, 201].contains(&answer.status), "{answer:#?}");
        answer.json()["data"].clone()
    }

    pub async fn show(&self, email: &str) -> Value {
        self.app.api.get(&Self::path(email)).await.data()
    }

    /// Sends a delivery as the provider does: it is repeated if not accepted within a second.
    pub async fn deliver(&self, body: &Value) {
        let body = body.to_string();
        let key = hmac::Key::new(hmac::HMAC_SHA256, SECRETS[0].as_bytes());
        let signature = hmac::sign(&key, body.as_bytes());
        let hex = signature.as_ref().iter().map(|byte| format!("{byte:02x}"));
        let request = self.app.api.request(Method::POST, WEBHOOK);
        let request = request.header("Signature", hex.collect::<String>());
        let request = request.header("content-type", "application/json");
        let answer = self.app.api.send(request.body(body)).await;
        assert_eq!(answer.status, 200, "{answer:#?}");
    }

    pub fn token_of(&self, email: &str) -> String {
        let show = ["subscribers", "show", email, "--json"];
        let record = self.app.site.json(&show);
        let token = record["migration_token"].as_str().unwrap().to_owned();
        self.secrets.lock().unwrap().push(token.clone());
        token
    }

    pub async fn confirm(&self, token: &str) -> Answer {
        let request = self.app.api.request(Method::POST, CONFIRM);
        let request = request.header("content-type", "application/x-www-form-urlencoded");
        let request = request.body(format!("token={}", encode(token)));
        self.app.api.send(request).await
    }

    /// The requests about a person, in order. Asserts that no request to the account sets `active`.
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

    pub fn methods(&self, account: Account, email: &str) -> Vec<String> {
        let calls = self.calls(account, email).into_iter();
        calls.map(|call| call.method).collect()
    }

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

pub fn event(name: &str, email: &str, status: &str) -> Value {
    json!({
        "id": "100000000000000000", "email": email, "status": status, "source": "api",
        "fields": {"name": "Ada", "country": null}, "event": name, "account_id": 7,
    })
}

pub fn membership(plan_category: &str, status: &str, expires_at: Option<&str>) -> Value {
    json!({"membership": {
        "plan_category": plan_category, "status": status, "expires_at": expires_at,
    }})
}

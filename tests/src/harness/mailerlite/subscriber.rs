//! A person in an account.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Map, Value, json};

use super::reply::now;

/// The statuses of people who get no mail; an ordinary upsert does not reactivate them.
const SUPPRESSED: [&str; 3] = ["unsubscribed", "bounced", "junk"];

/// All statuses of the provider.
pub const STATUSES: [&str; 5] = ["active", "unsubscribed", "unconfirmed", "bounced", "junk"];

/// A person in an account. A deleted one is kept, and comes back with the same id.
pub struct Subscriber {
    pub id: u64,
    pub email: String,
    pub fields: BTreeMap<String, Value>,
    pub groups: BTreeSet<u64>,
    /// The groups whose automation has started.
    pub started: BTreeSet<u64>,
    pub is_deleted: bool,
    status: String,
    ip_address: Value,
    subscribed_at: Option<String>,
    unsubscribed_at: Option<String>,
    created_at: String,
    updated_at: String,
}

impl Subscriber {
    pub fn new(id: u64, email: &str) -> Self {
        let mut new = Self {
            id,
            email: email.to_owned(),
            fields: BTreeMap::new(),
            groups: BTreeSet::new(),
            started: BTreeSet::new(),
            is_deleted: false,
            status: String::new(),
            ip_address: Value::Null,
            subscribed_at: None,
            unsubscribed_at: None,
            created_at: now(),
            updated_at: now(),
        };
        new.set_status("active");
        new
    }

    pub fn status(&self) -> &str {
        &self.status
    }

    pub fn set_status(&mut self, status: &str) {
        if self.status == status {
            return;
        }
        status.clone_into(&mut self.status);
        match status {
            "active" => {
                self.subscribed_at = Some(now());
                self.unsubscribed_at = None;
            }
            "unsubscribed" => self.unsubscribed_at = Some(now()),
            _ => {}
        }
        self.updated_at = now();
    }

    pub fn is_suppressed(&self) -> bool {
        SUPPRESSED.contains(&self.status.as_str())
    }

    /// Sets the fields in the body that the account has.
    pub fn apply(&mut self, body: &Value, known: &[String]) {
        for (key, value) in body["fields"].as_object().into_iter().flatten() {
            if known.contains(key) {
                self.fields.insert(key.clone(), value.clone());
            }
        }
        if let Some(address) = body.get("ip_address") {
            self.ip_address = address.clone();
        }
        self.updated_at = now();
    }

    /// Adds the person to a group, which starts its automation the first time.
    pub fn join(&mut self, group: u64) {
        self.groups.insert(group);
        if self.status == "active" {
            self.started.insert(group);
        }
    }

    /// The person in the format of lists.
    pub fn view(&self, known: &[String]) -> Value {
        let field = |key: &String| {
            let value = self.fields.get(key).cloned().unwrap_or_default();
            (key.clone(), value)
        };
        let fields: Map<_, _> = known.iter().map(field).collect();
        json!({
            "id": self.id.to_string(),
            "email": self.email,
            "status": self.status,
            "source": "api",
            "sent": 0,
            "opens_count": 0,
            "clicks_count": 0,
            "open_rate": 0,
            "click_rate": 0,
            "ip_address": self.ip_address,
            "subscribed_at": self.subscribed_at,
            "unsubscribed_at": self.unsubscribed_at,
            "created_at": self.created_at,
            "updated_at": self.updated_at,
            "fields": fields,
            "opted_in_at": null,
            "optin_ip": null,
        })
    }
}

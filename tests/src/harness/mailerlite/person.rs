use std::collections::BTreeMap;

use serde_json::{Map, Value, json};

use super::reply::now;

pub const FIELDS: [(&str, &str); 6] = [
    ("name", "text"),
    ("last_name", "text"),
    ("country", "text"),
    ("membership_plan_category", "text"),
    ("member_status", "text"),
    ("membership_expire_at", "date"),
];

/// Statuses that an ordinary upsert does not reactivate.
const SUPPRESSED: [&str; 3] = ["unsubscribed", "bounced", "junk"];

pub const STATUSES: [&str; 5] = ["active", "unsubscribed", "unconfirmed", "bounced", "junk"];

/// A person in an account. A deleted person is kept, and comes back with the same id.
pub struct Person {
    pub id: u64,
    pub email: String,
    pub is_deleted: bool,
    pub is_in_group: bool,
    pub is_started: bool,
    fields: BTreeMap<String, Value>,
    status: String,
    subscribed_at: Option<String>,
    unsubscribed_at: Option<String>,
    created_at: String,
    updated_at: String,
}

impl Person {
    pub fn new(id: u64, email: &str) -> Self {
        let mut new = Self {
            id,
            email: email.to_owned(),
            is_deleted: false,
            is_in_group: false,
            is_started: false,
            fields: BTreeMap::new(),
            status: String::new(),
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

    /// Sets the fields that the account has, and ignores others, as the provider does.
    pub fn apply(&mut self, body: &Value) {
        let fields = body["fields"].as_object().into_iter().flatten();
        let known = fields.filter(|(key, _)| FIELDS.iter().any(|(known, _)| known == key));
        let known = known.map(|(key, value)| (key.clone(), value.clone()));
        self.fields.extend(known);
        self.updated_at = now();
    }

    /// Adds the person to the group. The first time, this starts the group's automation.
    pub fn join(&mut self) {
        self.is_in_group = true;
        self.is_started |= self.status == "active";
    }

    pub fn view(&self) -> Value {
        let field = |(key, _): (&str, &str)| {
            let value = self.fields.get(key).cloned().unwrap_or_default();
            (key.to_owned(), value)
        };
        let fields: Map<_, _> = FIELDS.into_iter().map(field).collect();
        json!({
            "id": self.id.to_string(),
            "email": self.email,
            "status": self.status,
            "source": "api",
            "sent": 0,
            "subscribed_at": self.subscribed_at,
            "unsubscribed_at": self.unsubscribed_at,
            "created_at": self.created_at,
            "updated_at": self.updated_at,
            "fields": fields,
        })
    }
}

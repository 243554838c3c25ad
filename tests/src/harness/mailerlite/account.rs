//! The data of an account.

use std::{
    collections::{BTreeSet, VecDeque},
    time::{Duration, Instant},
};

use super::{
    field::Field,
    group::Group,
    reply::{self, Query, Reply, in_days, now},
    subscriber::{STATUSES, Subscriber},
};
use serde_json::{Value, json};

/// The first id. The provider's ids are this large, so code must not assume small numbers.
const FIRST_ID: u64 = 165_968_862_226_941_797;

const MINUTE: Duration = Duration::from_mins(1);

/// The limit of imports, which are batches of only upserts, within any minute.
const IMPORTS: usize = 5;

/// The data of one account.
pub struct AccountData {
    /// The limit of requests within any minute.
    pub limit: usize,
    pub webhooks: Vec<Value>,
    /// The base URL of the API.
    pub url: String,
    /// Whether an upsert of a suppressed person is answered 200 without changing the status,
    /// instead of 422: the provider was observed to do either.
    ignores_suppressed: bool,
    pub groups: Vec<Group>,
    pub fields: Vec<Field>,
    pub subscribers: Vec<Subscriber>,
    recent: VecDeque<Instant>,
    imports: VecDeque<Instant>,
    next_id: u64,
}

/// The validated content of a request body.
struct Wanted {
    email: Option<String>,
    groups: Option<BTreeSet<u64>>,
}

impl AccountData {
    pub fn new(url: &str, nth: u64) -> Self {
        let mut data = Self {
            limit: 120,
            webhooks: Vec::new(),
            url: url.to_owned(),
            ignores_suppressed: nth == 0,
            groups: Vec::new(),
            fields: Field::at_first(),
            subscribers: Vec::new(),
            recent: VecDeque::new(),
            imports: VecDeque::new(),
            // The accounts have different ids.
            next_id: FIRST_ID + nth * 1_000_000_000,
        };
        data.create_group("Welcome");
        data
    }

    pub fn new_id(&mut self) -> u64 {
        self.next_id += 1;
        self.next_id
    }

    /// Counts a request. Over the limit, returns the seconds for `Retry-After`.
    pub fn admit(&mut self, now: Instant) -> Result<(), u64> {
        admit(&mut self.recent, self.limit, now)
    }

    /// Counts an import. Over the limit, returns the seconds for `Retry-After`.
    pub fn admit_import(&mut self, now: Instant) -> Result<(), u64> {
        admit(&mut self.imports, IMPORTS, now)
    }

    pub fn remaining(&self) -> usize {
        self.limit.saturating_sub(self.recent.len())
    }

    pub fn upsert(&mut self, body: &Value) -> Reply {
        let Wanted { email, groups } = match self.validated(body) {
            Ok(wanted) => wanted,
            Err(reply) => return reply,
        };
        let Some(email) = email else {
            return Reply::invalid("email", "The email field is required.");
        };
        let known = self.field_keys();
        let position = self.subscribers.iter().position(|one| one.email == email);
        let (position, is_new) = position.map_or_else(
            || {
                let id = self.new_id();
                self.subscribers.push(Subscriber::new(id, &email));
                (self.subscribers.len() - 1, true)
            },
            |position| (position, false),
        );
        let one = &mut self.subscribers[position];
        if one.is_suppressed() && body["resubscribe"] != true {
            if !self.ignores_suppressed {
                return refusal(one);
            }
        } else {
            let otherwise = if one.is_suppressed() {
                "active"
            } else {
                one.status()
            };
            let status = body["status"].as_str().unwrap_or(otherwise).to_owned();
            one.set_status(&status);
        }
        // The provider only hides deleted people; they come back with their old id.
        one.is_deleted = false;
        one.apply(body, &known);
        for group in groups.unwrap_or_default() {
            one.join(group);
        }
        let view = self.full_view(&self.subscribers[position]);
        Reply::data(if is_new { 201 } else { 200 }, &view)
    }

    /// `PUT`: unlike an upsert, it may change the address, and it replaces the groups.
    pub fn update(&mut self, id: &str, body: &Value) -> Reply {
        let Some(position) = self.position(id).filter(|_| !id.contains('@')) else {
            return Reply::missing(reply::SUBSCRIBER, id);
        };
        let Wanted { email, groups } = match self.validated(body) {
            Ok(wanted) => wanted,
            Err(reply) => return reply,
        };
        if let Some(email) = email {
            let mut others = self.subscribers.iter().enumerate();
            if others.any(|(other, one)| other != position && one.email == email) {
                return Reply::invalid("email", "The email has already been taken.");
            }
            self.subscribers[position].email = email;
        }
        let known = self.field_keys();
        let one = &mut self.subscribers[position];
        if let Some(status) = body["status"].as_str() {
            one.set_status(status);
        }
        one.apply(body, &known);
        if let Some(groups) = groups {
            one.groups.retain(|group| groups.contains(group));
            for group in groups {
                one.join(group);
            }
        }
        Reply::data(200, &self.full_view(&self.subscribers[position]))
    }

    /// Reads a person by id or address.
    pub fn get(&self, key: &str) -> Reply {
        match self.show(key) {
            Some(view) => Reply::data(200, &view),
            None => Reply::missing(reply::SUBSCRIBER, key),
        }
    }

    pub fn show(&self, key: &str) -> Option<Value> {
        let position = self.position(key)?;
        Some(self.full_view(&self.subscribers[position]))
    }

    /// Deletes a person, by id only.
    pub fn delete(&mut self, id: &str) -> Reply {
        let Some(position) = self.position(id).filter(|_| !id.contains('@')) else {
            return Reply::missing(reply::SUBSCRIBER, id);
        };
        let one = &mut self.subscribers[position];
        one.is_deleted = true;
        one.groups.clear();
        Reply::nothing()
    }

    pub fn forget(&mut self, id: &str) -> Reply {
        let Some(mut view) = self.show(id) else {
            return Reply::missing(reply::SUBSCRIBER, id);
        };
        self.delete(id);
        view["deleted_at"] = json!(now());
        view["forget_at"] = json!(in_days(30));
        view["location"] = Value::Null;
        let message = "Subscriber data will be completely deleted and forgotten within 30 days.";
        Reply::new(200, json!({"data": view, "message": message}))
    }

    /// Lists all people, or those in a group.
    pub fn list(&self, group: Option<&str>, query: &Query) -> Reply {
        let path = match group {
            Some(group) => match self.group(group) {
                Some(_) => format!("groups/{group}/subscribers"),
                None => return Reply::missing(reply::GROUP, group),
            },
            None => "subscribers".to_owned(),
        };
        if query
            .get("filter[status]")
            .is_some_and(|status| !STATUSES.contains(&status))
        {
            return Reply::invalid("filter.status", "The selected filter.status is invalid.");
        }
        if query.get("limit") == Some("0") {
            return Reply::new(200, json!({"total": self.count()}));
        }
        let group: Option<u64> = group.and_then(|group| group.parse().ok());
        let status = query.get("filter[status]");
        let keys = self.field_keys();
        let shown = self.present().filter(|one| {
            group.is_none_or(|group| one.groups.contains(&group))
                && status.is_none_or(|status| one.status() == status)
        });
        let url = format!("{}/{path}", self.url);
        reply::cursor_page(&url, shown, |one| one.id, |one| one.view(&keys), query)
    }

    pub fn count(&self) -> usize {
        self.present().count()
    }

    pub fn set_status(&mut self, email: &str, status: &str) {
        let position = self.position(email);
        let position = position.unwrap_or_else(|| panic!("there is no {email}"));
        self.subscribers[position].set_status(status);
    }

    pub fn automation_starts(&self, email: &str) -> usize {
        let email = email.to_lowercase();
        let mut all = self.subscribers.iter();
        all.find(|one| one.email == email)
            .map_or(0, |one| one.started.len())
    }

    pub fn id(&self, email: &str) -> Option<String> {
        let email = email.to_lowercase();
        let mut all = self.subscribers.iter();
        all.find(|one| one.email == email)
            .map(|one| one.id.to_string())
    }

    pub fn present(&self) -> impl Iterator<Item = &Subscriber> {
        self.subscribers.iter().filter(|one| !one.is_deleted)
    }

    pub fn position(&self, key: &str) -> Option<usize> {
        let (key, id) = (key.to_lowercase(), key.parse().ok());
        let is_meant = |one: &Subscriber| one.email == key || Some(one.id) == id;
        let mut all = self.subscribers.iter();
        all.position(|one| !one.is_deleted && is_meant(one))
    }

    fn full_view(&self, one: &Subscriber) -> Value {
        let mut view = one.view(&self.field_keys());
        let groups = self.groups.iter();
        let joined = groups.filter(|group| one.groups.contains(&group.id));
        view["groups"] = joined.map(|group| self.group_view(group)).collect();
        view
    }

    /// Validates a request body.
    fn validated(&self, body: &Value) -> Result<Wanted, Reply> {
        let email = match &body["email"] {
            Value::Null => None,
            email => Some(address(email).ok_or_else(|| {
                Reply::invalid("email", "The email must be a valid email address.")
            })?),
        };
        let status = &body["status"];
        if !status.is_null() && !STATUSES.iter().any(|known| status == known) {
            return Err(Reply::invalid("status", "The selected status is invalid."));
        }
        for (key, value) in body["fields"].as_object().into_iter().flatten() {
            let field = self.fields.iter().find(|field| field.key == *key);
            if field.is_some_and(|field| !field.takes(value)) {
                let field = format!("fields.{key}");
                let text = format!("The {field} is not a valid date.");
                return Err(Reply::invalid(&field, &text));
            }
        }
        let groups = body["groups"].as_array().map(|groups| {
            let groups = groups.iter().enumerate();
            groups
                .map(|(nth, group)| {
                    let text = group
                        .as_str()
                        .map_or_else(|| group.to_string(), str::to_owned);
                    self.group(&text).map(|group| group.id).ok_or_else(|| {
                        let field = format!("groups.{nth}");
                        Reply::invalid(&field, &format!("The selected {field} is invalid."))
                    })
                })
                .collect::<Result<_, _>>()
        });
        Ok(Wanted {
            email,
            groups: groups.transpose()?,
        })
    }
}

/// Counts an event against a limit per minute.
fn admit(recent: &mut VecDeque<Instant>, limit: usize, now: Instant) -> Result<(), u64> {
    while recent.front().is_some_and(|at| now - *at >= MINUTE) {
        recent.pop_front();
    }
    if recent.len() < limit {
        recent.push_back(now);
        return Ok(());
    }
    let oldest = recent.front().copied().unwrap_or(now);
    Err(MINUTE.saturating_sub(now - oldest).as_secs() + 1)
}

/// The error for an upsert of a suppressed person.
fn refusal(one: &Subscriber) -> Reply {
    let text = format!("This subscriber is {} and cannot be imported", one.status());
    let mut reply = Reply::invalid("email", &text);
    if let Some(body) = &mut reply.body {
        body["subscriber"] = json!(one.id.to_string());
    }
    reply
}

/// An address in the provider's normal form.
fn address(email: &Value) -> Option<String> {
    let (name, host) = email.as_str()?.split_once('@')?;
    let is_possible = |part: &str| !part.is_empty() && !part.contains([' ', '@']);
    (is_possible(name) && is_possible(host))
        .then(|| format!("{}@{}", name.to_lowercase(), host.to_lowercase()))
}

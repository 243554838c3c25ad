use std::{
    collections::VecDeque,
    time::{Duration, Instant},
};

use percent_encoding::percent_decode_str;
use serde_json::{Value, json};
use time::{Date, macros::format_description};

use super::{
    Call,
    person::{FIELDS, Person, STATUSES},
    reply::{Query, Reply, in_days, now},
};

/// The first id: the provider's ids are this large.
const FIRST_ID: u64 = 165_968_862_226_941_797;

const MINUTE: Duration = Duration::from_mins(1);

pub struct AccountData {
    pub limit: usize,
    pub group: u64,
    url: String,
    /// The provider answers an upsert of a suppressed person with 200 or 422.
    ignores_suppressed: bool,
    people: Vec<Person>,
    recent: VecDeque<Instant>,
    next_id: u64,
}

impl AccountData {
    pub fn new(url: &str, nth: u64) -> Self {
        // The accounts have different ids.
        let group = FIRST_ID + nth * 1_000_000_000;
        Self {
            limit: 120,
            group,
            url: url.to_owned(),
            ignores_suppressed: nth == 0,
            people: Vec::new(),
            recent: VecDeque::new(),
            next_id: group,
        }
    }

    /// Counts a request. Over the limit, returns the seconds for `Retry-After`.
    pub fn admit(&mut self, now: Instant) -> Result<(), u64> {
        while self.recent.front().is_some_and(|at| now - *at >= MINUTE) {
            self.recent.pop_front();
        }
        if self.recent.len() < self.limit {
            self.recent.push_back(now);
            return Ok(());
        }
        let oldest = self.recent.front().copied().unwrap_or(now);
        Err(MINUTE.saturating_sub(now - oldest).as_secs() + 1)
    }

    pub fn remaining(&self) -> usize {
        self.limit.saturating_sub(self.recent.len())
    }

    pub fn answer(&mut self, call: &Call) -> Reply {
        let (path, query) = call.path.split_once('?').unwrap_or((&call.path, ""));
        let query = Query::read(query);
        let decoded = |text| percent_decode_str(text).decode_utf8_lossy().into_owned();
        let segments: Vec<String> = path.trim_matches('/').split('/').map(decoded).collect();
        let segments: Vec<&str> = segments.iter().map(String::as_str).collect();
        match (call.method.as_str(), segments.as_slice()) {
            ("GET", ["api", "subscribers"]) => self.list(&query),
            ("POST", ["api", "subscribers"]) => self.upsert(&call.body),
            ("GET", ["api", "subscribers", key]) => match self.show(key) {
                Some(view) => Reply::data(200, &view),
                None => Reply::not_found(),
            },
            (method, ["api", "subscribers", id, rest @ ..]) => {
                let position = self.position(id).filter(|_| !id.contains('@'));
                match position {
                    Some(position) => self.change(method, position, rest, &call.body),
                    None => Reply::not_found(),
                }
            }
            ("GET", ["api", "groups"]) => {
                let group = json!({"id": self.group.to_string(), "name": "Welcome"});
                self.whole_list("groups", &[group])
            }
            ("GET", ["api", "fields"]) => {
                let field = |(key, kind)| json!({"key": key, "type": kind});
                self.whole_list("fields", &FIELDS.map(field))
            }
            ("GET", ["api", "webhooks"]) => self.whole_list("webhooks", &[]),
            _ => Reply::message(404, &format!("The route {path} could not be found.")),
        }
    }

    fn change(&mut self, method: &str, position: usize, rest: &[&str], body: &Value) -> Reply {
        let is_group = |group: &str| group == self.group.to_string();
        match (method, rest) {
            ("PUT", []) => self.update(position, body),
            ("DELETE", []) => {
                self.delete(position);
                Reply::nothing()
            }
            ("POST", ["forget"]) => {
                let mut view = self.full_view(position);
                self.delete(position);
                view["deleted_at"] = json!(now());
                view["forget_at"] = json!(in_days(30));
                let message =
                    "Subscriber data will be completely deleted and forgotten within 30 days.";
                Reply::new(200, json!({"data": view, "message": message}))
            }
            ("DELETE", ["groups", group]) if is_group(group) => {
                self.people[position].is_in_group = false;
                Reply::nothing()
            }
            _ => Reply::message(404, "The route could not be found."),
        }
    }

    pub fn upsert(&mut self, body: &Value) -> Reply {
        if let Err(reply) = self.validate(body) {
            return reply;
        }
        let Some(email) = address(&body["email"]) else {
            return Reply::invalid("email", "The email must be a valid email address.");
        };
        let known = self.people.iter().position(|one| one.email == email);
        let position = known.unwrap_or_else(|| {
            self.next_id += 1;
            self.people.push(Person::new(self.next_id, &email));
            self.people.len() - 1
        });
        let one = &mut self.people[position];
        if one.is_suppressed() && body["resubscribe"] != true {
            if !self.ignores_suppressed {
                let text = format!("This subscriber is {} and cannot be imported", one.status());
                let mut reply = Reply::invalid("email", &text);
                if let Some(body) = &mut reply.body {
                    body["subscriber"] = json!(one.id.to_string());
                }
                return reply;
            }
        } else if let Some(status) = body["status"].as_str() {
            one.set_status(status);
        } else if one.is_suppressed() {
            one.set_status("active");
        }
        // The provider only hides deleted people. A deleted person who comes back has the old id.
        one.is_deleted = false;
        one.apply(body);
        if body["groups"].as_array().is_some_and(|all| !all.is_empty()) {
            one.join();
        }
        let status = if known.is_none() { 201 } else { 200 };
        Reply::data(status, &self.full_view(position))
    }

    /// Handles `PUT`. Unlike an upsert, it creates no person, and changes the status of suppressed
    /// people.
    fn update(&mut self, position: usize, body: &Value) -> Reply {
        if let Err(reply) = self.validate(body) {
            return reply;
        }
        let one = &mut self.people[position];
        if let Some(status) = body["status"].as_str() {
            one.set_status(status);
        }
        one.apply(body);
        Reply::data(200, &self.full_view(position))
    }

    fn delete(&mut self, position: usize) {
        let one = &mut self.people[position];
        one.is_deleted = true;
        one.is_in_group = false;
    }

    fn list(&self, query: &Query) -> Reply {
        if query.get("limit") == Some("0") {
            return Reply::new(200, json!({"total": self.count()}));
        }
        let url = format!("{}/subscribers", self.url);
        query.cursor_page(&url, self.present(), |one| one.id, Person::view)
    }

    fn whole_list(&self, what: &str, items: &[Value]) -> Reply {
        let url = format!("{}/{what}", self.url);
        let links = json!({"first": url, "last": url, "prev": null, "next": null});
        let meta = json!({"current_page": 1, "last_page": 1, "path": url, "total": items.len()});
        Reply::new(200, json!({"data": items, "links": links, "meta": meta}))
    }

    pub fn show(&self, key: &str) -> Option<Value> {
        let position = self.position(key)?;
        Some(self.full_view(position))
    }

    fn count(&self) -> usize {
        self.present().count()
    }

    pub fn person(&mut self, email: &str) -> Option<&mut Person> {
        let email = email.to_lowercase();
        self.people.iter_mut().find(|one| one.email == email)
    }

    fn present(&self) -> impl Iterator<Item = &Person> {
        self.people.iter().filter(|one| !one.is_deleted)
    }

    fn position(&self, key: &str) -> Option<usize> {
        let (key, id) = (key.to_lowercase(), key.parse().ok());
        let is_meant = |one: &Person| one.email == key || Some(one.id) == id;
        let mut all = self.people.iter();
        all.position(|one| !one.is_deleted && is_meant(one))
    }

    fn full_view(&self, position: usize) -> Value {
        let one = &self.people[position];
        let mut view = one.view();
        let group = json!({"id": self.group.to_string(), "name": "Welcome"});
        view["groups"] = one.is_in_group.then_some(group).into_iter().collect();
        view
    }

    fn validate(&self, body: &Value) -> Result<(), Reply> {
        let status = &body["status"];
        if !status.is_null() && !STATUSES.iter().any(|known| status == known) {
            return Err(Reply::invalid("status", "The selected status is invalid."));
        }
        let day = &body["fields"]["membership_expire_at"];
        let is_day = |text| Date::parse(text, format_description!("[year]-[month]-[day]")).is_ok();
        if !day.is_null() && !day.as_str().is_some_and(is_day) {
            let field = "fields.membership_expire_at";
            return Err(Reply::invalid(field, "It is not a valid date."));
        }
        let group = json!(self.group.to_string());
        let mut groups = body["groups"].as_array().into_iter().flatten();
        if groups.any(|one| *one != group) {
            return Err(Reply::invalid(
                "groups.0",
                "The selected groups.0 is invalid.",
            ));
        }
        Ok(())
    }
}

fn address(email: &Value) -> Option<String> {
    let (name, host) = email.as_str()?.split_once('@')?;
    let is_possible = |part: &str| !part.is_empty() && !part.contains([' ', '@']);
    (is_possible(name) && is_possible(host))
        .then(|| format!("{}@{}", name.to_lowercase(), host.to_lowercase()))
}

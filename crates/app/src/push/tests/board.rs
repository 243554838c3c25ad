//! A stand-in for the imports and catalogues of the service.

use std::{
    collections::{BTreeMap, BTreeSet, VecDeque},
    sync::{Arc, Mutex},
};

use serde_json::{Value, json};
use wiremock::{Mock, MockServer, Request, Respond, ResponseTemplate, matchers::path_regex};

/// The most receipts of an answer.
pub const MOST_RECEIPTS: usize = 40;

/// What goes wrong with a request.
pub enum Fault {
    /// It is answered so, and nothing is done.
    Answer(ResponseTemplate),
    /// The store goes away after so many lines: an answer of this status that is not complete.
    BreaksOff(u16, usize),
}

#[derive(Clone, Debug, Default)]
struct Postings {
    /// The payload by identifier, and whether the posting has expired.
    by_id: BTreeMap<String, (Value, bool)>,
    catalogues: BTreeMap<String, BTreeSet<String>>,
}

#[derive(Default)]
struct State {
    postings: Postings,
    faults: VecDeque<Fault>,
    /// The largest body.
    limit: Option<usize>,
}

/// A board with postings.
#[derive(Clone, Default)]
pub struct Board(Arc<Mutex<State>>);

impl Board {
    pub async fn mount(&self, server: &MockServer) {
        Mock::given(path_regex("^/api/job-board/(imports|catalogues/[^/]+)$"))
            .respond_with(self.clone())
            .mount(server)
            .await;
    }

    /// What goes wrong with the next requests.
    pub fn fails(&self, faults: impl IntoIterator<Item = Fault>) {
        self.0.lock().unwrap().faults.extend(faults);
    }

    pub fn answers(&self, answers: impl IntoIterator<Item = ResponseTemplate>) {
        self.fails(answers.into_iter().map(Fault::Answer));
    }

    pub fn limits(&self, bytes: usize) {
        self.0.lock().unwrap().limit = Some(bytes);
    }

    /// The identifiers of open postings.
    pub fn open(&self) -> Vec<String> {
        let postings = &self.0.lock().unwrap().postings.by_id;
        let open = postings.iter().filter(|(_, (_, has_expired))| !has_expired);
        open.map(|(id, _)| id.clone()).collect()
    }

    pub fn payload(&self, id: &str) -> Value {
        self.0.lock().unwrap().postings.by_id[id].0.clone()
    }
}

impl Respond for Board {
    fn respond(&self, request: &Request) -> ResponseTemplate {
        let mut state = self.0.lock().unwrap();
        let mut stop = None;
        match state.faults.pop_front() {
            Some(Fault::Answer(answer)) => return answer,
            Some(Fault::BreaksOff(status, lines)) => stop = Some((status, lines)),
            None => {}
        }
        if state.limit.is_some_and(|limit| request.body.len() > limit) {
            return ResponseTemplate::new(413).set_body_json(json!({"message": "Too large."}));
        }
        let has = |name: &str, value: &str| {
            request
                .url
                .query_pairs()
                .any(|pair| pair == (name.into(), value.into()))
        };
        let mut postings = state.postings.clone();
        let catalogue = request
            .url
            .path()
            .strip_prefix("/api/job-board/catalogues/");
        let method = request.method.as_str();
        assert_eq!(method, if catalogue.is_some() { "PUT" } else { "POST" });
        assert_eq!(request.headers["content-type"], "application/x-ndjson");

        let mut counts = BTreeMap::new();
        let (mut receipts, mut named) = (Vec::new(), BTreeSet::new());
        let lines = request
            .body
            .split(|byte| *byte == b'\n')
            .take_while(|_| match &mut stop {
                Some((_, 0)) => false,
                Some((_, left)) => {
                    *left -= 1;
                    true
                }
                None => true,
            });
        for (number, line) in (1..).zip(lines) {
            if line.trim_ascii().is_empty() {
                continue;
            }
            let mut receipt = postings.take(line, catalogue.is_some(), &mut named);
            let outcome = receipt["outcome"].as_str().unwrap().to_owned();
            let is_told = matches!(outcome.as_str(), "refused" | "failed");
            *counts.entry(outcome).or_insert(0) += 1;
            *counts.entry("lines".to_owned()).or_insert(0) += 1;
            if is_told || has("receipts", "all") {
                receipt["line"] = json!(number);
                receipts.push(receipt);
            }
        }
        let mut summary = json!(counts);
        summary["complete"] = json!(stop.is_none());
        if let (Some(name), None) = (catalogue, stop) {
            let is_let_through = has("max_missing", "100");
            summary["missing"] = postings.expire(name, &named, is_let_through);
        }
        if !has("dry_run", "true") {
            state.postings = postings;
        }
        if receipts.len() > MOST_RECEIPTS {
            summary["receipts_omitted"] = json!(receipts.len() - MOST_RECEIPTS);
            receipts.truncate(MOST_RECEIPTS);
        }
        receipts.push(json!({"summary": summary}));
        let rows: Vec<_> = receipts.iter().map(Value::to_string).collect();
        let status = stop.map_or(200, |(status, _)| status);
        ResponseTemplate::new(status).set_body_raw(rows.join("\n"), "application/x-ndjson")
    }
}

impl Postings {
    /// Takes a line, and returns its receipt.
    fn take(&mut self, line: &[u8], reopens: bool, named: &mut BTreeSet<String>) -> Value {
        let refusal = |id: Option<&str>, status: u16, message: &str, errors: Value| {
            json!({"id": id, "outcome": "refused", "status": status, "message": message,
                "errors": errors})
        };
        let Ok(line) = serde_json::from_slice::<Value>(line) else {
            return refusal(None, 400, "The line is not JSON.", json!({}));
        };
        let Some(id) = line["id"].as_str() else {
            return refusal(None, 422, "It has no id.", json!({}));
        };
        named.insert(id.to_owned());
        let Some(payload) = line["payload"].as_object() else {
            return refusal(Some(id), 422, "It has no payload.", json!({}));
        };
        if payload.contains_key("fails") {
            return json!({"id": id, "outcome": "failed", "status": 500, "message": "A fault."});
        }
        if let (Some(min), Some(max)) = (payload.get("salary_min"), payload.get("salary_max"))
            && min.as_u64() > max.as_u64()
        {
            let why = format!("must be at least salary_min, which is {min}");
            let message = format!("salary_max {why}.");
            return refusal(Some(id), 422, &message, json!({"salary_max": [why]}));
        }
        let expires = payload.get("expiration").is_some_and(Value::is_object);
        let reopens = !expires && (reopens || payload.contains_key("expiration"));
        let before = self.by_id.get(id).cloned();
        let (outcome, has_expired) = match &before {
            None if expires => return refusal(Some(id), 404, "Job posting not found.", json!({})),
            None => ("created", false),
            Some((_, false)) if expires => ("expired", true),
            Some((_, true)) if reopens => ("reopened", false),
            Some((as_it_was, has_expired)) if *as_it_was == line["payload"] => {
                ("unchanged", *has_expired)
            }
            Some((_, has_expired)) => ("updated", *has_expired),
        };
        let status = if before.is_none() { 201 } else { 200 };
        self.by_id
            .insert(id.to_owned(), (line["payload"].clone(), has_expired));
        json!({"id": id, "outcome": outcome, "status": status, "uuid": "u"})
    }

    /// Expires what a catalogue does not name any more, and returns what was missing.
    fn expire(&mut self, name: &str, named: &BTreeSet<String>, is_let_through: bool) -> Value {
        let had = self.catalogues.entry(name.to_owned()).or_default();
        let is_open = |id: &&String| self.by_id.get(*id).is_some_and(|(_, expired)| !expired);
        let open: Vec<_> = had.iter().filter(is_open).cloned().collect();
        let missing: Vec<_> = open.iter().filter(|id| !named.contains(*id)).collect();
        let is_lot = missing.len() > 20 && missing.len() * 100 > open.len() * 30;
        let is_held = !missing.is_empty() && !is_let_through && (is_lot || named.is_empty());
        if is_held {
            had.extend(named.iter().cloned());
            return json!({"count": missing.len(), "expired": 0, "held": true});
        }
        for id in &missing {
            self.by_id.get_mut(*id).unwrap().1 = true;
        }
        had.clone_from(named);
        json!({"count": missing.len(), "expired": missing.len(), "held": false})
    }
}

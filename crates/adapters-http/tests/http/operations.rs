//! Rules for all operations of the document.

use std::{
    collections::{BTreeSet, HashMap},
    fs,
    path::Path,
};

use access::Scope;
use domain::{
    decision::duplicate,
    posting::Original,
    store::{Reads, Store, WriteSet},
};
use kernel::{
    Prefixes,
    testing::{identifier, noon},
};
use serde_json::{Value, json};

use crate::support::{
    BODY_LIMIT, PATH, TestApp, assert_is_error, check, posting, push, put, request,
};

pub struct Operation {
    pub method: String,
    path: String,
    about: Value,
}

pub fn operations() -> Vec<Operation> {
    let document = serde_json::to_value(adapters_http::openapi().unwrap()).unwrap();
    let mut operations = Vec::new();
    for (path, item) in document["paths"].as_object().unwrap() {
        for (method, about) in item.as_object().unwrap() {
            operations.push(Operation {
                method: method.to_uppercase(),
                path: path.clone(),
                about: about.clone(),
            });
        }
    }
    operations
}

impl Operation {
    fn scopes(&self) -> Vec<Scope> {
        let security = self.about["security"].as_array().into_iter().flatten();
        let scopes = security.filter_map(|one| Scope::parse(one["oauth2"][0].as_str()?));
        scopes.collect()
    }

    pub fn target(&self, identifier: &str) -> String {
        self.path
            .replace("{uniqueSourceIdentifier}", identifier)
            .replace("{email}", "documented@example.com")
            .replace("{name}", "berlin")
            .replace("{id}", "0190a1b2-0000-7000-8000-000000000002")
    }
}

/// This holds for every method, whatever else is wrong with the request.
#[tokio::test]
async fn each_checks_its_client_before_anything_else() {
    let app = TestApp::spawn();
    let large = "x".repeat(BODY_LIMIT + 1);
    let all = operations();
    for operation in &all {
        let (path, own) = (&operation.path, operation.scopes());
        let of_path = all.iter().filter(|other| other.path == *path);
        let scopes: Vec<_> = of_path.flat_map(Operation::scopes).collect();
        if scopes.is_empty() {
            continue;
        }
        let mut others = Scope::ALL.to_vec();
        others.retain(|scope| !scopes.contains(scope));
        let stranger = app.token(&others).await;
        for method in [&*operation.method, "BREW"] {
            let sent = request(method, &format!("{path}?x=1")).body(&*large);
            let sent = sent.header("Content-Type", "text/plain");
            for (sent, status, challenge) in [
                (sent.clone(), 401, "Bearer realm"),
                (sent.clone().token("x.y.z"), 401, "invalid_token"),
                (sent.clone().token(&stranger), 403, "insufficient_scope"),
            ] {
                let name = format!("{method} {path}: {challenge}");
                let response = sent.send(&app).await;
                assert_is_error(&response, status, &name);
                let header = response.header("WWW-Authenticate").unwrap();
                assert!(header.contains(challenge), "{name}: {header}");
            }
            for scope in own.iter().filter(|_| method != "BREW") {
                let friend = sent.clone().token(&app.token(&[*scope]).await);
                let response = friend.send(&app).await;
                assert_ne!(response.status, 403, "{method} {path} {scope}");
            }
        }
    }
}

#[tokio::test]
async fn each_answers_as_documented_and_other_methods_are_405() {
    let app = TestApp::spawn();
    let token = app.token(Scope::ALL).await;
    let all = operations();
    for operation in &all {
        let path = &operation.path;
        let of_path = all.iter().filter(|other| other.path == *path);
        let known: BTreeSet<_> = of_path.map(|other| other.method.as_str()).collect();
        for method in ["GET", "PUT", "POST", "DELETE", "PATCH", "OPTIONS", "TRACE"] {
            if method != operation.method && known.contains(method) {
                continue;
            }
            let request = request(method, &operation.target("documented")).token(&token);
            let response = request.send(&app).await;
            let status = response.status;
            if known.contains(method) {
                let documented = operation.about["responses"].get(status.to_string());
                assert!(documented.is_some(), "{method} {path}: {status}");
            } else {
                assert_eq!(status, 405, "{method} {path}");
                let allow = response.header("Allow").unwrap();
                let allowed = allow.split(", ").filter(|method| *method != "HEAD");
                assert_eq!(allowed.collect::<BTreeSet<_>>(), known, "{path}");
            }
        }
    }
}

#[tokio::test]
async fn each_of_clients_refuses_an_unknown_parameter() {
    let app = TestApp::spawn();
    let token = app.token(Scope::ALL).await;
    let all = operations().into_iter();
    for operation in all.filter(|operation| operation.path.starts_with("/api/job-board/")) {
        let (method, path) = (&operation.method, &operation.path);
        let target = format!("{}?unheard=1", operation.target("documented"));
        let mut sent = request(method, &target).token(&token);
        let body = &operation.about["requestBody"]["content"]["application/json"];
        if let Some(examples) = body["examples"].as_object() {
            sent = sent.json(&examples.values().next().unwrap()["value"]);
        }
        let refused = sent.send(&app).await;
        assert_is_error(&refused, 422, &format!("{method} {path}: {refused:?}"));
        let says = "unheard is not a known parameter";
        assert!(
            refused.message().contains(says),
            "{method} {path}: {refused:?}"
        );
    }
}

/// How each operation below `/api/job-board` respects the client's prefixes: by method and path,
/// the field `prefixes` in each section's `openapi.json`.
fn fences() -> HashMap<String, String> {
    let sections = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let folders = fs::read_dir(sections).unwrap();
    let documents = folders.map(|folder| folder.unwrap().path().join("openapi.json"));
    let mut fences = HashMap::new();
    for document in documents.filter_map(|path| fs::read(path).ok()) {
        let section: Value = serde_json::from_slice(&document).unwrap();
        for operation in section["operations"].as_array().unwrap() {
            let [target, fence] = ["operation", "prefixes"].map(|name| operation[name].as_str());
            fences.extend(target.zip(fence).map(|(a, b)| (a.to_owned(), b.to_owned())));
        }
    }
    fences
}

fn renaming() -> Value {
    let mut payload = posting();
    payload["company"]["name"] = json!("Closed");
    payload["company"]["logo_path"] = json!("/closed.svg");
    payload
}

#[tokio::test]
async fn each_keeps_to_the_prefixes_of_its_client() {
    let (app, writer) = TestApp::with_writer().await;
    push(&app, &writer, "acme-1", &posting()).await;
    let beyond = push(&app, &writer, "other-1", &posting()).await;
    mark(&app, "acme-1", "other-1").await;
    let seen = app.get(&writer, &format!("{PATH}/acme-1")).await.json();
    assert_eq!(seen["data"]["duplicate_of"], beyond, "without prefixes");
    let (_, token) = app
        .client(|client| {
            client.scopes = Scope::ALL.to_vec();
            client.prefixes = Prefixes::new(&["acme-"]).unwrap();
        })
        .await;
    let shown = async || app.get(&writer, &format!("{PATH}/other-1")).await.json();
    let before = shown().await;
    let (all, fences) = (operations().into_iter(), fences());
    for operation in all.filter(|operation| operation.path.starts_with("/api/job-board/")) {
        let (name, target) = (
            &operation.path,
            format!("{} {}", operation.method, operation.path),
        );
        let fence = fences
            .get(&target)
            .unwrap_or_else(|| panic!("{target} has no prefixes"));
        let ask = async |identifier: &str| {
            let sent = request(&operation.method, &operation.target(identifier)).token(&token);
            let sent = if fence == "refuses lines" {
                let line = |id: &str| json!({"id": id, "payload": renaming()});
                sent.body(format!("{}\n{}\n", line(identifier), line("acme-1")))
            } else if operation.method == "PUT" {
                sent.json(&renaming())
            } else if name.ends_with("/objection") {
                sent.json(&json!({"statement": "It is true."}))
            } else if name.ends_with("/reports") {
                sent.json(&json!({"posting": identifier, "reason": "other", "statement": "x"}))
            } else {
                sent
            };
            sent.send(&app).await
        };
        match fence.as_str() {
            "refuses lines" => {
                let answer = ask("other-1").await;
                let refused = answer.text().lines().next().unwrap();
                let refused: Value = serde_json::from_str(refused).unwrap();
                let expect = json!({
                    "line": 1, "id": "other-1", "outcome": "refused", "status": 403,
                    "message": "This client may only use identifiers that begin with acme-."
                });
                assert_eq!(refused, expect, "{name}");
                assert!(answer.text().contains("\"refused\":1"), "{answer:?}");
            }
            "leaves out" | "own pushes" => {
                let answer = ask("").await;
                assert_eq!(answer.status, 200, "{name}");
                let text = answer.text();
                let is_own = fence == "own pushes";
                assert_eq!(text.contains("other-1"), is_own, "{name}: {text}");
                assert_eq!(text.contains("acme-1"), !is_own, "{name}: {text}");
                assert!(!text.contains(&beyond), "{name}: {text}");
            }
            "none" => {
                let text = ask("other-1").await.body;
                let text = String::from_utf8_lossy(&text);
                assert!(!text.contains("other-1"), "{name}: {text}");
            }
            "worker" => {}
            rule => {
                let (status, message) = rule["refuses ".len()..].split_once(' ').unwrap();
                for identifier in ["other-1", "other-2", "Acme-1", "acm%65"] {
                    let refused = ask(identifier).await;
                    assert_eq!(refused.status.to_string(), status, "{name} {refused:?}");
                    assert_eq!(refused.json(), json!({"message": message}));
                }
                // There is no decision to object to.
                let objects = name.ends_with("/objection");
                let permitted = [("/reports", 202), ("", if objects { 422 } else { 200 })];
                let mut permitted = permitted.iter().filter(|(end, _)| name.ends_with(end));
                let (end, status) = permitted.next().unwrap();
                let own = ["acme-1", "%61cme-1"].into_iter();
                for identifier in own.take(if end.is_empty() { 2 } else { 1 }) {
                    let answer = ask(identifier).await;
                    assert_eq!(answer.status, *status, "{name} {answer:?}");
                    assert!(!answer.text().contains(&beyond), "{name}");
                }
            }
        }
        // Postings with other prefixes, and their companies, are unchanged.
        assert_eq!(shown().await, before, "{name}");
    }
}

/// Marks a posting as a duplicate, like a push by a client without prefixes.
async fn mark(app: &TestApp, copy: &str, original: &str) {
    let store = &*app.backend.store;
    let names = [copy, original].map(identifier);
    let mut known = Reads::load(store, &names, &[]).await.unwrap();
    let [copy, original] = names.map(|name| known.postings[&name].clone());
    let original = Original {
        id: original.id,
        source_identifier: original.source_identifier,
    };
    let mut writes = WriteSet::new(noon());
    let change = duplicate::mark(&copy, Some(original), noon()).unwrap();
    change.record(&mut known, &mut writes);
    Store::commit(store, writes).await.unwrap();
}

#[tokio::test]
async fn a_push_beyond_the_prefixes_is_refused_before_its_body_is_read() {
    let app = TestApp::spawn();
    let (_, token) = app
        .client(|client| client.prefixes = Prefixes::new(&["a-", "b-"]).unwrap())
        .await;
    let table = "
        PUT /c-1 | text/plain: x | 403 | begin with a- or b-.
        PUT /%FF | {}            | 422
        PUT /    | {}            | 422
        PUT /%zz | {}            | 400
        ";
    check(&app, Some(&token), PATH, table).await;
    let refused = put(&token, "c-1", &posting()).send(&app).await;
    assert_eq!(refused.header("WWW-Authenticate"), None);
}

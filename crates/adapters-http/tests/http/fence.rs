//! What a client with prefixes may use: each operation of the document, with a board that has
//! postings within them and beyond.

use std::collections::BTreeSet;

use access::Scope;
use domain::{
    decision::duplicate,
    posting::Original,
    store::{Store, WriteSet},
};
use kernel::testing::identifier;
use kernel::{Prefixes, testing::noon};
use serde_json::{Value, json};

use crate::support::{PATH, Request, TestApp, check, posting, push, put, request};

const EVENTS: &str = "/api/job-board/events";
const EXPORT: &str = "/api/job-board/export";
const IMPORTS: &str = "/api/job-board/imports";
const CATALOGUE: &str = "/api/job-board/catalogues/{name}";
const INTEGRATION: &str = "/api/job-board/integration";
const WEBHOOKS: &str = "/api/job-board/webhooks";
const WEBHOOK: &str = "/api/job-board/webhooks/{id}";
const ONE: &str = "/api/job-board/job-postings/{uniqueSourceIdentifier}";

/// How an operation keeps to the prefixes of its client.
enum Fence {
    /// A posting beyond them is refused with this status and message.
    Refuses(u16, &'static str),
    /// A line about a posting beyond them is refused.
    RefusesLines,
    /// Postings beyond them are absent from the answer.
    LeavesOut,
    /// The answer has the identifiers that the client itself has sent, and nothing about postings.
    ShowsOwnPushes,
    /// The operation names no posting.
    NamesNone,
    /// Deliveries keep to the prefixes that the client has at the time. The worker makes them, and
    /// its tests show it (`app`, `worker::webhooks`); nothing is asked of the operation here.
    OfTheWorker,
}

use Fence::{LeavesOut, NamesNone, OfTheWorker, Refuses, RefusesLines, ShowsOwnPushes};

const FORBIDDEN: &str = "This client may only use identifiers that begin with acme-.";

/// The operations of clients below `/api/job-board`; others know no postings.
const OPERATIONS: &[(&str, &str, Fence)] = &[
    ("put", ONE, Refuses(403, FORBIDDEN)),
    ("get", ONE, Refuses(404, "Job posting not found.")),
    ("get", PATH, LeavesOut),
    ("post", IMPORTS, RefusesLines),
    ("get", "/api/job-board/catalogues", NamesNone),
    ("put", CATALOGUE, RefusesLines),
    ("get", CATALOGUE, NamesNone),
    ("post", "/api/job-board/catalogues/{name}/undo", NamesNone),
    ("delete", CATALOGUE, NamesNone),
    ("get", EXPORT, LeavesOut),
    ("get", EVENTS, LeavesOut),
    ("get", INTEGRATION, ShowsOwnPushes),
    ("post", "/api/job-board/integration/link", NamesNone),
    ("get", WEBHOOKS, NamesNone),
    ("post", WEBHOOKS, OfTheWorker),
    ("get", WEBHOOK, NamesNone),
    ("patch", WEBHOOK, NamesNone),
    ("delete", WEBHOOK, NamesNone),
    (
        "post",
        "/api/job-board/webhooks/{id}/rotate-secret",
        NamesNone,
    ),
    ("post", "/api/job-board/webhooks/{id}/test", NamesNone),
    ("post", "/api/job-board/webhooks/{id}/replay", OfTheWorker),
    ("post", "/api/job-board/webhooks/{id}/resend", OfTheWorker),
    (
        "get",
        "/api/job-board/webhooks/{id}/deliveries",
        OfTheWorker,
    ),
];

/// A posting that gives the company of all others another name and logo.
fn renaming() -> Value {
    let mut payload = posting();
    payload["company"]["name"] = json!("Closed");
    payload["company"]["logo_path"] = json!("/closed.svg");
    payload
}

#[tokio::test]
async fn every_operation_keeps_to_the_prefixes_of_its_client() {
    let document = serde_json::to_value(adapters_http::openapi().unwrap()).unwrap();
    let paths = document["paths"].as_object().unwrap();
    let of_clients = paths
        .iter()
        .filter(|(path, _)| path.starts_with("/api/job-board/"));
    let documented = of_clients.flat_map(|(path, item)| {
        let methods = item.as_object().unwrap().keys();
        methods.map(move |method| (method.as_str(), path.as_str()))
    });
    let documented: BTreeSet<_> = documented.collect();
    let known = OPERATIONS.iter().map(|(method, path, _)| (*method, *path));
    let known: BTreeSet<_> = known.collect();
    assert_eq!(documented, known, "each operation is listed with its fence");

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
    for (method, path, fence) in OPERATIONS {
        let to = |identifier: &str| -> Request {
            let target = path
                .replace("{uniqueSourceIdentifier}", identifier)
                .replace("{name}", "berlin")
                .replace("{id}", "0190a1b2-0000-7000-8000-000000000002");
            let request = request(&method.to_uppercase(), &target).token(&token);
            if matches!(fence, RefusesLines) {
                let line = |id: &str| json!({"id": id, "payload": renaming()});
                request.body(format!("{}\n{}\n", line(identifier), line("acme-1")))
            } else if *method == "put" {
                request.json(&renaming())
            } else {
                request
            }
        };
        match fence {
            Refuses(status, message) => {
                for identifier in ["other-1", "other-2", "Acme-1", "acm%65"] {
                    let refused = to(identifier).send(&app).await;
                    assert_eq!(refused.status, *status, "{method} {path} {refused:?}");
                    assert_eq!(refused.json(), json!({"message": message}));
                }
                for identifier in ["acme-1", "%61cme-1"] {
                    let answer = to(identifier).send(&app).await;
                    assert_eq!(answer.status, 200, "{method} {path} {answer:?}");
                    assert!(!answer.text().contains(&beyond), "{method} {path}");
                }
            }
            RefusesLines => {
                let answer = to("other-1").send(&app).await;
                let refused = answer.text().lines().next().unwrap();
                let refused: Value = serde_json::from_str(refused).unwrap();
                let expect = json!({
                    "line": 1, "id": "other-1", "outcome": "refused", "status": 403,
                    "message": FORBIDDEN
                });
                assert_eq!(refused, expect, "{method} {path}");
                assert!(answer.text().contains("\"refused\":1"), "{answer:?}");
            }
            LeavesOut => {
                let answer = to("").send(&app).await;
                assert_eq!(answer.status, 200, "{method} {path}");
                let text = answer.text();
                assert!(text.contains("acme-1"), "{method} {path}: {text}");
                assert!(!text.contains("other-"), "{method} {path}: {text}");
                assert!(!text.contains(&beyond), "{method} {path}: {text}");
            }
            ShowsOwnPushes => {
                let answer = to("").send(&app).await;
                let text = answer.text();
                assert_eq!(answer.status, 200, "{method} {path}");
                assert!(text.contains("other-2"), "{method} {path}: {text}");
                assert!(!text.contains(&beyond), "{method} {path}: {text}");
            }
            NamesNone => {
                let text = to("other-1").send(&app).await.body;
                let text = String::from_utf8_lossy(&text);
                assert!(!text.contains("other-1"), "{method} {path}: {text}");
            }
            OfTheWorker => {}
        }
        // Nor does it change what is shown beyond them, the company of a posting included.
        assert_eq!(shown().await, before, "{method} {path}");
    }
}

/// Marks a posting as the duplicate of another one, as a client without prefixes may have pushed
/// it.
async fn mark(app: &TestApp, copy: &str, original: &str) {
    let store = &*app.backend.store;
    let names = [copy, original].map(identifier);
    let mut known = Store::load(store, &names, &[]).await.unwrap();
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

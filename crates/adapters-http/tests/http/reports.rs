//! Reports from readers, and objections from clients.

use access::Scope;
use domain::{
    posting::{Lifetime, moderation::Moderation},
    report::Reports as _,
    usecase::{act_on_report, dismiss_report},
};
use kernel::{
    Ground, Prefixes, ReportId,
    testing::{by_ann, noon},
};
use serde_json::{Value, json};

use crate::{
    logs::Log,
    operations::operations,
    support::{PATH, Response, TestApp, posting, push, request},
};

const REPORTS: &str = "/api/job-board/reports";

/// A reporter's name and address, which only operators may see.
const SECRETS: [&str; 2] = ["Ann Q. Reader", "ann.q@reader.example"];

fn report(named: &str) -> Value {
    json!({
        "posting": named, "reason": "fraud", "statement": "They ask for money.",
        "reporter": {"name": SECRETS[0], "email": SECRETS[1]}, "url": null,
    })
}

async fn send(app: &TestApp, token: &str, body: &Value, id: &str) -> Response {
    let sent = request("POST", REPORTS).token(token).json(body);
    sent.header("X-Request-Id", id).send(app).await
}

fn id_of(answer: &Response) -> ReportId {
    assert_eq!(answer.status, 202, "{answer:?}");
    ReportId::new(
        answer.json()["data"]["uuid"]
            .as_str()
            .unwrap()
            .parse()
            .unwrap(),
    )
}

fn assert_is_silent(text: &str, about: &str) {
    for secret in SECRETS {
        assert!(!text.contains(secret), "{secret} in {about}: {text}");
    }
}

#[tokio::test]
async fn a_report_ends_with_an_answer_and_a_decision_with_an_objection() {
    let (app, writer) = TestApp::with_writer().await;
    let site = app.token(&[Scope::ReportsWrite]).await;
    let uuid = push(&app, &writer, "acme-1", &posting()).await;
    let id = id_of(&send(&app, &site, &report("acme-1"), "r-1").await);
    assert_eq!(id_of(&send(&app, &site, &report(&uuid), "r-2").await), id);
    let shown = async || app.get(&site, &format!("{REPORTS}/{id}")).await.json()["data"].clone();
    let waiting = json!({
        "uuid": id.uuid(), "state": "waiting", "decided_at": null, "sentence": null,
    });
    assert_eq!(shown().await, waiting);
    let store = &*app.backend.store;
    let (reason, ground) = ("A fraud.".to_owned(), Ground::Law);
    let expire = Moderation::Expire { reason, ground };
    let (by, never) = (by_ann(1), Lifetime::NEVER);
    let acted = act_on_report((store, store), id, &expire, None, &by, never, noon()).await;
    assert_eq!(acted, Ok(1));
    assert_eq!(shown().await["state"], "acted");
    assert_eq!(shown().await["sentence"], "A fraud.");

    let objected = async || {
        let sent = request("POST", &format!("{PATH}/acme-1/objection")).token(&writer);
        let sent = sent.json(&json!({"statement": "It is none."}));
        sent.send(&app).await.status
    };
    assert_eq!([objected().await, objected().await], [202, 409]);
    let decision = &app.get(&writer, &format!("{PATH}/acme-1")).await.json()["data"]["decision"];
    for (key, value) in [
        ("outcome", json!("removed")),
        ("ground", json!("law")),
        ("scope", json!("everywhere")),
        ("by_notice", json!(true)),
        ("sentence", json!("A fraud.")),
        ("appeal", json!("https://board.example/appeals")),
    ] {
        assert_eq!(decision[key], value, "{key}");
    }
    assert_eq!(decision["objection"]["state"], "waiting");
    assert_eq!(decision["objection"]["sentence"], Value::Null);
}

#[tokio::test]
async fn a_report_beyond_the_prefixes_of_a_client_is_not_found() {
    let (app, writer) = TestApp::with_writer().await;
    push(&app, &writer, "other-1", &posting()).await;
    let site = app.token(&[Scope::ReportsWrite]).await;
    let id = id_of(&send(&app, &site, &report("other-1"), "r-3").await);
    let (_, fenced) = app
        .client(|client| {
            client.scopes = vec![Scope::ReportsWrite];
            client.prefixes = Prefixes::new(&["acme-"]).unwrap();
        })
        .await;
    for id in [id.to_string(), "x".to_owned()] {
        let refused = app.get(&fenced, &format!("{REPORTS}/{id}")).await;
        assert_eq!(
            (refused.status, refused.message()),
            (404, "Report not found.".to_owned())
        );
    }
}

/// No operation, event or log line reveals the reporter.
#[tokio::test]
async fn only_operators_see_a_reporter() {
    let log = Log::of_this_process();
    let (app, writer) = TestApp::with_writer().await;
    let all = app.token(Scope::ALL).await;
    push(&app, &writer, "documented", &posting()).await;
    push(&app, &writer, "acme-2", &posting()).await;
    let acted = id_of(&send(&app, &all, &report("documented"), "secret-1").await);
    let dismissed = id_of(&send(&app, &all, &report("acme-2"), "secret-2").await);
    let mut wrong = report("acme-2");
    wrong["reason"] = json!("whim");
    assert_eq!(send(&app, &all, &wrong, "secret-3").await.status, 422);
    assert_eq!(
        send(&app, &all, &report("none"), "secret-4").await.status,
        404
    );
    let (store, by) = (&*app.backend.store, by_ann(1));
    let (reason, ground) = ("A fraud.".to_owned(), Ground::Terms);
    let reject = Moderation::Reject { reason, ground };
    let (ports, never) = ((store as _, store as _), Lifetime::NEVER);
    act_on_report(ports, acted, &reject, None, &by, never, noon())
        .await
        .unwrap();
    dismiss_report(ports, dismissed, "No.", &by, noon())
        .await
        .unwrap();
    let stored = store.report(acted).await.unwrap().unwrap();
    assert_eq!(stored.reporter.unwrap().email, SECRETS[1]);

    for operation in operations().iter().filter(|it| it.method == "GET") {
        let target = operation.target("documented");
        for target in [
            target.replace("0190a1b2-0000-7000-8000-000000000002", &acted.to_string()),
            target,
        ] {
            let answer = request("GET", &target).token(&all).send(&app).await;
            assert_is_silent(&String::from_utf8_lossy(&answer.body), &target);
        }
    }
    let events = "/api/job-board/events";
    let told = app
        .get(&all, events)
        .await
        .text()
        .matches("ReportDecided")
        .count();
    assert_eq!(told, 2);
    let untold = app.get(&writer, events).await;
    assert!(!untold.text().contains("ReportDecided"), "{untold:?}");
    for id in ["secret-1", "secret-2", "secret-3", "secret-4"] {
        let lines = log.lines_of(id);
        assert_is_silent(&lines, id);
    }
}

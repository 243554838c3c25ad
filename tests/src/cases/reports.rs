use serde_json::json;

use crate::harness::{
    Answer, Api, App, SETTLING, Site, Store, eventually, fresh, minimal, receiver::Receiver,
};

on_every_store! {
    a_report_and_an_objection_go_the_whole_way,
}

const REPORTER: &str = "ann.q@reader.example";

fn accepted(answer: &Answer) {
    assert_eq!(answer.status, 202, "{answer:#?}");
}

/// The server is killed after each answer.
#[expect(
    clippy::too_many_lines,
    reason = "one way from the report to the reversal"
)]
async fn a_report_and_an_objection_go_the_whole_way(store: Store) {
    let (site, receiver) = (
        Site::new(store).with("POSTHASTE_WEBHOOK_PRIVATE", "allow"),
        Receiver::start(),
    );
    let mut server = Some(site.serve(&[]));
    let app = App::at(site);
    let webhook = json!({"url": receiver.url("/reports"), "types": ["ReportDecided"]});
    let webhook = app.api.post("/api/job-board/webhooks", &webhook).await;
    assert_eq!(webhook.status, 201, "{webhook:#?}");
    let mut again = || {
        server.take().unwrap().kill();
        server = Some(app.site.serve(&[]));
    };
    let id = fresh("reported");
    let uuid = app.put(&id, &minimal()).await.created();
    app.api.until(&id, "approved").await;
    let sent = json!({
        "posting": id, "reason": "fraud", "statement": "They ask for money.",
        "reporter": {"name": "Ann Q. Reader", "email": REPORTER},
    });
    let reports = "/api/job-board/reports";
    let answer = app.api.post(reports, &sent).await;
    accepted(&answer);
    let report = answer.json()["data"]["uuid"].as_str().unwrap().to_owned();
    again();
    let repeated = app.api.post(reports, &sent).await;
    assert_eq!(repeated.json()["data"]["uuid"], report.as_str());
    let listed = app.site.json(&["reports", "list", "--json"]);
    let queued = listed.as_array().unwrap().iter();
    let queued: Vec<_> = queued.filter(|it| it["uuid"] == report.as_str()).collect();
    assert_eq!(queued.len(), 1, "{listed}");
    assert_eq!(queued[0]["reporter"]["email"], REPORTER);

    let act = [
        "reports",
        "act",
        &report,
        "--verdict",
        "expire",
        "--ground",
        "law",
    ];
    let act = [&act[..], &["--reason", "A fraud."]].concat();
    app.run(&act).succeeded();
    again();
    app.run(&act).failed(1);
    let shown = app.api.get(&format!("{reports}/{report}")).await.data();
    assert_eq!(
        (&shown["state"], &shown["sentence"]),
        (&json!("acted"), &json!("A fraud."))
    );
    let removed = app.show(&id).await;
    assert_eq!(removed["status"], "expired");
    let decision = &removed["decision"];
    let seen = ["outcome", "ground", "by_notice", "sentence"].map(|key| &decision[key]);
    let expect = [
        json!("removed"),
        json!("law"),
        json!(true),
        json!("A fraud."),
    ];
    assert_eq!(seen, expect.each_ref());

    let objection = format!("{}/objection", Api::path(&id));
    let statement = json!({"statement": "It is none."});
    accepted(&app.api.post(&objection, &statement).await);
    again();
    app.api.post(&objection, &statement).await.error(409);
    assert_eq!(
        app.show(&id).await["decision"]["objection"]["state"],
        "waiting"
    );
    let waiting = app
        .site
        .json(&["reports", "list", "--objections", "--json"]);
    assert_eq!(waiting[0]["unique_source_identifier"], *id, "{waiting}");
    app.run(&["postings", "reverse", &id, "--reason", "A mistake."])
        .succeeded();
    again();
    let back = app.api.until(&id, "approved").await;
    let objection = &back["decision"]["objection"];
    assert_eq!(objection["state"], "reversed");
    assert_eq!(objection["sentence"], "A mistake.");

    let data = json!({
        "uuid": report, "posting": uuid, "state": "acted", "sentence": "A fraud.",
    });
    let delivered = eventually("the answer is delivered", SETTLING, || async {
        receiver.at("/reports").into_iter().next()
    })
    .await;
    assert_eq!(delivered.body["type"], "ReportDecided");
    assert_eq!(delivered.body["data"], data);
    let events = app.all_events().await;
    let decided: Vec<_> = events
        .iter()
        .filter(|it| it["data"]["uuid"] == report.as_str())
        .collect();
    assert_eq!(decided.len(), 1, "{events:#?}");
    assert_eq!(decided[0]["data"], data);
    let statements = app.run(&["statements", "--since", "2026-01-01", "--csv"]);
    let statements = statements.succeeded();
    assert!(
        statements.contains(",removed,law,operator,false,true,reversed\n"),
        "{statements}"
    );
    for (text, about) in [
        (statements, "statements"),
        (app.run(&["audit", "--json"]).succeeded(), "audit"),
        (app.site.log(), "log"),
        (json!(events).to_string(), "events"),
        (delivered.body.to_string(), "webhook"),
        (app.api.get("/api/job-board/export").await.body, "export"),
    ] {
        assert!(
            !text.contains(REPORTER) && !text.contains("Ann Q."),
            "{about}: {text}"
        );
    }
}

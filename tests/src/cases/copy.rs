//! An interrupted copy of an embedded database to PostgreSQL resumes.

use std::fs;

use adapters_postgres::testing;
use reqwest::Method;
use serde_json::{Value, json};

use crate::harness::{
    App, SETTLING, Site, Store, complete, eventually,
    import::{catalogue, import, line},
};

on_postgres! {
    a_service_moves_to_postgresql,
}

async fn answers(app: &App, after: &str) -> Vec<String> {
    let mut all = Vec::new();
    let mut cursor = String::new();
    loop {
        let path = format!("/api/job-board/job-postings?limit=200{cursor}");
        let page = app.api.get(&path).await.json();
        all.push(page["data"].to_string());
        match page["next_cursor"].as_str() {
            Some(next) => cursor = format!("&cursor={next}"),
            None => break,
        }
    }
    for path in [
        "/api/job-board/export",
        "/api/job-board/job-postings/moved-0",
        "/api/job-board/job-postings/moved-1",
        "/api/job-board/integration",
        "/api/job-board/catalogues",
        "/api/job-board/webhooks",
        "/api/newsletter/subscribers/ada@example.com",
        &format!("/api/job-board/events?limit=1000&after={after}"),
    ] {
        let answer = app.api.get(path).await;
        assert_eq!(answer.status, 200, "{path}: {answer:#?}");
        all.push(answer.body);
    }
    for command in [
        &["clients", "list", "--json"] as &[&str],
        &["subscribers", "export"],
        &["subscribers", "suppressions", "export"],
        &["webhooks", "list", "--json"],
        &["outbox", "list", "--json"],
        &["audit", "--json"],
    ] {
        all.push(app.run(command).succeeded());
    }
    all
}

async fn fill(app: &App) {
    let mut lines = String::new();
    for n in 0..300 {
        lines += &line(&format!("moved-{n}"), &complete());
    }
    import(&app.api, &catalogue("all"), lines).await.complete();
    let expire = json!({"expiration": {"reason": "filled"}});
    app.put("moved-1", &expire).await;
    app.put("moved-2", &json!({"salary_min": "much"})).await;
    let person = json!({"name": "Ada", "country": "Norway", "membership":
        {"plan_category": "individual", "status": "active", "expires_at": "2027-01-31"}});
    let ada = "/api/newsletter/subscribers/ada@example.com";
    let put = app.api.authorized(Method::PUT, ada).json(&person);
    assert_eq!(app.api.send(put).await.status, 201);
    for command in [
        &[
            "subscribers",
            "suppress",
            "bob@example.com",
            "--reason",
            "asked",
        ] as &[&str],
        &[
            "webhooks",
            "create",
            "--url",
            "http://127.0.0.1:9/hook",
            "--webhook-private",
            "allow",
        ],
    ] {
        app.run(command).succeeded();
    }
    app.api.until("moved-299", "approved").await;
}

async fn a_service_moves_to_postgresql(_: Store) {
    let site = Site::new(Store::Sqlite);
    let server = site.serve(&[]);
    let app = App::at(site);
    fill(&app).await;
    let events = app.all_events().await;
    let after = events[20]["id"].as_str().unwrap().to_owned();

    let to = testing::Database::empty();
    let url = to.text_url();
    let copy = ["copy", "--to", &url, "--batch", "1"];
    let said = app.run(&copy).failed(1);
    assert!(said.contains("is in use"), "{said}");
    server.terminate();
    assert_eq!(server.stopped().code(), Some(0), "{}", app.site.log());
    let server = app.site.serve(&["--no-worker"]);
    let before = answers(&app, &after).await;
    server.terminate();
    assert_eq!(server.stopped().code(), Some(0), "{}", app.site.log());

    let copying = app.site.begin(&copy);
    let count = "SELECT count(*) AS value FROM postings";
    eventually("some postings are copied", SETTLING, || async {
        app.site.log().contains("companies ").then_some(())
    })
    .await;
    copying.kill();
    let copied = testing::number(&url, count);
    assert!(copied < 300, "{copied}");
    let moved = app.site.moved_to(&url);
    let said = moved.run(&["postings", "list"]).failed(1);
    assert!(
        said.contains("a copy into the database has not ended"),
        "{said}"
    );
    let said = app.run(&["copy", "--to", &url]).succeeded();
    assert!(said.contains("Resuming an interrupted copy"), "{said}");
    assert_eq!(testing::number(&url, count), 300);
    let said = app.run(&copy).failed(1);
    assert!(said.contains("is not empty"), "{said}");
    fs::rename(
        app.site.data().join("posthaste.db"),
        app.site.folder().join("old.db"),
    )
    .unwrap();

    let moved = App::with(moved, &app);
    let server = moved.site.serve(&["--no-worker"]);
    let now = answers(&moved, &after).await;
    for (then, now) in before.iter().zip(&now) {
        assert_eq!(then, now);
    }
    // Later events come after everything that was copied.
    drop(server);
    let _server = moved.site.serve(&[]);
    let last = events.last().unwrap()["id"].as_str().unwrap();
    moved.put("moved-300", &complete()).await.created();
    moved.api.until("moved-300", "approved").await;
    let page = format!("/api/job-board/events?limit=1000&after={last}&types=JobPostingCreated");
    let newer = eventually("the event can be read", SETTLING, || async {
        let newer = moved.api.get(&page).await.json();
        let newer: Vec<Value> = newer["data"].as_array().unwrap().clone();
        (!newer.is_empty()).then_some(newer)
    })
    .await;
    assert_eq!(newer.len(), 1);
    assert_eq!(newer[0]["data"]["unique_source_identifier"], "moved-300");
}

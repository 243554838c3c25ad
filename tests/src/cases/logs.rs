use std::{
    fs::{self, Permissions},
    os::unix::fs::PermissionsExt as _,
};

use serde_json::Value;

use crate::harness::{App, SETTLING, Site, Store, eventually, fresh, minimal, newsletter};

on_sqlite! {
    each_answer_is_a_line_of_json,
}

const SUBSCRIBER: &str = "/api/newsletter/subscribers/{email}";

async fn each_answer_is_a_line_of_json(store: Store) {
    let site = Site::new(store);
    let dotenv = site.folder().join(".env");
    fs::write(&dotenv, "POSTHASTE_LOG_FORMAT=json\n").unwrap();
    fs::set_permissions(&dotenv, Permissions::from_mode(0o600)).unwrap();
    let _server = site.serve(&["--no-worker"]);
    let _worker = site.work();
    let app = App::at(site);
    let id = fresh("logged");
    app.put(&id, &minimal()).await.created();
    app.api.get("/nothing?token=secret").await.error(404);
    let person = newsletter::person();
    let path = format!("/api/newsletter/subscribers/{person}");
    app.api.get(&path).await.error(404);

    let log = eventually("the last answer is logged", SETTLING, || async {
        let log = app.site.log();
        let is_logged = log.contains(&format!(r#""route":"{SUBSCRIBER}""#));
        (is_logged && log.contains("works in the background")).then_some(log)
    })
    .await;
    assert!(
        !log.contains("token=secret") && !log.contains(&person),
        "{log}"
    );
    assert!(!log.contains(app.api.token()), "{log}");
    let lines = log.lines();
    let lines: Vec<Value> = lines
        .map(|line| serde_json::from_str(line).unwrap_or_else(|_| panic!("{line}")))
        .collect();
    let says = |text: &str| {
        lines.iter().any(|line| {
            line["message"]
                .as_str()
                .is_some_and(|said| said.starts_with(text))
        })
    };
    assert!(says("Posthaste listens on http://") && says("the .env file was read"));
    let answers = |route: &str, method: &str| -> Vec<&Value> {
        let of = |line: &&Value| {
            line["target"] == "posthaste::access"
                && line["route"] == route
                && line["method"] == method
        };
        lines.iter().filter(of).collect()
    };
    let pushes = answers("/api/job-board/job-postings/{identifier}", "PUT");
    let [push] = pushes[..] else {
        panic!("{pushes:?} in {log}");
    };
    assert_eq!(
        (&push["level"], &push["status"]),
        (&"INFO".into(), &201.into())
    );
    assert!(
        push["duration_ms"].as_f64().is_some_and(|it| it > 0.0),
        "{push}"
    );
    assert_eq!(push["client"].as_str().map(str::len), Some(36), "{push}");
    assert!(
        push["request_id"].is_string() && push["timestamp"].is_string(),
        "{push}"
    );
    let [unrouted] = answers("_OTHER", "GET")[..] else {
        panic!("{log}");
    };
    assert_eq!(unrouted["status"], 404);
    let [asked] = answers(SUBSCRIBER, "GET")[..] else {
        panic!("{log}");
    };
    assert_eq!(asked["status"], 404);
    assert_eq!(asked["client"], push["client"]);
    let change = lines
        .iter()
        .find(|line| line["target"] == "posthaste::push");
    assert_eq!(change.unwrap()["span"]["request_id"], push["request_id"]);
}

//! The bulk loader.

use std::fs;

use serde_json::{Value, json};

use crate::harness::{App, CommandResult, Site, Store, fresh, minimal, run};

on_every_store! {
    a_file_is_created_and_then_unchanged,
    refused_lines_are_kept_with_their_errors,
    what_a_catalogue_lacks_expires,
}

/// Runs the loader with this standard input.
fn push(app: &App, input: &str, more: &[&str]) -> CommandResult {
    push_as(&app.site, &app.client_id, &app.client_secret, input, more)
}

fn push_as(site: &Site, id: &str, secret: &str, input: &str, more: &[&str]) -> CommandResult {
    let url = site.url();
    let options = [
        "push",
        "-",
        "--url",
        &url,
        "--client-id",
        id,
        "--client-secret",
        secret,
    ];
    run(site.command(&[&options[..], more].concat()), input)
}

fn line(id: &str, payload: &Value) -> String {
    format!("{}\n", json!({"id": id, "payload": payload}))
}

/// A number in the summary.
fn count(ran: &CommandResult, of: &str) -> u64 {
    let text = format!("{}\n{}", ran.stdout, ran.stderr);
    let found = text.lines().find_map(|line| {
        let line = line.trim();
        let number = line.strip_prefix(of).or_else(|| line.strip_suffix(of))?;
        number
            .trim_matches(|c: char| !c.is_ascii_digit())
            .parse()
            .ok()
    });
    found.unwrap_or_else(|| panic!("no {of} in the summary: {ran:#?}"))
}

async fn a_file_is_created_and_then_unchanged(store: Store) {
    let app = App::quiet(store);
    let ids: Vec<String> = (0..40).map(|_| fresh("file")).collect();
    let input: String = ids.iter().map(|id| line(id, &minimal())).collect();
    let file = app.site.folder().join("postings.ndjson");
    fs::write(&file, &input).unwrap();
    let url = app.site.url();
    let arguments = [
        "push",
        file.to_str().unwrap(),
        "--url",
        &url,
        "--client-id",
        &app.client_id,
        "--client-secret",
        &app.client_secret,
    ];
    let ran = app.run(&arguments);
    assert_eq!(
        (ran.code, count(&ran, "created"), count(&ran, "updated")),
        (Some(0), 40, 0),
        "{ran:#?}"
    );
    let before = app.show(&ids[7]).await;
    let ran = app.run(&arguments);
    assert_eq!(
        (ran.code, count(&ran, "created"), count(&ran, "unchanged")),
        (Some(0), 0, 40),
        "{ran:#?}"
    );
    assert_eq!(app.show(&ids[7]).await, before);
}

async fn refused_lines_are_kept_with_their_errors(store: Store) {
    let app = App::quiet(store);
    let (good, bad, gone) = (fresh("good"), fresh("bad"), fresh("gone"));
    let mut nowhere = minimal();
    nowhere["application_url"] = Value::Null;
    nowhere["title"] = json!(5);
    let expiration = json!({"expiration": {}});
    let input = [
        line(&bad, &nowhere),
        line(&good, &minimal()),
        line(&gone, &expiration),
        "\n".to_owned(),
        "not json\n".to_owned(),
        // The last line has no line break.
        line(&good, &json!({"title": "Changed"}))
            .trim_end()
            .to_owned(),
    ]
    .concat();
    let file = app.site.folder().join(fresh("rejects"));
    let ran = push(&app, &input, &["--rejects", file.to_str().unwrap()]);
    assert_eq!(ran.code, Some(1), "{ran:#?}");
    assert_eq!(
        (
            count(&ran, "created"),
            count(&ran, "updated"),
            count(&ran, "refused")
        ),
        (1, 1, 3),
        "{ran:#?}"
    );
    let rejects = fs::read_to_string(&file).unwrap();
    let rejects: Vec<Value> = rejects
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    for reject in &rejects {
        let mut keys: Vec<&String> = reject.as_object().unwrap().keys().collect();
        keys.sort();
        assert_eq!(
            keys,
            ["errors", "id", "message", "payload", "status"],
            "{reject}"
        );
    }
    let find = |id: &str| {
        rejects
            .iter()
            .find(|reject| reject["id"] == json!(id))
            .unwrap()
    };
    let refused = find(&bad);
    assert_eq!(
        (&refused["status"], &refused["payload"]),
        (&json!(422), &nowhere)
    );
    assert!(refused["errors"]["title"].is_array(), "{refused}");
    let gone = find(&gone);
    assert_eq!(
        (&gone["status"], &gone["payload"]),
        (&json!(404), &expiration)
    );
    assert_eq!(gone["message"], "Job posting not found.");
    assert_eq!(app.show(&good).await["title"], "Changed");
}

async fn what_a_catalogue_lacks_expires(store: Store) {
    let app = App::quiet(store);
    let ids: Vec<String> = (0..30).map(|_| fresh("offer")).collect();
    let payload = minimal();
    let lines = |ids: &[String]| -> String { ids.iter().map(|id| line(id, &payload)).collect() };
    let name = fresh("catalogue");
    let push =
        |input: &str, more: &[&str]| push(&app, input, &[&["--catalogue", &name], more].concat());
    let status = async |id: &String| app.show(id).await["status"].clone();
    let ran = push(&lines(&ids), &[]);
    assert_eq!(
        (ran.code, count(&ran, "created")),
        (Some(0), 30),
        "{ran:#?}"
    );

    let ran = push(&lines(&ids[..5]), &[]);
    assert_eq!(
        ran.code,
        Some(1),
        "25 are missing, which is held back: {ran:#?}"
    );
    assert!(ran.stdout.contains("--max-missing 100"), "{ran:#?}");
    assert_ne!(status(&ids[7]).await, "expired");

    let ran = push(&lines(&ids[..5]), &["--max-missing", "100"]);
    assert_eq!(
        (ran.code, count(&ran, "unchanged")),
        (Some(0), 5),
        "{ran:#?}"
    );
    assert_eq!(status(&ids[7]).await, "expired");
    assert_ne!(status(&ids[0]).await, "expired");

    let ran = push(&lines(&ids), &[]);
    assert_eq!(
        (ran.code, count(&ran, "reopened")),
        (Some(0), 25),
        "{ran:#?}"
    );
}

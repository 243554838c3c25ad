//! Clients, the outbox and the demo.

use std::process::Command;

use serde_json::Value;

use crate::harness::{App, SETTLING, Site, Store, create_client, eventually, fresh, minimal, run};

on_every_store! {
    a_client_is_made_listed_and_revoked,
    a_secret_is_shown_once,
    the_outbox_is_listed_as_rows,
    nothing_dead_is_brought_back,
    the_demo_shows_everything_and_its_lines_can_be_pasted,
    the_demo_serves_until_it_is_stopped,
}

async fn a_client_is_made_listed_and_revoked(store: Store) {
    let app = App::quiet(store);
    let name = fresh("client");
    let arguments = [
        "clients",
        "create",
        "--name",
        &name,
        "--scope",
        "job-postings:read",
    ];
    let printed = app.run(&arguments).succeeded();
    let list = app.run(&["clients", "list"]).succeeded();
    let row = list.lines().find(|line| line.contains(&name)).unwrap();
    let id = row
        .split(|c: char| !c.is_ascii_hexdigit() && c != '-')
        .find(|word| word.len() == 36);
    let id = id.unwrap_or_else(|| panic!("no client id: {row}"));
    assert!(printed.contains(id), "{printed}");
    app.run(&["clients", "revoke", id]).succeeded();
    app.run(&["clients", "revoke", &uuid::Uuid::new_v4().to_string()])
        .failed(1);
}

async fn a_secret_is_shown_once(store: Store) {
    let app = App::quiet(store);
    let (_, secret) = create_client(&app.site, &["job-postings:read"]);
    assert!(secret.len() >= 43, "256 bits: {secret}");
    assert!(!app.run(&["clients", "list"]).succeeded().contains(&secret));
    assert!(!app.site.log().contains(&secret));
    // Nor is it kept.
    let site = &app.site;
    assert!(!site.database.keeps_secret(&site.data(), &secret));
}

async fn the_outbox_is_listed_as_rows(store: Store) {
    let app = App::quiet(store);
    let uuid = app.put(&fresh("row"), &minimal()).await.created();
    let rows: Value = serde_json::from_str(
        &app.run(&["outbox", "list", "--limit", "1000000", "--json"])
            .succeeded(),
    )
    .unwrap();
    let mine: Vec<&Value> = rows
        .as_array()
        .unwrap()
        .iter()
        .filter(|row| row["key"].as_str().unwrap().contains(&uuid.to_string()))
        .collect();
    assert_eq!(mine.len(), 2);
    for row in mine {
        let mut keys: Vec<&String> = row.as_object().unwrap().keys().collect();
        keys.sort();
        assert_eq!(
            keys,
            ["attempts", "id", "key", "kind", "last_error", "next_at"]
        );
        assert_eq!(
            (&row["attempts"], &row["last_error"]),
            (&Value::from(0), &Value::Null)
        );
    }
    let text = app.run(&["outbox", "list"]).succeeded();
    assert!(text.contains(&uuid.to_string()), "{text}");
}

async fn nothing_dead_is_brought_back(store: Store) {
    let app = App::quiet(store);
    assert_eq!(
        app.run(&["outbox", "list", "--limit", "1000000", "--dead", "--json"])
            .succeeded()
            .trim(),
        "[]"
    );
    app.run(&["outbox", "retry", "--all-dead"]).succeeded();
    app.run(&["outbox", "retry", "999999999"]).failed(1);
}

async fn the_demo_shows_everything_and_its_lines_can_be_pasted(store: Store) {
    // It brings its own folder, database and ports.
    let site = Site::new(store);
    let mut command = site.demo(&["--exit"]);
    // The folder stays, because the lines need it.
    command.env("TMPDIR", site.folder());
    let printed = run(command, "").succeeded();
    for part in [
        "approved",
        "rejected",
        "refused",
        "/oauth/token",
        "/api/job-board/job-postings",
    ] {
        assert!(printed.to_lowercase().contains(part), "{part}: {printed}");
    }
    let lines = printed
        .find("\n# ")
        .unwrap_or_else(|| panic!("nothing to paste: {printed}"));
    let lines = &printed[lines..];
    assert!(lines.contains("curl "), "{lines}");
    // What was started in the background ends with the shell.
    let mut shell = Command::new("sh");
    shell.args(["-e", "-c", &format!("trap 'kill $!' EXIT\n{lines}")]);
    let ran = run(shell, "");
    assert_eq!(ran.code, Some(0), "{lines}\n{ran:#?}");
    assert!(ran.stdout.contains(r#"{"data":{"uuid":""#), "{ran:#?}");
    assert!(!ran.stdout.contains(r#""message":"#), "{ran:#?}");
}

async fn the_demo_serves_until_it_is_stopped(store: Store) {
    let site = Site::new(store);
    let folder = site.folder().join("kept");
    let demo = site.start_demo(&["--data-dir", folder.to_str().unwrap()]);
    let site = &site;
    eventually(
        "the demo has shown its lines",
        SETTLING * 2,
        || async move { site.log().contains("curl ").then_some(()) },
    )
    .await;
    demo.terminate();
    assert_eq!(demo.stopped().code(), Some(0));
    assert!(folder.join("posthaste.db").exists());
}

//! Variables and options: a bad value stops the start with one line that names it.

use std::fs;

use serde_json::json;

use crate::harness::{App, Site, Store, fresh, minimal, run};

on_every_store! {
    a_bad_variable_is_named_in_one_line,
    a_dotenv_file_is_read_and_variables_win,
    usage_errors_are_exit_code_two,
    help_shows_the_variables,
    the_schema_is_migrated_once,
}

async fn a_bad_variable_is_named_in_one_line(store: Store) {
    let site = Site::new(store);
    for (name, values) in [
        (
            "POSTHASTE_BIND",
            &["nonsense", "127.0.0.1", "127.0.0.1:99999", ":x"][..],
        ),
        (
            "POSTHASTE_PUBLIC_URL",
            &["nonsense", "ftp://jobs.example", "/"],
        ),
        ("POSTHASTE_TOKEN_TTL", &["soon", "-1", "0", "1.5", "1h"]),
        ("POSTHASTE_BODY_LIMIT", &["much", "-1", "1MB"]),
        ("POSTHASTE_POSTING_LIFETIME_DAYS", &["never", "-1", "1.5"]),
        ("POSTHASTE_ENRICHER", &["magic"]),
        (
            "DATABASE_URL",
            &["nonsense", "mysql://localhost/x", "sqlite:"],
        ),
    ] {
        for value in values {
            let mut serve = site.command(&["serve"]);
            serve.env(name, value);
            let complaint = run(serve, "").failed(2);
            assert!(complaint.contains(name), "{name}={value}: {complaint}");
            assert_eq!(
                complaint.trim_end().lines().count(),
                1,
                "{name}={value}: {complaint}"
            );
        }
    }
}

async fn a_dotenv_file_is_read_and_variables_win(store: Store) {
    let site = Site::new(store);
    fs::write(site.folder().join(".env"), "POSTHASTE_TOKEN_TTL=soon\n").unwrap();
    let complaint = site.run(&["serve"]).failed(2);
    assert!(complaint.contains("POSTHASTE_TOKEN_TTL"), "{complaint}");

    let site = site.with("POSTHASTE_TOKEN_TTL", "7");
    let _server = site.serve(&["--no-worker"]);
    let app = App::at(site);
    let claims = crate::harness::jwt::Jwt::parse(app.api.token()).claims;
    assert_eq!(
        claims["exp"].as_i64().unwrap() - claims["iat"].as_i64().unwrap(),
        7
    );
}

async fn usage_errors_are_exit_code_two(store: Store) {
    let site = Site::new(store);
    for arguments in [
        &[][..],
        &["unheard"],
        &["serve", "--unheard"],
        &["clients"],
        &["clients", "create", "--name", "x"],
        &[
            "clients",
            "create",
            "--name",
            "x",
            "--scope",
            "job-postings:delete",
        ],
        &["clients", "create", "--scope", "job-postings:read"],
        &["push"],
        &[
            "push",
            "x.ndjson",
            "--url",
            "nonsense",
            "--client-id",
            "x",
            "--client-secret",
            "y",
        ],
        &["postings", "list", "--status", "unheard"],
        &["outbox", "retry"],
        &["postings", "show", ""],
    ] {
        site.run(arguments).failed(2);
    }
}

async fn help_shows_the_variables(store: Store) {
    let site = Site::new(store);
    let help = site.run(&["serve", "--help"]).succeeded();
    for name in [
        "DATABASE_URL",
        "POSTHASTE_DATA_DIR",
        "POSTHASTE_BIND",
        "POSTHASTE_PUBLIC_URL",
        "POSTHASTE_TOKEN_TTL",
        "POSTHASTE_BODY_LIMIT",
        "POSTHASTE_POSTING_LIFETIME_DAYS",
        "POSTHASTE_ENRICHER",
    ] {
        assert!(help.contains(name), "{name}: {help}");
    }
    let help = site.run(&["--help"]).succeeded();
    for command in [
        "demo", "serve", "worker", "migrate", "keys", "clients", "push", "postings", "outbox",
        "openapi",
    ] {
        assert!(help.contains(command), "{command}: {help}");
    }
}

async fn the_schema_is_migrated_once(store: Store) {
    let site = Site::new(store);
    site.run(&["migrate"]).succeeded();
    site.run(&["migrate"]).succeeded();
    let _server = site.serve(&[]);
    let app = App::at(site);
    let id = fresh("migrated");
    app.put(&id, &minimal()).await.created();
    app.run(&["migrate"]).succeeded();
    assert_eq!(app.show(&id).await["unique_source_identifier"], json!(id));
}

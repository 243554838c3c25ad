//! The command line from outside: help, exit codes, and what a bad configuration says.

#![expect(
    clippy::unwrap_used,
    reason = "a helper that fails is a test that fails"
)]

mod backup;
mod database;
mod doctor;
mod enrichment;
mod environment;
mod keys;
mod metrics;
mod push;
mod start;
mod subscribers;
mod tools;
mod webhooks;

use std::{
    fs,
    path::Path,
    process::{Command, Output, Stdio},
};

use tempfile::{TempDir, tempdir};

fn posthaste(folder: &Path, arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_posthaste"));
    command
        .args(arguments)
        .current_dir(folder)
        .env_clear()
        .stdin(Stdio::null());
    command
}

fn run(folder: &TempDir, arguments: &[&str], variables: &[(&str, &str)]) -> Output {
    posthaste(folder.path(), arguments)
        .envs(variables.iter().copied())
        .output()
        .unwrap()
}

fn text(bytes: &[u8]) -> &str {
    std::str::from_utf8(bytes).unwrap()
}

/// Checks that a start fails with exit code 2 and exactly this kind of line.
fn check_refused(folder: &TempDir, variables: &[(&str, &str)], arguments: &[&str], begin: &str) {
    let output = run(folder, arguments, variables);
    let said = text(&output.stderr);
    assert_eq!(output.status.code(), Some(2), "{variables:?}: {said}");
    assert!(
        said.starts_with(&format!("error: {begin}")),
        "{variables:?}: {said}"
    );
    assert_eq!(said.lines().count(), 1, "{variables:?}: {said}");
    assert!(
        output.stdout.is_empty(),
        "{variables:?}: {}",
        text(&output.stdout)
    );
}

#[test]
fn help_names_every_command_and_variable() {
    let folder = tempdir().unwrap();
    for (arguments, expected) in [
        (
            &["--help"] as &[&str],
            &[
                "demo",
                "serve",
                "worker",
                "migrate",
                "keys",
                "clients",
                "push",
                "postings",
                "subscribers",
                "outbox",
                "webhooks",
                "backup",
                "restore",
                "copy",
                "doctor",
                "healthcheck",
                "completions",
                "man",
                "openapi",
                "POSTHASTE_LOG",
            ] as &[&str],
        ),
        (
            &["serve", "--help"],
            &[
                "DATABASE_URL",
                "POSTHASTE_READ_DATABASE_URL",
                "POSTHASTE_DATA_DIR",
                "POSTHASTE_BIND",
                "POSTHASTE_PUBLIC_URL",
                "POSTHASTE_TOKEN_TTL",
                "POSTHASTE_BODY_LIMIT",
                "POSTHASTE_POSTING_LIFETIME_DAYS",
                "POSTHASTE_EVENTS_KEEP_DAYS",
                "POSTHASTE_EXPIRED_TEXTS_DAYS",
                "POSTHASTE_ENRICHER",
                "POSTHASTE_LLM_BASE_URL",
                "POSTHASTE_LLM_MODEL",
                "POSTHASTE_LLM_API_KEY",
                "POSTHASTE_LLM_TIMEOUT",
                "POSTHASTE_LLM_CONCURRENCY",
                "POSTHASTE_LLM_EXTRA_BODY",
                "POSTHASTE_LLM_PROMPT_PRICE",
                "POSTHASTE_LLM_COMPLETION_PRICE",
                "POSTHASTE_ADMIN_BIND",
                "POSTHASTE_CONSOLE_BIND",
                "POSTHASTE_CONSOLE_URL",
                "POSTHASTE_CONSOLE_USER_HEADER",
                "POSTHASTE_CONSOLE_PROXIES",
                "POSTHASTE_CONSOLE_PROXY_SECRET_FILE",
                "POSTHASTE_LLM_API_KEY_FILE",
                "DATABASE_URL_FILE",
                "POSTHASTE_NO_WORKER",
                "POSTHASTE_MIGRATE",
                "POSTHASTE_HTTP_THREADS",
                "POSTHASTE_MAX_CONNECTIONS",
                "POSTHASTE_INGEST_LANES",
                "POSTHASTE_INGEST_QUEUE",
                "POSTHASTE_MAILERLITE_OLD_API_KEY",
                "POSTHASTE_MAILERLITE_NEW_API_KEY",
                "POSTHASTE_MAILERLITE_OLD_BASE_URL",
                "POSTHASTE_MAILERLITE_NEW_BASE_URL",
                "POSTHASTE_MAILERLITE_NEW_GROUP_ID",
                "POSTHASTE_MAILERLITE_REQUESTS_PER_MINUTE",
                "POSTHASTE_MAILERLITE_WEBHOOK_SECRET",
                "POSTHASTE_BOARD_NAME",
                "POSTHASTE_APPEAL_URL",
                "POSTHASTE_WEBHOOK_RETRY_SECONDS",
                "POSTHASTE_WEBHOOK_PRIVATE",
            ],
        ),
        (
            &["worker", "--help"],
            &[
                "POSTHASTE_MAILERLITE_OLD_API_KEY",
                "POSTHASTE_MAILERLITE_NEW_GROUP_ID",
                "POSTHASTE_LLM_BASE_URL",
                "POSTHASTE_ADMIN_BIND",
            ],
        ),
        (
            &["subscribers", "migrate", "--help"],
            &["--source", "POSTHASTE_MAILERLITE_REQUESTS_PER_MINUTE"],
        ),
    ] {
        let output = run(&folder, arguments, &[]);
        assert_eq!(output.status.code(), Some(0));
        for word in expected {
            assert!(
                text(&output.stdout).contains(word),
                "{arguments:?} lacks {word}"
            );
        }
    }
}

#[test]
fn help_shows_no_secret() {
    let folder = tempdir().unwrap();
    for (command, variable) in [
        ("push", "POSTHASTE_CLIENT_SECRET"),
        ("serve", "DATABASE_URL"),
        ("serve", "POSTHASTE_MAILERLITE_OLD_API_KEY"),
        ("worker", "POSTHASTE_MAILERLITE_NEW_API_KEY"),
        ("serve", "POSTHASTE_MAILERLITE_WEBHOOK_SECRET"),
        ("serve", "POSTHASTE_LLM_API_KEY"),
        ("worker", "POSTHASTE_LLM_API_KEY"),
        ("serve", "POSTHASTE_CONSOLE_PROXY_SECRET"),
    ] {
        let output = run(&folder, &[command, "--help"], &[(variable, "hush")]);
        assert!(text(&output.stdout).contains(variable));
        assert!(!text(&output.stdout).contains("hush"));
    }
}

#[test]
fn bad_usage_exits_with_2() {
    let folder = tempdir().unwrap();
    for arguments in [
        &[] as &[&str],
        &["nonsense"],
        &["serve", "--nonsense"],
        &["clients"],
    ] {
        let output = run(&folder, arguments, &[]);
        assert_eq!(output.status.code(), Some(2), "{arguments:?}");
        assert!(!output.stderr.is_empty(), "{arguments:?}");
    }
}

#[test]
fn a_bad_variable_stops_the_start_with_one_line() {
    let folder = tempdir().unwrap();
    for (variable, value, reason) in [
        (
            "DATABASE_URL",
            "postgres://u:p@h/d?sslmode=on",
            "`sslmode` must be disable, prefer, require, verify-ca or verify-full",
        ),
        (
            "POSTHASTE_BIND",
            "localhost",
            "\"localhost\" is not an IP address",
        ),
        (
            "POSTHASTE_ENRICHER",
            "gpt",
            "\"gpt\" is no enricher; use `builtin` or `llm`",
        ),
        (
            "POSTHASTE_MAILERLITE_WEBHOOK_SECRET",
            "open,,sesame",
            "has a comma with no secret beside it",
        ),
        (
            "POSTHASTE_APPEAL_URL",
            "mailto:a@b.example",
            "must begin with http:// or https://",
        ),
        (
            "POSTHASTE_BOARD_NAME",
            "a\tb",
            "must not contain control characters",
        ),
        ("POSTHASTE_LOG", "a=b=c", "\"a=b=c\" is no log filter"),
        ("RUST_LOG", "a=b=c", "\"a=b=c\" is no log filter"),
    ] {
        let begin = format!("{variable}: {reason}");
        check_refused(&folder, &[(variable, value)], &["serve"], &begin);
    }
    assert_eq!(
        fs::read_dir(folder.path()).unwrap().count(),
        0,
        "nothing was made"
    );
}

#[test]
fn a_variable_that_is_not_utf8_is_named() {
    use std::{ffi::OsStr, os::unix::ffi::OsStrExt as _};

    let folder = tempdir().unwrap();
    let value = OsStr::from_bytes(b"127.0.0.1:\xff");
    let output = posthaste(folder.path(), &["serve"])
        .env("POSTHASTE_BIND", value)
        .output();
    let output = output.unwrap();
    assert_eq!(output.status.code(), Some(2));
    assert_eq!(
        text(&output.stderr),
        "error: POSTHASTE_BIND: is not UTF-8\n"
    );
}

#[test]
fn an_option_wins_over_a_bad_variable() {
    let folder = tempdir().unwrap();
    let bad = [("DATABASE_URL", "x")];
    let output = run(
        &folder,
        &["migrate", "--database-url", "sqlite://a.db"],
        &bad,
    );
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    check_refused(
        &folder,
        &bad,
        &["migrate", "--database-url", "y"],
        "--database-url: must be",
    );
}

#[test]
fn a_variable_without_a_value_counts_as_unset() {
    let folder = tempdir().unwrap();
    let empty = [
        ("DATABASE_URL", ""),
        ("POSTHASTE_DATA_DIR", " "),
        ("POSTHASTE_LOG", ""),
    ];
    let output = run(&folder, &["migrate"], &empty);
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    assert!(folder.path().join("data/posthaste.db").exists());
}

#[test]
fn clients_live_from_creation_to_revocation() {
    let folder = tempdir().unwrap();
    let create = [
        "clients",
        "create",
        "--name",
        "Scraper",
        "--scope",
        "job-postings:write",
        "--json",
    ];
    let made = run(&folder, &create, &[]);
    assert_eq!(made.status.code(), Some(0), "{}", text(&made.stderr));
    let client: serde_json::Value = serde_json::from_slice(&made.stdout).unwrap();
    assert_eq!(client.as_object().unwrap().len(), 2);
    let id = client["client_id"].as_str().unwrap();
    assert_eq!(client["client_secret"].as_str().unwrap().len(), 43);

    let list = || text(&run(&folder, &["clients", "list"], &[]).stdout).to_owned();
    assert!(list().contains(id) && list().contains("Scraper"));
    assert!(!list().contains(client["client_secret"].as_str().unwrap()));

    let shown = run(&folder, &["clients", "show", "Scraper", "--json"], &[]);
    let shown: serde_json::Value = serde_json::from_slice(&shown.stdout).unwrap();
    assert_eq!(shown["client_id"], *id);
    assert_eq!(
        run(&folder, &["clients", "revoke", id], &[]).status.code(),
        Some(0)
    );
    for unknown in ["00000000-0000-0000-0000-000000000000", "Scrapper"] {
        let refused = run(&folder, &["clients", "revoke", unknown], &[]);
        assert_eq!(refused.status.code(), Some(1));
        let lines = text(&refused.stderr);
        assert!(lines.starts_with("error: there is no client "), "{lines}");
        assert_eq!(lines.lines().count(), 1, "{lines}");
    }
}

#[test]
fn migrating_twice_finds_nothing_to_do() {
    let folder = tempdir().unwrap();
    let first = run(&folder, &["migrate"], &[]);
    assert!(
        text(&first.stdout).starts_with("Applied "),
        "{}",
        text(&first.stdout)
    );
    let second = run(&folder, &["migrate"], &[]);
    assert_eq!(text(&second.stdout), "The schema is current.\n");
}

#[test]
fn a_database_that_cannot_be_opened_is_a_failure_in_one_line() {
    let folder = tempdir().unwrap();
    let output = run(
        &folder,
        &["migrate"],
        &[("DATABASE_URL", "sqlite:///dev/null/a.db")],
    );
    assert_eq!(output.status.code(), Some(1));
    assert_eq!(
        text(&output.stderr).lines().count(),
        1,
        "{}",
        text(&output.stderr)
    );
}

#[test]
fn a_reader_that_goes_away_is_no_failure() {
    let folder = tempdir().unwrap();
    let mut child = posthaste(folder.path(), &["openapi"])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    drop(child.stdout.take());
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(0));
    assert_eq!(text(&output.stderr), "");
}

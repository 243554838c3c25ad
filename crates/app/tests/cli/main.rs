//! The command line from outside: help, exit codes, and messages about a bad configuration.

#![expect(
    clippy::unwrap_used,
    reason = "a helper that fails is a test that fails"
)]

mod backup;
mod database;
mod doctor;
mod environment;
mod keys;
mod start;
mod subscribers;
mod tools;
mod webhooks;

use std::{
    fs,
    net::TcpListener,
    path::PathBuf,
    process::{Child, Command, Output, Stdio},
};

use rustix::process::{Pid, Signal, kill_process};
use serde_json::Value;
use tempfile::TempDir;

const NOBODY: &str = "019a3c5e-0000-7000-8000-000000000000";

/// A folder in which commands run with only the given variables.
struct Place(TempDir);

impl Place {
    fn new() -> Self {
        Self(tempfile::tempdir().unwrap())
    }

    fn migrated() -> Self {
        let place = Self::new();
        place.says("migrate");
        place
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    fn write(&self, name: &str, content: impl AsRef<[u8]>) {
        fs::write(self.path(name), content).unwrap();
    }

    fn names(&self, folder: &str) -> Vec<String> {
        let entries = fs::read_dir(self.path(folder)).unwrap();
        let names = entries.map(|entry| entry.unwrap().file_name().into_string().unwrap());
        let mut names: Vec<_> = names.collect();
        names.sort();
        names
    }

    fn command(&self, line: &str) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_posthaste"));
        command
            .args(line.split_whitespace())
            .current_dir(self.0.path())
            .env_clear()
            .stdin(Stdio::null());
        command
    }

    fn run(&self, line: &str, variables: &[(&str, &str)]) -> Output {
        let mut command = self.command(line);
        command.envs(variables.iter().copied()).output().unwrap()
    }

    fn says(&self, line: &str) -> String {
        self.says_with(line, &[])
    }

    fn says_with(&self, line: &str, variables: &[(&str, &str)]) -> String {
        let output = self.run(line, variables);
        assert!(output.status.success(), "{line}: {}", text(&output.stderr));
        text(&output.stdout).to_owned()
    }

    fn json(&self, line: &str) -> Value {
        serde_json::from_str(&self.says(line)).unwrap()
    }

    /// Runs a command that fails, and returns its message.
    fn fails(&self, line: &str) -> String {
        self.fails_with(line, &[])
    }

    fn fails_with(&self, line: &str, variables: &[(&str, &str)]) -> String {
        let output = self.run(line, variables);
        let said = text(&output.stderr);
        assert_eq!(output.status.code(), Some(1), "{line}: {said}");
        assert_eq!(said.lines().count(), 1, "{line}: {said}");
        said.strip_prefix("error: ").unwrap().to_owned()
    }

    /// Runs a command that fails with exit code 2 and this beginning of its message.
    fn refuses(&self, line: &str, variables: &[(&str, &str)], begin: &str) {
        let output = self.run(line, variables);
        let said = text(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{variables:?}: {said}");
        let is_said = said.starts_with(&format!("error: {begin}"));
        assert!(is_said, "{line}: {variables:?}: {said}");
        assert_eq!(said.lines().count(), 1, "{variables:?}: {said}");
        assert!(output.stdout.is_empty(), "{variables:?}");
    }
}

fn text(bytes: &[u8]) -> &str {
    std::str::from_utf8(bytes).unwrap()
}

fn signal(child: &Child, signal: Signal) {
    kill_process(Pid::from_child(child), signal).unwrap();
}

/// A listener and its occupied address.
fn taken() -> (TcpListener, String) {
    let taken = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = taken.local_addr().unwrap().to_string();
    (taken, address)
}

#[test]
fn help_shows_no_secret() {
    let place = Place::new();
    for (command, variable) in [
        ("push", "POSTHASTE_CLIENT_SECRET"),
        ("serve", "DATABASE_URL"),
        ("worker", "POSTHASTE_LLM_API_KEY"),
    ] {
        let help = place.says_with(&format!("{command} --help"), &[(variable, "hush")]);
        assert!(help.contains(variable) && !help.contains("hush"), "{help}");
        assert!(help.contains(&format!("{variable}_FILE")), "{help}");
    }
}

#[test]
fn bad_usage_exits_with_2() {
    let place = Place::new();
    for line in ["", "nonsense", "clients"] {
        let output = place.run(line, &[]);
        assert_eq!(output.status.code(), Some(2), "{line}");
        assert!(!output.stderr.is_empty(), "{line}");
    }
    place.write("a", "");
    let push = "push a --url http://a.example --client-id a --client-secret b";
    for (line, begin) in [
        (format!("{push} --from nopreset"), "--from: "),
        (format!("{push} --rejects a"), "--rejects names the file"),
        ("push --presets nopreset".to_owned(), "--presets: "),
    ] {
        place.refuses(&line, &[], begin);
    }
    let place = Place::migrated();
    place.refuses("subscribers reconcile", &[], "there is no API key");
}

/// Bad variables for `serve`, and the message that follows the variable's name.
const BAD: &str = r#"
    DATABASE_URL=postgres://u:p@h/d?sslmode=on      | `sslmode` must be disable,
    POSTHASTE_BIND=localhost                        | "localhost" is not an IP address
    POSTHASTE_ADMIN_BIND=localhost                  | "localhost" is not an IP address
    POSTHASTE_ENRICHER=gpt                          | "gpt" is not one of builtin, llm
    POSTHASTE_LLM_API_KEY=open sesame               | must be one word of ASCII
    POSTHASTE_LLM_TIMEOUT=2m                        | "2m" is not a whole number of seconds from 1
    POSTHASTE_LLM_PROMPT_PRICE=free                 | "free" is not a price of a million
    POSTHASTE_MAILERLITE_WEBHOOK_SECRET=a,,sesame   | has a comma with no secret
    POSTHASTE_CONSOLE_PROXY_SECRET=two words        | must be printable
    POSTHASTE_WEBHOOK_RETRY_SECONDS=5,x             | must be whole seconds
    POSTHASTE_WEBHOOK_PRIVATE=yes                   | "yes" is not one of refuse, allow
    POSTHASTE_APPEAL_URL=mailto:a@b.example         | must begin with http:// or https://
    POSTHASTE_BOARD_NAME=a\tb                       | must not contain control characters
    POSTHASTE_NO_WORKER=fales                       | "fales" is not one of 1, t, true, y, yes, on, 0
    POSTHASTE_MIGRATE=maybe                         | "maybe" is not one of 1, t, true
    POSTHASTE_LOG=a=b=c                             | "a=b=c" is not a log filter
    POSTHASTE_LOG_FORMAT=logfmt                     | "logfmt" is not one of text, json
    RUST_LOG=a=b=c                                  | "a=b=c" is not a log filter"#;

#[test]
fn a_bad_variable_stops_the_start_with_one_line() {
    let place = Place::new();
    for line in BAD.trim().lines() {
        let (given, reason) = line.split_once('|').unwrap();
        let (variable, value) = given.trim().split_once('=').unwrap();
        let value = value.replace("\\t", "\t");
        let begin = format!("{variable}: {}", reason.trim());
        place.refuses("serve", &[(variable, &value)], &begin);
    }
    let llm = ("POSTHASTE_ENRICHER", "llm");
    let url = ("POSTHASTE_LLM_BASE_URL", "http://127.0.0.1:1/v1");
    let header = ("POSTHASTE_CONSOLE_USER_HEADER", "X-User");
    let proxies = ("POSTHASTE_CONSOLE_PROXIES", "127.0.0.1");
    for (command, variables, missing) in [
        ("serve", &[llm] as &[_], "POSTHASTE_LLM_BASE_URL"),
        ("worker", &[llm, url], "POSTHASTE_LLM_MODEL"),
        ("serve", &[header], "POSTHASTE_CONSOLE_PROXIES"),
        (
            "serve",
            &[header, proxies],
            "POSTHASTE_CONSOLE_PROXY_SECRET",
        ),
    ] {
        place.refuses(command, variables, &format!("{missing}: is needed with "));
    }
    let create = "webhooks create --url";
    place.refuses(
        &format!("{create} http://a.example"),
        &[],
        "--url: must be an https URL",
    );
    place.refuses(
        &format!("{create} https://10.0.0.1"),
        &[],
        "--url: must lead to a public",
    );
    assert!(place.names("").is_empty(), "nothing was made");
}

#[test]
fn a_variable_that_is_not_utf8_is_named() {
    use std::{ffi::OsStr, os::unix::ffi::OsStrExt as _};

    let place = Place::new();
    let mut serve = place.command("serve");
    let serve = serve.env("POSTHASTE_BIND", OsStr::from_bytes(b"127.0.0.1:\xff"));
    let output = serve.output().unwrap();
    assert_eq!(output.status.code(), Some(2));
    let said = text(&output.stderr);
    assert_eq!(said, "error: POSTHASTE_BIND: is not UTF-8\n");
}

#[test]
fn an_option_wins_over_a_bad_variable() {
    let (place, bad) = (Place::new(), [("DATABASE_URL", "x")]);
    place.says_with("migrate --database-url sqlite://a.db", &bad);
    place.refuses("migrate --database-url y", &bad, "--database-url: must be");
}

#[test]
fn a_variable_without_a_value_counts_as_unset() {
    let place = Place::new();
    let empty = ["DATABASE_URL", "POSTHASTE_DATA_DIR", "POSTHASTE_LOG"].map(|name| (name, " "));
    place.says_with("migrate", &empty);
    assert!(place.path("data/posthaste.db").exists());
}

#[test]
fn clients_live_from_creation_to_revocation() {
    let place = Place::new();
    let create = "clients create --name Scraper --scope job-postings:write,webhooks:manage \
                  --scope job-postings:read --json";
    let client = place.json(create);
    assert_eq!(client.as_object().unwrap().len(), 2);
    let id = client["client_id"].as_str().unwrap();
    let secret = client["client_secret"].as_str().unwrap();
    assert_eq!(secret.len(), 43);
    let list = place.says("clients list");
    assert!(list.contains(id) && list.contains("Scraper") && !list.contains(secret));
    let shown = place.json("clients show Scraper --json");
    assert_eq!(shown["client_id"], *id);
    assert_eq!(shown["scopes"].as_array().unwrap().len(), 3);
    place.says(&format!("clients revoke {id}"));
    for unknown in [NOBODY, "Scrapper"] {
        let said = place.fails(&format!("clients revoke {unknown}"));
        assert!(said.starts_with("there is no client "), "{said}");
    }
}

#[test]
fn migrating_twice_finds_nothing_to_do() {
    let place = Place::new();
    assert!(place.says("migrate").starts_with("Applied "));
    assert_eq!(place.says("migrate"), "The schema is current.\n");
    place.fails_with("migrate", &[("DATABASE_URL", "sqlite:///dev/null/a.db")]);
}

#[test]
fn a_reader_that_closes_the_pipe_is_no_failure() {
    let place = Place::migrated();
    for line in ["openapi", "subscribers export"] {
        let mut command = place.command(line);
        let command = command.stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().unwrap();
        drop(child.stdout.take());
        let output = child.wait_with_output().unwrap();
        assert_eq!(output.status.code(), Some(0), "{line}");
        assert_eq!(text(&output.stderr), "", "{line}");
    }
}

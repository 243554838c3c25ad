use std::{fs, os::unix::fs::PermissionsExt as _, process::Output};

use serde_json::{Value, json};
use wiremock::{
    Mock, MockServer, ResponseTemplate,
    matchers::{method, path},
};

use super::{Place, text};

const SECRETS: [&str; 5] = [
    "sesame-old",
    "sesame-new",
    "sesame-hook",
    "sesame-llm",
    "sesame-db",
];
const NEWSLETTER: [(&str, &str); 3] = [
    ("POSTHASTE_MAILERLITE_OLD_API_KEY", SECRETS[0]),
    ("POSTHASTE_MAILERLITE_NEW_API_KEY", SECRETS[1]),
    ("POSTHASTE_MAILERLITE_WEBHOOK_SECRET", SECRETS[2]),
];

fn installed() -> (Place, String) {
    let place = Place::migrated();
    let id = place.says("keys generate").trim().to_owned();
    (place, id)
}

/// The output lines, checked for secrets.
fn said(output: &Output, code: i32) -> String {
    let lines = text(&output.stdout).to_owned();
    let all = format!("{lines}{}", text(&output.stderr));
    assert_eq!(output.status.code(), Some(code), "{all}");
    for secret in SECRETS {
        assert!(!all.contains(secret), "{all}");
    }
    lines
}

/// Checks that there are lines with this mark, each expected check and its words.
fn has_lines(lines: &str, mark: &str, expected: &str) {
    for expected in expected.lines() {
        let (check, words) = expected.trim_start().split_once(": ").unwrap();
        let begin = format!("{mark:<6}{check}: ");
        let is_it = |line: &str| line.starts_with(&begin) && line.contains(words);
        assert!(
            lines.lines().any(is_it),
            "no line {begin:?} with {words:?}:\n{lines}"
        );
    }
}

async fn answer(server: &MockServer, at: &str, body: Value) {
    let answer = ResponseTemplate::new(200)
        .insert_header("x-ratelimit-limit", "120")
        .insert_header("x-ratelimit-remaining", "120")
        .set_body_json(body);
    let mock = Mock::given(method("GET"))
        .and(path(at))
        .respond_with(answer);
    mock.mount(server).await;
}

async fn endpoints() -> MockServer {
    let server = MockServer::start().await;
    let field = |key: &str, kind: &str| json!({"key": key, "type": kind});
    let fields = json!({"data": [
        field("name", "text"),
        field("country", "text"),
        field("membership_plan_category", "text"),
        field("member_status", "text"),
        field("membership_expire_at", "date"),
    ]});
    let webhooks = json!({"data": [{
        "url": "https://jobs.example.org/api/webhooks/newsletter/update-subscriber-status",
        "events": ["subscriber.bounced", "subscriber.unsubscribed", "subscriber.spam_reported"],
        "enabled": true,
    }]});
    answer(&server, "/api/fields", fields).await;
    answer(&server, "/api/webhooks", webhooks).await;
    answer(&server, "/api/subscribers", json!({"total": 7})).await;
    answer(&server, "/v1/models", json!({"data": []})).await;
    server
}

#[tokio::test(flavor = "multi_thread")]
async fn an_installation_that_is_well_is_all_ok() {
    let (place, key) = installed();
    let server = endpoints().await;
    answer(&server, "/readyz", json!({})).await;
    let board = server.uri();
    let (api, model) = (format!("{board}/api"), format!("{board}/v1"));
    let variables = [
        &NEWSLETTER[..],
        &[
            ("POSTHASTE_MAILERLITE_OLD_BASE_URL", &api),
            ("POSTHASTE_MAILERLITE_NEW_BASE_URL", &api),
            ("POSTHASTE_MAILERLITE_NEW_GROUP_ID", "none"),
            ("POSTHASTE_ENRICHER", "llm"),
            ("POSTHASTE_LLM_BASE_URL", &model),
            ("POSTHASTE_LLM_MODEL", "small-1"),
            ("POSTHASTE_LLM_API_KEY", SECRETS[3]),
            ("POSTHASTE_PUBLIC_URL", &board),
        ],
    ]
    .concat();
    let lines = said(&place.run("doctor", &variables), 0);
    let expected = format!(
        "configuration: every value can be read
         public-url: {board}/readyz is ready
         clock: it agrees with the e-mail provider's
         store: posthaste.db can be read and written
         schema: up to date
         keys: {key} signs; 1 can be used
         disk: MiB are free
         newsletter: old account: the key works; the account has 7 subscribers
         newsletter: new account: people are moved without a group
         newsletter: subscriber.deleted is worth adding
         newsletter: the webhook has a secret
         model: small-1 at 127.0.0.1: it answers (200 OK)"
    );
    has_lines(&lines, "ok", &expected);
    assert!(lines.lines().all(|line| line.starts_with("ok ")), "{lines}");

    let shown = said(&place.run("doctor --json", &variables), 0);
    let shown: Vec<Value> = serde_json::from_str(&shown).unwrap();
    assert_eq!(shown.len(), lines.lines().count());
    let schema = json!({"check": "schema", "ok": true, "message": "up to date", "remedy": null});
    assert!(shown.contains(&schema), "{shown:?}");
}

#[test]
fn every_fault_is_a_line_with_its_remedy() {
    let (place, key) = installed();
    let data = place.path("data");
    for file in ["posthaste.db", "posthaste.db-wal", "posthaste.db-shm"] {
        let _ = fs::remove_file(data.join(file));
    }
    fs::write(data.join("posthaste.db"), "").unwrap();
    let file = data.join("keys").join(&key);
    fs::set_permissions(&file, fs::Permissions::from_mode(0o644)).unwrap();
    let nobody = "http://127.0.0.1:1/api";
    let variables = [
        &NEWSLETTER[..2],
        &[
            ("POSTHASTE_MAILERLITE_OLD_BASE_URL", nobody),
            ("POSTHASTE_MAILERLITE_NEW_BASE_URL", nobody),
            ("POSTHASTE_ENRICHER", "llm"),
            ("POSTHASTE_LLM_BASE_URL", nobody),
            ("POSTHASTE_LLM_MODEL", "small-1"),
            ("POSTHASTE_PUBLIC_URL", "http://jobs.example.invalid"),
            ("POSTHASTE_BNID", SECRETS[4]),
        ],
    ]
    .concat();
    // If the first run changed anything, the second run would report something else.
    for _ in 0..2 {
        let lines = said(&place.run("doctor", &variables), 1);
        let expected = format!(
            "configuration: unknown variable POSTHASTE_BNID
             public-url: into POSTHASTE_PUBLIC_URL
             schema: ; run `posthaste migrate`
             keys: {key}: other users can access the file (mode 0644); run `chmod 600
             newsletter: old account:
             newsletter: new account:
             newsletter: set POSTHASTE_MAILERLITE_WEBHOOK_SECRET
             model: small-1 at 127.0.0.1: no answer: "
        );
        has_lines(&lines, "fail", &expected);
        has_lines(&lines, "ok", "store: can be read");
    }
    let alone = [&variables[..], &[("POSTHASTE_NO_WORKER", "1")]].concat();
    let shown = said(&place.run("doctor --json", &alone), 1);
    let shown: Vec<Value> = serde_json::from_str(&shown).unwrap();
    let wrong = shown.iter().filter(|check| check["ok"] == false);
    let wrong: Vec<_> = wrong
        .map(|check| check["check"].as_str().unwrap())
        .collect();
    assert_eq!(wrong, ["configuration", "public-url", "schema", "keys"]);
    let mut checks = shown.iter();
    let schema = checks.find(|check| check["check"] == "schema").unwrap();
    assert_eq!(schema["remedy"], "run `posthaste migrate`");
}

#[test]
fn an_unreachable_server_is_a_line_among_others() {
    let place = Place::new();
    let url = format!("postgres://posthaste:{}@127.0.0.1:1/posthaste", SECRETS[4]);
    let lines = said(&place.run("doctor", &[("DATABASE_URL", &url)]), 1);
    has_lines(&lines, "fail", "store: that DATABASE_URL is right");
    has_lines(&lines, "fail", "keys: run `posthaste keys generate`");
    has_lines(&lines, "ok", "newsletter: off: no account has an API key");
    assert!(place.names("").is_empty(), "nothing was made");
}

#[test]
fn a_configuration_that_no_command_takes_is_refused() {
    let (place, _) = installed();
    let variables = [("POSTHASTE_ENRICHER", "llm")];
    let begin = "POSTHASTE_LLM_BASE_URL: is needed";
    place.refuses("doctor --json", &variables, begin);
    let twice = [
        NEWSLETTER[0],
        ("POSTHASTE_MAILERLITE_NEW_API_KEY", SECRETS[0]),
    ];
    for line in ["doctor", "worker"] {
        place.refuses(
            line,
            &twice,
            "POSTHASTE_MAILERLITE_NEW_API_KEY: is the same key as",
        );
    }
}

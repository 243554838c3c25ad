//! Tests that secrets and addresses are not logged.

use std::{
    io,
    sync::{Arc, Mutex, OnceLock},
};

use serde_json::json;
use tracing_subscriber::{filter::LevelFilter, fmt::MakeWriter};

use crate::support::{TestApp, posting, put, request};

#[derive(Clone, Default)]
pub struct Log(Arc<Mutex<Vec<u8>>>);

impl Log {
    pub fn of_this_process() -> &'static Self {
        static LOG: OnceLock<Log> = OnceLock::new();
        LOG.get_or_init(|| {
            let log = Self::default();
            tracing_subscriber::fmt()
                .with_max_level(LevelFilter::INFO)
                .with_writer(log.clone())
                .with_ansi(false)
                .init();
            log
        })
    }

    /// The lines about a request. They are written before the answer is sent.
    pub fn lines_of(&self, request_id: &str) -> String {
        let bytes = self.0.lock().unwrap();
        let text = std::str::from_utf8(&bytes).unwrap();
        let lines = text.lines().filter(|line| line.contains(request_id));
        lines.collect::<Vec<_>>().join("\n")
    }
}

impl io::Write for Log {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.lock().unwrap().extend(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl<'a> MakeWriter<'a> for Log {
    type Writer = Self;

    fn make_writer(&'a self) -> Self {
        self.clone()
    }
}

#[tokio::test]
async fn neither_addresses_nor_tokens_are_logged() {
    let log = Log::of_this_process();
    let app = TestApp::spawn();
    let token = app.reporter().await;
    let masked = "path=\"/api/newsletter/subscribers/…\"";
    for (id, path, expect) in [
        (
            "log-1",
            "/api/newsletter/subscribers/fault.unavailable@example.com",
            masked,
        ),
        (
            "log-2",
            "/api/newsletter/%73ubscribers/fault.unavailable%40example.com",
            masked,
        ),
        (
            "log-3",
            "/newsletter/confirm-migration?token=fault:unavailable",
            "path=\"/newsletter/confirm-migration\"",
        ),
    ] {
        let failing = request("GET", path)
            .token(&token)
            .header("X-Request-Id", id);
        assert_eq!(failing.send(&app).await.status, 503, "{path}");
        let lines = log.lines_of(id);
        assert!(
            lines.contains("answered") && lines.contains(expect),
            "{lines}"
        );
        for secret in ["fault.unavailable", "fault:unavailable", &token] {
            assert!(!lines.contains(secret), "{secret} in {lines}");
        }
    }
}

#[tokio::test]
async fn each_change_says_who_made_it_and_nothing_else_does() {
    let log = Log::of_this_process();
    let (app, token) = TestApp::with_writer().await;
    let end = json!({"expiration": {}});
    for (id, body, outcome) in [
        ("push-1", posting(), Some("created")),
        ("push-2", posting(), None),
        ("push-3", json!({"title": "Other"}), Some("updated")),
        ("push-4", end.clone(), Some("expired")),
        ("push-5", end, None),
        ("push-6", json!({"title": 5}), None),
    ] {
        let push = put(&token, "a%20b%2Fc", &body).header("X-Request-Id", id);
        push.send(&app).await;
        let lines = log.lines_of(id);
        let Some(outcome) = outcome else {
            assert!(!lines.contains("pushed"), "{lines}");
            continue;
        };
        for part in [
            "posthaste::push",
            "client_id=",
            "created_by=client:",
            "identifier=\"a b/c\"",
            &format!("outcome=\"{outcome}\""),
        ] {
            assert!(lines.contains(part), "{part}: {lines}");
        }
        let was_there = lines.contains("updated_by=client:");
        assert_eq!(was_there, outcome != "created", "{lines}");
    }
}

#[tokio::test]
async fn a_request_id_leads_to_the_reason_of_a_refusal() {
    let log = Log::of_this_process();
    let (app, token) = TestApp::with_writer().await;
    let line = r#"{"id":"a b\u2028","payload":{"title":5}}"#;
    let import = request("POST", "/api/job-board/imports").token(&token);
    let import = import.body(format!("{line}\n").repeat(1_000));
    let single = put(&token, "a%20b%E2%80%A8", &json!({"title": 5}));
    for (id, request, count) in [("why-1", single, 1), ("why-2", import, 1_000)] {
        request.header("X-Request-Id", id).send(&app).await;
        let lines = log.lines_of(id);
        let about = lines
            .lines()
            .filter(|line| line.contains("posthaste::push: refused"));
        let about: Vec<_> = about.collect();
        assert!(lines.len() < 3_000 && about.len() == 1, "{lines}");
        for part in [
            r#"identifier="a b\u{2028}""#,
            r#"reason="title must be a string, not a number"#,
            &format!("count={count}"),
            "status=422",
        ] {
            assert!(about[0].contains(part), "{part}: {lines}");
        }
    }
}

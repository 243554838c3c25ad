//! The admin server for monitoring.

use std::sync::{
    Arc,
    atomic::{AtomicUsize, Ordering},
};

use actix_web::web;
use adapters_http::{AdminListener, BuildError, Hosts, MetricsPage, Readiness, StopHandle};

use crate::support::{Backend, Connection, QUICK, Response, request};

pub struct TestAdmin {
    pub address: std::net::SocketAddr,
    stop: StopHandle,
    serving: tokio::task::JoinHandle<std::io::Result<()>>,
}

/// Starts a server whose page says how often it was rendered.
pub fn spawn() -> TestAdmin {
    let made = Arc::new(AtomicUsize::new(0));
    let page: MetricsPage = Arc::new(move || {
        let made = made.fetch_add(1, Ordering::SeqCst) + 1;
        Box::pin(async move { format!("pages_made {made}\n") })
    });
    let listener = AdminListener::bind("127.0.0.1:0".parse().unwrap()).unwrap();
    let readiness = Readiness::of_store(Arc::<Backend>::default());
    let application = listener.answer_with(page, readiness, QUICK).unwrap();
    TestAdmin {
        address: application.addr(),
        stop: application.stop_handle(),
        serving: tokio::spawn(application.run()),
    }
}

impl TestAdmin {
    async fn ask(&self, method: &str, path: &str) -> Response {
        let mut connection = Connection::open(self.address).await;
        connection.exchange(&request(method, path)).await
    }
}

#[tokio::test]
async fn metrics_are_made_anew_for_each_answer() {
    let admin = spawn();
    for made in 1..=2 {
        let answer = admin.ask("GET", "/metrics").await;
        assert_eq!(answer.status, 200);
        assert_eq!(
            answer.header("Content-Type"),
            Some("text/plain; version=0.0.4; charset=utf-8")
        );
        assert_eq!(answer.header("Cache-Control"), Some("no-store"));
        assert_eq!(answer.text(), format!("pages_made {made}\n"));
    }
    assert_eq!(admin.ask("HEAD", "/metrics").await.status, 200);
}

#[tokio::test]
async fn a_name_that_leads_here_from_elsewhere_is_not_answered() {
    let admin = spawn();
    let mut connection = Connection::open(admin.address).await;
    let head = "GET /metrics HTTP/1.1\r\nHost: evil.example\r\n\r\n";
    connection.write(head.as_bytes()).await;
    let answer = connection.read(false).await;
    assert_eq!(answer.status, 421);
    assert!(answer.message().contains("Host"), "{answer:?}");
}

#[tokio::test]
async fn health_is_told_here_too() {
    let admin = spawn();
    for path in ["/healthz", "/readyz"] {
        let answer = admin.ask("GET", path).await;
        assert_eq!(
            (answer.status, answer.text()),
            (200, r#"{"status":"ok"}"#),
            "{path}"
        );
    }
}

#[tokio::test]
async fn pages_are_shown_to_their_own_hosts_alone() {
    let listener = AdminListener::bind("127.0.0.1:0".parse().unwrap()).unwrap();
    let address = listener.addr();
    let hosts = Hosts::of_url("https://console.example");
    let routes = |config: &mut web::ServiceConfig| {
        config.default_service(web::to(async || "a page"));
    };
    let application = listener.serve(routes, hosts, QUICK).unwrap();
    let stop = application.stop_handle();
    let serving = tokio::spawn(application.run());
    for (host, status) in [
        ("Host: console.example\r\n", 200),
        ("Host: 127.0.0.1:8081\r\n", 200),
        ("Host: evil.example\r\n", 421),
        ("Host: evil.example:8081\r\n", 421),
    ] {
        for path in ["/", "/assets/x"] {
            let mut connection = Connection::open(address).await;
            let head = format!("GET {path} HTTP/1.1\r\n{host}\r\n");
            connection.write(head.as_bytes()).await;
            let answer = connection.read(false).await;
            assert_eq!(answer.status, status, "{host}{path}");
        }
    }
    stop.stop().await;
    serving.await.unwrap().unwrap();
}

#[tokio::test]
async fn there_is_nothing_else() {
    let admin = spawn();
    for path in ["/", "/metrics/", "/oauth/token", "/api/openapi.json"] {
        assert_eq!(admin.ask("GET", path).await.status, 404, "{path}");
    }
    let answer = admin.ask("POST", "/metrics").await;
    assert_eq!(
        (answer.status, answer.header("Allow")),
        (405, Some("GET, HEAD"))
    );
}

#[tokio::test]
async fn it_stops_and_its_address_is_free_again() {
    let admin = spawn();
    let taken = AdminListener::bind(admin.address).map(|_| ());
    assert!(
        matches!(&taken, Err(BuildError::Bind { address, .. }) if *address == admin.address),
        "{taken:?}"
    );
    admin.stop.stop().await;
    admin.serving.await.unwrap().unwrap();
    assert!(AdminListener::bind(admin.address).is_ok());
}

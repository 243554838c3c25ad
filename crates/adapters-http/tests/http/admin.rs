use std::{
    net::SocketAddr,
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
};

use actix_web::web;
use adapters_http::{BoundListener, BuildError, Hosts, MetricsPage, Readiness, StopHandle};

use crate::support::{Backend, Connection, QUICK, Response};

pub struct TestAdmin {
    pub address: SocketAddr,
    stop: StopHandle,
    serving: tokio::task::JoinHandle<std::io::Result<()>>,
}

pub fn spawn() -> TestAdmin {
    let made = Arc::new(AtomicUsize::new(0));
    let page: MetricsPage = Arc::new(move || {
        let made = made.fetch_add(1, Ordering::SeqCst) + 1;
        Box::pin(async move { format!("pages_made {made}\n") })
    });
    let listener = BoundListener::bind("127.0.0.1:0".parse().unwrap()).unwrap();
    let readiness = Readiness::of_store(Arc::<Backend>::default());
    let application = listener
        .serve_metrics(page, readiness, Vec::new(), QUICK)
        .unwrap();
    TestAdmin {
        address: application.addr(),
        stop: application.stop_handle(),
        serving: tokio::spawn(application.run()),
    }
}

async fn ask(address: SocketAddr, method: &str, path: &str, host: &str) -> Response {
    let mut connection = Connection::open(address).await;
    let head = format!("{method} {path} HTTP/1.1\r\nHost: {host}\r\n\r\n");
    connection.write(head.as_bytes()).await;
    connection.read(method == "HEAD").await
}

#[tokio::test]
async fn metrics_are_made_for_each_answer_and_health_is_served_too() {
    let admin = spawn();
    let ask = async |method, path| ask(admin.address, method, path, "localhost").await;
    for made in 1..=2 {
        let answer = ask("GET", "/metrics").await;
        assert_eq!(
            (answer.status, answer.text()),
            (200, &*format!("pages_made {made}\n"))
        );
        let kind = answer.header("Content-Type");
        assert_eq!(kind, Some("text/plain; version=0.0.4; charset=utf-8"));
        assert_eq!(answer.header("Cache-Control"), Some("no-store"));
    }
    for path in ["/healthz", "/readyz"] {
        let answer = ask("GET", path).await;
        assert_eq!((answer.status, answer.text()), (200, r#"{"status":"ok"}"#));
    }
    for path in ["/", "/metrics/", "/oauth/token", "/api/openapi.json"] {
        assert_eq!(ask("GET", path).await.status, 404, "{path}");
    }
    let refused = ask("POST", "/metrics").await;
    assert_eq!(
        (refused.status, refused.header("Allow")),
        (405, Some("GET, HEAD"))
    );
}

#[tokio::test]
async fn a_name_that_leads_here_from_elsewhere_is_not_answered() {
    let admin = spawn();
    let answer = ask(admin.address, "GET", "/metrics", "evil.example").await;
    assert_eq!(answer.status, 421);
    assert!(answer.message().contains("Host"), "{answer:?}");

    let listener = BoundListener::bind("127.0.0.1:0".parse().unwrap()).unwrap();
    let address = listener.addr();
    let hosts = Hosts::of_url("https://console.example");
    let routes = |config: &mut web::ServiceConfig| {
        config.default_service(web::to(async || "a page"));
    };
    let application = listener.serve_pages(routes, hosts, QUICK).unwrap();
    tokio::spawn(application.run());
    for (host, status) in [
        ("console.example", 200),
        ("127.0.0.1:81", 200),
        ("evil.example", 421),
    ] {
        let answer = ask(address, "GET", "/assets/x", host).await;
        assert_eq!(answer.status, status, "{host}");
    }
}

#[tokio::test]
async fn it_stops_and_its_address_is_free_again() {
    let admin = spawn();
    let taken = BoundListener::bind(admin.address).map(|_| ());
    assert!(
        matches!(&taken, Err(BuildError::Bind { address, .. }) if *address == admin.address),
        "{taken:?}"
    );
    admin.stop.stop().await;
    admin.serving.await.unwrap().unwrap();
    assert!(BoundListener::bind(admin.address).is_ok());
}

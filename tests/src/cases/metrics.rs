//! The metrics, on a separate listener.

use reqwest::Method;

use super::model::{Board, titled, with_model};
use crate::harness::{
    Api, App, SETTLING, Site, Store,
    chat::Chat,
    eventually, fresh,
    import::{catalogue, import, line},
    minimal,
};

on_sqlite! {
    metrics_are_shown_on_a_listener_of_their_own,
    a_worker_shows_its_own,
    rules_and_dashboard_name_metrics_that_there_are,
}

/// The metrics at one moment.
#[derive(Debug)]
pub(super) struct Metrics(String);

/// Reads the metrics at an address.
pub(super) async fn read(admin: &str) -> Metrics {
    let (status, content_type, body) = get(admin, "/metrics").await;
    assert_eq!(status, 200, "{body}");
    assert!(content_type.starts_with("text/plain"), "{content_type}");
    Metrics(body)
}

async fn get(host: &str, path: &str) -> (u16, String, String) {
    let api = Api::new(&format!("http://{host}"), "");
    let response = api.request(Method::GET, path).send().await.unwrap();
    let content_type = response.headers().get("content-type");
    let content_type = content_type
        .map_or("", |it| it.to_str().unwrap())
        .to_owned();
    (
        response.status().as_u16(),
        content_type,
        response.text().await.unwrap(),
    )
}

impl Metrics {
    /// The sum of the samples of a metric that have these labels; 0 if there is none.
    pub fn value(&self, name: &str, labels: &[(&str, &str)]) -> f64 {
        let wanted: Vec<String> = labels
            .iter()
            .map(|(key, value)| format!("{key}=\"{value}\""))
            .collect();
        let samples = self.samples().filter(|(sample, labels, _)| {
            *sample == name && wanted.iter().all(|label| labels.contains(label))
        });
        samples.map(|(_, _, value)| value).sum()
    }

    /// Every sample: its name, its labels, its value.
    fn samples(&self) -> impl Iterator<Item = (&str, &str, f64)> {
        let lines = self.0.lines().filter(|line| !line.is_empty());
        lines.filter(|line| !line.starts_with('#')).map(|line| {
            let (sample, value) = line.rsplit_once(' ').unwrap();
            let (name, labels) = sample.split_once('{').unwrap_or((sample, ""));
            (name, labels, value.parse().unwrap())
        })
    }

    /// Whether the metric has this type.
    fn is_described(&self, name: &str, kind: &str) -> bool {
        self.0.contains(&format!("# TYPE {name} {kind}\n"))
    }
}

/// Compares sums of fractions, with a tolerance.
fn is_about(found: f64, expect: f64) {
    assert!((found - expect).abs() < 1e-6, "{found} instead of {expect}");
}

/// Waits until a condition holds for the metrics, and returns them.
async fn once(admin: &str, what: &str, holds: impl Fn(&Metrics) -> bool) -> Metrics {
    let holds = &holds;
    eventually(what, SETTLING, || async move {
        let metrics = read(admin).await;
        holds(&metrics).then_some(metrics)
    })
    .await
}

async fn metrics_are_shown_on_a_listener_of_their_own(store: Store) {
    let site = Site::new(store).watched();
    let _server = site.serve(&[]);
    let app = App::at(site);
    let metrics = read(&app.site.admin()).await;
    let version = [("version", env!("CARGO_PKG_VERSION"))];
    is_about(metrics.value("posthaste_build_info", &version), 1.0);
    for (name, _, _) in metrics.samples() {
        let prefixes = ["posthaste_", "http_server_", "process_"];
        assert!(prefixes.iter().any(|it| name.starts_with(it)), "{name}");
    }
    for name in ["posthaste_outbox_tasks", "posthaste_outbox_oldest_seconds"] {
        assert!(metrics.is_described(name, "gauge"), "{metrics:?}");
    }
    // Requests are told apart by route, and what no route matches makes no series of its own.
    app.put(&fresh("a/b"), &minimal()).await.created();
    for path in ["/nothing", "/nothing/else"] {
        app.api.get(path).await.error(404);
    }
    let metrics = read(&app.site.admin()).await;
    let answered = |method, route, status| {
        let labels = [
            ("http_request_method", method),
            ("http_route", route),
            ("http_response_status_code", status),
        ];
        metrics.value("http_server_request_duration_seconds_count", &labels)
    };
    let route = "/api/job-board/job-postings/{identifier}";
    is_about(answered("PUT", route, "201"), 1.0);
    is_about(answered("GET", "_OTHER", "404"), 2.0);
    // Neither listener serves the paths of the other.
    app.api.get("/metrics").await.error(404);
    for path in ["/", Api::LIST, "/docs", "/metrics/x"] {
        let (status, _, body) = get(&app.site.admin(), path).await;
        assert_eq!(status, 404, "{path}: {body}");
    }
}

async fn a_worker_shows_its_own(store: Store) {
    let chat = Chat::start();
    let site = with_model(Site::new(store), &chat.url());
    let _server = site.serve(&["--no-worker"]);
    let app = App::at(site);
    let beside = app.site.beside().watched();
    let _worker = beside.begin(&["worker"]);
    let id = fresh("apart");
    app.put(&id, &titled("Gardener")).await.created();
    app.api.until(&id, "approved").await;
    let metrics = once(&beside.admin(), "it is counted", |metrics| {
        metrics.value("posthaste_enrichments_total", &[]) > 0.5
    })
    .await;
    let answered = [("outcome", "answered")];
    is_about(
        metrics.value("posthaste_llm_requests_total", &answered),
        1.0,
    );
}

/// The alert rules and the dashboard of `docs/deploy`.
const MONITORING: [&str; 2] = [
    include_str!("../../../docs/deploy/alerts.yaml"),
    include_str!("../../../docs/deploy/grafana-dashboard.json"),
];

/// Metrics of the newsletter, which is off here.
const OFF: [&str; 2] = [
    "posthaste_provider_list_age_seconds",
    "posthaste_provider_paused_for_seconds",
];

async fn rules_and_dashboard_name_metrics_that_there_are(store: Store) {
    let board = Board::served_as(store, Site::watched, &[]);
    board.approved(&board.push(&titled("Gardener")).await).await;
    let lines = line("of-a-catalogue", &minimal());
    let imported = import(&board.app.api, &catalogue("feed"), lines).await;
    assert_eq!(imported.status, 200, "{imported:?}");
    // The time of the last push is stored some seconds later, and then kept by the page.
    eventually("the push is written", SETTLING, || async {
        let own = board.app.api.get("/api/job-board/integration").await;
        (!own.json()["data"]["last_push_at"].is_null()).then_some(())
    })
    .await;
    let metrics = once(&board.app.site.admin(), "pushes are counted", |it| {
        it.value("posthaste_pushes_total", &[("outcome", "created")]) > 0.5
    })
    .await;
    for text in MONITORING {
        let is_part = |c: char| !(c.is_ascii_alphanumeric() || c == '_');
        let names = text.split(is_part).filter(|word| {
            let prefixes = ["posthaste_", "http_server_", "process_"];
            prefixes.iter().any(|prefix| word.starts_with(prefix))
        });
        let mut count = 0;
        for name in names {
            count += 1;
            let found = metrics.samples().any(|(sample, _, _)| sample == name);
            assert!(found || OFF.contains(&name), "{name}: {metrics:?}");
        }
        assert!(count > 15, "{count} names");
    }
}

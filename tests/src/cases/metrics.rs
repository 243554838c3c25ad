use std::{
    io::Write,
    process::{Command, Stdio},
};

use reqwest::Method;

use super::model::{Board, titled};
use crate::harness::{
    Api, SETTLING, Site, Store, eventually,
    import::{catalogue, import, line},
    minimal,
};

on_sqlite! {
    a_server_and_its_worker_expose_the_metrics_of_rules_and_dashboard,
}

#[derive(Debug)]
pub(super) struct Metrics(String);

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
    /// The sum of the samples of a metric that have these labels; 0 if there are none.
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

    fn are_well_formed(&self) {
        let mut promtool = Command::new("promtool");
        let promtool = promtool.args(["check", "metrics"]).stdin(Stdio::piped());
        let mut child = promtool.stderr(Stdio::piped()).spawn().unwrap();
        let page = child.stdin.take().unwrap().write_all(self.0.as_bytes());
        let output = child.wait_with_output().unwrap();
        let remarks = String::from_utf8(output.stderr).unwrap();
        assert_eq!((page.ok(), remarks.as_str()), (Some(()), ""));
    }

    fn samples(&self) -> impl Iterator<Item = (&str, &str, f64)> {
        let lines = self.0.lines().filter(|line| !line.is_empty());
        lines.filter(|line| !line.starts_with('#')).map(|line| {
            let (sample, value) = line.rsplit_once(' ').unwrap();
            let (name, labels) = sample.split_once('{').unwrap_or((sample, ""));
            (name, labels, value.parse().unwrap())
        })
    }
}

async fn once(admin: &str, what: &str, holds: impl Fn(&Metrics) -> bool) -> Metrics {
    let holds = &holds;
    eventually(what, SETTLING, || async move {
        let metrics = read(admin).await;
        holds(&metrics).then_some(metrics)
    })
    .await
}

const PREFIXES: [&str; 3] = ["posthaste_", "http_server_", "process_"];

const MONITORING: [&str; 2] = [
    include_str!("../../../docs/deploy/alerts.yaml"),
    include_str!("../../../docs/deploy/grafana-dashboard.json"),
];

const OFF: [&str; 2] = [
    "posthaste_provider_list_age_seconds",
    "posthaste_provider_paused_for_seconds",
];

async fn a_server_and_its_worker_expose_the_metrics_of_rules_and_dashboard(store: Store) {
    let board = Board::served_as(store, Site::watched, &[]);
    board.approved(&board.push(&titled("Gardener")).await).await;
    let lines = line("of-a-catalogue", &minimal());
    let imported = import(&board.app.api, &catalogue("feed"), lines).await;
    assert_eq!(imported.status, 200, "{imported:?}");
    // The time of the last push is stored some seconds later, and the metrics page caches that
    // time.
    eventually("the push is written", SETTLING, || async {
        let own = board.app.api.get("/api/job-board/integration").await;
        (!own.json()["data"]["last_push_at"].is_null()).then_some(())
    })
    .await;
    let admin = board.app.site.admin();
    let metrics = once(&admin, "all is counted", |it| {
        it.value("posthaste_pushes_total", &[("outcome", "created")]) > 0.5
            && it.value("posthaste_llm_requests_total", &[("outcome", "answered")]) > 0.5
            && it.value("posthaste_enrichments_total", &[]) > 0.5
    })
    .await;
    metrics.are_well_formed();
    board.app.api.get("/metrics").await.error(404);
    assert_eq!(get(&admin, Api::LIST).await.0, 404);
    for (name, _, _) in metrics.samples() {
        assert!(PREFIXES.iter().any(|it| name.starts_with(it)), "{name}");
    }
    for text in MONITORING {
        let is_part = |c: char| !(c.is_ascii_alphanumeric() || c == '_');
        let names = text.split(is_part);
        let names = names.filter(|word| PREFIXES.iter().any(|it| word.starts_with(it)));
        let mut count = 0;
        for name in names {
            count += 1;
            let found = metrics.samples().any(|(sample, _, _)| sample == name);
            assert!(found || OFF.contains(&name), "{name}: {metrics:?}");
        }
        assert!(count > 15, "{count} names");
    }
}

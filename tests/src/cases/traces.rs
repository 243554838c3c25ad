use kernel::trace::TraceParent;
use reqwest::Method;
use serde_json::json;

use crate::harness::{
    Api, App, SETTLING, Site, Store,
    collector::{Collector, Span},
    eventually, minimal,
    receiver::Receiver,
};

on_sqlite! {
    a_push_is_one_trace_down_to_its_webhook,
}

fn site(store: Store, collector: &Collector) -> Site {
    Site::new(store)
        .with("POSTHASTE_WEBHOOK_PRIVATE", "allow")
        .with("OTEL_EXPORTER_OTLP_ENDPOINT", &collector.url())
        .with("OTEL_EXPORTER_OTLP_HEADERS", "x-team=jobs%20board")
        .with(
            "OTEL_RESOURCE_ATTRIBUTES",
            "deployment.environment.name=test",
        )
        .with("OTEL_BSP_SCHEDULE_DELAY", "100")
}

async fn push(app: &App, identifier: &str, client: TraceParent) {
    let request = app.api.authorized(Method::PUT, &Api::path(identifier));
    let request = request.header("traceparent", client.to_string());
    app.api.send(request.json(&minimal())).await.created();
}

async fn register(app: &App, receiver: &Receiver) {
    let body = json!({"url": receiver.url("/all"), "types": ["JobPostingApproved"]});
    let answer = app.api.post("/api/job-board/webhooks", &body).await;
    assert_eq!(answer.status, 201, "{answer:#?}");
}

async fn delivered(receiver: &Receiver, identifier: &str) -> TraceParent {
    let got = eventually("a delivery", SETTLING, || async {
        let got = receiver.got();
        got.into_iter().find(|got| got.identifier() == identifier)
    });
    let header = got.await.traceparent.expect("it is traced");
    header.parse().expect("it is a context")
}

fn only<'a>(spans: &'a [Span], name: &str) -> &'a Span {
    let mut named = spans.iter().filter(|span| span.name == name);
    let found = named.next();
    assert!(named.next().is_none(), "{name} twice: {spans:#?}");
    found.unwrap_or_else(|| panic!("no {name}: {spans:#?}"))
}

async fn a_push_is_one_trace_down_to_its_webhook(store: Store) {
    let (collector, receiver) = (Collector::start(), Receiver::start());
    let site = site(store, &collector);
    let server = site.serve(&[]);
    let app = App::at(site);
    register(&app, &receiver).await;
    let client = TraceParent::new(0xcafe, 0xbeef, true).unwrap();
    push(&app, "traced", client).await;
    let header = delivered(&receiver, "traced").await;
    // An unsampled trace is not sent, but its context is passed on.
    let other = TraceParent::new(0xdead, 0xbeef, false).unwrap();
    push(&app, "not-sampled", other).await;
    let passed_on = delivered(&receiver, "not-sampled").await;
    assert_eq!((passed_on.trace(), passed_on.is_sampled()), (0xdead, false));
    server.terminate();
    assert!(server.stopped().success());
    assert_eq!(collector.of(other).len(), 0);

    let spans = collector.of(client);
    let pushed = only(&spans, "PUT /api/job-board/job-postings/{identifier}");
    assert_eq!(pushed.parent, "000000000000beef");
    assert_eq!(pushed.attributes["http.response.status_code"], "201");
    assert_eq!(pushed.resource["service.name"], "posthaste");
    assert_eq!(pushed.resource["deployment.environment.name"], "test");
    let enriched = only(&spans, "enrich posting");
    assert_eq!(enriched.parent, pushed.id);
    assert_eq!(
        enriched.attributes["posthaste.posting.identifier"],
        "traced"
    );
    // The push and the outcome of the enrichment are committed.
    let mut commits: Vec<_> = spans.iter().filter(|span| span.name == "commit").collect();
    commits.sort_by_key(|span| span.parent != pushed.id);
    let of: Vec<_> = commits
        .iter()
        .map(|span| (&span.parent, &span.links))
        .collect();
    let expect = [&pushed.id, &enriched.id].map(|id| (id, vec![id.clone()]));
    assert_eq!(
        of,
        expect
            .iter()
            .map(|(id, links)| (*id, links))
            .collect::<Vec<_>>()
    );
    let sent = only(&spans, "deliver webhook");
    assert_eq!(sent.parent, enriched.id);
    assert_eq!(
        sent.attributes["posthaste.event.type"],
        "JobPostingApproved"
    );
    assert_eq!(header.trace(), client.trace());
    assert_eq!(format!("{:016x}", header.span()), sent.id);
}

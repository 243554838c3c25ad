//! An overloaded, unreachable or refusing model: tasks wait, and calls are rare.

use std::time::Instant;

use serde_json::Value;

use super::{titled, with_model};
use crate::harness::{App, SETTLING, Site, Store, chat::Chat, eventually, fresh};

on_sqlite! {
    an_unavailable_model_costs_little_and_loses_nothing,
}

async fn an_unavailable_model_costs_little_and_loses_nothing(store: Store) {
    /// The number of calls that may be in progress when the outage begins. Each of them fails
    /// separately.
    const AT_ONCE: u32 = 4;
    let address = Chat::start().address();
    let site = with_model(Site::new(store), &format!("http://{address}/v1")).watched();
    let _server = site.serve(&[]);
    let app = App::at(site);
    let failed = || async {
        let metrics = crate::cases::metrics::read(&app.site.admin()).await;
        metrics.value("posthaste_llm_requests_total", &[("outcome", "failed")])
    };
    let mut postings = Vec::new();
    let start = Instant::now();
    for round in 1..=4 {
        for _ in 0..8 {
            let id = fresh("outage");
            app.put(&id, &titled("Gardener")).await.created();
            postings.push(id);
        }
        // Pushes succeed during the outage, and probes are sent at intervals.
        let before = if round == 1 { 0.0 } else { failed().await };
        eventually("it was tried", SETTLING, || async {
            (failed().await > before).then_some(())
        })
        .await;
    }
    let tried = failed().await;
    // The waits double, beginning with one second.
    let waited = start.elapsed();
    let most = AT_ONCE + waited.as_secs().max(1).ilog2() + 2;
    assert!(tried <= f64::from(most), "{tried} after {waited:?}");
    for id in &postings {
        let posting = app.show(id).await;
        assert_eq!(posting["status"], "PendingEnrichment", "{posting}");
    }
    let chat = Chat::start_at(address);
    for id in &postings {
        app.api.until(id, "approved").await;
    }
    assert_eq!(chat.calls().len(), postings.len());
    assert_eq!(app.dead(), Vec::<Value>::new());
}

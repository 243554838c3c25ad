use std::{sync::Arc, time::Duration};

use adapters_http::{MetricsPage, Readiness, Timeouts};
use adapters_prometheus::{Page, PagePorts, Serving};
use anyhow::Context as _;
use runtime::clock;
use stores::Stores;
use tokio::time::{MissedTickBehavior, interval};
use tokio_util::task::AbortOnDropHandle;

use super::listener::{self, Listener, Running};
use crate::args::AdminArgs;

/// The interval of the recorder's upkeep. Upkeep bounds its memory even if `/metrics` is never
/// read.
const UPKEEP_INTERVAL: Duration = Duration::from_secs(10);

const LISTENER: Listener = Listener {
    what: "/metrics",
    variable: "POSTHASTE_ADMIN_BIND",
    option: "--admin-bind",
};

pub fn start(
    options: &AdminArgs,
    (stores, has_newsletter): (&Stores, bool),
    readiness: Readiness,
    serving: Option<Serving>,
) -> anyhow::Result<Option<Running>> {
    let Some(listener) = listener::bind(options.bind(), &LISTENER)? else {
        return Ok(None);
    };
    let recorder = adapters_prometheus::install().context("metrics cannot be recorded")?;
    let ports = PagePorts {
        stores: stores.clone(),
        kinds: workers::kinds(),
        has_newsletter,
        serving,
        clock: clock::system(),
    };
    let page = Arc::new(Page::new(recorder.clone(), ports));
    let page: MetricsPage = Arc::new(move || {
        let page = Arc::clone(&page);
        Box::pin(async move { page.make().await })
    });
    let hosts = options.admin_hosts.clone();
    let application = listener.serve_metrics(page, readiness, hosts, Timeouts::default())?;
    let mut running = Running::start(application, &LISTENER);
    tracing::info!("metrics are at http://{}/metrics", running.address);
    let upkeep = tokio::spawn(async move {
        let mut ticks = interval(UPKEEP_INTERVAL);
        ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
        loop {
            ticks.tick().await;
            recorder.run_upkeep();
        }
    });
    running.upkeep = Some(AbortOnDropHandle::new(upkeep));
    Ok(Some(running))
}

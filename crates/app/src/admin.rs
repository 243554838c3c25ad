//! The admin listener, which serves `/metrics`, `/healthz` and `/readyz`.

use std::{net::SocketAddr, sync::Arc, time::Duration};

use adapters_http::{
    AdminApplication, AdminListener, MetricsPage, Readiness, StopHandle, Timeouts,
};
use adapters_prometheus::{Page, PagePorts, Serving, Stores};
use anyhow::{Context as _, bail};
use metrics_exporter_prometheus::PrometheusHandle;
use runtime::clock;
use tokio::{
    task::JoinHandle,
    time::{MissedTickBehavior, interval},
};

use crate::{cli::values::AdminBind, metrics};

/// The interval of the recorder's upkeep, which bounds its memory even if `/metrics` is never read.
const UPKEEP_INTERVAL: Duration = Duration::from_secs(10);

/// A running admin listener.
pub struct Admin {
    address: SocketAddr,
    stop: StopHandle,
    server: JoinHandle<()>,
    upkeep: JoinHandle<()>,
}

impl Admin {
    /// Starts to listen and to record metrics, unless the listener is off.
    pub fn start(
        bind: AdminBind,
        stores: Stores,
        readiness: Readiness,
        serving: Option<Serving>,
    ) -> anyhow::Result<Option<Self>> {
        let (address, is_asked_for) = match bind {
            AdminBind::Off => return Ok(None),
            AdminBind::IfFree(address) => (address, false),
            AdminBind::At(address) => (address, true),
        };
        let listener = match AdminListener::bind(address) {
            Ok(listener) => listener,
            Err(error) if is_asked_for => bail!(
                "POSTHASTE_ADMIN_BIND: {error}; --admin-bind takes another address and port, or \
                 `off`"
            ),
            Err(error) => {
                tracing::warn!(
                    %error,
                    "there is no /metrics; POSTHASTE_ADMIN_BIND takes another address, or `off`"
                );
                return Ok(None);
            }
        };
        let recorder = metrics::install().context("metrics cannot be recorded")?;
        let ports = PagePorts {
            stores,
            serving,
            clock: clock::system(),
        };
        let page = Arc::new(Page::new(recorder.clone(), ports));
        let page: MetricsPage = Arc::new(move || {
            let page = Arc::clone(&page);
            Box::pin(async move { page.make().await })
        });
        let application = listener.answer_with(page, readiness, Timeouts::default())?;
        Ok(Some(Self::run(application, recorder)))
    }

    fn run(application: AdminApplication, recorder: PrometheusHandle) -> Self {
        let (address, stop) = (application.addr(), application.stop_handle());
        tracing::info!("metrics are at http://{address}/metrics");
        let server = tokio::spawn(async move {
            if let Err(error) = application.run().await {
                tracing::error!(%error, "the listener for /metrics failed");
            }
        });
        let upkeep = tokio::spawn(async move {
            let mut ticks = interval(UPKEEP_INTERVAL);
            ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
            loop {
                ticks.tick().await;
                recorder.run_upkeep();
            }
        });
        Self {
            address,
            stop,
            server,
            upkeep,
        }
    }

    /// Stops after the requests in flight.
    pub async fn stop(self) {
        self.stop.stop().await;
        if let Err(error) = self.server.await {
            tracing::error!(%error, address = %self.address, "the listener for /metrics ended badly");
        }
        self.upkeep.abort();
    }
}

#[cfg(test)]
mod tests {
    use std::net::TcpListener;

    use newsletter::testing::MemoryStore;
    use tokio::{
        io::{AsyncReadExt as _, AsyncWriteExt as _},
        net::TcpStream,
    };

    use super::*;
    use adapters_prometheus::backlog_of;

    fn start(bind: AdminBind) -> anyhow::Result<Option<Admin>> {
        let serving = Serving {
            pushes: Arc::new(|| 7),
            signing_keys: Arc::new(|| 2),
            signing_keys_age: Arc::new(|| 1),
        };
        let store = Arc::new(MemoryStore::new());
        let stores = Stores {
            backlog: backlog_of(Arc::clone(&store) as _, &workers::kinds::ALL),
            clients: Arc::clone(&store) as _,
            activity: Arc::clone(&store) as _,
            webhooks: Arc::clone(&store) as _,
            browser: Arc::clone(&store) as _,
            catalogues: Arc::clone(&store) as _,
            health: Arc::clone(&store) as _,
            newsletter: None,
        };
        let readiness = Readiness::of_store(Arc::clone(&stores.health));
        Admin::start(bind, stores, readiness, Some(serving))
    }

    async fn get(address: SocketAddr, path: &str) -> String {
        let mut stream = TcpStream::connect(address).await.unwrap();
        let request =
            format!("GET {path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n");
        stream.write_all(request.as_bytes()).await.unwrap();
        let mut answer = String::new();
        stream.read_to_string(&mut answer).await.unwrap();
        answer
    }

    #[tokio::test]
    async fn what_is_counted_in_this_process_is_shown() {
        let anywhere = || AdminBind::At("127.0.0.1:0".parse().unwrap());
        let admin = start(anywhere()).unwrap().unwrap();
        // A process has one recorder, however many listeners there are.
        let other = start(anywhere()).unwrap().unwrap();
        for admin in [admin, other] {
            let answer = get(admin.address, "/metrics").await;
            assert!(answer.starts_with("HTTP/1.1 200 OK\r\n"), "{answer}");
            for line in [
                "posthaste_store_up 1",
                "posthaste_pushes_under_way 7",
                "posthaste_signing_keys 2",
                "posthaste_signing_keys_age_seconds 1",
                r#"posthaste_outbox_tasks{kind="enrich",state="waiting"} 0"#,
                concat!(
                    r#"posthaste_build_info{version=""#,
                    env!("CARGO_PKG_VERSION"),
                    r#"",commit=""#,
                    env!("BUILD_COMMIT"),
                    r#""} 1"#
                ),
            ] {
                let found = answer.lines().any(|found| found == line);
                assert!(found, "{line}: {answer}");
            }
            admin.stop().await;
        }
    }

    #[tokio::test]
    async fn an_address_that_is_taken_is_a_failure_only_if_it_was_asked_for() {
        let taken = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = taken.local_addr().unwrap();
        assert!(start(AdminBind::Off).unwrap().is_none());
        assert!(start(AdminBind::IfFree(address)).unwrap().is_none());
        let error = start(AdminBind::At(address)).err().unwrap();
        let line = error.to_string();
        assert!(
            line.starts_with("POSTHASTE_ADMIN_BIND: cannot listen on "),
            "{line}"
        );
        assert!(line.contains("; --admin-bind takes another"), "{line}");
    }
}

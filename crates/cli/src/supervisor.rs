//! Reports to systemd that the service is ready, alive and stopping, if `NOTIFY_SOCKET` is set.

use std::time::Duration;

use sd_notify::NotifyState;
use tokio::time::interval;
use tokio_util::task::AbortOnDropHandle;

/// A shorter watchdog time is ignored.
const LEAST: Duration = Duration::from_millis(3);

/// Reports to systemd until dropped. The drop reports that the service stops.
pub struct Supervisor {
    _watchdog: Option<AbortOnDropHandle<()>>,
}

impl Supervisor {
    /// Reports that the service is ready, and if the watchdog is on, that it is alive.
    pub fn ready() -> Self {
        send(NotifyState::Ready);
        let watchdog = sd_notify::watchdog_enabled().filter(|limit| *limit > LEAST);
        let watchdog = watchdog.map(|limit| {
            AbortOnDropHandle::new(tokio::spawn(async move {
                // Three reports per limit, so that one may be late.
                let mut interval = interval(limit / 3);
                loop {
                    interval.tick().await;
                    send(NotifyState::Watchdog);
                }
            }))
        });
        Self {
            _watchdog: watchdog,
        }
    }
}

impl Drop for Supervisor {
    fn drop(&mut self) {
        send(NotifyState::Stopping);
    }
}

fn send(state: NotifyState<'_>) {
    if let Err(error) = sd_notify::notify(&[state]) {
        tracing::debug!(%error, "the supervisor could not be notified");
    }
}

//! Tells systemd that the service is ready, alive and stopping. Without `NOTIFY_SOCKET` nothing is
//! sent.

use std::time::Duration;

use sd_notify::NotifyState;
use tokio::time::interval;
use tokio_util::task::AbortOnDropHandle;

/// The shortest time after which a silent service may be restarted.
const LEAST: Duration = Duration::from_millis(3);

/// The supervisor, which knows that the service is ready. It learns that the service stops when
/// this is dropped.
pub struct Supervisor {
    _watchdog: Option<AbortOnDropHandle<()>>,
}

impl Supervisor {
    /// Says that the service is ready, and from then on, if the supervisor watches this process,
    /// that it is alive: while its threads have time for that.
    pub fn ready() -> Self {
        send(NotifyState::Ready);
        let watchdog = sd_notify::watchdog_enabled().filter(|limit| *limit > LEAST);
        let watchdog = watchdog.map(|limit| {
            AbortOnDropHandle::new(tokio::spawn(async move {
                // One may come late, and the next one in time.
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

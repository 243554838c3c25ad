//! Tells systemd how the service is, by the protocol of `sd_notify(3)`: datagrams to the socket
//! that `NOTIFY_SOCKET` names. Without it nothing is sent.

use std::{
    env, io,
    os::{
        linux::net::SocketAddrExt as _,
        unix::net::{SocketAddr, UnixDatagram},
    },
    process,
    time::Duration,
};

use tokio::time::interval;
use tokio_util::task::AbortOnDropHandle;

/// The supervisor, which knows that the service is ready. It learns that the service stops when
/// this is dropped.
pub struct Supervisor {
    _watchdog: Option<AbortOnDropHandle<()>>,
}

impl Supervisor {
    /// Says that the service is ready, and from then on, if the supervisor wants to know, that it
    /// is alive: while its threads have time for that.
    pub fn ready() -> Self {
        send("READY=1");
        let watchdog = watchdog_interval(
            env::var("WATCHDOG_USEC").ok(),
            env::var("WATCHDOG_PID").ok(),
        );
        let watchdog = watchdog.map(|limit| {
            AbortOnDropHandle::new(tokio::spawn(async move {
                // One may come late, and the next one in time.
                let mut interval = interval(limit / 3);
                loop {
                    interval.tick().await;
                    send("WATCHDOG=1");
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
        send("STOPPING=1");
    }
}

/// After how long a silent service is restarted, if it is this process that is watched.
fn watchdog_interval(usec: Option<String>, pid: Option<String>) -> Option<Duration> {
    let is_ours = pid.is_none_or(|pid| pid == process::id().to_string());
    let limit = Duration::from_micros(usec?.parse().ok()?);
    (is_ours && limit > Duration::from_millis(3)).then_some(limit)
}

fn send(state: &str) {
    let Some(socket) = env::var_os("NOTIFY_SOCKET") else {
        return;
    };
    let sent = address(socket.as_encoded_bytes())
        .and_then(|address| UnixDatagram::unbound()?.send_to_addr(state.as_bytes(), &address));
    if let Err(error) = sent {
        tracing::debug!(%error, state, "the supervisor was not told");
    }
}

/// A path, or an abstract name behind `@`.
fn address(socket: &[u8]) -> io::Result<SocketAddr> {
    match socket.split_first() {
        Some((b'@', name)) => SocketAddr::from_abstract_name(name),
        _ => SocketAddr::from_pathname(String::from_utf8_lossy(socket).as_ref()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_process_that_is_watched_beats() {
        let some = |text: &str| Some(text.to_owned());
        let own = Some(process::id().to_string());
        let minute = Some(Duration::from_mins(1));
        assert_eq!(watchdog_interval(some("60000000"), None), minute);
        assert_eq!(watchdog_interval(some("60000000"), own.clone()), minute);
        assert_eq!(watchdog_interval(some("60000000"), some("1")), None);
        assert_eq!(watchdog_interval(None, own), None);
        assert_eq!(watchdog_interval(some("soon"), None), None);
        assert_eq!(watchdog_interval(some("0"), None), None);
    }

    #[test]
    fn sockets_may_be_files_or_abstract() {
        let path = address(b"/run/systemd/notify").unwrap();
        assert!(path.as_pathname().is_some());
        assert_eq!(
            address(b"@name").unwrap().as_abstract_name(),
            Some(&b"name"[..])
        );
    }
}

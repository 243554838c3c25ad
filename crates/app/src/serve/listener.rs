//! Listeners for operators: metrics and console.

use std::net::SocketAddr;

use adapters_http::{BoundListener, BoundServer, StopHandle};
use anyhow::bail;
use tokio::task::JoinHandle;
use tokio_util::task::AbortOnDropHandle;

use crate::args::values::AdminBind;

pub struct Listener {
    pub what: &'static str,
    pub variable: &'static str,
    pub option: &'static str,
}

/// Binds an address; `None` if it is off, or if the default address is in use.
pub fn bind(bind: AdminBind, listener: &Listener) -> anyhow::Result<Option<BoundListener>> {
    let Listener {
        what,
        variable,
        option,
    } = listener;
    match bind {
        AdminBind::Off => Ok(None),
        AdminBind::At(address) => match BoundListener::bind(address) {
            Ok(bound) => Ok(Some(bound)),
            Err(error) => {
                bail!("{variable}: {error}; {option} takes another address and port, or `off`")
            }
        },
        AdminBind::IfFree(address) => match BoundListener::bind(address) {
            Ok(bound) => Ok(Some(bound)),
            Err(error) => {
                tracing::warn!(
                    %error,
                    "there is no {what}; set {variable} to another address, or to `off`"
                );
                Ok(None)
            }
        },
    }
}

pub struct Running {
    pub address: SocketAddr,
    what: &'static str,
    stop: StopHandle,
    server: JoinHandle<()>,
    pub upkeep: Option<AbortOnDropHandle<()>>,
}

impl Running {
    pub fn start(application: BoundServer, listener: &Listener) -> Self {
        let what = listener.what;
        Self {
            address: application.addr(),
            what,
            stop: application.stop_handle(),
            upkeep: None,
            server: tokio::spawn(async move {
                if let Err(error) = application.run().await {
                    tracing::error!(%error, listener = what, "a listener failed");
                }
            }),
        }
    }

    pub async fn stop(self) {
        self.stop.stop().await;
        if let Err(error) = self.server.await {
            let (address, listener) = (self.address, self.what);
            tracing::error!(%error, %address, listener, "a listener ended badly");
        }
    }
}

#[cfg(test)]
mod tests {
    use std::net::TcpListener;

    use super::*;

    #[tokio::test]
    async fn an_address_that_is_taken_is_a_failure_only_if_it_was_asked_for() {
        let listener = Listener {
            what: "/x",
            variable: "POSTHASTE_X_BIND",
            option: "--x-bind",
        };
        let taken = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = taken.local_addr().unwrap();
        for asked in [AdminBind::Off, AdminBind::IfFree(address)] {
            assert!(bind(asked, &listener).unwrap().is_none());
        }
        let error = bind(AdminBind::At(address), &listener).err().unwrap();
        let begin = format!("POSTHASTE_X_BIND: cannot listen on {address}: ");
        assert!(error.to_string().starts_with(&begin), "{error}");
    }
}

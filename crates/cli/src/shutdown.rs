//! The first SIGTERM or SIGINT stops the program in order, the second one at once.

use std::{io, process};

use rustix::process::Signal as Number;
use tokio::signal::unix::{Signal, SignalKind, signal};

use crate::logging;

pub const INTERRUPTED: u8 = 130;

pub struct StopSignals {
    interrupt: Signal,
    terminate: Signal,
}

impl StopSignals {
    /// Handles signals from now on. Before, a signal ends the process as usual.
    pub fn listen() -> io::Result<Self> {
        // A write past the file size limit then fails; SIGXFSZ would end the process.
        drop(signal(SignalKind::from_raw(Number::XFSZ.as_raw()))?);
        Ok(Self {
            interrupt: signal(SignalKind::interrupt())?,
            terminate: signal(SignalKind::terminate())?,
        })
    }

    /// Waits for a signal. From then on, a second signal ends the process at once.
    pub async fn asked(mut self) {
        let name = self.next().await.0;
        tracing::info!(signal = name, "stopping; a second signal stops at once");
        tokio::spawn(async move {
            let (name, number) = self.next().await;
            tracing::warn!(signal = name, "stopped at once");
            logging::flush();
            process::exit(128 + number);
        });
    }

    async fn next(&mut self) -> (&'static str, i32) {
        tokio::select! {
            _ = self.interrupt.recv() => ("SIGINT", SignalKind::interrupt().as_raw_value()),
            _ = self.terminate.recv() => ("SIGTERM", SignalKind::terminate().as_raw_value()),
        }
    }
}

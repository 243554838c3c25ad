//! When to stop: SIGTERM or SIGINT, and at once on a second one.

use std::{io, process};

use rustix::process::Signal as Number;
use tokio::signal::unix::{Signal, SignalKind, signal};

/// The exit code of a program that was stopped before it was done.
pub const INTERRUPTED: u8 = 130;

/// Signals of this process that ask it to stop.
pub struct StopSignals {
    interrupt: Signal,
    terminate: Signal,
}

impl StopSignals {
    /// Listens from now on; until then a signal ends the process, as ever.
    pub fn listen() -> io::Result<Self> {
        // A write past a limit on the size of files fails, and its signal, which would end the
        // process, does nothing from here on.
        drop(signal(SignalKind::from_raw(Number::XFSZ.as_raw()))?);
        Ok(Self {
            interrupt: signal(SignalKind::interrupt())?,
            terminate: signal(SignalKind::terminate())?,
        })
    }

    /// Waits until the process is asked to stop. From then on being asked again ends it at once.
    pub async fn asked(mut self) {
        let name = self.next().await.0;
        tracing::info!(signal = name, "stopping; a second signal stops at once");
        tokio::spawn(async move {
            let (name, number) = self.next().await;
            tracing::warn!(signal = name, "stopped at once");
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

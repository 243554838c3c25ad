//! `posthaste-push`: the command `posthaste push` as a separate program, for machines without the
//! server.

use std::process::ExitCode;

use anyhow::Context as _;
use cli::{logging::LogFormat, program};
use push::Push;

fn main() -> ExitCode {
    let log = |_: &Push| program::Log {
        filter: None,
        format: LogFormat::Text,
        is_service: false,
    };
    program::main(push::definitions, log, |push| {
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .build()
            .context("cannot start")?;
        runtime.block_on(push.run())
    })
}

//! `posthaste openapi`.

use std::process::ExitCode;

use crate::output;

/// Prints the document that `/api/openapi.json` serves.
pub fn run() -> anyhow::Result<ExitCode> {
    output::print_json(&adapters_http::openapi())?;
    Ok(ExitCode::SUCCESS)
}

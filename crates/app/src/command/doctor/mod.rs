//! `posthaste doctor`: checks an installation, and names a remedy for each fault.
//!
//! It checks what `serve` with the same options would use, changes nothing, and goes on after
//! failed checks. Only a configuration that no command accepts, and a missing embedded database,
//! end it early, as they end every command.

mod check;
mod endpoints;
mod machine;
mod outside;
mod store;

use std::process::ExitCode;

use adapters_http::oauth::KeyFolder;

use self::check::Check;
use crate::{
    cli::{self, DoctorArgs},
    embedded, output,
    serve::ServiceConfig,
};

/// Runs the command.
pub async fn run(args: &DoctorArgs) -> anyhow::Result<ExitCode> {
    let config = ServiceConfig::try_from(&args.serve)?;
    embedded::require(&config.database)?;
    let may_lack_group = args.serve.accounts.has_group();
    let mut checks = configuration();
    checks.push(machine::public_url(&config));
    let (stored, replica, called, public, clock) = tokio::join!(
        store::look(&config.database),
        store::replica(config.replica.as_ref()),
        endpoints::look(&config, may_lack_group),
        outside::public_url(&config),
        outside::clock(&config.accounts),
    );
    checks.extend(public);
    checks.extend(stored);
    checks.extend(replica);
    checks.extend(clock);
    checks.extend(machine::keys(
        &KeyFolder::new(&config.keys),
        &config.database,
    ));
    checks.push(machine::disk(&config.database));
    checks.extend(called?);
    if args.json.enabled {
        output::print_json(&checks)?;
    } else {
        let lines: Vec<_> = checks.iter().map(Check::line).collect();
        output::print(lines.join("\n"))?;
    }
    Ok(if checks.iter().all(|check| check.ok) {
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    })
}

/// Reports variables that no command knows. Bad values have already ended the command.
fn configuration() -> Vec<Check> {
    const NAME: &str = "configuration";
    let unknown = cli::unknown_variables();
    if unknown.is_empty() {
        return vec![Check::good(NAME, "every value can be read")];
    }
    let wrong = |complaint| Check::wrong(NAME, complaint, "correct its name, or remove it");
    unknown.into_iter().map(wrong).collect()
}

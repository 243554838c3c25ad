//! `posthaste doctor`: checks an installation, and names a remedy for each fault.
//!
//! It checks what `serve` would use with the same options, changes nothing, and continues after
//! failed checks. Only an invalid configuration or a missing embedded database ends it early.

mod check;
mod endpoints;
mod machine;
mod outside;
mod store;

use std::process::ExitCode;

use clap::Args;
use cli::options;

use self::check::Check;
use crate::{
    args::{JsonArgs, exit_code},
    database::embedded,
    output,
    serve::Serve,
};

/// Find what is wrong with an installation, and name remedies
///
/// Checks configuration, store, schema, clock, keys, disk, public URL, and the endpoints that
/// workers call, with the options of `serve`. Changes nothing. Ends with exit code 1 if anything is
/// wrong
#[derive(Debug, Args)]
#[command(mut_arg("migrate", |migrate| migrate.hide(true)))]
pub struct Doctor {
    #[command(flatten)]
    serve: Serve,
    #[command(flatten)]
    json: JsonArgs,
}

impl Doctor {
    pub async fn run(self) -> anyhow::Result<ExitCode> {
        let options = &self.serve;
        options.check()?;
        let url = options.store.database();
        embedded::require(&url)?;
        let mut checks = configuration();
        let accounts = options.work.accounts.settings();
        let (stored, replica, called, public, clock) = tokio::join!(
            store::look(&url),
            store::replica(options.read_database_url.as_ref()),
            endpoints::look(options),
            outside::public_url(options.http.place.public_url.as_deref()),
            outside::clock(&accounts),
        );
        // If the URL is safe, the check of its answer replaces the check of its form.
        let travels = machine::public_url(&options.http);
        checks.push(public.filter(|_| travels.ok).unwrap_or(travels));
        checks.extend(stored);
        checks.extend(replica);
        checks.extend(clock);
        checks.extend(machine::keys(&options.store.data_dir.key_folder(), &url));
        checks.push(machine::disk(&url));
        checks.extend(called?);
        if self.json.enabled {
            output::print_json(&checks)?;
        } else {
            let lines: Vec<_> = checks.iter().map(Check::line).collect();
            output::print(lines.join("\n"))?;
        }
        Ok(exit_code(checks.iter().all(|check| check.ok)))
    }
}

/// Reports unknown variables. Bad values have already ended the command.
fn configuration() -> Vec<Check> {
    const NAME: &str = "configuration";
    let unknown = options::unknown_variables(&options::definitions());
    if unknown.is_empty() {
        return vec![Check::good(NAME, "every value can be read")];
    }
    let wrong = |complaint| Check::wrong(NAME, complaint, "correct its name, or remove it");
    unknown.into_iter().map(wrong).collect()
}

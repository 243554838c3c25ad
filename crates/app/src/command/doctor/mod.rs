//! `posthaste doctor`: what is wrong with an installation, and what to do about it.
//!
//! It looks at what `serve` with the same options would use, changes nothing, and finds out as
//! much as it can: what cannot be reached is one of its findings. Only a configuration that no
//! command takes, and a database that is not there, end it as they end every command.

mod endpoints;
mod machine;
mod store;

use std::{process::ExitCode, time::Duration};

use adapters_http::oauth::KeyFolder;
use serde::Serialize;
use tokio::time::timeout;

use crate::{
    cli::{self, DoctorArgs},
    embedded, output,
    preflight::Finding,
    serve::ServiceConfig,
    text::plain,
};

/// How long each thing that is looked at may take.
const PATIENCE: Duration = Duration::from_secs(10);

/// One thing that was looked at, as JSON shows it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
struct Check {
    #[serde(rename = "check")]
    name: &'static str,
    ok: bool,
    message: String,
    remedy: Option<String>,
}

impl Check {
    fn new(name: &'static str, finding: Finding) -> Self {
        Self {
            name,
            ok: finding.is_good(),
            message: plain(&finding.text),
            remedy: finding.remedy.map(|remedy| plain(&remedy)),
        }
    }

    fn good(name: &'static str, message: impl Into<String>) -> Self {
        Self::new(name, Finding::good(message))
    }

    fn wrong(name: &'static str, message: impl Into<String>, remedy: impl Into<String>) -> Self {
        Self::new(name, Finding::wrong(message, remedy))
    }

    fn line(&self) -> String {
        let Self { name, message, .. } = self;
        match &self.remedy {
            None => format!("ok    {name:<15}{message}"),
            Some(remedy) => format!("WRONG {name:<15}{message}: {remedy}"),
        }
    }
}

/// Carries out the command.
pub async fn run(args: &DoctorArgs) -> anyhow::Result<ExitCode> {
    let config = ServiceConfig::try_from(&args.serve)?;
    embedded::require(&config.database)?;
    let may_lack_group = args.serve.accounts.has_group();
    let mut checks = configuration();
    checks.push(machine::public_url(&config));
    let (stored, called) = tokio::join!(
        store::look(&config.database),
        endpoints::look(&config, may_lack_group)
    );
    checks.extend(stored);
    checks.extend(machine::keys(&KeyFolder::new(&config.keys), &config.database));
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

/// A bad value ends every command, so only what is not read at all is left.
fn configuration() -> Vec<Check> {
    const NAME: &str = "configuration";
    let unknown = cli::unknown_variables();
    if unknown.is_empty() {
        return vec![Check::good(NAME, "every value can be read")];
    }
    let wrong = |complaint| Check::wrong(NAME, complaint, "correct its name, or remove it");
    unknown.into_iter().map(wrong).collect()
}

/// What comes of something within the time it may take.
async fn within<T>(
    limit: Duration,
    task: impl Future<Output = anyhow::Result<T>>,
) -> anyhow::Result<T> {
    match timeout(limit, task).await {
        Ok(result) => result,
        Err(_) => anyhow::bail!("no answer within {} seconds", limit.as_secs()),
    }
}

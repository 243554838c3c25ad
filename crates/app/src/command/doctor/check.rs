use std::time::Duration;

use adapters_mailerlite::preflight::Finding;
use outbound::Timeouts;
use serde::Serialize;
use tokio::time::timeout;

use crate::{output, text::plain};

pub const CHECK_TIMEOUT: Duration = Duration::from_secs(10);

pub const TIMEOUTS: Timeouts = Timeouts {
    connection: CHECK_TIMEOUT,
    answer: CHECK_TIMEOUT,
};

#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Check {
    #[serde(rename = "check")]
    name: &'static str,
    /// Also `true` for a possible fault.
    pub ok: bool,
    pub message: String,
    remedy: Option<String>,
}

impl Check {
    pub fn new(name: &'static str, finding: Finding) -> Self {
        Self {
            name,
            ok: finding.is_good(),
            message: plain(&finding.text),
            remedy: finding.remedy.map(|remedy| plain(&remedy)),
        }
    }

    pub fn good(name: &'static str, message: impl Into<String>) -> Self {
        Self::new(name, Finding::good(message))
    }

    pub fn wrong(
        name: &'static str,
        message: impl Into<String>,
        remedy: impl Into<String>,
    ) -> Self {
        Self::new(name, Finding::wrong(message, remedy))
    }

    /// A possible fault, which does not make the command fail.
    pub fn doubtful(
        name: &'static str,
        message: impl Into<String>,
        remedy: impl Into<String>,
    ) -> Self {
        Self {
            ok: true,
            ..Self::wrong(name, message, remedy)
        }
    }

    pub fn line(&self) -> String {
        let Self { name, message, .. } = self;
        match &self.remedy {
            None => format!("ok    {name}: {message}"),
            Some(remedy) if self.ok => format!("warn  {name}: {message}; {remedy}"),
            Some(remedy) => format!("fail  {name}: {message}; {remedy}"),
        }
    }
}

/// Runs a check within the time limit; a check that cannot run counts as failed.
pub async fn checked(
    name: &'static str,
    remedy: &str,
    check: impl Future<Output = anyhow::Result<Check>>,
) -> Check {
    let made = within(CHECK_TIMEOUT, check).await;
    made.unwrap_or_else(|error| Check::wrong(name, output::in_one_line(&error), remedy))
}

pub async fn within<T>(
    limit: Duration,
    task: impl Future<Output = anyhow::Result<T>>,
) -> anyhow::Result<T> {
    match timeout(limit, task).await {
        Ok(result) => result,
        Err(_) => anyhow::bail!("no answer within {} seconds", limit.as_secs()),
    }
}

use clap::Args;
use serde::Serialize;

use crate::output;

#[derive(Debug, Args)]
pub struct JsonArgs {
    /// Print JSON instead of text
    #[arg(long = "json", env = "POSTHASTE_JSON")]
    pub enabled: bool,
}

impl JsonArgs {
    pub fn record(&self, record: &impl Serialize, keys: &str) -> anyhow::Result<()> {
        if self.enabled {
            output::print_json(record)
        } else {
            output::print(output::record(record, keys)?)
        }
    }

    pub fn print(
        &self,
        shown: &impl Serialize,
        text: impl FnOnce() -> String,
    ) -> anyhow::Result<()> {
        if self.enabled {
            output::print_json(shown)
        } else {
            output::print(text())
        }
    }
}

//! `posthaste console`: signs operators in.

use clap::Args;
use kernel::audit::Operator;
use serde_json::json;

use crate::{
    cli::{ConsoleUrlArgs, JsonArgs, OperatorArgs, StoreArgs},
    config,
    misconfigured::Misconfigured,
    operators, output,
};

commands! {
    /// Sign operators in to the console
    Console {
        Link(Link),
    }
}

/// Print a link that signs an operator in to the console, once, within 15 minutes
#[derive(Debug, Args)]
pub struct Link {
    /// Who is signed in by it. Default: who makes the link
    #[arg(
        long = "as",
        value_name = "NAME",
        env = "POSTHASTE_CONSOLE_AS",
        value_parser = config::operator
    )]
    signs_in: Option<Operator>,
    #[command(flatten)]
    place: ConsoleUrlArgs,
    #[command(flatten)]
    json: JsonArgs,
    #[command(flatten)]
    store: StoreArgs,
    #[command(flatten)]
    by: OperatorArgs,
}

impl Link {
    pub async fn run(self) -> anyhow::Result<()> {
        let by = self.by.attribution()?;
        let url = self.place.address().ok_or_else(|| {
            Misconfigured(
                "POSTHASTE_CONSOLE_BIND is `off`; --console-url takes the address of a console"
                    .to_owned(),
            )
        })?;
        let operator = self.signs_in.unwrap_or_else(|| by.operator.clone());
        let database = self.store.open().await?;
        let link = operators::link(&*database.sign_in_tokens, &url, operator, &by).await?;
        if self.json.enabled {
            return output::print_json(&json!({ "url": link }));
        }
        output::print(link)
    }
}

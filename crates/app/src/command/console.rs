//! `posthaste console`: signs operators in.

use access::sign_in::{SignInTokens, issue_link, token_digest};
use adapters_console::{LINK_PARAMETER, SIGN_IN_PATH, new_token};
use clap::Args;
use kernel::audit::{Attribution, Operator};
use runtime::clock;
use serde_json::json;

use crate::{
    cli::{ConsoleUrlArgs, JsonArgs, OperatorArgs, StoreArgs},
    config,
    misconfigured::Misconfigured,
    output,
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
        let link = link(&*database.sign_in_tokens, &url, operator, &by).await?;
        if self.json.enabled {
            return output::print_json(&json!({ "url": link }));
        }
        output::print(link)
    }
}

/// Makes a link that signs an operator in, once.
pub async fn link(
    passes: &dyn SignInTokens,
    url: &str,
    operator: Operator,
    by: &Attribution,
) -> anyhow::Result<String> {
    let token = new_token();
    issue_link(passes, token_digest(&token), operator, by, clock::now()).await?;
    Ok(format!("{url}{SIGN_IN_PATH}?{LINK_PARAMETER}={token}"))
}

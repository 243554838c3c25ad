use clap::Args;
use kernel::Operator;
use serde_json::json;

use crate::{
    args::{ChangeArgs, ConsoleUrlArgs, JsonArgs, values},
    misconfigured::Misconfigured,
    operators,
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
    /// The operator whom the link signs in. Default: the operator who creates it
    #[arg(long = "as", value_name = "NAME", value_parser = values::operator)]
    signs_in: Option<Operator>,
    #[command(flatten)]
    place: ConsoleUrlArgs,
    #[command(flatten)]
    json: JsonArgs,
    #[command(flatten)]
    by: ChangeArgs,
}

impl Link {
    pub async fn run(self) -> anyhow::Result<()> {
        let url = self.place.address().ok_or_else(|| {
            Misconfigured(
                "POSTHASTE_CONSOLE_BIND is `off`; --console-url takes the address of a console"
                    .to_owned(),
            )
        })?;
        let (by, database) = self.by.open().await?;
        let operator = self.signs_in.unwrap_or_else(|| by.operator.clone());
        let link = operators::link(&*database.sign_in_tokens, &url, operator, &by).await?;
        self.json.print(&json!({ "url": link }), || link.clone())
    }
}

//! `posthaste subscribers suppress`, `reinstate`, `rotate-token` and `erase`.

use clap::Args;
use newsletter::usecase::{PersonCommand, PersonRef};
use runtime::clock;

use crate::{
    cli::{OperatorArgs, StoreArgs},
    config, operators, output,
};

/// See that nothing is sent to an address, in either account
#[derive(Debug, Args)]
pub struct Suppress {
    #[command(flatten)]
    args: DecideArgs,
}

impl Suppress {
    pub async fn run(self) -> anyhow::Result<()> {
        self.args
            .decide(|reason| PersonCommand::Suppress { reason })
            .await
    }
}

/// Let mail be sent to somebody again who was suppressed
///
/// It counts from this moment on: what the provider says of before does not. No account is told
/// to make anybody active; whoever wants mail has subscribed there.
#[derive(Debug, Args)]
pub struct Reinstate {
    #[command(flatten)]
    args: DecideArgs,
}

impl Reinstate {
    pub async fn run(self) -> anyhow::Result<()> {
        self.args
            .decide(|reason| PersonCommand::Reinstate { reason })
            .await
    }
}

/// Give a subscriber another migration token, when the link with theirs has got about
///
/// From then on the old link is that of an unknown token. `subscribers show --json` and
/// `subscribers export` have the new one.
#[derive(Debug, Args)]
pub struct RotateToken {
    #[command(flatten)]
    args: DecideArgs,
}

impl RotateToken {
    pub async fn run(self) -> anyhow::Result<()> {
        self.args
            .decide(|reason| PersonCommand::RotateToken { reason })
            .await
    }
}

#[derive(Debug, Args)]
struct DecideArgs {
    /// The address, or a subscriber's UUID; an address can be suppressed that nobody has reported
    #[arg(value_name = "EMAIL", value_parser = config::person)]
    person: PersonRef,

    /// Why, for the audit
    #[arg(
        long,
        value_name = "REASON",
        env = "POSTHASTE_SUBSCRIBERS_REASON",
        value_parser = config::reason
    )]
    reason: String,
    #[command(flatten)]
    store: StoreArgs,
    #[command(flatten)]
    operator: OperatorArgs,
}

impl DecideArgs {
    async fn decide(self, command: impl FnOnce(String) -> PersonCommand) -> anyhow::Result<()> {
        decide(
            &self.person,
            &command(self.reason),
            &self.store,
            &self.operator,
        )
        .await
    }
}

/// Erase a subscriber here and in both accounts of the e-mail provider
///
/// The person is unknown at once; a worker with the accounts' keys has both forget them. Of
/// somebody who wanted no mail a hash of the address is kept, so that nobody writes to them
/// again. There is no way back
#[derive(Debug, Args)]
pub struct Erase {
    /// The subscriber's address or UUID
    #[arg(value_name = "EMAIL", value_parser = config::person)]
    person: PersonRef,
    #[command(flatten)]
    store: StoreArgs,
    #[command(flatten)]
    operator: OperatorArgs,
}

impl Erase {
    pub async fn run(self) -> anyhow::Result<()> {
        let Self {
            person,
            store,
            operator,
        } = self;
        decide(&person, &PersonCommand::Erase, &store, &operator).await
    }
}

/// Carries out a command about a person, and prints what became of it.
async fn decide(
    person: &PersonRef,
    command: &PersonCommand,
    store: &StoreArgs,
    operator: &OperatorArgs,
) -> anyhow::Result<()> {
    let by = operator.attribution()?;
    let store = store.open().await?.newsletter;
    let clock = clock::system();
    let decided = operators::decide_about(&*store, &clock, person, command, &by);
    output::print(decided.await?)
}

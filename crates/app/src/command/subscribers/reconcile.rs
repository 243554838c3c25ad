//! `posthaste subscribers reconcile`: reads the accounts' lists, and records and prints
//! differences.
//!
//! It needs no lease: it only reads from the accounts, and shares their rate limit with the
//! workers.

use std::process::ExitCode;

use anyhow::Context as _;
use clap::{Args, builder::TypedValueParser};
use newsletter::{
    subscriber::{Account, reconciliation::ConcurrentWrites},
    usecase::ListCounts,
};
use runtime::clock;
use workers::ListWalk;

use crate::{
    args::{AccountsArgs, StoreArgs, values},
    misconfigured::Misconfigured,
    output, progress,
    serve::provider,
    shutdown::{INTERRUPTED, StopSignals},
    text::plain,
};

/// Read the accounts' whole lists, record their content, and repair differences
#[derive(Debug, Args)]
pub struct Reconcile {
    /// Only this account: `old` or `new`
    #[arg(long, value_name = "ACCOUNT", value_parser = account())]
    account: Option<Account>,

    /// Print differences, and change nothing
    #[arg(long)]
    dry_run: bool,

    #[command(flatten)]
    store: StoreArgs,
    #[command(flatten)]
    accounts: AccountsArgs,
}

fn account() -> impl TypedValueParser<Value = Account> {
    values::one_of(&[("old", Account::Old), ("new", Account::New)])
}

impl Reconcile {
    pub async fn run(self) -> anyhow::Result<ExitCode> {
        let stop = StopSignals::listen()?.asked();
        tokio::pin!(stop);
        let provider = provider::connect(&self.accounts.settings(), None)?;
        let mut accounts = provider.accounts();
        accounts.retain(|account| self.account.is_none_or(|wanted| wanted == *account));
        if accounts.is_empty() {
            let why = "there is no API key of the account";
            return Err(Misconfigured(why.to_owned()).into());
        }
        let database = self.store.open().await?;
        for account in accounts {
            let walk = ListWalk {
                account,
                // Without a lease, a worker may be syncing subscribers to the account.
                concurrent: ConcurrentWrites::Possible,
                is_dry: self.dry_run,
                provider: &*provider,
                store: &*database.newsletter,
                subscribers: &*database.subscribers,
                clock: &clock::system(),
            };
            let bar = progress::of_input(None);
            let walked = walk.run(|counts, page| {
                bar.set_message(format!("{} people", counts.people));
                for odd in &page.odd {
                    bar.suspend(|| output::print_error(plain(odd)));
                }
            });
            let walked = tokio::select! {
                biased;
                () = &mut stop => return Ok(ExitCode::from(INTERRUPTED)),
                walked = walked => walked.context("the list cannot be read")?,
            };
            bar.finish_and_clear();
            output::print(text(walked, account, self.dry_run))?;
        }
        Ok(ExitCode::SUCCESS)
    }
}

fn text(counts: ListCounts, account: Account, is_dry: bool) -> String {
    let ListCounts {
        people,
        unknown,
        suppressed,
        different,
        odd,
        missing,
    } = counts;
    let (done, next) = if is_dry {
        ("would be", "would be")
    } else {
        ("were", "will be")
    };
    format!(
        "The {account} account has {people} people: {unknown} that are not stored here, {suppressed} \
         who get no mail, {odd} that cannot be read. {different} differ from the stored \
         records; the differences {done} recorded. {missing} were there before and are not on the \
         list: they {next} looked up."
    )
}

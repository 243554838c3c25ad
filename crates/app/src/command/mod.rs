//! The commands: structs of options with a `run`. List a new command in [`Command`] or its group.
//! [`cli::options::documented`] names the options' variables.

/// Declares a group of commands: their options and functions. Commands with the same options share
/// a function.
macro_rules! commands {
    ($(#[$doc:meta])* $group:ident {
        $($(#[$attribute:meta])* $name:ident($options:ty) $(=> $run:ident($given:expr))?,)*
    }) => {
        $(#[$doc])*
        #[derive(Debug, clap::Subcommand)]
        pub enum $group {
            $($(#[$attribute])* $name($options),)*
        }

        impl $group {
            pub async fn run(self) -> anyhow::Result<std::process::ExitCode> {
                match self {
                    $(Self::$name(options) => {
                        let ended = commands!(@run options $(, $run, $given)?).await;
                        ended.map(std::process::Termination::report)
                    })*
                }
            }
        }
    };
    (@run $options:ident) => { $options.run() };
    (@run $options:ident, $run:ident, $given:expr) => { $run($options, $given) };
}

mod attention;
mod audit;
mod backup;
mod catalogues;
mod clients;
mod companies;
mod completions;
mod console;
mod copy;
mod doctor;
mod healthcheck;
mod keys;
mod man;
mod migrate;
mod openapi;
mod outbox;
mod postings;
mod reports;
mod root;
mod statements;
mod subscribers;
mod webhooks;

use self::clients::Clients;
pub use self::root::{Cli, definitions};

commands! {
    Command {
        Demo(crate::demo::Demo),
        Serve(crate::serve::Serve),
        Worker(crate::serve::Worker),
        Migrate(migrate::Migrate),
        #[command(subcommand)]
        Keys(keys::Keys),
        #[command(subcommand)]
        Clients(Clients),
        #[command(subcommand)]
        Companies(companies::Companies),
        #[command(subcommand)]
        Catalogues(catalogues::Catalogues),
        Push(push::Push),
        #[command(subcommand)]
        Postings(postings::Postings),
        #[command(subcommand)]
        Reports(reports::Reports),
        Statements(statements::Statements),
        #[command(subcommand)]
        Subscribers(subscribers::Subscribers),
        #[command(subcommand)]
        Outbox(outbox::Outbox),
        #[command(subcommand)]
        Webhooks(webhooks::Webhooks),
        #[command(subcommand)]
        Console(console::Console),
        Attention(attention::Attention),
        Audit(audit::Audit),
        Backup(backup::Backup),
        Restore(backup::Restore),
        Copy(copy::Copy),
        Doctor(doctor::Doctor),
        Healthcheck(healthcheck::Healthcheck),
        Completions(completions::Completions),
        Man(man::Man),
        Openapi(openapi::Openapi),
    }
}

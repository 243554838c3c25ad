//! The command line: every command, option and environment variable.
//!
//! Options that several commands share are in [`settings`]; what their values may be is in
//! [`crate::config`]. [`parse()`] reads the arguments and turns a bad value into one line.

mod backup;
mod clients;
mod commands;
mod companies;
mod console;
mod dotenv;
mod enricher;
mod environment;
mod newsletter;
mod operator;
mod parse;
mod postings;
mod refusal;
mod settings;
mod tools;
mod variables;
mod webhooks;

#[cfg(test)]
mod tests;

pub use self::{
    backup::{BackupArgs, CopyArgs, RestoreArgs},
    clients::{
        ClientsCommand, ClientsCreateArgs, ClientsListArgs, ClientsRevokeArgs, ClientsRotateArgs,
        ClientsShowArgs, ClientsUpdateArgs,
    },
    commands::{
        Cli, Command, DemoArgs, DoctorArgs, KeysCommand, KeysGenerateArgs, KeysListArgs,
        KeysRetireArgs, OutboxCommand, OutboxDismissArgs, OutboxListArgs, OutboxRetryArgs,
        ServeArgs, WorkerArgs,
    },
    companies::{CompaniesCommand, CompaniesListArgs, CompaniesShowArgs, CompaniesUpdateArgs},
    console::{ConsoleArgs, ConsoleCommand, ConsoleLinkArgs},
    environment::{command, load as load_environment},
    newsletter::{
        DEFAULT_BOARD_NAME, SubscribersCommand, SubscribersDecideArgs, SubscribersEraseArgs,
        SubscribersImportArgs, SubscribersMigrateArgs, SubscribersReconcileArgs,
        SubscribersShowArgs, SuppressionsCommand, SuppressionsImportArgs,
    },
    operator::{AuditArgs, OperatorArgs},
    parse::{asks_for_json, parse},
    postings::{
        PostingArgs, PostingsCommand, PostingsEraseArgs, PostingsFeatureArgs, PostingsListArgs,
        PostingsPurgeArgs, PostingsReasonArgs, PostingsShowArgs,
    },
    refusal::Refusal,
    settings::{JsonArgs, LifetimeArgs, StoreArgs},
    tools::HealthcheckArgs,
    variables::{unknown_variables, warn_of_unknown_variables},
    webhooks::{
        WebhooksCommand, WebhooksCreateArgs, WebhooksDeliveriesArgs, WebhooksListArgs,
        WebhooksManageArgs, WebhooksReplayArgs, WebhooksRotateArgs, WebhooksShowArgs,
        WebhooksTestArgs,
    },
};

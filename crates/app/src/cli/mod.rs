//! The command line: its root, and the options that commands share.
//!
//! What the values of options may be is in [`crate::config`].

mod commands;
mod console;
mod enricher;
mod newsletter;
mod operator;
mod settings;
mod webhooks;

#[cfg(test)]
mod tests;

use std::ffi::OsString;

use clap::CommandFactory as _;
use program::options::{self, Refusal};

pub use self::{
    commands::Cli,
    console::{ConsoleArgs, ConsoleUrlArgs},
    newsletter::{AccountsArgs, PagesArgs, WebhookArgs},
    operator::OperatorArgs,
    settings::{
        AdminArgs, DataDirArgs, HttpArgs, JsonArgs, LaneArgs, LifetimeArgs, StoreArgs, WorkArgs,
    },
    webhooks::WebhookAddressArgs,
};

/// The definitions of all commands.
pub fn command() -> clap::Command {
    options::documented(Cli::command())
}

/// Reads the command line.
pub fn parse(arguments: &[OsString]) -> Result<Cli, Refusal> {
    options::parse(command(), arguments)
}

mod dotenv;
mod environment;
mod parse;
mod refusal;
mod variables;

use std::ffi::OsString;

pub use self::{
    dotenv::Dotenv,
    environment::{documented, load, secret},
    parse::{asks_for_json, definitions, parse},
    refusal::Refusal,
    variables::unknown_variables,
};

/// Commands that run until stopped, log their messages, and send traces.
pub const SERVICES: [&str; 2] = ["serve", "worker"];

fn command_path<'a>(root: &'a clap::Command, arguments: &[OsString]) -> Vec<&'a clap::Command> {
    let mut path = vec![root];
    for argument in arguments
        .iter()
        .skip(1)
        .filter_map(|argument| argument.to_str())
    {
        path.extend(
            path.last()
                .and_then(|command| command.find_subcommand(argument)),
        );
    }
    path
}

//! The steps of a program before and after its command.

use std::{env, path::Path, process::ExitCode};

use clap::FromArgMatches;

use crate::{
    logging::{self, LogFormat},
    misconfigured::Misconfigured,
    options::{self, Refusal},
    output,
};

/// The exit code of bad usage and bad configuration.
const USAGE: u8 = 2;

#[derive(Clone, Debug)]
pub struct Log {
    pub filter: Option<String>,
    pub format: LogFormat,
    pub is_service: bool,
}

pub fn exit_code(is_good: bool) -> ExitCode {
    if is_good {
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    }
}

/// Reads `.env` and the command line, starts the log, and runs the command. `definitions` is called
/// again once `.env` is read, because options take their variables when they are defined.
pub fn main<T: FromArgMatches>(
    definitions: impl Fn() -> clap::Command,
    log: impl FnOnce(&T) -> Log,
    execute: impl FnOnce(T) -> anyhow::Result<ExitCode>,
) -> ExitCode {
    let arguments: Vec<_> = env::args_os().collect();
    let root = &definitions();
    let parsed = options::load(root, Path::new(".env"), &arguments).and_then(|dotenv| {
        let command = options::parse(definitions(), &arguments)?;
        let Log {
            filter,
            format,
            is_service,
        } = log(&command);
        logging::start(filter.as_deref(), format, is_service)?;
        Ok((command, dotenv))
    });
    let is_json = || options::asks_for_json(root, &arguments);
    let (command, dotenv) = match parsed {
        Ok(parsed) => parsed,
        Err(refusal) => return refuse(&refusal, is_json),
    };
    if let Some(dotenv) = dotenv {
        dotenv.announce();
    }
    for complaint in options::unknown_variables(root) {
        tracing::warn!("{complaint}");
    }
    let result = execute(command);
    logging::flush();
    match result {
        Ok(code) => code,
        Err(error) if output::is_reader_gone(&error) => ExitCode::SUCCESS,
        Err(error) => {
            logging::print_error(output::in_one_line(&error), is_json);
            if error.is::<Misconfigured>() {
                ExitCode::from(USAGE)
            } else {
                ExitCode::FAILURE
            }
        }
    }
}

fn refuse(refusal: &Refusal, is_json: impl Fn() -> bool) -> ExitCode {
    match refusal {
        Refusal::Usage(error) => {
            if error.use_stderr() && is_json() {
                let text = error.to_string();
                logging::print_error(text.trim_start_matches("error: ").trim(), is_json);
            } else {
                let _ = error.print();
            }
            u8::try_from(error.exit_code()).map_or(ExitCode::from(USAGE), ExitCode::from)
        }
        Refusal::Value(line) => {
            logging::print_error(line, is_json);
            ExitCode::from(USAGE)
        }
    }
}

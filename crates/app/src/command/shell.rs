//! `posthaste completions` and `posthaste man`: what a shell and a reader of manuals need, made
//! from the command line's definitions.

use std::{fs, path::Path, process::ExitCode};

use anyhow::Context as _;
use clap_complete::Shell;

use crate::{cli, output};

const NAME: &str = "posthaste";

/// Prints the completions of a shell.
pub fn completions(shell: Shell) -> anyhow::Result<ExitCode> {
    let mut script = Vec::new();
    clap_complete::generate(shell, &mut cli::command(), NAME, &mut script);
    output::print_lines(&script)?;
    Ok(ExitCode::SUCCESS)
}

/// Writes a manual page for each command, `posthaste.1`, `posthaste-serve.1` and so on.
pub fn man(folder: &Path) -> anyhow::Result<ExitCode> {
    let context = || format!("cannot write manual pages to {}", folder.display());
    fs::create_dir_all(folder).with_context(context)?;
    clap_mangen::generate_to(cli::command(), folder).with_context(context)?;
    Ok(ExitCode::SUCCESS)
}

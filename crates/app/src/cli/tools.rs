//! The options of commands for those who package and watch a service: `healthcheck`,
//! `completions`, `man`.

use std::{net::SocketAddr, path::PathBuf};

use clap::Args;
use clap_complete::Shell;
use url::Url;

use crate::config;

#[derive(Debug, Args)]
pub struct HealthcheckArgs {
    /// The service's address. Default: where `serve` listens with the same variables, on this
    /// machine
    #[arg(
        long,
        value_name = "URL",
        env = "POSTHASTE_HEALTHCHECK_URL",
        value_parser = config::base_url
    )]
    pub url: Option<Url>,

    /// The address and port that `serve` listens on
    #[arg(
        long,
        value_name = "ADDR:PORT",
        env = "POSTHASTE_BIND",
        default_value = "127.0.0.1:8080",
        value_parser = config::bind
    )]
    pub bind: SocketAddr,
}

#[derive(Debug, Args)]
pub struct CompletionsArgs {
    /// The shell
    #[arg(value_name = "SHELL")]
    pub shell: Shell,
}

#[derive(Debug, Args)]
pub struct ManArgs {
    /// The directory of the pages, such as `/usr/local/share/man/man1`; made if it is not there
    #[arg(value_name = "DIR")]
    pub folder: PathBuf,
}

//! The options of `posthaste push`.

use std::path::PathBuf;

use clap::{Args, builder::FalseyValueParser};
use secrecy::SecretString;
use url::Url;

use super::JsonArgs;
use crate::config;

#[derive(Debug, Args)]
pub struct PushArgs {
    /// One `{"id":…,"payload":{…}}` a line, or one JSON array of them; gzip and Zstandard are
    /// unpacked. `-` reads standard input
    #[arg(value_name = "FILE")]
    pub file: PathBuf,

    /// Where the service is
    #[arg(long, value_name = "URL", env = "POSTHASTE_PUSH_URL", value_parser = config::base_url)]
    pub url: Url,

    /// The OAuth client's id
    #[arg(long, value_name = "ID", env = "POSTHASTE_CLIENT_ID")]
    pub client_id: String,

    /// The OAuth client's secret; better given as the variable, which other users cannot see
    #[arg(
        long,
        value_name = "SECRET",
        env = "POSTHASTE_CLIENT_SECRET",
        hide_env_values = true,
        allow_hyphen_values = true
    )]
    pub client_secret: SecretString,

    /// The file is all that the client offers under this name: postings that it named before and
    /// does not name now expire, and expired ones that it names come back
    #[arg(
        long,
        value_name = "NAME",
        env = "POSTHASTE_PUSH_CATALOGUE",
        value_parser = config::catalogue
    )]
    pub catalogue: Option<String>,

    /// Expire nothing if more than this share of the catalogue's postings is missing, and more than
    /// 20 of them; the service's default is 30. 100 lets everything through
    #[arg(
        long,
        value_name = "PERCENT",
        env = "POSTHASTE_PUSH_MAX_MISSING",
        requires = "catalogue",
        value_parser = config::max_missing
    )]
    pub max_missing: Option<u8>,

    /// Bring expired postings back: adds `"expiration": null` to each payload that says nothing of
    /// expiration
    #[arg(long, env = "POSTHASTE_PUSH_REOPEN", value_parser = FalseyValueParser::new())]
    pub reopen: bool,

    /// Only ask what would happen; nothing is written
    #[arg(long, env = "POSTHASTE_PUSH_DRY_RUN", value_parser = FalseyValueParser::new())]
    pub dry_run: bool,

    /// Have fields refused that the service does not know
    #[arg(long, env = "POSTHASTE_PUSH_STRICT", value_parser = FalseyValueParser::new())]
    pub strict: bool,

    /// Has no effect any more.
    #[arg(
        long,
        value_name = "N",
        env = "POSTHASTE_PUSH_CONCURRENCY",
        hide = true
    )]
    pub concurrency: Option<u16>,

    /// Write lines that were not taken with their errors to this file, which can be pushed again
    #[arg(long, value_name = "FILE", env = "POSTHASTE_PUSH_REJECTS")]
    pub rejects: Option<PathBuf>,

    #[command(flatten)]
    pub json: JsonArgs,
}

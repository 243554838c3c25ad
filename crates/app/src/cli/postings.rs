//! `posthaste postings`.

use std::path::PathBuf;

use clap::{Args, Subcommand, builder::FalseyValueParser};
use kernel::{SourceIdentifier, Status, Version};

use super::{JsonArgs, LifetimeArgs, OperatorArgs, StoreArgs};
use crate::config::{self, Before, ClientRef};

#[derive(Debug, Subcommand)]
pub enum PostingsCommand {
    /// List postings, the last changed first
    List(PostingsListArgs),
    /// Show one posting with its history
    Show(PostingsShowArgs),
    /// Approve postings; no enricher overrules it
    Approve(PostingArgs),
    /// Reject postings; no enricher overrules it
    Reject(PostingsReasonArgs),
    /// Take postings down; only an operator brings them back
    Expire(PostingsReasonArgs),
    /// Bring expired postings back, to be judged anew
    Reopen(PostingsReasonArgs),
    /// Feature postings
    Feature(PostingsFeatureArgs),
    /// Erase a posting: delete it with every copy of what it said
    ///
    /// What stays is an entry of the audit, and the event `JobPostingErased` for those who
    /// follow it. The identifier can be pushed anew
    Erase(PostingsEraseArgs),
    /// Delete postings that expired long ago and were not changed since
    Purge(PostingsPurgeArgs),
}

#[derive(Debug, Args)]
pub struct PostingsListArgs {
    /// Only postings of this status: `PendingEnrichment`, `approved`, `rejected` or `expired`
    #[arg(
        long,
        value_name = "STATUS",
        env = "POSTHASTE_POSTINGS_STATUS",
        value_parser = config::status
    )]
    pub status: Option<Status>,

    /// Only postings whose identifiers begin so; they are listed by identifier
    #[arg(long, value_name = "PREFIX", env = "POSTHASTE_POSTINGS_ID")]
    pub id: Option<String>,

    /// Only postings with these words, or words that begin so, in the title
    #[arg(long, value_name = "WORDS", env = "POSTHASTE_POSTINGS_TITLE")]
    pub title: Option<String>,

    /// Only postings with these words, or words that begin so, in the company's name
    #[arg(long, value_name = "WORDS", env = "POSTHASTE_POSTINGS_COMPANY")]
    pub company: Option<String>,

    /// Only postings that this client created: its id, or its name if no other client has it
    #[arg(
        long,
        value_name = "CLIENT",
        env = "POSTHASTE_POSTINGS_CLIENT",
        value_parser = config::client
    )]
    pub client: Option<ClientRef>,

    /// List so many at most
    #[arg(
        long,
        value_name = "ROWS",
        env = "POSTHASTE_POSTINGS_LIMIT",
        default_value_t = 100
    )]
    pub limit: usize,
    #[command(flatten)]
    pub json: JsonArgs,
    #[command(flatten)]
    pub store: StoreArgs,
}

#[derive(Debug, Args)]
pub struct PostingsPurgeArgs {
    /// Those that expired so many days ago, or before a day such as `2026-03-01`, or a time
    #[arg(
        long,
        value_name = "DAYS|TIME",
        env = "POSTHASTE_POSTINGS_EXPIRED_BEFORE",
        value_parser = config::expired_before
    )]
    pub expired_before: Before,

    /// Say how many, and delete nothing
    #[arg(
        long,
        env = "POSTHASTE_POSTINGS_DRY_RUN",
        value_parser = FalseyValueParser::new()
    )]
    pub dry_run: bool,

    /// Write them to a new file first, one JSON object a line; with `.gz` compressed
    #[arg(long, value_name = "FILE", env = "POSTHASTE_POSTINGS_ARCHIVE")]
    pub archive: Option<PathBuf>,
    #[command(flatten)]
    pub json: JsonArgs,
    #[command(flatten)]
    pub operator: OperatorArgs,
    #[command(flatten)]
    pub store: StoreArgs,
}

/// Names postings for a command that may change them.
#[derive(Debug, Args)]
pub struct PostingArgs {
    /// The postings' unique source identifiers, or their UUIDs
    #[arg(
        value_name = "ID",
        required_unless_present = "ids_from",
        value_parser = config::source_identifier
    )]
    pub ids: Vec<SourceIdentifier>,

    /// More IDs, one a line, from a file; `-` is the standard input
    #[arg(long, value_name = "FILE", env = "POSTHASTE_POSTINGS_IDS_FROM")]
    pub ids_from: Option<PathBuf>,

    /// Only if the posting still has this version, which `postings show --json` gives
    #[arg(
        long,
        value_name = "N",
        env = "POSTHASTE_POSTINGS_VERSION",
        conflicts_with = "ids_from"
    )]
    pub version: Option<Version>,
    #[command(flatten)]
    pub store: StoreArgs,
    #[command(flatten)]
    pub lifetime: LifetimeArgs,
    #[command(flatten)]
    pub operator: OperatorArgs,
}

#[derive(Debug, Args)]
pub struct PostingsShowArgs {
    /// The posting's unique source identifier, or its UUID
    #[arg(value_name = "ID", value_parser = config::source_identifier)]
    pub id: SourceIdentifier,
    #[command(flatten)]
    pub json: JsonArgs,
    #[command(flatten)]
    pub store: StoreArgs,
}

#[derive(Debug, Args)]
pub struct PostingsReasonArgs {
    /// Why, for the integrator to read
    #[arg(
        long,
        value_name = "REASON",
        env = "POSTHASTE_POSTINGS_REASON",
        value_parser = config::reason
    )]
    pub reason: String,
    #[command(flatten)]
    pub posting: PostingArgs,
}

#[derive(Debug, Args)]
pub struct PostingsEraseArgs {
    /// The posting's unique source identifier, or its UUID
    #[arg(value_name = "ID", value_parser = config::source_identifier)]
    pub id: SourceIdentifier,

    /// Why, for the audit. Leave out what is to be erased
    #[arg(
        long,
        value_name = "REASON",
        env = "POSTHASTE_POSTINGS_REASON",
        value_parser = config::reason
    )]
    pub reason: String,
    #[command(flatten)]
    pub store: StoreArgs,
    #[command(flatten)]
    pub operator: OperatorArgs,
}

#[derive(Debug, Args)]
pub struct PostingsFeatureArgs {
    /// Feature it no longer
    #[arg(long, env = "POSTHASTE_POSTINGS_OFF", value_parser = FalseyValueParser::new())]
    pub off: bool,
    #[command(flatten)]
    pub posting: PostingArgs,
}

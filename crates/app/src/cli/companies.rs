//! The commands about companies.

use clap::{Args, Subcommand, builder::FalseyValueParser};
use kernel::Website;

use super::{JsonArgs, OperatorArgs, StoreArgs};
use crate::config::{self, CompanyOwner};

#[derive(Debug, Subcommand)]
pub enum CompaniesCommand {
    /// List companies by website
    List(CompaniesListArgs),
    /// Show a company and its owner
    Show(CompaniesShowArgs),
    /// Change the name, the logo or the owner of a company
    Update(CompaniesUpdateArgs),
}

#[derive(Debug, Args)]
pub struct CompaniesListArgs {
    /// List so many at most
    #[arg(
        long,
        value_name = "ROWS",
        env = "POSTHASTE_COMPANIES_LIMIT",
        default_value_t = 100
    )]
    pub limit: usize,
    /// Only companies whose websites follow this text, which begins with `https://` or `http://`
    #[arg(
        long,
        value_name = "WEBSITE",
        env = "POSTHASTE_COMPANIES_AFTER",
        default_value = ""
    )]
    pub after: String,
    #[command(flatten)]
    pub json: JsonArgs,
    #[command(flatten)]
    pub store: StoreArgs,
}

#[derive(Debug, Args)]
pub struct CompaniesShowArgs {
    /// The company's website
    #[arg(value_name = "WEBSITE", value_parser = config::website)]
    pub website: Website,
    #[command(flatten)]
    pub json: JsonArgs,
    #[command(flatten)]
    pub store: StoreArgs,
}

#[derive(Debug, Args)]
#[command(group = clap::ArgGroup::new("change").required(true).multiple(true))]
pub struct CompaniesUpdateArgs {
    /// The company's website
    #[arg(value_name = "WEBSITE", value_parser = config::website)]
    pub website: Website,

    /// Call it so
    #[arg(
        long,
        value_name = "NAME",
        env = "POSTHASTE_COMPANY_NAME",
        group = "change"
    )]
    pub name: Option<String>,

    /// The path to its logo
    #[arg(
        long,
        value_name = "PATH",
        env = "POSTHASTE_COMPANY_LOGO",
        group = "change"
    )]
    pub logo: Option<String>,

    /// Show no logo
    #[arg(
        long,
        env = "POSTHASTE_COMPANY_NO_LOGO",
        value_parser = FalseyValueParser::new(),
        conflicts_with = "logo",
        group = "change"
    )]
    pub no_logo: bool,

    /// The client that owns it: its id, or its name if no other client has it; `none` leaves the
    /// company to the clients without prefixes
    #[arg(
        long,
        value_name = "CLIENT_ID",
        env = "POSTHASTE_COMPANY_OWNER",
        value_parser = config::owner,
        group = "change"
    )]
    pub owner: Option<CompanyOwner>,

    #[command(flatten)]
    pub json: JsonArgs,
    #[command(flatten)]
    pub store: StoreArgs,
    #[command(flatten)]
    pub operator: OperatorArgs,
}

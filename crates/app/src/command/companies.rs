//! `posthaste companies`: lists companies, and changes what they are called and who owns them.

use access::ClientRef;
use clap::{ArgGroup, Args, ValueEnum};
use domain::{
    company::{CompanyView, Kept},
    posting::CompanyPatch,
    usecase::{CompanyChange, CompanyError, update_company},
};
use fields::{Patch, Website, line::InvalidText};
use kernel::CompanyId;
use runtime::{COMMAND_PATIENCE, clock, decide_again};
use stores::Stores;
use views::company::CompanyOfOperator;

use crate::{
    cli::{ChangeArgs, JsonArgs, ListArgs, StoreArgs},
    command::clients::find_client,
    misconfigured::Misconfigured,
};

commands! {
    /// Look at companies, and at who owns them
    Companies {
        List(List),
        Show(Show),
        Update(Update),
    }
}

/// List companies by website
#[derive(Debug, Args)]
pub struct List {
    #[command(flatten)]
    rows: ListArgs,
    /// Only companies whose websites follow this text, which begins with `https://` or `http://`
    #[arg(long, value_name = "WEBSITE", default_value = "")]
    after: String,
    #[command(flatten)]
    store: StoreArgs,
}

impl List {
    pub async fn run(self) -> anyhow::Result<()> {
        let database = self.store.open().await?;
        let most = self.rows.most();
        let mut all = database.companies.companies(&self.after, most).await?;
        let more = self.rows.cut(&mut all);
        let more = more.and(all.last()).map(|last| {
            let website = &last.company.website;
            format!("and more; `--after {website}` goes on")
        });
        let rows: Vec<_> = all.iter().map(CompanyOfOperator::from).collect();
        self.rows.print(COLUMNS, &rows, "", more)
    }
}

/// What a list shows of a company.
const COLUMNS: &str =
    "WEBSITE=website_url  NAME=name  OWNER=owner  UPDATED (UTC)=updated_at  BY=updated_by";

/// The keys of a company's JSON, as `show` prints them.
const FIELDS: &str = "name  website_url  logo_path=none  owner=none  kept=none  uuid  created_at  \
                      updated_at  updated_by=unknown";

/// Show a company and its owner
#[derive(Debug, Args)]
pub struct Show {
    /// The company's website
    #[arg(value_name = "WEBSITE", value_parser = website)]
    website: Website,
    #[command(flatten)]
    json: JsonArgs,
    #[command(flatten)]
    store: StoreArgs,
}

impl Show {
    pub async fn run(self) -> anyhow::Result<()> {
        let database = self.store.open().await?;
        let id = CompanyId::of(&self.website);
        let found = find(&database, id).await?;
        self.json.record(&CompanyOfOperator::from(&found), FIELDS)
    }
}

async fn find(database: &Stores, id: CompanyId) -> anyhow::Result<CompanyView> {
    let found = database.companies.company(id).await?;
    Ok(found.ok_or(CompanyError::NotFound)?)
}

/// The options of an update of which it needs one.
const CHANGES: [&str; 5] = ["name", "logo", "no_logo", "owner", "release"];

/// Change the name, the logo or the owner of a company
///
/// No push changes a name or logo that is set here until it is released.
#[derive(Debug, Args)]
#[command(group = ArgGroup::new("change").args(CHANGES).required(true).multiple(true))]
pub struct Update {
    /// The company's website
    #[arg(value_name = "WEBSITE", value_parser = website)]
    website: Website,

    /// Call it so
    #[arg(long, value_name = "NAME", env = "POSTHASTE_COMPANY_NAME")]
    name: Option<String>,

    /// The path to its logo
    #[arg(long, value_name = "PATH", env = "POSTHASTE_COMPANY_LOGO")]
    logo: Option<String>,

    /// Show no logo
    #[arg(long, env = "POSTHASTE_COMPANY_NO_LOGO", conflicts_with = "logo")]
    no_logo: bool,

    /// The client that owns it: its id, or its name if no other client has it; `none` leaves the
    /// company to the clients without prefixes
    #[arg(
        long,
        value_name = "CLIENT_ID",
        env = "POSTHASTE_COMPANY_OWNER",
        value_parser = owner_named
    )]
    owner: Option<CompanyOwner>,

    /// Let clients change the name or the logo again
    #[arg(
        long,
        value_name = "PART",
        env = "POSTHASTE_COMPANY_RELEASE",
        value_delimiter = ','
    )]
    release: Vec<Part>,

    #[command(flatten)]
    json: JsonArgs,
    #[command(flatten)]
    by: ChangeArgs,
}

/// A part of a company that an operator may have set.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Part {
    Name,
    Logo,
}

/// The owner that a company is to have.
#[derive(Clone, Debug)]
enum CompanyOwner {
    /// None: the company is left to the clients without prefixes.
    None,
    Client(ClientRef),
}

fn owner_named(text: &str) -> Result<CompanyOwner, InvalidText> {
    match text.trim() {
        "none" => Ok(CompanyOwner::None),
        text => Ok(CompanyOwner::Client(text.parse()?)),
    }
}

/// The website that names a company, in any of its spellings.
fn website(text: &str) -> Result<Website, String> {
    Website::parse(text.trim()).map_err(|error| error.to_string())
}

impl Update {
    pub async fn run(self) -> anyhow::Result<()> {
        let logo = match (&self.logo, self.no_logo) {
            (Some(path), _) => Patch::Set(path.as_str()),
            (None, true) => Patch::Clear,
            (None, false) => Patch::Keep,
        };
        let patch = CompanyPatch::parse(self.name.as_deref(), &logo).map_err(|errors| {
            let errors = errors.iter();
            let errors =
                errors.flat_map(|(field, why)| why.iter().map(move |why| option(field, why)));
            Misconfigured(errors.collect::<Vec<_>>().join("; "))
        })?;
        let (by, database) = self.by.open().await?;
        let owner = match &self.owner {
            None => Patch::Keep,
            Some(CompanyOwner::None) => Patch::Clear,
            Some(CompanyOwner::Client(client)) => {
                Patch::Set(find_client(client, &*database.clients).await?.id)
            }
        };
        let release = Kept {
            name: self.release.contains(&Part::Name),
            logo: self.release.contains(&Part::Logo),
        };
        let id = CompanyId::of(&self.website);
        let change = CompanyChange {
            patch,
            owner,
            release,
        };
        let store = &*database.store;
        let attempt = || update_company(store, id, &change, &by, clock::now());
        decide_again(COMMAND_PATIENCE, attempt).await?;
        let found = find(&database, id).await?;
        self.json.record(&CompanyOfOperator::from(&found), FIELDS)
    }
}

/// An error of a field, by its option.
fn option(field: &str, why: &str) -> String {
    let option = if field == "logo_path" { "logo" } else { field };
    format!("--{option} {why}")
}

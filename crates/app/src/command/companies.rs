//! `posthaste companies`: lists companies, and changes what they are called and who owns them.

use clap::Args;
use domain::{
    company::{Company, CompanyView},
    posting::CompanyPatch,
    usecase::{CompanyChange, CompanyError},
};
use kernel::{Actor, CompanyId, Website};
use serde::{Serialize, Serializer};
use serde_json::{Value, json};

use super::clients;
use crate::{
    cli::{JsonArgs, OperatorArgs, StoreArgs},
    config::{self, CompanyOwner},
    database::Database,
    misconfigured::Misconfigured,
    operators, output,
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
    /// List so many at most
    #[arg(
        long,
        value_name = "ROWS",
        env = "POSTHASTE_COMPANIES_LIMIT",
        default_value_t = 100
    )]
    limit: usize,
    /// Only companies whose websites follow this text, which begins with `https://` or `http://`
    #[arg(
        long,
        value_name = "WEBSITE",
        env = "POSTHASTE_COMPANIES_AFTER",
        default_value = ""
    )]
    after: String,
    #[command(flatten)]
    json: JsonArgs,
    #[command(flatten)]
    store: StoreArgs,
}

impl List {
    pub async fn run(self) -> anyhow::Result<()> {
        let database = self.store.open().await?;
        // One more shows whether there are more.
        let most = self.limit.saturating_add(1);
        let mut all = database.companies.companies(&self.after, most).await?;
        let has_more = output::cut(&mut all, self.limit);
        let end = all.last().filter(|_| has_more);
        let more = end.map(|company| {
            let website = &company.company.website;
            format!("and more; `--after {website}` goes on")
        });
        let mut list = output::List::new(self.json.enabled, output::print);
        list.page(&all.iter().map(Row).collect::<Vec<_>>())?;
        list.end("", more)
    }
}

struct Row<'a>(&'a CompanyView);

impl Serialize for Row<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        data(self.0).serialize(serializer)
    }
}

impl output::Row for Row<'_> {
    const COLUMNS: &'static [(&'static str, usize)] = &[
        ("WEBSITE", 0),
        ("NAME", 0),
        ("OWNER", 0),
        ("UPDATED", 0),
        ("BY", 0),
    ];

    fn cells(&self) -> Vec<String> {
        let company = &self.0.company;
        vec![
            company.website.to_string(),
            company.name.clone(),
            owner(company),
            output::minute(self.0.updated_at),
            by(self.0),
        ]
    }
}

/// Show a company and its owner
#[derive(Debug, Args)]
pub struct Show {
    /// The company's website
    #[arg(value_name = "WEBSITE", value_parser = config::website)]
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
        print(&find(&database, id).await?, self.json.enabled)
    }
}

async fn find(database: &Database, id: CompanyId) -> anyhow::Result<CompanyView> {
    let found = database.companies.company(id).await?;
    Ok(found.ok_or(CompanyError::NotFound)?)
}

/// Change the name, the logo or the owner of a company
#[derive(Debug, Args)]
#[command(group = clap::ArgGroup::new("change").required(true).multiple(true))]
pub struct Update {
    /// The company's website
    #[arg(value_name = "WEBSITE", value_parser = config::website)]
    website: Website,

    /// Call it so
    #[arg(
        long,
        value_name = "NAME",
        env = "POSTHASTE_COMPANY_NAME",
        group = "change"
    )]
    name: Option<String>,

    /// The path to its logo
    #[arg(
        long,
        value_name = "PATH",
        env = "POSTHASTE_COMPANY_LOGO",
        group = "change"
    )]
    logo: Option<String>,

    /// Show no logo
    #[arg(
        long,
        env = "POSTHASTE_COMPANY_NO_LOGO",
        conflicts_with = "logo",
        group = "change"
    )]
    no_logo: bool,

    /// The client that owns it: its id, or its name if no other client has it; `none` leaves the
    /// company to the clients without prefixes
    #[arg(
        long,
        value_name = "CLIENT_ID",
        env = "POSTHASTE_COMPANY_OWNER",
        value_parser = config::owner,
        group = "change"
    )]
    owner: Option<CompanyOwner>,

    #[command(flatten)]
    json: JsonArgs,
    #[command(flatten)]
    store: StoreArgs,
    #[command(flatten)]
    operator: OperatorArgs,
}

impl Update {
    pub async fn run(self) -> anyhow::Result<()> {
        let by = self.operator.attribution()?;
        let logo = match (&self.logo, self.no_logo) {
            (Some(path), _) => Some(Some(path.as_str())),
            (None, true) => Some(None),
            (None, false) => None,
        };
        let patch = CompanyPatch::parse(self.name.as_deref(), logo).map_err(|errors| {
            let errors = errors.iter();
            let errors =
                errors.flat_map(|(field, why)| why.iter().map(move |why| option(field, why)));
            Misconfigured(errors.collect::<Vec<_>>().join("; "))
        })?;
        let database = self.store.open().await?;
        let owner = match &self.owner {
            None => None,
            Some(CompanyOwner::None) => Some(None),
            Some(CompanyOwner::Client(client)) => {
                Some(Some(clients::find(&*database.clients, client).await?.id))
            }
        };
        let (change, id) = (CompanyChange { patch, owner }, CompanyId::of(&self.website));
        let (store, clients) = (&*database.store, &*database.clients);
        operators::change_company(store, clients, id, &change, &by).await?;
        print(&find(&database, id).await?, self.json.enabled)
    }
}

/// An error of a field, by its option.
fn option(field: &str, why: &str) -> String {
    let option = if field == "logo_path" { "logo" } else { field };
    format!("--{option} {why}")
}

fn print(view: &CompanyView, as_json: bool) -> anyhow::Result<()> {
    if as_json {
        return output::print_json(&data(view));
    }
    let company = &view.company;
    let logo = company.logo_path.as_deref().unwrap_or("none");
    let mut fields = output::Fields::default();
    fields
        .add("name", company.name.clone())
        .add("website_url", company.website.to_string())
        .add("logo_path", logo.to_owned())
        .add("owner", owner(company))
        .add("uuid", company.id.to_string())
        .add("created_at", output::time(view.created_at))
        .add("updated_at", output::time(view.updated_at))
        .add("updated_by", by(view));
    output::print(fields.text())
}

/// The company with the keys of the API.
fn data(view: &CompanyView) -> Value {
    let company = &view.company;
    json!({
        "uuid": company.id.uuid(),
        "name": company.name,
        "website_url": company.website.as_str(),
        "logo_path": company.logo_path,
        "owner": company.owner.map(|owner| owner.to_string()),
        "created_at": output::time(view.created_at),
        "updated_at": output::time(view.updated_at),
        "updated_by": view.updated_by.as_ref().map(Actor::to_string),
    })
}

fn owner(company: &Company) -> String {
    let owner = company.owner.map(|owner| owner.to_string());
    owner.unwrap_or_else(|| "none".to_owned())
}

fn by(view: &CompanyView) -> String {
    let by = view.updated_by.as_ref().map(Actor::to_string);
    by.unwrap_or_else(|| "unknown".to_owned())
}

use access::ClientRef;
use clap::{ArgGroup, Args, ValueEnum};
use domain::{
    company::{CompanyView, Kept, PairKind, name_key},
    posting::CompanyPatch,
    usecase::{
        CompanyChange, CompanyError, MOST_ALIASES, find_company, merge_companies, unmerge_company,
        update_company,
    },
};
use fields::{Patch, WebsiteKey, line::InvalidText};
use kernel::CompanyId;
use runtime::{COMMAND_PATIENCE, clock, decide_again};
use stores::Stores;
use uuid::Uuid;
use views::company::{CompanyInFull, CompanyOfOperator, CompanyPairOfOperator};

use crate::{
    args::{ChangeArgs, JsonArgs, ListArgs, StoreArgs, values},
    command::clients::find_client,
    misconfigured::Misconfigured,
};

commands! {
    /// Show companies, merge duplicates, and change their owners
    Companies {
        List(List),
        Show(Show),
        Update(Update),
        Merge(Merge),
        Unmerge(Unmerge),
    }
}

/// List companies by website
#[derive(Debug, Args)]
pub struct List {
    #[command(flatten)]
    rows: ListArgs,
    /// Only companies whose websites come after this one in the list
    #[arg(long, value_name = "WEBSITE", default_value = "")]
    after: String,
    /// Only companies whose names begin with this, without the legal form; sorted by name
    #[arg(long, value_name = "NAME", conflicts_with = "after")]
    name: Option<String>,
    /// Pairs of companies that may be the same one: they share a name and a site
    #[arg(long, conflicts_with_all = ["after", "name"])]
    similar: bool,
    #[command(flatten)]
    store: StoreArgs,
}

impl List {
    pub async fn run(self) -> anyhow::Result<()> {
        let database = self.store.open().await?;
        let (most, companies) = (self.rows.most(), &database.companies);
        if self.similar {
            let mut all = companies
                .company_pairs(PairKind::Similar, None, most)
                .await?;
            let more = self.rows.cut(&mut all);
            let rows: Vec<_> = all.iter().map(CompanyPairOfOperator::from).collect();
            return self.rows.print(PAIR_COLUMNS, &rows, "", more);
        }
        if let Some(name) = &self.name {
            let mut all = companies.companies_named(&name_key(name), most).await?;
            let more = self.rows.cut(&mut all);
            let rows: Vec<_> = all.iter().map(CompanyOfOperator::from).collect();
            return self.rows.print(COLUMNS, &rows, "", more);
        }
        let after = WebsiteKey::parse(&self.after);
        let after = after.as_ref().map_or(&*self.after, WebsiteKey::as_str);
        let mut all = companies.companies(after, most).await?;
        let more = self.rows.cut(&mut all);
        let more = more.and(all.last()).map(|last| {
            let website = &last.company.website;
            format!("and more; `--after {website}` continues")
        });
        let rows: Vec<_> = all.iter().map(CompanyOfOperator::from).collect();
        self.rows.print(COLUMNS, &rows, "", more)
    }
}

const COLUMNS: &str =
    "WEBSITE=website_url  NAME=name  OWNER=owner  UPDATED (UTC)=updated_at  BY=updated_by";

const PAIR_COLUMNS: &str = "WEBSITE=company/website_url  NAME=company/name  \
                            SIMILAR TO=similar_to/website_url  NAME=similar_to/name";

const FIELDS: &str = "name  website_url  logo_path=none  owner=none  kept=none  uuid  created_at  \
                      updated_at  updated_by=unknown";

const FIELDS_IN_FULL: &str = "name  website_url  logo_path=none  owner=none  kept=none  \
                              aliases=none  postings=none  uuid  created_at  updated_at  \
                              updated_by=unknown";

const COUNTED: usize = 1_000_000;

/// Show a company, its aliases and its postings
#[derive(Debug, Args)]
pub struct Show {
    /// The website or UUID of the company or of its alias
    #[arg(value_name = "WEBSITE", value_parser = company)]
    website: CompanyId,
    #[command(flatten)]
    json: JsonArgs,
    #[command(flatten)]
    store: StoreArgs,
}

impl Show {
    pub async fn run(self) -> anyhow::Result<()> {
        let database = self.store.open().await?;
        let found = find(&database, self.website).await?;
        show(&database, &found, &self.json).await
    }
}

async fn show(database: &Stores, found: &CompanyView, json: &JsonArgs) -> anyhow::Result<()> {
    let (companies, id) = (&database.companies, found.company.id);
    let aliases = companies.aliases(id, MOST_ALIASES).await?;
    let postings = companies.count_postings(id, COUNTED).await?;
    let record = CompanyInFull::new(found, &aliases, &postings);
    json.record(&record, FIELDS_IN_FULL)
}

async fn find(database: &Stores, id: CompanyId) -> anyhow::Result<CompanyView> {
    let found = find_company(&*database.companies, id).await?;
    Ok(found.ok_or(CompanyError::NotFound)?)
}

const CHANGES: [&str; 5] = ["name", "logo", "no_logo", "owner", "release"];

/// Change the name, the logo or the owner of a company
///
/// Pushes do not change a name or logo that is set here, until an operator releases it.
#[derive(Debug, Args)]
#[command(group = ArgGroup::new("change").args(CHANGES).required(true).multiple(true))]
pub struct Update {
    /// The company's website or UUID
    #[arg(value_name = "WEBSITE", value_parser = company)]
    website: CompanyId,

    /// The new name
    #[arg(long, value_name = "NAME", env = "POSTHASTE_COMPANY_NAME")]
    name: Option<String>,

    /// The path to its logo
    #[arg(long, value_name = "PATH", env = "POSTHASTE_COMPANY_LOGO")]
    logo: Option<String>,

    /// Show no logo
    #[arg(long, env = "POSTHASTE_COMPANY_NO_LOGO", conflicts_with = "logo")]
    no_logo: bool,

    /// The client that owns the company: its id, or its name if no other client has it; `none`
    /// leaves the company to the clients without prefixes
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

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Part {
    Name,
    Logo,
}

#[derive(Clone, Debug)]
enum CompanyOwner {
    None,
    Client(ClientRef),
}

fn owner_named(text: &str) -> Result<CompanyOwner, InvalidText> {
    match text.trim() {
        "none" => Ok(CompanyOwner::None),
        text => Ok(CompanyOwner::Client(text.parse()?)),
    }
}

/// A company by its website in any spelling, or by UUID.
pub fn company(text: &str) -> Result<CompanyId, String> {
    let text = text.trim();
    match Uuid::try_parse(text) {
        Ok(id) => Ok(CompanyId::new(id)),
        Err(_) => WebsiteKey::parse(text)
            .map(|key| CompanyId::of(&key))
            .map_err(|error| error.to_string()),
    }
}

/// Merge a company into another one, which takes over the postings
///
/// From then on, the website of the merged company means the other company. The other company keeps
/// its own name, logo and owner.
#[derive(Debug, Args)]
pub struct Merge {
    /// The website or UUID of the company that becomes an alias
    #[arg(value_name = "FROM", value_parser = company)]
    from: CompanyId,
    /// The website or UUID of the company that remains
    #[arg(value_name = "INTO", value_parser = company)]
    into: CompanyId,
    /// The reason, for the audit
    #[arg(long, value_name = "REASON", value_parser = values::reason)]
    reason: String,
    #[command(flatten)]
    json: JsonArgs,
    #[command(flatten)]
    by: ChangeArgs,
}

impl Merge {
    pub async fn run(self) -> anyhow::Result<()> {
        let (by, database) = self.by.open().await?;
        let ports = (&*database.store, &*database.companies);
        let (ids, reason) = ((self.from, self.into), &*self.reason);
        let attempt = || merge_companies(ports, ids, reason, &by, clock::now());
        decide_again(COMMAND_PATIENCE, attempt).await?;
        let found = find(&database, self.into).await?;
        show(&database, &found, &self.json).await
    }
}

/// Separate a merged company again, with the postings that it brought
#[derive(Debug, Args)]
pub struct Unmerge {
    /// The website or UUID of the company that was merged into another one
    #[arg(value_name = "ALIAS", value_parser = company)]
    alias: CompanyId,
    /// The reason, for the audit
    #[arg(long, value_name = "REASON", value_parser = values::reason)]
    reason: String,
    #[command(flatten)]
    json: JsonArgs,
    #[command(flatten)]
    by: ChangeArgs,
}

impl Unmerge {
    pub async fn run(self) -> anyhow::Result<()> {
        let (by, database) = self.by.open().await?;
        let (store, id, reason) = (&*database.store, self.alias, &*self.reason);
        let attempt = || unmerge_company(store, id, reason, &by, clock::now());
        decide_again(COMMAND_PATIENCE, attempt).await?;
        let found = find(&database, id).await?;
        show(&database, &found, &self.json).await
    }
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
        let id = self.website;
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

fn option(field: &str, why: &str) -> String {
    let option = if field == "logo_path" { "logo" } else { field };
    format!("--{option} {why}")
}

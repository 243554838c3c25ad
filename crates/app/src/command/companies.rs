//! `posthaste companies`: lists companies, and changes what they are called and who owns them.

use std::process::ExitCode;

use domain::{
    company::{Company, CompanyView},
    posting::CompanyPatch,
    usecase::{CompanyChange, CompanyError},
};
use kernel::{Actor, CompanyId};
use serde_json::{Value, json};

use super::clients;
use crate::{
    cli::{CompaniesCommand, CompaniesListArgs, CompaniesShowArgs, CompaniesUpdateArgs},
    config::CompanyOwner,
    database::Database,
    misconfigured::Misconfigured,
    operators, output,
};

/// Runs a subcommand.
pub async fn run(command: CompaniesCommand) -> anyhow::Result<ExitCode> {
    match command {
        CompaniesCommand::List(args) => list(args).await?,
        CompaniesCommand::Show(args) => show(args).await?,
        CompaniesCommand::Update(args) => update(args).await?,
    }
    Ok(ExitCode::SUCCESS)
}

async fn list(args: CompaniesListArgs) -> anyhow::Result<()> {
    let database = Database::open(&args.store.database()).await?;
    // One more shows whether there are more.
    let most = args.limit.saturating_add(1);
    let mut all = database.companies.companies(&args.after, most).await?;
    let is_more = all.len() > args.limit;
    all.truncate(args.limit);
    if args.json.enabled {
        return output::print_json(&all.iter().map(data).collect::<Vec<_>>());
    }
    let mut table = output::table(["WEBSITE", "NAME", "OWNER", "UPDATED", "BY"]);
    for view in &all {
        let company = &view.company;
        table.add_row([
            company.website.to_string(),
            company.name.clone(),
            owner(company),
            output::minute(view.updated_at),
            by(view),
        ]);
    }
    output::print(table)?;
    if let (true, Some(last)) = (is_more, all.last()) {
        let website = &last.company.website;
        output::print(format_args!("and more; `--after {website}` goes on"))?;
    }
    Ok(())
}

async fn show(args: CompaniesShowArgs) -> anyhow::Result<()> {
    let database = Database::open(&args.store.database()).await?;
    let id = CompanyId::of(&args.website);
    print(&find(&database, id).await?, args.json.enabled)
}

async fn find(database: &Database, id: CompanyId) -> anyhow::Result<CompanyView> {
    let found = database.companies.company(id).await?;
    Ok(found.ok_or(CompanyError::NotFound)?)
}

async fn update(args: CompaniesUpdateArgs) -> anyhow::Result<()> {
    let by = args.operator.attribution()?;
    let logo = match (&args.logo, args.no_logo) {
        (Some(path), _) => Some(Some(path.as_str())),
        (None, true) => Some(None),
        (None, false) => None,
    };
    let patch = CompanyPatch::parse(args.name.as_deref(), logo).map_err(|errors| {
        let errors = errors.iter();
        let errors = errors.flat_map(|(field, why)| why.iter().map(move |why| option(field, why)));
        Misconfigured(errors.collect::<Vec<_>>().join("; "))
    })?;
    let database = Database::open(&args.store.database()).await?;
    let owner = match &args.owner {
        None => None,
        Some(CompanyOwner::None) => Some(None),
        Some(CompanyOwner::Client(client)) => {
            Some(Some(clients::find(&*database.clients, client).await?.id))
        }
    };
    let (change, id) = (CompanyChange { patch, owner }, CompanyId::of(&args.website));
    let (store, clients) = (&*database.store, &*database.clients);
    operators::change_company(store, clients, id, &change, &by).await?;
    print(&find(&database, id).await?, args.json.enabled)
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
    let line = |name: &str, value: &str| format!("{name:<14}{value}");
    let lines = [
        line("name", &company.name),
        line("website_url", company.website.as_str()),
        line("logo_path", company.logo_path.as_deref().unwrap_or("none")),
        line("owner", &owner(company)),
        line("uuid", &company.id.to_string()),
        line("created_at", &output::time(view.created_at)),
        line("updated_at", &output::time(view.updated_at)),
        line("updated_by", &by(view)),
    ];
    output::print(lines.join("\n"))
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

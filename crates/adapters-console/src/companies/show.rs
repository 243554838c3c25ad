//! The pages of companies.

use actix_web::{HttpRequest, web};
use askama::Template;
use domain::company::{Company, CompanyView};
use kernel::{Actor, ClientId, CompanyId, Website};
use time::OffsetDateTime;
use uuid::Uuid;

use crate::{
    error::{Answer, Failure},
    form::Fields,
    notice, page,
    query::Query,
    state::State,
    text,
};

pub const PATH: &str = "/companies";
/// Companies of a page.
const PAGE: usize = 50;
/// Clients to choose from, and to name.
const CLIENTS: usize = 200;
/// The owner of a company that is left to the clients without prefixes.
pub const NO_OWNER: &str = "none";
/// The field with the state of the company that the form was shown with.
pub const SEEN: &str = "seen";

#[derive(Template)]
#[template(path = "companies/list.html")]
struct List {
    head: page::Head,
    frame: page::Frame,
    rows: Vec<Row>,
    search: Fields,
    next: Option<String>,
}

/// A row of the list.
struct Row {
    company: Company,
    owner: Option<(ClientId, String)>,
    created_at: OffsetDateTime,
    updated_at: OffsetDateTime,
    by: String,
}

#[derive(Template)]
#[template(path = "companies/show.html")]
struct Show {
    head: page::Head,
    frame: page::Frame,
    row: Row,
    website: Option<String>,
    seen: String,
    clients: Vec<(ClientId, String)>,
    fields: Fields,
}

/// The companies from a website on, by website.
pub async fn list(request: HttpRequest, state: web::Data<State>) -> Answer {
    let query = Query::of(&request);
    let mut companies = Vec::new();
    let after = match (query.get("after"), query.get("from")) {
        (Some(after), _) => after.to_owned(),
        (None, from) => {
            let from = start(from.unwrap_or_default());
            // The list follows the website, which is wanted itself.
            companies.extend(at(&state, &from).await?);
            from
        }
    };
    let most = PAGE + 1 - companies.len();
    companies.extend(state.ports.companies.companies(&after, most).await?);
    let has_more = companies.len() > PAGE;
    companies.truncate(PAGE);
    let last = companies.last().filter(|_| has_more);
    let next = last.map(|last| query.with(PATH, "after", last.company.website.as_str()));
    let clients = clients(&state).await?;
    let page = List {
        head: page::Head::new("Companies"),
        frame: page::Frame::of(&request, PATH)?,
        rows: companies
            .into_iter()
            .map(|one| row(one, &clients))
            .collect(),
        search: Fields::showing(query),
        next,
    };
    page::answer(&page, 200)
}

/// Where the list starts for what was typed: at a website in its normal form, which may lack its
/// scheme.
fn start(typed: &str) -> String {
    let full = match typed {
        "" => return String::new(),
        typed if typed.contains("://") => typed.to_owned(),
        typed => format!("https://{typed}"),
    };
    Website::parse(&full).map_or(full, |website| website.as_str().to_owned())
}

/// The company with this website.
async fn at(state: &State, website: &str) -> Result<Option<CompanyView>, Failure> {
    match Website::parse(website) {
        Ok(website) => load(state, CompanyId::of(&website)).await,
        Err(_) => Ok(None),
    }
}

async fn load(state: &State, id: CompanyId) -> Result<Option<CompanyView>, Failure> {
    Ok(state.ports.companies.company(id).await?)
}

async fn clients(state: &State) -> Result<Vec<(ClientId, String)>, Failure> {
    let known = state.ports.clients.list(CLIENTS).await?;
    let clients = known.into_iter().map(|client| (client.id, client.name));
    Ok(clients.collect())
}

fn row(view: CompanyView, clients: &[(ClientId, String)]) -> Row {
    let owner = view.company.owner.map(|owner| {
        let known = clients.iter().find(|(id, _)| *id == owner);
        known.cloned().unwrap_or_else(|| (owner, owner.to_string()))
    });
    let by = view.updated_by.as_ref().map(Actor::to_string);
    Row {
        owner,
        created_at: view.created_at,
        updated_at: view.updated_at,
        by: by.unwrap_or_default(),
        company: view.company,
    }
}

/// The company of an address.
pub async fn find(state: &State, id: &str) -> Result<CompanyView, Failure> {
    let id = Uuid::try_parse(id).map_err(|_| Failure::NotFound)?;
    let found = load(state, CompanyId::new(id)).await?;
    found.ok_or(Failure::NotFound)
}

/// The state of a company that its form is about.
pub fn seen(view: &CompanyView) -> String {
    view.updated_at.unix_timestamp_nanos().to_string()
}

/// One company.
pub async fn show(
    request: HttpRequest,
    path: web::Path<String>,
    state: web::Data<State>,
) -> Answer {
    one(&request, &state, &path, Fields::default()).await
}

/// One company, and the form that changes it.
pub async fn one(request: &HttpRequest, state: &State, id: &str, refused: Fields) -> Answer {
    let mut frame = page::Frame::of_form(request, PATH, &refused)?;
    let is_done = notice::done(request)?.as_deref() == Some("update");
    frame.notice = is_done.then(|| "The company is saved.".to_owned());
    let view = find(state, id).await?;
    let company = &view.company;
    let mut clients = clients(state).await?;
    if let Some(owner) = company.owner
        && !clients.iter().any(|(id, _)| *id == owner)
    {
        let client = state.ports.clients.find(owner).await?;
        clients.extend(client.map(|client| (owner, client.name)));
    }
    let website = company.website.as_str();
    let status = refused.status();
    let page = Show {
        head: page::Head::new(&*company.name),
        frame,
        website: text::is_web(website).then(|| website.to_owned()),
        seen: seen(&view),
        fields: if status == 200 {
            fields(company)
        } else {
            refused
        },
        row: row(view.clone(), &clients),
        clients,
    };
    page::answer(&page, status)
}

/// What the form of a company shows.
fn fields(company: &Company) -> Fields {
    let owner = company.owner.map(|owner| owner.to_string());
    Fields::with_values([
        ("name", company.name.clone()),
        ("logo_path", company.logo_path.clone().unwrap_or_default()),
        ("owner", owner.unwrap_or_else(|| NO_OWNER.to_owned())),
    ])
}

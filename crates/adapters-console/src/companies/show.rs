//! The pages of companies.

use access::Client;
use actix_web::web;
use askama::Template;
use domain::company::{Company, CompanyView};
use kernel::{CompanyId, Website};
use uuid::Uuid;

use crate::{
    by::By,
    error::{Answer, Failure},
    form::Fields,
    page::{self, Frame},
    visit::OperatorVisit,
};

/// The path of the list.
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
    frame: Frame,
    rows: Vec<CompanyView>,
    clients: Vec<Client>,
    search: Fields,
    next: Option<String>,
}

#[derive(Template)]
#[template(path = "companies/show.html")]
struct Show {
    frame: Frame,
    view: CompanyView,
    seen: String,
    clients: Vec<Client>,
    fields: Fields,
}

/// The client that owns a company.
pub fn owner(company: &Company, clients: &[Client]) -> By {
    let owner = company.owner;
    owner.map_or_else(|| By::named(NO_OWNER), |id| By::client(id, clients))
}

/// The companies from a website on, by website.
pub async fn list(visit: OperatorVisit) -> Answer {
    let (query, companies) = (visit.query(), &visit.state.ports.companies);
    let mut rows = Vec::new();
    let after = match (query.get("after"), query.get("from")) {
        (Some(after), _) => after.to_owned(),
        (None, from) => {
            let from = start(from.unwrap_or_default());
            // The list follows the website, which is wanted itself.
            if let Ok(website) = Website::parse(&from) {
                rows.extend(companies.company(CompanyId::of(&website)).await?);
            }
            from
        }
    };
    let most = PAGE + 1 - rows.len();
    rows.extend(companies.companies(&after, most).await?);
    let page = List {
        frame: visit.frame(PATH, "Companies"),
        next: query.next(PATH, "after", (&mut rows, PAGE), |last| {
            last.company.website.to_string()
        }),
        rows,
        clients: visit.ports().clients.list(CLIENTS).await?,
        search: Fields::showing(query),
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

/// The company of an address.
pub async fn find(visit: &OperatorVisit, id: &str) -> Result<CompanyView, Failure> {
    let id = Uuid::try_parse(id).map_err(|_| Failure::NotFound)?;
    let companies = &visit.state.ports.companies;
    let found = companies.company(CompanyId::new(id)).await?;
    found.ok_or(Failure::NotFound)
}

/// The state of a company that its form is about.
pub fn seen(view: &CompanyView) -> String {
    view.updated_at.unix_timestamp_nanos().to_string()
}

/// One company.
pub async fn show(visit: OperatorVisit, path: web::Path<String>) -> Answer {
    let view = find(&visit, &path).await?;
    one(&visit, view, Fields::default()).await
}

/// One company, and the form that changes it.
pub async fn one(visit: &OperatorVisit, view: CompanyView, refused: Fields) -> Answer {
    let is_done = visit.done().as_deref() == Some("update");
    let frame = visit.frame_of_form(PATH, &*view.company.name, &refused);
    let mut clients = visit.ports().clients.list(CLIENTS).await?;
    if let Some(owner) = view.company.owner
        && !clients.iter().any(|client| client.id == owner)
    {
        clients.extend(visit.ports().clients.find(owner).await?);
    }
    let page = Show {
        seen: seen(&view),
        fields: match frame.problem {
            Some(_) => refused,
            None => fields(&view.company),
        },
        frame: frame.saying(is_done.then_some("The company is saved.")),
        view,
        clients,
    };
    page::answer(&page, page.frame.status)
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

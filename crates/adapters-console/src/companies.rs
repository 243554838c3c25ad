//! Companies: the list, one company, and the form that changes it.

use access::Client;
use actix_web::web;
use askama::Template;
use domain::{
    company::{Company, CompanyView, Kept},
    posting::CompanyPatch,
    usecase::{CompanyChange, CompanyError, update_company},
};
use fields::{Patch, Website};
use kernel::CompanyId;
use runtime::{COMMAND_PATIENCE, decide_again};
use uuid::Uuid;

use crate::{
    by::By,
    error::{Answer, Failure, Refusal},
    form::{Fields, Form, Reader},
    page::{Frame, page},
    visit::OperatorVisit,
};

/// The path of the list, below which each has its page.
const PATH: &str = "/companies";
const PAGE: usize = 50;
/// Clients to choose from, and to name.
const CLIENTS: usize = 200;
/// The owner of a company that is left to the clients without prefixes.
const NO_OWNER: &str = "none";
/// The field with the state of the company that the form was shown with.
const SEEN: &str = "seen";

/// Adds the routes.
pub fn routes(config: &mut web::ServiceConfig) {
    config
        .service(page(PATH, list))
        .service(page("/companies/{id}", show).route(web::post().to(change)));
}

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

pub fn owner(company: &Company, clients: &[Client]) -> By {
    let owner = company.owner;
    owner.map_or_else(|| By::named(NO_OWNER), |id| By::client(id, clients))
}

/// The parts of a company that an operator set.
pub fn kept(company: &Company) -> String {
    company.kept.names().collect::<Vec<_>>().join(" and ")
}

/// The companies from a website on, by website.
async fn list(visit: OperatorVisit) -> Answer {
    let (query, companies) = (visit.query(), &visit.stores().companies);
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
        clients: visit.stores().clients.list(CLIENTS).await?,
        search: Fields {
            values: query,
            ..Fields::default()
        },
    };
    page.frame.answer(&page)
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
async fn find(visit: &OperatorVisit, id: &str) -> Result<CompanyView, Failure> {
    let id = Uuid::try_parse(id).map_err(|_| Failure::NotFound)?;
    let companies = &visit.stores().companies;
    let found = companies.company(CompanyId::new(id)).await?;
    found.ok_or(Failure::NotFound)
}

/// The state of a company that its form is about.
fn seen(view: &CompanyView) -> String {
    view.updated_at.unix_timestamp_nanos().to_string()
}

/// One company.
async fn show(visit: OperatorVisit, path: web::Path<String>) -> Answer {
    let view = find(&visit, &path).await?;
    one(&visit, view, Fields::default()).await
}

/// One company, and the form that changes it.
async fn one(visit: &OperatorVisit, view: CompanyView, refused: Fields) -> Answer {
    let is_done = visit.done().as_deref() == Some("update");
    let frame = visit.frame_of_form(PATH, &*view.company.name, &refused);
    let mut clients = visit.stores().clients.list(CLIENTS).await?;
    if let Some(owner) = view.company.owner
        && !clients.iter().any(|client| client.id == owner)
    {
        clients.extend(visit.stores().clients.find(owner).await?);
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
    page.frame.answer(&page)
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

impl From<CompanyError> for Failure {
    fn from(error: CompanyError) -> Self {
        match error {
            CompanyError::NotFound => Self::NotFound,
            CompanyError::UnknownOwner(_) => {
                Refusal::of_fields(vec![("owner".to_owned(), error.to_string())])
            }
            CompanyError::Store(error) => error.into(),
        }
    }
}

/// Reads the change from a form. The form sends all values, and the change sets only the values
/// that differ from the company's.
fn change_of(fields: &mut Reader<'_>, company: &Company) -> Option<CompanyChange> {
    let logo = Some(fields.text("logo_path")).filter(|logo| !logo.is_empty());
    let logo = match logo {
        logo if logo == company.logo_path.as_deref() => Patch::Keep,
        logo => logo.map_or(Patch::Clear, Patch::Set),
    };
    let name = Some(fields.text("name")).filter(|name| *name != company.name);
    let patch = CompanyPatch::parse(name, &logo);
    let patch = patch.map_err(|errors| {
        for (field, reasons) in errors.iter() {
            fields.refuse(field, reasons.join("; "));
        }
    });
    let owner = match fields.text("owner") {
        NO_OWNER => Ok(Patch::Clear),
        id => id
            .parse()
            .map(Patch::Set)
            .map_err(|_| format!("{id:?} is neither the id of a client nor {NO_OWNER:?}")),
    };
    let owner = fields.take("owner", owner);
    Some(CompanyChange {
        patch: patch.ok()?,
        owner: owner?,
        release: Kept {
            name: fields.text("release_name") == "yes",
            logo: fields.text("release_logo") == "yes",
        },
    })
}

/// Changes a company.
async fn change(visit: OperatorVisit, path: web::Path<String>, form: Form) -> Answer {
    let company = find(&visit, &path).await?;
    let done = carry_out(&visit, &company, &form).await;
    let page = async |refused| one(&visit, company, refused).await;
    form.answer(done, page).await
}

async fn carry_out(visit: &OperatorVisit, view: &CompanyView, form: &Form) -> Answer {
    let change = form.read(|fields| change_of(fields, &view.company))?;
    if form.get(SEEN) != Some(&seen(view)) {
        let why = "The company has changed meanwhile; its present values are above the form.";
        return Err(Refusal::conflict(why));
    }
    let id = view.company.id;
    let store = &*visit.stores().store;
    let attempt = || update_company(store, id, &change, &visit.by, visit.now);
    decide_again(COMMAND_PATIENCE, attempt).await?;
    Ok(visit.lead(&format!("{PATH}/{id}"), "update"))
}

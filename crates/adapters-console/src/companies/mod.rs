mod merge;
mod shared;

use std::collections::BTreeMap;

use access::{Client, ClientRef, ClientRefError};
use actix_web::web;
use askama::Template;
use domain::{
    browse::{PostingSummary, WindowOrder},
    company::{Company, CompanyView, Kept, name_key},
    posting::CompanyPatch,
    usecase::{CompanyChange, CompanyError, MOST_ALIASES, update_company},
};
use fields::{Patch, WebsiteKey};
use kernel::{CompanyId, PostingId, Status};
use runtime::{COMMAND_PATIENCE, decide_again};
use uuid::Uuid;

use self::shared::{CLIENTS, PATH};
use crate::{
    by::By,
    error::{Answer, Failure, Refusal},
    form::{Fields, Form, Reader},
    page::{Frame, page},
    visit::OperatorVisit,
};

const PAGE: usize = 50;
/// The limit to which a company's postings are counted: the page waits for the count.
const COUNTED: usize = 10_000;
const NO_OWNER: &str = "none";
const CHANGE: &str = "change";
/// The field with the time of the company's last change when the form was shown.
const SEEN: &str = "seen";

pub fn routes(config: &mut web::ServiceConfig) {
    config
        .service(page(PATH, list))
        .service(page(merge::PATH, merge::similar).route(web::post().to(merge::tell_apart)))
        .service(page("/companies/{id}", show).route(web::post().to(act)));
}

#[derive(Template)]
#[template(path = "companies/list.html")]
struct List {
    frame: Frame,
    rows: Vec<CompanyView>,
    clients: Vec<Client>,
    search: Fields,
    next: Option<String>,
    is_cut: bool,
}

#[derive(Template)]
#[template(path = "companies/show.html")]
struct Show {
    frame: Frame,
    view: CompanyView,
    target: Option<CompanyView>,
    aliases: Vec<CompanyView>,
    counts: BTreeMap<Status, usize>,
    postings: Vec<PostingSummary>,
    next: Option<String>,
    seen: String,
    clients: Vec<Client>,
    fields: Fields,
    merge: Fields,
    suggested: String,
}

impl Show {
    /// The company to merge into: typed, or suggested by the page of pairs.
    fn into(&self) -> &str {
        match self.merge.get("into") {
            "" => &self.suggested,
            typed => typed,
        }
    }

    #[expect(
        clippy::trivially_copy_pass_by_ref,
        reason = "templates pass references"
    )]
    fn count(&self, count: &usize) -> String {
        let is_cut = self.counts.values().sum::<usize>() >= COUNTED;
        format!("{}{count}", if is_cut { "at least " } else { "" })
    }
}

pub fn owner(company: &Company, clients: &[Client]) -> By {
    let owner = company.owner;
    owner.map_or_else(|| By::named(NO_OWNER), |id| By::client(id, clients))
}

pub fn kept(company: &Company) -> String {
    company.kept.names().collect::<Vec<_>>().join(" and ")
}

async fn list(visit: OperatorVisit) -> Answer {
    let (query, companies) = (visit.query(), &visit.stores().companies);
    let mut rows = Vec::new();
    if let Some(name) = query.get("name") {
        rows = companies.companies_named(&name_key(name), PAGE + 1).await?;
    } else {
        let after = match (query.get("after"), query.get("from")) {
            (Some(after), _) => after.to_owned(),
            (None, from) => {
                let (from, id) = start(from.unwrap_or_default());
                // The list begins after the website, so the website's own company is added.
                if let Some(id) = id {
                    let found = companies.company(id).await?;
                    rows.extend(found.filter(|view| view.company.alias_of.is_none()));
                }
                from
            }
        };
        let most = PAGE + 1 - rows.len();
        rows.extend(companies.companies(&after, most).await?);
    }
    let is_by_name = query.get("name").is_some();
    let is_cut = is_by_name && rows.len() > PAGE;
    let next = query.next(PATH, "after", (&mut rows, PAGE), |last| {
        last.company.website.key().as_str().to_owned()
    });
    let page = List {
        frame: visit.frame(PATH, "Companies"),
        next: next.filter(|_| !is_by_name),
        is_cut,
        rows,
        clients: visit.stores().clients.list(CLIENTS).await?,
        search: Fields {
            values: query,
            ..Fields::default()
        },
    };
    page.frame.answer(&page)
}

/// Returns the website key at which the list starts, and the company with this key. The typed
/// website may lack its scheme. Any other text is used as it is, and has no company.
fn start(typed: &str) -> (String, Option<CompanyId>) {
    let key = WebsiteKey::parse(typed);
    let key = key.or_else(|_| WebsiteKey::parse(&format!("https://{typed}")));
    match key {
        Ok(key) => (key.as_str().to_owned(), Some(CompanyId::of(&key))),
        Err(_) => (typed.to_owned(), None),
    }
}

async fn find(visit: &OperatorVisit, id: &str) -> Result<CompanyView, Failure> {
    let id = Uuid::try_parse(id).map_err(|_| Failure::NotFound)?;
    let companies = &visit.stores().companies;
    let found = companies.company(CompanyId::new(id)).await?;
    found.ok_or(Failure::NotFound)
}

fn seen(view: &CompanyView) -> String {
    view.updated_at.unix_timestamp_nanos().to_string()
}

async fn show(visit: OperatorVisit, path: web::Path<String>) -> Answer {
    let view = find(&visit, &path).await?;
    one(&visit, view, Fields::default()).await
}

async fn one(visit: &OperatorVisit, view: CompanyView, refused: Fields) -> Answer {
    let done = visit.done();
    let done = match done.as_deref() {
        Some("change") => Some("The company is saved."),
        Some("merge") => Some("The company is merged; its postings follow in the background."),
        Some("unmerge") => Some("The company is separate again; its postings follow."),
        _ => None,
    };
    let (companies, id) = (&visit.stores().companies, view.company.id);
    let query = visit.query();
    let before = query.get("before_posting").map(str::parse::<PostingId>);
    let order = WindowOrder::Company {
        company: id,
        before: before.transpose().map_err(|_| Failure::Address)?,
    };
    let mut postings = visit.stores().browser.window(&order, PAGE + 1).await?;
    let path = format!("{PATH}/{id}");
    let next = query.next(&path, "before_posting", (&mut postings, PAGE), |last| {
        last.id.to_string()
    });
    let target = match view.company.alias_of {
        Some(into) => companies.company(into).await?,
        None => None,
    };
    let frame = visit.frame_of_form(PATH, &*view.company.name, &refused);
    let mut clients = visit.stores().clients.list(CLIENTS).await?;
    if let Some(owner) = view.company.owner
        && !clients.iter().any(|client| client.id == owner)
    {
        clients.extend(visit.stores().clients.find(owner).await?);
    }
    let page = Show {
        target,
        aliases: companies.aliases(id, MOST_ALIASES).await?,
        counts: companies.count_postings(id, COUNTED).await?,
        postings,
        next,
        seen: seen(&view),
        suggested: query.get("into").unwrap_or_default().to_owned(),
        merge: Fields::of_action(&refused, &["merge", "unmerge"], Fields::default()),
        fields: match frame.problem {
            Some(_) if !["merge", "unmerge"].contains(&refused.get("action")) => refused,
            _ => fields(&view.company),
        },
        frame: frame.saying(done),
        view,
        clients,
    };
    page.frame.answer(&page)
}

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
            CompanyError::Same | CompanyError::AliasOfAnother | CompanyError::NoAlias => {
                Refusal::conflict(error)
            }
            CompanyError::Store(error) => error.into(),
        }
    }
}

/// Reads a change. The form sends all values; only changed values are set.
fn change_of(
    fields: &mut Reader<'_>,
    company: &Company,
) -> Option<(CompanyChange, Option<ClientRef>)> {
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
        NO_OWNER => Ok(None),
        name => name.parse().map(Some),
    };
    let owner = fields.take("owner", owner);
    let change = CompanyChange {
        patch: patch.ok()?,
        owner: Patch::Clear,
        release: Kept {
            name: fields.text("release_name") == "yes",
            logo: fields.text("release_logo") == "yes",
        },
    };
    Some((change, owner?))
}

async fn act(visit: OperatorVisit, path: web::Path<String>, form: Form) -> Answer {
    let company = find(&visit, &path).await?;
    let done = match form.get("action") {
        Some("merge") => merge::merge(&visit, &company, &form).await,
        Some("unmerge") => merge::unmerge(&visit, &company, &form).await,
        _ => carry_out(&visit, &company, &form).await,
    };
    let page = async |refused| one(&visit, company, refused).await;
    form.answer(done, page).await
}

async fn carry_out(visit: &OperatorVisit, view: &CompanyView, form: &Form) -> Answer {
    let (mut change, owner) = form.read(|fields| change_of(fields, &view.company))?;
    if let Some(owner) = owner {
        let found = owner.find(&*visit.stores().clients).await;
        let refused = |error: ClientRefError| match error {
            ClientRefError::Store(error) => Failure::from(error),
            error => Refusal::of_fields(vec![("owner".to_owned(), error.to_string())]),
        };
        change.owner = Patch::Set(found.map_err(refused)?.id);
    }
    if form.get(SEEN) != Some(&seen(view)) {
        let why = "The company has changed meanwhile; its present values are above the form.";
        return Err(Refusal::conflict(why));
    }
    let id = view.company.id;
    let store = &*visit.stores().store;
    let attempt = || update_company(store, id, &change, &visit.by, visit.now);
    decide_again(COMMAND_PATIENCE, attempt).await?;
    Ok(visit.lead(&format!("{PATH}/{id}"), CHANGE))
}

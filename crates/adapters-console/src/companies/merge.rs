//! `/companies/similar`: pairs of possibly identical companies, and forms to merge, unmerge and
//! distinguish them.

use access::Client;
use askama::Template;
use domain::{
    company::{CompanyPairView, CompanyView, PairKind},
    usecase::{company_lookalikes, merge_companies, tell_companies_apart, unmerge_company},
};
use fields::WebsiteKey;
use kernel::CompanyId;
use runtime::{COMMAND_PATIENCE, decide_again};
use uuid::Uuid;

use super::shared::{CLIENTS, PATH as COMPANIES};
use crate::{
    error::{Answer, Failure},
    form::{Fields, Form, Reader},
    page::Frame,
    visit::OperatorVisit,
};

pub(super) const PATH: &str = "/companies/similar";
const PAGE: usize = 50;
const AND: char = '+';

#[derive(Template)]
#[template(path = "companies/similar.html")]
struct Page {
    frame: Frame,
    /// Companies on other owners' sites; only on the first page.
    lookalikes: Vec<CompanyPairView>,
    rows: Vec<CompanyPairView>,
    clients: Vec<Client>,
    next: Option<String>,
}

fn names(pair: &CompanyPairView) -> String {
    let [one, other] = pair.pair.companies;
    format!("{one}{AND}{other}")
}

fn pair(text: &str) -> Option<[CompanyId; 2]> {
    let (one, other) = text.split_once([AND, ' '])?;
    let id = |text| Uuid::try_parse(text).ok().map(CompanyId::new);
    Some([id(one)?, id(other)?])
}

pub(super) async fn similar(visit: OperatorVisit) -> Answer {
    page(&visit, Fields::default()).await
}

async fn page(visit: &OperatorVisit, refused: Fields) -> Answer {
    let (query, stores) = (visit.query(), visit.stores());
    let lookalikes = match query.get("after") {
        None => company_lookalikes(&*stores.companies, PAGE).await?,
        Some(_) => Vec::new(),
    };
    let after = query
        .get("after")
        .map(|after| pair(after).ok_or(Failure::Address));
    let found = stores
        .companies
        .company_pairs(PairKind::Similar, after.transpose()?, PAGE + 1);
    let mut rows = found.await?;
    let done = visit.done();
    let done = done
        .as_deref()
        .map(|_| "The companies are marked as different, and no longer suggested.");
    let page = Page {
        next: query.next(PATH, "after", (&mut rows, PAGE), names),
        frame: visit
            .frame_of_form(COMPANIES, "Companies that may be the same", &refused)
            .saying(done),
        lookalikes,
        rows,
        clients: stores.clients.list(CLIENTS).await?,
    };
    page.frame.answer(&page)
}

pub(super) async fn tell_apart(visit: OperatorVisit, form: Form) -> Answer {
    let done = carry_out(&visit, &form).await;
    form.answer(done, async |refused| page(&visit, refused).await)
        .await
}

async fn carry_out(visit: &OperatorVisit, form: &Form) -> Answer {
    let companies = form.read(|fields| {
        let companies = pair(fields.text("pair")).ok_or("must be one of those on the page");
        fields.take("pair", companies)
    })?;
    let store = &*visit.stores().store;
    let attempt = || tell_companies_apart(store, companies, &visit.by, visit.now);
    decide_again(COMMAND_PATIENCE, attempt).await?;
    Ok(visit.lead(PATH, "apart"))
}

/// Reads the company in a field, by UUID or website. The scheme is optional.
fn company(fields: &mut Reader<'_>, name: &str) -> Option<CompanyId> {
    let text = fields.text(name);
    let named = match Uuid::try_parse(text) {
        Ok(id) => Ok(CompanyId::new(id)),
        Err(_) if text.contains("://") => WebsiteKey::parse(text).map(|key| CompanyId::of(&key)),
        Err(_) => WebsiteKey::parse(&format!("https://{text}")).map(|key| CompanyId::of(&key)),
    };
    fields.take(name, named)
}

pub(super) async fn merge(visit: &OperatorVisit, view: &CompanyView, form: &Form) -> Answer {
    let (into, reason) = form.read(|fields| {
        let (into, reason) = (company(fields, "into"), fields.reason());
        Some((into?, reason?))
    })?;
    let stores = visit.stores();
    let (ports, from) = ((&*stores.store, &*stores.companies), view.company.id);
    let attempt = || merge_companies(ports, (from, into), &reason, &visit.by, visit.now);
    decide_again(COMMAND_PATIENCE, attempt).await?;
    Ok(visit.lead(&format!("{COMPANIES}/{into}"), "merge"))
}

pub(super) async fn unmerge(visit: &OperatorVisit, view: &CompanyView, form: &Form) -> Answer {
    #[expect(
        clippy::redundant_closure_for_method_calls,
        reason = "the method itself has only one lifetime"
    )]
    let reason = form.read(|fields| fields.reason())?;
    let (store, alias) = (&*visit.stores().store, view.company.id);
    let attempt = || unmerge_company(store, alias, &reason, &visit.by, visit.now);
    decide_again(COMMAND_PATIENCE, attempt).await?;
    Ok(visit.lead(&format!("{COMPANIES}/{alias}"), "unmerge"))
}

//! What operators change of companies.

use actix_web::{HttpResponse, web};
use domain::{
    company::CompanyView,
    posting::CompanyPatch,
    usecase::{CompanyChange, CompanyError, update_company},
};
use kernel::ClientId;
use runtime::{COMMAND_PATIENCE, decide_again};

use super::show::{self, NO_OWNER, PATH, SEEN};
use crate::{
    error::{Answer, Failure},
    form::{Form, Problem, Reader, Refusal},
    visit::OperatorVisit,
};

impl From<CompanyError> for Problem {
    fn from(error: CompanyError) -> Self {
        match error {
            CompanyError::NotFound => Failure::NotFound.into(),
            unknown @ CompanyError::UnknownOwner(_) => {
                let fault = ("owner".to_owned(), unknown.to_string());
                Refusal::of_fields(vec![fault]).into()
            }
            CompanyError::Store(error) => error.into(),
        }
    }
}

/// The change of a form.
fn change_of(fields: &mut Reader<'_>) -> Option<CompanyChange> {
    let logo = Some(fields.text("logo_path")).filter(|logo| !logo.is_empty());
    let patch = CompanyPatch::parse(Some(fields.text("name")), Some(logo));
    let patch = patch.map_err(|errors| {
        for (field, reasons) in errors.iter() {
            fields.refuse(field, reasons.join("; "));
        }
    });
    let owner = owner(fields.text("owner"));
    let owner = fields.take("owner", owner);
    Some(CompanyChange {
        patch: patch.ok()?,
        owner: Some(owner?),
    })
}

fn owner(text: &str) -> Result<Option<ClientId>, String> {
    if text == NO_OWNER {
        return Ok(None);
    }
    let id = text.parse();
    id.map(Some)
        .map_err(|_| format!("{text:?} is neither the id of a client nor {NO_OWNER:?}"))
}

/// Changes a company.
pub async fn change(visit: OperatorVisit, path: web::Path<String>, form: Form) -> Answer {
    let company = show::find(&visit, &path).await?;
    let done = carry_out(&visit, &company, &form).await;
    let page = async |refused| show::one(&visit, company, refused).await;
    form.answer(done, page).await
}

async fn carry_out(
    visit: &OperatorVisit,
    seen: &CompanyView,
    form: &Form,
) -> Result<HttpResponse, Problem> {
    let change = form.read(change_of)?;
    if form.get(SEEN) != Some(&show::seen(seen)) {
        let why = "The company has changed meanwhile; its present values are above the form.";
        return Err(Refusal::conflict(why).into());
    }
    let (id, clients) = (seen.company.id, &*visit.ports().clients);
    let store = &*visit.state.ports.store;
    let attempt = || update_company(store, clients, id, &change, &visit.by, visit.now);
    decide_again(COMMAND_PATIENCE, attempt).await?;
    Ok(visit.lead(&format!("{PATH}/{id}"), "update"))
}

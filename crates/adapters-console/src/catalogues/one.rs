//! `/catalogues/{id}`: the last imports of a catalogue, its missing postings, and its commands.

use access::Scope;
use actix_web::web::Path;
use askama::Template;
use domain::{
    catalogue::{Catalogue, CatalogueId, MissingPosting, Released, Undone},
    usecase::{CatalogueError, CorrectionOrder, forget_catalogue},
};
use kernel::{PostingId, Prefixes};

use super::PATH;
use crate::{
    by::By,
    error::{Answer, Failure, Refusal},
    form::{Fields, Form},
    page::Frame,
    postings::list::ONE,
    query::Query,
    visit::Visit,
};

const MISSING: usize = 100;

#[derive(Template)]
#[template(path = "catalogues/one.html")]
struct Page {
    frame: Frame,
    catalogue: Catalogue,
    client: By,
    missing: Vec<MissingPosting>,
    next: Option<String>,
    may_correct: bool,
}

impl Page {
    fn address(&self, posting: &MissingPosting) -> String {
        let path = self.frame.link("/postings");
        if self.frame.is_console() {
            return format!("{path}/{}", posting.id);
        }
        Query::default().with(&path, ONE, posting.identifier.as_str())
    }

    fn is_any_held(&self) -> bool {
        self.missing.iter().any(|posting| posting.is_held)
    }
}

/// Returns a catalogue and the visitor's prefixes: all for an operator, or those of a client with
/// one of these scopes. Scopes are checked first, so a session without them is forbidden.
async fn find(
    visit: &Visit,
    id: &str,
    scopes: &'static [Scope],
) -> Result<(Catalogue, Prefixes), Failure> {
    let own = match visit.attribution() {
        Some(_) => None,
        None => Some(visit.client(scopes)?),
    };
    let id: CatalogueId = id.parse().map_err(|_| Failure::NotFound)?;
    let found = visit.stores().catalogues.find_by_id(id, visit.now).await?;
    let found = found.ok_or(Failure::NotFound)?;
    match own {
        None => Ok((found, Prefixes::ALL)),
        Some(client) if client.id == found.client => Ok((found, client.prefixes.clone())),
        Some(_) => Err(Failure::NotFound),
    }
}

pub async fn show(visit: Visit, id: Path<String>) -> Answer {
    page(&visit, &id, &Fields::default()).await
}

async fn page(visit: &Visit, id: &str, refused: &Fields) -> Answer {
    let (catalogue, prefixes) = find(visit, id, Scope::READERS).await?;
    let query = visit.query();
    let after = query.get("after").map(str::parse::<PostingId>).transpose();
    let after = after.map_err(|_| Failure::Address)?;
    let (ports, path) = (visit.ports(), format!("{PATH}/{}", catalogue.id));
    let missing = ports
        .stores
        .catalogues
        .missing(catalogue.id, after, MISSING + 1);
    let mut missing = missing.await?;
    let next = query.next(&visit.at(&path), "after", (&mut missing, MISSING), |last| {
        last.id.to_string()
    });
    missing.retain(|posting| prefixes.permit(&posting.identifier));
    let client = ports.stores.clients.find(catalogue.client).await?;
    let is_operator = visit.attribution().is_some();
    let frame = visit.frame_of_form(PATH, format!("Catalogue {}", catalogue.name), refused);
    let page = Page {
        frame: frame.saying(visit.done().as_deref().and_then(did)),
        client: By::client(catalogue.client, client.as_slice()),
        catalogue,
        missing,
        next,
        may_correct: is_operator || visit.client(Scope::WRITERS).is_ok(),
    };
    page.frame.answer(&page)
}

fn did(done: &str) -> Option<String> {
    let (action, numbers) = done.split_once('-')?;
    let numbers: Vec<_> = numbers
        .split('-')
        .map(str::parse)
        .collect::<Result<_, _>>()
        .ok()?;
    match (action, numbers.as_slice()) {
        ("release", &[expired, left]) => Some(Released { expired, left }.sentence()),
        ("undo", &[reopened, restored, left]) => Some(
            Undone {
                reopened,
                restored,
                left,
            }
            .sentence(),
        ),
        _ => None,
    }
}

impl From<CatalogueError> for Failure {
    fn from(error: CatalogueError) -> Self {
        match error {
            CatalogueError::NotFound => Self::NotFound,
            CatalogueError::Running(_) => Refusal::conflict(error),
            CatalogueError::Store(error) => error.into(),
        }
    }
}

pub async fn command(visit: Visit, id: Path<String>, form: Form) -> Answer {
    let done = carry_out(&visit, &id, &form).await;
    let page = async |refused: Fields| page(&visit, &id, &refused).await;
    form.answer(done, page).await
}

enum Action {
    Release,
    Undo,
    Forget,
}

async fn carry_out(visit: &Visit, id: &str, form: &Form) -> Answer {
    let action = form.read(|fields| match fields.text("action") {
        "release" => Some(Action::Release),
        "undo" => Some(Action::Undo),
        "forget" => Some(Action::Forget),
        _ => fields.unknown_action(),
    })?;
    let (catalogue, prefixes) = find(visit, id, Scope::WRITERS).await?;
    let by = visit.attribution();
    let (ports, page) = (visit.ports(), format!("{PATH}/{}", catalogue.id));
    let order = CorrectionOrder {
        client: catalogue.client,
        name: catalogue.name,
        prefixes,
        by: by.clone(),
    };
    let done = match action {
        Action::Release => {
            let released = ports.corrections.release(order).await?;
            format!("release-{}-{}", released.expired, released.left)
        }
        Action::Undo => {
            let undone = ports.corrections.undo(order).await?;
            let (reopened, restored) = (undone.reopened, undone.restored);
            format!("undo-{reopened}-{restored}-{}", undone.left)
        }
        Action::Forget => {
            let by = by.ok_or(Failure::Forbidden)?;
            let (catalogues, client) = (&*ports.stores.catalogues, order.client);
            forget_catalogue(catalogues, client, &order.name, Some(&by), visit.now).await?;
            return Ok(visit.lead(&format!("{PATH}?client={client}"), "forget"));
        }
    };
    Ok(visit.lead(&page, &done))
}

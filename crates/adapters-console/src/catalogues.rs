//! `/catalogues`: the catalogues of clients, how their last imports ended, and undo. Operators see
//! those of all clients, the people of a client its own.

use access::{Client, Scope};
use askama::Template;
use domain::{
    catalogue::Catalogue,
    usecase::{CatalogueError, UndoOrder, forget_catalogue},
};
use kernel::{CatalogueName, ClientId, Prefixes};

use crate::{
    error::{Answer, Failure, Refusal},
    form::{Fields, Form, optional},
    page::Frame,
    query::Query,
    visit::{OperatorVisit, Visit},
};

const PATH: &str = "/catalogues";
/// Clients that are looked at: each is a query.
const CLIENTS: usize = 200;

#[derive(Template)]
#[template(path = "catalogues.html")]
struct Page {
    frame: Frame,
    /// `None` while their postings are counted.
    rows: Option<Vec<(ClientId, Catalogue)>>,
    /// The clients to choose from.
    clients: Vec<Client>,
    search: Fields,
    is_cut: bool,
    may_undo: bool,
}

/// The catalogues of one client, or of all.
pub async fn list(visit: OperatorVisit) -> Answer {
    show(&visit, visit.query(), None).await
}

async fn show(visit: &OperatorVisit, query: Query, refused: Option<Fields>) -> Answer {
    let (chosen, search) = Form::search(query, |fields| {
        let client = optional(fields.text("client"), |id| {
            let id = id.parse::<ClientId>();
            id.map_err(|_| "this is no client id")
        });
        fields.take("client", client)
    });
    let clients = visit.ports().clients.list(CLIENTS).await?;
    let rows = match chosen {
        Some(Some(client)) => Some(of(visit, client).await?),
        Some(None) => {
            let all = clients.iter().map(|client| client.id).collect();
            visit.state.catalogues(all, visit.now).await?
        }
        None => Some(Vec::new()),
    };
    let shown = refused.as_ref().unwrap_or(&search);
    let page = Page {
        frame: frame(visit, shown),
        rows,
        is_cut: clients.len() == CLIENTS && chosen == Some(None),
        clients,
        search,
        may_undo: true,
    };
    page.frame.answer(&page)
}

/// The catalogues of the client whose people ask.
pub async fn own(visit: Visit) -> Answer {
    show_own(&visit, &Fields::default()).await
}

async fn show_own(visit: &Visit, refused: &Fields) -> Answer {
    let client = visit.client(Scope::READERS)?;
    let page = Page {
        frame: frame(visit, refused),
        rows: Some(of(visit, client.id).await?),
        clients: Vec::new(),
        search: Fields::default(),
        is_cut: false,
        may_undo: client.may(Scope::WRITERS),
    };
    page.frame.answer(&page)
}

fn frame(visit: &Visit, fields: &Fields) -> Frame {
    let frame = visit.frame_of_form(PATH, "Catalogues", fields);
    frame.saying(visit.done().as_deref().and_then(did))
}

/// The catalogues of a client.
async fn of(visit: &Visit, client: ClientId) -> Result<Vec<(ClientId, Catalogue)>, Failure> {
    let found = visit.ports().catalogues.list(client, visit.now).await?;
    let found = found.into_iter();
    Ok(found.map(|catalogue| (client, catalogue)).collect())
}

/// What was done, from the name under which it leads back.
fn did(done: &str) -> Option<String> {
    if done == "forget" {
        return Some("The catalogue is forgotten; its postings stay as they are.".to_owned());
    }
    let (reopened, left) = done.strip_prefix("undo-")?.split_once('-')?;
    Some(format!(
        "{reopened} postings are open again; {left} were left as they are."
    ))
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

/// Forgets a catalogue, or undoes what it expired.
pub async fn command(visit: OperatorVisit, form: Form) -> Answer {
    let done = carry_out(&visit, &form).await;
    let page = async |refused| show(&visit, form.values().clone(), Some(refused)).await;
    form.answer(done, page).await
}

async fn carry_out(visit: &OperatorVisit, form: &Form) -> Answer {
    let is_undo = form.read(|fields| match fields.text("action") {
        "forget" => Some(false),
        "undo" => Some(true),
        _ => fields.unknown_action(),
    })?;
    let client = form.get("client").unwrap_or_default();
    let client: ClientId = client.parse().map_err(|_| Failure::NotFound)?;
    let (by, page) = (visit.by.clone(), format!("{PATH}?client={client}"));
    if is_undo {
        let order = UndoOrder {
            client,
            name: name(form)?,
            prefixes: Prefixes::ALL,
            by: Some(by),
        };
        return undo(visit, order, &page).await;
    }
    let catalogues = &*visit.ports().catalogues;
    forget_catalogue(catalogues, client, &name(form)?, &by, visit.now).await?;
    Ok(visit.lead(&page, "forget"))
}

/// Undoes what the client's last import that expired anything had expired.
pub async fn undo_own(visit: Visit, form: Form) -> Answer {
    let client = visit.client(Scope::WRITERS)?;
    let undone = async {
        let order = UndoOrder {
            client: client.id,
            name: name(&form)?,
            prefixes: client.prefixes.clone(),
            by: None,
        };
        undo(&visit, order, PATH).await
    };
    let page = async |refused: Fields| show_own(&visit, &refused).await;
    form.answer(undone.await, page).await
}

fn name(form: &Form) -> Result<CatalogueName, Failure> {
    let name = form.get("name").unwrap_or_default();
    CatalogueName::new(name).map_err(|_| Failure::NotFound)
}

/// Undoes what a catalogue expired, and leads to a page that says how many.
async fn undo(visit: &Visit, order: UndoOrder, page: &str) -> Answer {
    let undone = visit.ports().undo.undo(order).await?;
    let done = format!("undo-{}-{}", undone.reopened, undone.left);
    Ok(visit.lead(page, &done))
}

//! `/catalogues`: the catalogues of clients, and how their last imports ended.

use std::time::{Duration, Instant};

use actix_web::{HttpRequest, HttpResponse, web};
use askama::Template;
use domain::{
    catalogue::Catalogue,
    usecase::{CatalogueError, UndoCatalogue, UndoOrder, forget_catalogue},
};
use kernel::{CatalogueName, ClientId, Prefixes};

use crate::{
    error::{Answer, Failure},
    form::{Fields, Form, Problem, Refusal, optional},
    notice, page,
    query::Query,
    session::{Signed, SignedIn},
    state::State,
};

const PATH: &str = "/catalogues";
/// Clients that are looked at, and for how long: each is a query.
const CLIENTS: usize = 200;
const TIME: Duration = Duration::from_secs(2);

#[derive(Template)]
#[template(path = "catalogues.html")]
struct Page {
    head: page::Head,
    frame: page::Frame,
    rows: Vec<(ClientId, String, Catalogue)>,
    clients: Vec<(String, String)>,
    search: Fields,
    is_cut: bool,
}

/// The catalogues of one client, or of all.
pub async fn list(request: HttpRequest, state: web::Data<State>) -> Answer {
    show(&request, &state, Query::of(&request), None).await
}

async fn show(
    request: &HttpRequest,
    state: &State,
    query: Query,
    refused: Option<Fields>,
) -> Answer {
    let chosen = Form::of(query.clone()).read(|fields| {
        let client = optional(fields.text("client"), |id| {
            let id = id.parse::<ClientId>();
            id.map_err(|_| "this is no client id")
        });
        fields.take("client", client)
    });
    let (chosen, search) = match chosen {
        Ok(chosen) => (Some(chosen), Fields::showing(query)),
        Err(refusal) => (None, Fields::refused(query, refusal)),
    };
    let shown = refused.as_ref().unwrap_or(&search);
    let status = shown.status();
    let mut frame = page::Frame::of_form(request, PATH, shown)?;
    frame.notice = match notice::done(request)?.as_deref() {
        Some("forget") => Some("The catalogue is forgotten; its postings stay as they are.".into()),
        Some(done) => undone(done),
        None => None,
    };
    let known = state.ports.clients.list(CLIENTS).await?;
    let (start, mut rows, mut is_cut) = (Instant::now(), Vec::new(), known.len() == CLIENTS);
    for client in &known {
        if chosen.is_none_or(|chosen| chosen.is_some_and(|chosen| chosen != client.id)) {
            continue;
        }
        if start.elapsed() > TIME {
            is_cut = true;
            break;
        }
        let catalogues = state.ports.catalogues.list(client.id, state.now()).await?;
        let catalogues = catalogues.into_iter();
        rows.extend(catalogues.map(|one| (client.id, client.name.clone(), one)));
    }
    let page = Page {
        head: page::Head::new("Catalogues"),
        frame,
        rows,
        search,
        is_cut: is_cut && chosen == Some(None),
        clients: known
            .into_iter()
            .map(|client| (client.id.to_string(), client.name))
            .collect(),
    };
    page::answer(&page, status)
}

impl From<CatalogueError> for Problem {
    fn from(error: CatalogueError) -> Self {
        match error {
            CatalogueError::NotFound => Failure::NotFound.into(),
            CatalogueError::Running(_) => Refusal::conflict(error).into(),
            CatalogueError::Store(error) => error.into(),
        }
    }
}

/// What an undo did, from the name under which it leads back.
pub fn undone(done: &str) -> Option<String> {
    let (reopened, left) = done.strip_prefix("undo-")?.split_once('-')?;
    let (reopened, left): (u64, u64) = (reopened.parse().ok()?, left.parse().ok()?);
    Some(format!(
        "{reopened} postings are open again; {left} were left as they are."
    ))
}

/// Forgets a catalogue, or undoes what it expired.
pub async fn command(
    request: HttpRequest,
    payload: web::Payload,
    state: web::Data<State>,
) -> Answer {
    let signed_in = SignedIn::of(&request)?;
    let form = Form::checked(&request, payload, &state, &signed_in).await?;
    match carry_out(&state, &signed_in, &form).await {
        Ok(response) => Ok(response),
        Err(problem) => {
            let refused = form.refused(problem)?;
            show(&request, &state, form.values().clone(), Some(refused)).await
        }
    }
}

async fn carry_out(
    state: &State,
    signed_in: &SignedIn,
    form: &Form,
) -> Result<HttpResponse, Problem> {
    let is_undo = form.read(|fields| match fields.text("action") {
        "forget" => Some(false),
        "undo" => Some(true),
        _ => fields.unknown_action(),
    })?;
    let client = form.get("client").unwrap_or_default();
    let client: ClientId = client.parse().map_err(|_| Failure::NotFound)?;
    let name = form.get("name").unwrap_or_default();
    let name = CatalogueName::new(name).map_err(|_| Failure::NotFound)?;
    let (by, catalogues) = (signed_in.attribution(), &*state.ports.catalogues);
    let page = format!("{PATH}?client={client}");
    if !is_undo {
        forget_catalogue(catalogues, client, &name, &by, state.now()).await?;
        return Ok(notice::lead(signed_in, &page, "forget"));
    }
    let order = UndoOrder {
        client,
        name,
        prefixes: Prefixes::ALL,
        by: Some(by),
    };
    Ok(undo(&*state.ports.undo, order, signed_in, &page).await?)
}

/// Undoes what a catalogue expired, and leads to a page that says how many.
pub async fn undo<W>(
    port: &dyn UndoCatalogue,
    order: UndoOrder,
    signed_in: &Signed<W>,
    page: &str,
) -> Result<HttpResponse, CatalogueError> {
    let undone = port.undo(order).await?;
    let done = format!("undo-{}-{}", undone.reopened, undone.left);
    Ok(notice::lead(signed_in, page, &done))
}

//! `/catalogues`: the catalogues of clients, and how their last imports ended.

use std::time::{Duration, Instant};

use actix_web::{HttpRequest, web};
use askama::Template;
use domain::{
    catalogue::{Catalogue, CatalogueName},
    client::ClientId,
    usecase::{CatalogueError, forget_catalogue},
};

use crate::{
    error::{Answer, Failure},
    form::Form,
    notice, page,
    query::Query,
    session::SignedIn,
    state::State,
};

const PATH: &str = "/catalogues";
/// Clients that are looked at, and for how long: each is a query.
const CLIENTS: usize = 200;
const TIME: Duration = Duration::from_secs(2);

#[derive(Template)]
#[template(path = "catalogues.html")]
struct Page<'a> {
    head: page::Head,
    frame: page::Frame,
    rows: Vec<(ClientId, String, Catalogue)>,
    clients: Vec<(String, String)>,
    chosen: &'a str,
    is_cut: bool,
}

/// The catalogues of one client, or of all.
pub async fn list(request: HttpRequest, state: web::Data<State>) -> Answer {
    let mut frame = page::Frame::of(&request, PATH)?;
    let query = Query::of(&request);
    let is_done = notice::done(&request)?.as_deref() == Some("forget");
    frame.notice =
        is_done.then(|| "The catalogue is forgotten; its postings stay as they are.".to_owned());
    let known = state.ports.clients.list(CLIENTS).await?;
    let chosen = query.get("client").map(str::parse::<ClientId>).transpose();
    let chosen = chosen.map_err(|_| Failure::field("client: this is no client id"))?;
    let (start, mut rows, mut is_cut) = (Instant::now(), Vec::new(), known.len() == CLIENTS);
    for client in &known {
        if chosen.is_some_and(|chosen| chosen != client.id) {
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
        chosen: query.get("client").unwrap_or_default(),
        is_cut: is_cut && chosen.is_none(),
        clients: known
            .into_iter()
            .map(|client| (client.id.to_string(), client.name))
            .collect(),
    };
    page::answer(&page, 200)
}

impl From<CatalogueError> for Failure {
    fn from(error: CatalogueError) -> Self {
        match error {
            CatalogueError::NotFound => Self::NotFound,
            CatalogueError::Store(error) => error.into(),
        }
    }
}

/// Forgets a catalogue.
pub async fn forget(
    request: HttpRequest,
    payload: web::Payload,
    state: web::Data<State>,
) -> Answer {
    let signed_in = SignedIn::of(&request)?;
    let form = Form::checked(&request, payload, &state, &signed_in).await?;
    if form.get("action") != Some("forget") {
        return Err(Failure::field("action: must be one of those on the page"));
    }
    let client = form.get("client").unwrap_or_default();
    let client: ClientId = client.parse().map_err(|_| Failure::NotFound)?;
    let name = form.get("name").unwrap_or_default();
    let name = CatalogueName::new(name).map_err(|_| Failure::NotFound)?;
    let (by, catalogues) = (signed_in.attribution(), &*state.ports.catalogues);
    forget_catalogue(catalogues, client, &name, &by, state.now()).await?;
    let page = format!("{PATH}?client={client}");
    Ok(notice::lead(&signed_in, &page, "forget"))
}

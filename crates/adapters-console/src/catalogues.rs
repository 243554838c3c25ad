//! `/catalogues`: the catalogues of clients, and how their last imports ended.

use std::time::{Duration, Instant};

use actix_web::{HttpRequest, web};
use askama::Template;
use domain::{catalogue::Catalogue, client::ClientId};

use crate::{
    error::{Answer, Failure},
    page,
    query::Query,
    state::State,
};

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
    let frame = page::Frame::of(&request, "/catalogues")?;
    let query = Query::of(&request);
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

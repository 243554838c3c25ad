//! The pages of clients.

use actix_web::{HttpRequest, web};
use askama::Template;
use domain::client::{Activity, Client, ClientId, Scope};

use crate::{
    error::{Answer, Failure},
    notice, page,
    state::State,
};

/// Clients of a page.
const CLIENTS: usize = 500;

#[derive(Template)]
#[template(path = "clients/list.html")]
struct List {
    head: page::Head,
    frame: page::Frame,
    clients: Vec<Client>,
    has_more: bool,
    scopes: [Scope; 4],
}

#[derive(Template)]
#[template(path = "clients/show.html")]
struct Show {
    head: page::Head,
    frame: page::Frame,
    client: Client,
    activity: Activity,
    prefixes: String,
    limit: String,
    scopes: [Scope; 4],
}

#[derive(Template)]
#[template(path = "clients/secret.html")]
struct Issued<'a> {
    head: page::Head,
    frame: page::Frame,
    client: &'a Client,
    secret: &'a str,
}

/// All clients.
pub async fn list(request: HttpRequest, state: web::Data<State>) -> Answer {
    let frame = page::Frame::of(&request, "/clients")?;
    let mut clients = state.ports.clients.list(CLIENTS + 1).await?;
    let has_more = clients.len() > CLIENTS;
    clients.truncate(CLIENTS);
    let page = List {
        head: page::Head::new("Clients"),
        frame,
        clients,
        has_more,
        scopes: Scope::ALL,
    };
    page::answer(&page, 200)
}

/// The client of an address.
pub async fn find(state: &State, id: &str) -> Result<Client, Failure> {
    let id: ClientId = id.parse().map_err(|_| Failure::NotFound)?;
    let found = state.ports.clients.find(id).await?;
    found.ok_or(Failure::NotFound)
}

/// One client.
pub async fn show(
    request: HttpRequest,
    path: web::Path<String>,
    state: web::Data<State>,
) -> Answer {
    let mut frame = page::Frame::of(&request, "/clients")?;
    frame.notice = match notice::done(&request)?.as_deref() {
        Some("update") => {
            Some("The settings are saved; every process has them in ten seconds.".to_owned())
        }
        Some("revoke") => {
            Some("The client is revoked; its tokens end within ten seconds.".to_owned())
        }
        _ => None,
    };
    let client = find(&state, &path).await?;
    let page = Show {
        head: page::Head::new(&*client.name),
        frame,
        activity: state.ports.activity.activity(client.id).await?,
        prefixes: client.prefixes.as_slice().join("\n"),
        limit: client
            .requests_per_minute
            .map(|limit| limit.to_string())
            .unwrap_or_default(),
        scopes: Scope::ALL,
        client,
    };
    page::answer(&page, 200)
}

/// The secret of a client, once.
pub fn secret(request: &HttpRequest, client: &Client, secret: &str) -> Answer {
    let page = Issued {
        head: page::Head::new("A secret"),
        frame: page::Frame::of(request, "/clients")?,
        client,
        secret,
    };
    page::answer(&page, 200)
}

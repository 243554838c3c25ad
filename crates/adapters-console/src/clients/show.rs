//! The pages of clients.

use access::{Activity, Client, Scope};
use actix_web::{HttpRequest, web};
use askama::Template;
use kernel::ClientId;

use crate::{
    error::{Answer, Failure},
    form::Fields,
    notice, page,
    state::State,
};

/// Clients of a page.
const CLIENTS: usize = 500;
/// How long the secret before stays good unless said otherwise, in hours.
const OVERLAP: &str = "168";

#[derive(Template)]
#[template(path = "clients/list.html")]
struct List {
    head: page::Head,
    frame: page::Frame,
    clients: Vec<Client>,
    has_more: bool,
    scopes: [Scope; 4],
    fields: Fields,
}

#[derive(Template)]
#[template(path = "clients/show.html")]
struct Show {
    head: page::Head,
    frame: page::Frame,
    client: Client,
    activity: Activity,
    scopes: [Scope; 4],
    settings: Fields,
    rotation: Fields,
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
    all(&request, &state, Fields::default()).await
}

/// All clients, and the form of a new one.
pub async fn all(request: &HttpRequest, state: &State, fields: Fields) -> Answer {
    let frame = page::Frame::of_form(request, "/clients", &fields)?;
    let status = fields.status();
    let mut clients = state.ports.clients.list(CLIENTS + 1).await?;
    let has_more = clients.len() > CLIENTS;
    clients.truncate(CLIENTS);
    let page = List {
        head: page::Head::new("Clients"),
        frame,
        clients,
        has_more,
        scopes: Scope::ALL,
        fields,
    };
    page::answer(&page, status)
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
    one(&request, &state, &path, Fields::default()).await
}

/// One client, and the forms about it.
pub async fn one(request: &HttpRequest, state: &State, id: &str, refused: Fields) -> Answer {
    let mut frame = page::Frame::of_form(request, "/clients", &refused)?;
    frame.notice = match notice::done(request)?.as_deref() {
        Some("update") => {
            Some("The settings are saved; every process has them in ten seconds.".to_owned())
        }
        Some("revoke") => {
            Some("The client is revoked; its tokens end within ten seconds.".to_owned())
        }
        _ => None,
    };
    let client = find(state, id).await?;
    let page = Show {
        head: page::Head::new(&*client.name),
        frame,
        activity: state.ports.activity.activity(client.id).await?,
        settings: Fields::of_action(&refused, &["update"], settings(&client)),
        rotation: Fields::of_action(&refused, &["rotate"], rotation()),
        scopes: Scope::ALL,
        client,
    };
    page::answer(&page, refused.status())
}

/// The settings of a client, as its form shows them.
fn settings(client: &Client) -> Fields {
    let limit = client.requests_per_minute.map(|limit| limit.to_string());
    let fields = [
        ("name", client.name.clone()),
        ("requests_per_minute", limit.unwrap_or_default()),
        ("prefixes", client.prefixes.as_slice().join("\n")),
    ];
    let scopes = client.scopes.iter();
    let scopes = scopes.map(|scope| ("scope", scope.as_str().to_owned()));
    Fields::with_values(fields.into_iter().chain(scopes))
}

fn rotation() -> Fields {
    Fields::with_values([("overlap", OVERLAP.to_owned())])
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

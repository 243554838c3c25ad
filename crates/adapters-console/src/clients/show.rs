//! The pages of clients.

use access::{Activity, Client, Scope};
use actix_web::web;
use askama::Template;
use kernel::ClientId;

use crate::{
    error::{Answer, Failure},
    form::Fields,
    page::{self, Frame},
    visit::{OperatorVisit, Visit},
};

/// The path of the list.
pub const PATH: &str = "/clients";
/// Clients of a page.
const CLIENTS: usize = 500;
/// How long the secret before stays good unless said otherwise, in hours.
const OVERLAP: &str = "168";

#[derive(Template)]
#[template(path = "clients/list.html")]
struct List {
    frame: Frame,
    clients: Vec<Client>,
    has_more: bool,
    scopes: &'static [Scope],
    fields: Fields,
}

#[derive(Template)]
#[template(path = "clients/show.html")]
struct Show {
    frame: Frame,
    client: Client,
    activity: Activity,
    scopes: &'static [Scope],
    settings: Fields,
    rotation: Fields,
}

#[derive(Template)]
#[template(path = "clients/secret.html")]
struct Issued<'a> {
    frame: Frame,
    client: &'a Client,
    secret: &'a str,
}

/// All clients.
pub async fn list(visit: OperatorVisit) -> Answer {
    all(&visit, Fields::default()).await
}

/// All clients, and the form of a new one.
pub async fn all(visit: &Visit, fields: Fields) -> Answer {
    let mut clients = visit.ports().clients.list(CLIENTS + 1).await?;
    let has_more = clients.len() > CLIENTS;
    clients.truncate(CLIENTS);
    let page = List {
        frame: visit.frame_of_form(PATH, "Clients", &fields),
        clients,
        has_more,
        scopes: Scope::ALL,
        fields,
    };
    page::answer(&page, page.frame.status)
}

/// The client of an address.
pub async fn find(visit: &Visit, id: &str) -> Result<Client, Failure> {
    let id: ClientId = id.parse().map_err(|_| Failure::NotFound)?;
    let found = visit.ports().clients.find(id).await?;
    found.ok_or(Failure::NotFound)
}

/// One client.
pub async fn show(visit: OperatorVisit, path: web::Path<String>) -> Answer {
    let client = find(&visit, &path).await?;
    one(&visit, client, Fields::default()).await
}

/// One client, and the forms about it.
pub async fn one(visit: &Visit, client: Client, refused: Fields) -> Answer {
    let notice = match visit.done().as_deref() {
        Some("update") => Some("The settings are saved; every process has them in ten seconds."),
        Some("revoke") => Some("The client is revoked; its tokens end within ten seconds."),
        _ => None,
    };
    let frame = visit.frame_of_form(PATH, &*client.name, &refused);
    let page = Show {
        frame: frame.saying(notice),
        activity: visit.ports().activity.activity(client.id).await?,
        settings: Fields::of_action(&refused, &["update"], settings(&client)),
        rotation: Fields::of_action(&refused, &["rotate"], rotation()),
        scopes: Scope::ALL,
        client,
    };
    page::answer(&page, page.frame.status)
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
pub fn secret(visit: &Visit, client: &Client, secret: &str) -> Answer {
    let page = Issued {
        frame: visit.frame(PATH, "A secret"),
        client,
        secret,
    };
    page::answer(&page, 200)
}

use access::{
    Activity, Client, ClientChange, ClientError, LONGEST_OVERLAP, ManagedClients, NewClient,
    Rotation, Scope, client_name, interval, interval_text, requests_per_minute,
};
use actix_web::web;
use askama::Template;
use kernel::ClientId;
use time::Duration;
use tokens::ClientSecret;
use uuid::Uuid;

use crate::{
    error::{Answer, Failure, Refusal},
    facts::Facts,
    form::{Fields, Form, Reader, optional},
    page::{Frame, page},
    visit::{OperatorVisit, Visit},
};

const PATH: &str = "/clients";
const CLIENTS: usize = 500;
/// The default overlap of the previous secret, in hours.
const OVERLAP: &str = "168";

pub fn routes(config: &mut web::ServiceConfig) {
    config
        .service(page(PATH, list).route(web::post().to(create)))
        .service(page("/clients/{id}", show).route(web::post().to(change)));
}

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
    facts: Facts,
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

async fn list(visit: OperatorVisit) -> Answer {
    all(&visit, Fields::default()).await
}

async fn all(visit: &Visit, fields: Fields) -> Answer {
    let mut clients = visit.stores().clients.list(CLIENTS + 1).await?;
    let has_more = clients.len() > CLIENTS;
    clients.truncate(CLIENTS);
    let page = List {
        frame: visit.frame_of_form(PATH, "Clients", &fields),
        clients,
        has_more,
        scopes: Scope::ALL,
        fields,
    };
    page.frame.answer(&page)
}

async fn find(visit: &Visit, id: &str) -> Result<Client, Failure> {
    let id: ClientId = id.parse().map_err(|_| Failure::NotFound)?;
    let found = visit.stores().clients.find(id).await?;
    found.ok_or(Failure::NotFound)
}

async fn show(visit: OperatorVisit, path: web::Path<String>) -> Answer {
    let client = find(&visit, &path).await?;
    one(&visit, client, Fields::default()).await
}

async fn one(visit: &Visit, client: Client, refused: Fields) -> Answer {
    let notice = match visit.done().as_deref() {
        Some("update") => Some("The settings are saved; they apply within ten seconds."),
        Some("revoke") => Some("The client is revoked; its tokens end within ten seconds."),
        _ => None,
    };
    let frame = visit.frame_of_form(PATH, &*client.name, &refused);
    let activity = visit.stores().activity.activity(client.id).await?;
    let page = Show {
        frame: frame.saying(notice),
        facts: Facts::of(&activity, visit.now),
        activity,
        settings: Fields::of_action(&refused, &["update"], present(&client)),
        rotation: Fields::of_action(
            &refused,
            &["rotate"],
            Fields::with_values([("overlap", OVERLAP.to_owned())]),
        ),
        scopes: Scope::ALL,
        client,
    };
    page.frame.answer(&page)
}

fn present(client: &Client) -> Fields {
    let limit = client.requests_per_minute.map(|limit| limit.to_string());
    let fields = [
        ("name", client.name.clone()),
        ("requests_per_minute", limit.unwrap_or_default()),
        (
            "expect_every",
            client.expect_every.map_or_else(String::new, interval_text),
        ),
        ("prefixes", client.prefixes.as_slice().join("\n")),
    ];
    let scopes = client.scopes.iter();
    let scopes = scopes.map(|scope| ("scope", scope.as_str().to_owned()));
    Fields::with_values(fields.into_iter().chain(scopes))
}

fn secret(visit: &Visit, client: &Client, secret: &str) -> Answer {
    let page = Issued {
        frame: visit.frame(PATH, "A secret"),
        client,
        secret,
    };
    page.frame.answer(&page)
}

impl From<ClientError> for Failure {
    fn from(error: ClientError) -> Self {
        match error {
            ClientError::NotFound(_) => Self::NotFound,
            ClientError::Revoked(_) => Refusal::conflict("The client is revoked for good."),
            ClientError::Store(error) => error.into(),
        }
    }
}

fn settings(fields: &mut Reader<'_>) -> Option<NewClient> {
    let name = fields.take("name", client_name(fields.text("name")));
    let scopes = scopes(fields);
    let prefixes = fields.prefixes();
    let limit = optional(fields.text("requests_per_minute"), requests_per_minute);
    let limit = fields.take("requests_per_minute", limit);
    let expect_every = optional(fields.text("expect_every"), interval);
    let expect_every = fields.take("expect_every", expect_every);
    Some(NewClient {
        name: name?,
        scopes: scopes?,
        prefixes: prefixes?,
        requests_per_minute: limit?,
        expect_every: expect_every?,
    })
}

fn scopes(fields: &mut Reader<'_>) -> Option<Vec<Scope>> {
    let parse = |text: &str| Scope::parse(text).ok_or_else(|| format!("{text:?} is not a scope"));
    let scopes = fields.take_all("scope", parse)?;
    if scopes.is_empty() {
        fields.refuse("scope", "at least one must be chosen");
        return None;
    }
    Some(scopes)
}

fn overlap(text: &str) -> Result<Duration, String> {
    let most = LONGEST_OVERLAP.whole_hours();
    let hours = text.parse().ok().filter(|hours| (0..=most).contains(hours));
    let hours =
        hours.ok_or_else(|| format!("{text:?} is not a number of hours between 0 and {most}"));
    hours.map(Duration::hours)
}

fn new_secret() -> Result<ClientSecret, Failure> {
    ClientSecret::generate().map_err(Failure::broken)
}

fn managed(visit: &OperatorVisit) -> ManagedClients<'_> {
    ManagedClients {
        clients: &*visit.stores().clients,
        by: &visit.by,
    }
}

async fn create(visit: OperatorVisit, form: Form) -> Answer {
    let created = async {
        let new = form.read(settings)?;
        let drawn = new_secret()?;
        let id = ClientId::new(Uuid::now_v7());
        let client = managed(&visit)
            .create(id, new, drawn.digest(), visit.now)
            .await?;
        secret(&visit, &client, drawn.expose())
    };
    let page = async |refused| all(&visit, refused).await;
    form.answer(created.await, page).await
}

enum Command {
    Update(NewClient),
    Rotate {
        overlap: Duration,
        ends_tokens: bool,
    },
    Revoke,
}

fn command(fields: &mut Reader<'_>) -> Option<Command> {
    match fields.text("action") {
        "update" => settings(fields).map(Command::Update),
        "rotate" => {
            let overlap = optional(fields.text("overlap"), overlap);
            let overlap = fields.take("overlap", overlap)?;
            Some(Command::Rotate {
                overlap: overlap.unwrap_or_default(),
                ends_tokens: !fields.text("end_tokens").is_empty(),
            })
        }
        "revoke" => Some(Command::Revoke),
        _ => fields.unknown_action(),
    }
}

async fn change(visit: OperatorVisit, path: web::Path<String>, form: Form) -> Answer {
    let client = find(&visit, &path).await?;
    let done = carry_out(&visit, client.id, &form).await;
    let page = async |refused| one(&visit, client, refused).await;
    form.answer(done, page).await
}

async fn carry_out(visit: &OperatorVisit, id: ClientId, form: &Form) -> Answer {
    let clients = managed(visit);
    let action = match form.read(command)? {
        Command::Update(settings) => {
            let change = ClientChange {
                name: Some(settings.name),
                scopes: Some(settings.scopes),
                prefixes: Some(settings.prefixes),
                requests_per_minute: settings.requests_per_minute.into(),
                expect_every: settings.expect_every.into(),
            };
            clients.update(id, &change, visit.now).await?;
            "update"
        }
        Command::Rotate {
            overlap,
            ends_tokens,
        } => {
            let drawn = new_secret()?;
            let rotation = Rotation {
                digest: drawn.digest(),
                overlap,
                ends_tokens,
            };
            let client = clients.rotate(id, rotation, visit.now).await?;
            return secret(visit, &client, drawn.expose());
        }
        Command::Revoke => {
            clients.revoke(id, visit.now).await?;
            "revoke"
        }
    };
    Ok(visit.lead(&format!("{PATH}/{id}"), action))
}

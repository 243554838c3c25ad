//! What operators do with clients.

use access::{
    ClientChange, ClientError, LONGEST_OVERLAP, ManagedClients, NewClient, Rotation, Scope,
    client_name, requests_per_minute,
};
use actix_web::{HttpResponse, web};
use kernel::ClientId;
use time::Duration;
use uuid::Uuid;

use super::show::{self, PATH};
use crate::{
    error::{Answer, Failure},
    form::{Form, Problem, Reader, Refusal, optional},
    visit::OperatorVisit,
};

impl From<ClientError> for Problem {
    fn from(error: ClientError) -> Self {
        match error {
            ClientError::NotFound(_) => Failure::NotFound.into(),
            ClientError::Revoked(_) => {
                Refusal::conflict("The client is revoked, and stays so.").into()
            }
            ClientError::Store(error) => error.into(),
        }
    }
}

/// The settings of a client.
fn settings(fields: &mut Reader<'_>) -> Option<NewClient> {
    let name = fields.take("name", client_name(fields.text("name")));
    let scopes = scopes(fields);
    let prefixes = fields.prefixes();
    let limit = optional(fields.text("requests_per_minute"), requests_per_minute);
    let limit = fields.take("requests_per_minute", limit);
    Some(NewClient {
        name: name?,
        scopes: scopes?,
        prefixes: prefixes?,
        requests_per_minute: limit?,
    })
}

fn scopes(fields: &mut Reader<'_>) -> Option<Vec<Scope>> {
    let parse = |text: &str| Scope::parse(text).ok_or_else(|| format!("{text:?} is no scope"));
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

/// The commands about clients.
fn managed(visit: &OperatorVisit) -> ManagedClients<'_> {
    ManagedClients {
        clients: &*visit.ports().clients,
        by: &visit.by,
    }
}

/// Makes a client, and shows its secret.
pub async fn create(visit: OperatorVisit, form: Form) -> Answer {
    let created = async {
        let new = form.read(settings)?;
        let (secret, digest) = visit.state.new_secret()?;
        let id = ClientId::new(Uuid::now_v7());
        let client = managed(&visit).create(id, new, digest, visit.now).await?;
        Ok(show::secret(&visit, &client, &secret)?)
    };
    let page = async |refused| show::all(&visit, refused).await;
    form.answer(created.await, page).await
}

/// What a form does with a client.
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

/// Changes, rotates or revokes a client.
pub async fn change(visit: OperatorVisit, path: web::Path<String>, form: Form) -> Answer {
    let client = show::find(&visit, &path).await?;
    let done = carry_out(&visit, client.id, &form).await;
    let page = async |refused| show::one(&visit, client, refused).await;
    form.answer(done, page).await
}

async fn carry_out(
    visit: &OperatorVisit,
    id: ClientId,
    form: &Form,
) -> Result<HttpResponse, Problem> {
    let clients = managed(visit);
    let action = match form.read(command)? {
        Command::Update(settings) => {
            let change = ClientChange {
                name: Some(settings.name),
                scopes: Some(settings.scopes),
                prefixes: Some(settings.prefixes),
                requests_per_minute: Some(settings.requests_per_minute),
            };
            clients.update(id, &change, visit.now).await?;
            "update"
        }
        Command::Rotate {
            overlap,
            ends_tokens,
        } => {
            let (secret, digest) = visit.state.new_secret()?;
            let rotation = Rotation {
                digest,
                overlap,
                ends_tokens,
            };
            let client = clients.rotate(id, rotation, visit.now).await?;
            return Ok(show::secret(visit, &client, &secret)?);
        }
        Command::Revoke => {
            clients.revoke(id, visit.now).await?;
            "revoke"
        }
    };
    Ok(visit.lead(&format!("{PATH}/{id}"), action))
}

//! What operators do with clients.

use std::num::NonZeroU32;

use access::{ClientChange, ClientError, ManagedClients, NewClient, Rotation, Scope};
use actix_web::{HttpResponse, web};
use kernel::{ClientId, line};
use time::Duration;
use uuid::Uuid;

use super::show::{self, PATH};
use crate::{
    error::{Answer, Failure},
    form::{Form, Problem, Reader, Refusal, optional},
    visit::OperatorVisit,
};

/// What the command line takes, too.
const NAME_LENGTH: usize = 255;
const MOST_REQUESTS: u32 = 1_000_000;
const LONGEST_OVERLAP: i64 = 90 * 24;

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
    let name = line::short_text(fields.text("name"), NAME_LENGTH).map(str::to_owned);
    let name = fields.take("name", name);
    let scopes = scopes(fields);
    let prefixes = fields.prefixes();
    let limit = optional(fields.text("requests_per_minute"), limit);
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

fn limit(text: &str) -> Result<NonZeroU32, String> {
    let limit = text.parse().ok().and_then(NonZeroU32::new);
    limit
        .filter(|limit| limit.get() <= MOST_REQUESTS)
        .ok_or_else(|| format!("{text:?} is not a number between 1 and {MOST_REQUESTS}"))
}

fn overlap(text: &str) -> Result<Duration, String> {
    let hours = text.parse().ok();
    let hours = hours.filter(|hours| (0..=LONGEST_OVERLAP).contains(hours));
    hours
        .map(Duration::hours)
        .ok_or_else(|| format!("{text:?} is not a number of hours between 0 and {LONGEST_OVERLAP}"))
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
        Ok((client, secret))
    };
    match created.await {
        Ok((client, secret)) => show::secret(&visit, &client, &secret),
        Err(problem) => show::all(&visit, form.refused(problem)?).await,
    }
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
    match carry_out(&visit, client.id, &form).await {
        Ok(response) => Ok(response),
        Err(problem) => show::one(&visit, client, form.refused(problem)?).await,
    }
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

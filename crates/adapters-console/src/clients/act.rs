//! What operators do with clients.

use std::num::NonZeroU32;

use actix_web::{HttpRequest, web};
use domain::{
    client::{ClientChange, ClientId, NewClient, Scope},
    line::check_line,
    usecase::{ClientError, ManagedClients, Rotation},
};
use time::Duration;
use uuid::Uuid;

use super::show;
use crate::{
    error::{Answer, Failure},
    form::Form,
    notice,
    session::SignedIn,
    state::State,
};

/// What the command line takes, too.
const NAME_LENGTH: usize = 255;
const MOST_REQUESTS: u32 = 1_000_000;
const LONGEST_OVERLAP: i64 = 90 * 24;

impl From<ClientError> for Failure {
    fn from(error: ClientError) -> Self {
        match error {
            ClientError::NotFound(_) => Self::NotFound,
            ClientError::Revoked(_) => Self::conflict("The client is revoked, and stays so."),
            ClientError::Store(error) => error.into(),
        }
    }
}

fn name(form: &Form) -> Result<String, Failure> {
    let name = form
        .get("name")
        .ok_or_else(|| Failure::field("name: must not be empty"))?;
    if name.chars().count() > NAME_LENGTH {
        return Err(Failure::field(format!(
            "name: must be at most {NAME_LENGTH} characters long"
        )));
    }
    check_line(name).map_err(|error| Failure::field(format!("name: {error}")))?;
    Ok(name.to_owned())
}

fn scopes(form: &Form) -> Result<Vec<Scope>, Failure> {
    let scopes = form.all("scope").map(|text| {
        Scope::parse(text).ok_or_else(|| Failure::field(format!("scope: {text:?} is no scope")))
    });
    let scopes: Vec<_> = scopes.collect::<Result<_, _>>()?;
    if scopes.is_empty() {
        return Err(Failure::field("scope: at least one must be chosen"));
    }
    Ok(scopes)
}

fn limit(form: &Form) -> Result<Option<NonZeroU32>, Failure> {
    let Some(text) = form.get("requests_per_minute") else {
        return Ok(None);
    };
    let limit = text.parse().ok().and_then(NonZeroU32::new);
    let limit = limit
        .filter(|limit| limit.get() <= MOST_REQUESTS)
        .ok_or_else(|| {
            Failure::field(format!(
                "requests per minute: {text:?} is not a number between 1 and {MOST_REQUESTS}"
            ))
        })?;
    Ok(Some(limit))
}

fn overlap(form: &Form) -> Result<Duration, Failure> {
    let text = form.get("overlap").unwrap_or("0");
    let hours: Option<i64> = text.parse().ok();
    let hours = hours
        .filter(|hours| (0..=LONGEST_OVERLAP).contains(hours))
        .ok_or_else(|| {
            Failure::field(format!(
                "overlap: {text:?} is not a number of hours between 0 and {LONGEST_OVERLAP}"
            ))
        })?;
    Ok(Duration::hours(hours))
}

/// Makes a client, and shows its secret.
pub async fn create(
    request: HttpRequest,
    payload: web::Payload,
    state: web::Data<State>,
) -> Answer {
    let signed_in = SignedIn::of(&request)?;
    let form = Form::checked(&request, payload, &state, &signed_in).await?;
    let new = NewClient {
        name: name(&form)?,
        scopes: scopes(&form)?,
        prefixes: form.prefixes()?,
        requests_per_minute: limit(&form)?,
    };
    let (secret, digest) = state.new_secret()?;
    let by = signed_in.attribution();
    let clients = ManagedClients {
        clients: &*state.ports.clients,
        by: &by,
    };
    let id = ClientId::new(Uuid::now_v7());
    let client = clients.create(id, new, digest, state.now()).await?;
    show::secret(&request, &client, &secret)
}

/// Changes, rotates or revokes a client.
pub async fn change(
    request: HttpRequest,
    path: web::Path<String>,
    payload: web::Payload,
    state: web::Data<State>,
) -> Answer {
    let signed_in = SignedIn::of(&request)?;
    let form = Form::checked(&request, payload, &state, &signed_in).await?;
    let id = show::find(&state, &path).await?.id;
    let by = signed_in.attribution();
    let clients = ManagedClients {
        clients: &*state.ports.clients,
        by: &by,
    };
    let action = match form.get("action") {
        Some("update") => {
            let change = ClientChange {
                name: Some(name(&form)?),
                scopes: Some(scopes(&form)?),
                prefixes: Some(form.prefixes()?),
                requests_per_minute: Some(limit(&form)?),
            };
            clients.update(id, &change, state.now()).await?;
            "update"
        }
        Some("rotate") => {
            let overlap = overlap(&form)?;
            let (secret, digest) = state.new_secret()?;
            let rotation = Rotation {
                digest,
                overlap,
                ends_tokens: false,
            };
            let client = clients.rotate(id, rotation, state.now()).await?;
            return show::secret(&request, &client, &secret);
        }
        Some("revoke") => {
            clients.revoke(id, state.now()).await?;
            "revoke"
        }
        _ => return Err(Failure::field("action: must be one of those on the page")),
    };
    Ok(notice::lead(&signed_in, &format!("/clients/{id}"), action))
}

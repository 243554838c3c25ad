//! What operators do with webhooks.

use actix_web::{HttpRequest, HttpResponse, web};
use kernel::{
    Prefixes, day,
    event::EventName,
    field::{Patch, Term as _},
    line,
};
use time::{OffsetDateTime, format_description::well_known::Rfc3339};
use uuid::Uuid;
use webhooks::{
    EndpointChange, EndpointId, EndpointUrl, LONGEST_DESCRIPTION, ManagedWebhooks, NewEndpoint,
    PrivateAddresses, PublicEvent, Secret, WantedState, WebhookError,
};

use super::show::{self, PATH, managed};
use crate::{
    error::{Answer, Failure},
    form::{Fields, Form, Problem, Reader, Refusal, optional},
    notice,
    session::SignedIn,
    state::State,
};

impl From<WebhookError> for Failure {
    fn from(error: WebhookError) -> Self {
        match error {
            WebhookError::NotFound => Self::NotFound,
            WebhookError::Store(error) => error.into(),
            error => Self::Broken(error.to_string()),
        }
    }
}

impl From<WebhookError> for Problem {
    fn from(error: WebhookError) -> Self {
        match error {
            WebhookError::Store(error) => error.into(),
            WebhookError::Invalid(errors) => {
                let faults = errors.iter();
                let faults = faults.map(|(field, why)| (field.to_owned(), why.join("; ")));
                Refusal::of_fields(faults.collect()).into()
            }
            error @ WebhookError::TooMany => Refusal::conflict(error).into(),
            error @ WebhookError::NotFound => Failure::from(error).into(),
        }
    }
}

/// What a form does with a webhook.
enum Command {
    Create(NewEndpoint, Prefixes),
    Set(WantedState),
    Replay(OffsetDateTime),
    Test,
    Rotate,
    Delete,
}

fn command(fields: &mut Reader<'_>, private: PrivateAddresses) -> Option<Command> {
    match fields.text("action") {
        "create" => {
            let (new, prefixes) = (endpoint(fields, private), fields.prefixes());
            Some(Command::Create(new?, prefixes?))
        }
        "pause" => Some(Command::Set(WantedState::Paused)),
        "resume" => Some(Command::Set(WantedState::Active)),
        "replay" => {
            let since = since(fields.text("since"));
            fields.take("since", since).map(Command::Replay)
        }
        "test" => Some(Command::Test),
        "rotate" => Some(Command::Rotate),
        "delete" => Some(Command::Delete),
        _ => fields.unknown_action(),
    }
}

/// Registers a webhook of the operators, or does something with one that is there.
pub async fn act(request: HttpRequest, payload: web::Payload, state: web::Data<State>) -> Answer {
    let signed_in = SignedIn::of(&request)?;
    let form = Form::checked(&request, payload, &state, &signed_in).await?;
    let by = signed_in.attribution();
    let webhooks = managed(&state, &by);
    let id = form.get("id").map(str::parse::<EndpointId>).transpose();
    let id = id.map_err(|_| Failure::NotFound)?;
    let problem = match carry_out(&request, &state, &signed_in, &webhooks, id, &form).await {
        Ok(response) => return Ok(response),
        Err(problem) => form.refused(problem)?,
    };
    match id {
        Some(id) => show::one(&request, &webhooks, id, None, problem).await,
        None => show::all(&request, &state, &webhooks, None, problem).await,
    }
}

async fn carry_out(
    request: &HttpRequest,
    state: &State,
    signed_in: &SignedIn,
    webhooks: &ManagedWebhooks<'_>,
    id: Option<EndpointId>,
    form: &Form,
) -> Result<HttpResponse, Problem> {
    let now = state.now();
    let command = form.read(|fields| command(fields, state.private_addresses))?;
    let command = match command {
        Command::Create(new, prefixes) => {
            let id = EndpointId::new(Uuid::now_v7());
            let created = webhooks.create(new, prefixes, id, Secret::drawn(rand::random()), now);
            return Ok(show::secret(request, &created.await?, false)?);
        }
        command => command,
    };
    let id = id.ok_or(Failure::NotFound)?;
    match command {
        Command::Set(state) => {
            let change = EndpointChange {
                state: Patch::Set(state),
                ..EndpointChange::default()
            };
            webhooks.update(id, &change, now).await?;
        }
        Command::Replay(since) => webhooks.replay(id, since, now).await?,
        Command::Test => return test(request, state, webhooks, id).await,
        Command::Rotate => {
            let rotated = webhooks.rotate(id, Secret::drawn(rand::random()), now);
            return Ok(show::secret(request, &rotated.await?.endpoint, true)?);
        }
        Command::Delete => webhooks.delete(id, now).await?,
        Command::Create(..) => {}
    }
    let action = form.get("action").unwrap_or_default();
    let page = if action == "delete" {
        PATH.to_owned()
    } else {
        format!("{PATH}?id={id}")
    };
    Ok(notice::lead(signed_in, &page, action))
}

/// The new webhook of a form.
fn endpoint(fields: &mut Reader<'_>, private: PrivateAddresses) -> Option<NewEndpoint> {
    let url = EndpointUrl::parse(fields.text("url"), private);
    let url = fields.take("url", url);
    let description = optional(fields.text("description"), |text| {
        line::short_text(text, LONGEST_DESCRIPTION).map(str::to_owned)
    });
    let description = fields.take("description", description);
    let names = names(fields);
    Some(NewEndpoint {
        url: url?,
        // None chosen are all.
        names: names.map(|names| (!names.is_empty()).then_some(names))?,
        include_posting: !fields.text("include_posting").is_empty(),
        description: description?,
    })
}

/// The chosen types of events.
fn names(fields: &mut Reader<'_>) -> Option<Vec<EventName>> {
    let parse = |text: &str| match PublicEvent::parse(text) {
        Some(PublicEvent(name)) => Ok(name),
        None => Err(format!("{text:?} is not {}", PublicEvent::EXPECTED)),
    };
    let mut names: Vec<EventName> = Vec::new();
    for name in fields.take_all("type", parse)? {
        if !names.contains(&name) {
            names.push(name);
        }
    }
    Some(names)
}

fn since(text: &str) -> Result<OffsetDateTime, String> {
    let at = match day::parse(text) {
        Some(day) => Some(day.midnight().assume_utc()),
        None => OffsetDateTime::parse(text, &Rfc3339).ok(),
    };
    let expected = "a day such as 2026-03-01 or a time such as 2026-03-01T12:00:00Z";
    at.map(kernel::microseconds).ok_or_else(|| match text {
        "" => format!("say since when: {expected}"),
        text => format!("{text:?} is not {expected}"),
    })
}

/// Sends a ping, and shows what came of it.
async fn test(
    request: &HttpRequest,
    state: &State,
    webhooks: &ManagedWebhooks<'_>,
    id: EndpointId,
) -> Result<HttpResponse, Problem> {
    let now = state.now();
    webhooks.announce_test(id, &*state.ports.store, now).await?;
    let (delivery, body) = (state.ports.new_ping)(now)
        .ok_or_else(|| Failure::Broken("a ping cannot be written".to_owned()))?;
    let attempt = webhooks.test(id, (&delivery, &body), now).await?;
    let took = attempt.duration.as_millis();
    let status = attempt.outcome.status();
    let status = status.map(|status| format!("The receiver answered {status}"));
    let error = attempt
        .error
        .map(|error| format!(": {error}"))
        .unwrap_or_default();
    let status = status.unwrap_or_else(|| "The receiver did not answer".to_owned());
    let notice = format!("{status} after {took} ms{error}.");
    Ok(show::one(request, webhooks, id, Some(notice), Fields::default()).await?)
}

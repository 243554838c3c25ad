//! What operators do with webhooks.

use actix_web::{HttpRequest, web};
use domain::{
    client::Prefixes,
    day,
    event::EventName,
    field::{Patch, Term as _},
    line,
    usecase::{ManagedWebhooks, WebhookError},
    webhook::{
        EndpointChange, EndpointId, EndpointUrl, LONGEST_DESCRIPTION, NewEndpoint, PublicEvent,
        Secret, WantedState,
    },
};
use time::{OffsetDateTime, format_description::well_known::Rfc3339};
use uuid::Uuid;

use super::{
    PATH,
    show::{self, managed},
};
use crate::{
    error::{Answer, Failure},
    form::Form,
    notice,
    session::SignedIn,
    state::State,
};

impl From<WebhookError> for Failure {
    fn from(error: WebhookError) -> Self {
        match error {
            WebhookError::NotFound => Self::NotFound,
            WebhookError::Store(error) => error.into(),
            WebhookError::Invalid(errors) => {
                let errors = errors.iter();
                let errors =
                    errors.map(|(field, faults)| format!("{field}: {}", faults.join("; ")));
                Self::field(errors.collect::<Vec<_>>().join("; "))
            }
            error @ WebhookError::TooMany => Self::conflict(error),
        }
    }
}

/// Registers a webhook of the operators, or does something with one that is there.
pub async fn act(request: HttpRequest, payload: web::Payload, state: web::Data<State>) -> Answer {
    let signed_in = SignedIn::of(&request)?;
    let form = Form::checked(&request, payload, &state, &signed_in).await?;
    let by = signed_in.attribution();
    let (webhooks, now) = (managed(&state, &by), state.now());
    let action = form.get("action").unwrap_or_default();
    if action == "create" {
        let (new, prefixes) = (endpoint(&form, &state)?, form.prefixes()?);
        return create(&request, &webhooks, new, prefixes, now).await;
    }
    let id = form.get("id").unwrap_or_default();
    let id: EndpointId = id.parse().map_err(|_| Failure::NotFound)?;
    let set = |state| EndpointChange {
        state: Patch::Set(state),
        ..EndpointChange::default()
    };
    match action {
        "pause" => drop(webhooks.update(id, &set(WantedState::Paused), now).await?),
        "resume" => drop(webhooks.update(id, &set(WantedState::Active), now).await?),
        "replay" => webhooks.replay(id, since(&form)?, now).await?,
        "test" => return test(&request, &state, &webhooks, id).await,
        "rotate" => {
            let rotated = webhooks.rotate(id, Secret::drawn(rand::random()), now);
            return show::secret(&request, &rotated.await?.endpoint, true);
        }
        "delete" => {
            webhooks.delete(id, now).await?;
            return Ok(notice::lead(&signed_in, PATH, action));
        }
        _ => return Err(Failure::field("action: must be one of those on the page")),
    }
    Ok(notice::lead(&signed_in, &format!("{PATH}?id={id}"), action))
}

async fn create(
    request: &HttpRequest,
    webhooks: &ManagedWebhooks<'_>,
    new: NewEndpoint,
    prefixes: Prefixes,
    now: OffsetDateTime,
) -> Answer {
    let id = EndpointId::new(Uuid::now_v7());
    let created = webhooks.create(new, prefixes, id, Secret::drawn(rand::random()), now);
    show::secret(request, &created.await?, false)
}

/// The new webhook of a form.
fn endpoint(form: &Form, state: &State) -> Result<NewEndpoint, Failure> {
    let url = form.get("url").unwrap_or_default();
    let url = EndpointUrl::parse(url, state.private_addresses);
    let description = form.get("description").map(|text| {
        let text = line::short_text(text, LONGEST_DESCRIPTION);
        text.map(str::to_owned)
            .map_err(|error| Failure::field(format!("description: {error}")))
    });
    Ok(NewEndpoint {
        url: url.map_err(|error| Failure::field(format!("url: {error}")))?,
        names: names(form)?,
        include_posting: form.get("include_posting").is_some(),
        description: description.transpose()?,
    })
}

/// The chosen types of events; `None`, and so all, if none is chosen.
fn names(form: &Form) -> Result<Option<Vec<EventName>>, Failure> {
    let mut names = Vec::new();
    for text in form.all("type") {
        let Some(PublicEvent(name)) = PublicEvent::parse(text) else {
            let expected = PublicEvent::expected();
            return Err(Failure::field(format!("type: {text:?} is not {expected}")));
        };
        if !names.contains(&name) {
            names.push(name);
        }
    }
    Ok((!names.is_empty()).then_some(names))
}

fn since(form: &Form) -> Result<OffsetDateTime, Failure> {
    let text = form.get("since").unwrap_or_default();
    let at = match day::parse(text) {
        Some(day) => Some(day.midnight().assume_utc()),
        None => OffsetDateTime::parse(text, &Rfc3339).ok(),
    };
    at.map(domain::microseconds).ok_or_else(|| {
        Failure::field(format!(
            "since: {text:?} is neither a day such as 2026-03-01 nor a time such as \
             2026-03-01T12:00:00Z"
        ))
    })
}

/// Sends a ping, and shows what came of it.
async fn test(
    request: &HttpRequest,
    state: &State,
    webhooks: &ManagedWebhooks<'_>,
    id: EndpointId,
) -> Answer {
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
    show::one(request, webhooks, id, Some(notice)).await
}

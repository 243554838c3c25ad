use actix_web::web;
use fields::{Patch, day, line};
use kernel::event::Cursor;
use time::{OffsetDateTime, format_description::well_known::Rfc3339};
use uuid::Uuid;
use views::webhook::ping;
use webhooks::{
    EndpointChange, EndpointId, EndpointUrl, LONGEST_DESCRIPTION, NewEndpoint, PrivateAddresses,
    PublicEvent, Secret, WantedState, WebhookError,
};

use super::pages::{self, Desk, PATH, id};
use crate::{
    error::{Answer, Failure, Refusal},
    form::{Fields, Form, Reader, optional},
};

impl From<WebhookError> for Failure {
    fn from(error: WebhookError) -> Self {
        match error {
            WebhookError::NotFound => Self::NotFound,
            WebhookError::EventNotFound => {
                Refusal::conflict("The event is no longer kept, or not for this webhook's owner.")
            }
            WebhookError::Invalid(errors) => {
                let faults = errors.iter();
                let faults = faults.map(|(field, why)| (field.to_owned(), why.join("; ")));
                Refusal::of_fields(faults.collect())
            }
            WebhookError::TooMany | WebhookError::TooManyWaiting => Refusal::conflict(error),
            WebhookError::Store(error) => error.into(),
        }
    }
}

enum Command {
    Change(EndpointChange),
    Replay(OffsetDateTime),
    Resend(Cursor),
    Test,
    Rotate,
    Delete,
}

fn command(fields: &mut Reader<'_>, private: PrivateAddresses) -> Option<Command> {
    let set = |state| {
        Command::Change(EndpointChange {
            state: Patch::Set(state),
            ..EndpointChange::default()
        })
    };
    match fields.text("action") {
        "update" => settings(fields, private).map(|new| Command::Change(new.into())),
        "pause" => Some(set(WantedState::Paused)),
        "resume" => Some(set(WantedState::Active)),
        "replay" => {
            let since = since(fields.text("since"));
            fields.take("since", since).map(Command::Replay)
        }
        "resend" => {
            let event = fields.text("event").parse();
            fields.take("event", event).map(Command::Resend)
        }
        "test" => Some(Command::Test),
        "rotate" => Some(Command::Rotate),
        "delete" => Some(Command::Delete),
        _ => fields.unknown_action(),
    }
}

pub async fn create(desk: Desk, form: Form) -> Answer {
    let created = async {
        let private = desk.ports().private_addresses;
        let (new, prefixes) = form.read(|fields| {
            let (new, prefixes) = (settings(fields, private), fields.prefixes());
            new.zip(prefixes)
        })?;
        let id = EndpointId::new(Uuid::now_v7());
        let (webhooks, secret) = (desk.webhooks(), Secret::drawn(rand::random()));
        let _call = desk.receiver_call()?;
        let created = webhooks.create(new, prefixes, id, secret, desk.now);
        pages::secret(&desk, &created.await?, false).await
    };
    let page = async |refused| pages::all(&desk, refused).await;
    form.answer(created.await, page).await
}

pub async fn change(desk: Desk, path: web::Path<String>, form: Form) -> Answer {
    let id = id(&path)?;
    let done = carry_out(&desk, id, &form).await;
    let page = async |refused| pages::one(&desk, id, None, refused).await;
    form.answer(done, page).await
}

async fn carry_out(desk: &Desk, id: EndpointId, form: &Form) -> Answer {
    let (webhooks, now) = (desk.webhooks(), desk.now);
    let command = form.read(|fields| command(fields, desk.ports().private_addresses))?;
    let mut page = format!("{PATH}/{id}");
    match command {
        Command::Change(change) => {
            let _call = match change.url {
                Patch::Set(_) => desk.receiver_call()?,
                _ => None,
            };
            webhooks.update(id, &change, now).await?;
        }
        Command::Replay(since) => webhooks.replay(id, since, now).await?,
        Command::Resend(event) => webhooks.resend(id, event, now).await?,
        Command::Test => return test(desk, id).await,
        Command::Rotate => {
            let rotated = webhooks.rotate(id, Secret::drawn(rand::random()), now);
            let endpoint = rotated.await?.endpoint;
            return pages::secret(desk, &endpoint, true).await;
        }
        Command::Delete => {
            webhooks.delete(id, now).await?;
            PATH.clone_into(&mut page);
        }
    }
    Ok(desk.lead(&page, form.get("action").unwrap_or_default()))
}

fn settings(fields: &mut Reader<'_>, private: PrivateAddresses) -> Option<NewEndpoint> {
    let url = EndpointUrl::parse(fields.text("url"), private);
    let url = fields.take("url", url);
    let description = optional(fields.text("description"), |text| {
        line::short_text(text, LONGEST_DESCRIPTION).map(str::to_owned)
    });
    let description = fields.take("description", description);
    let names = fields.take_all("type", str::parse).map(PublicEvent::names);
    Some(NewEndpoint {
        url: url?,
        // If no type is chosen, the endpoint gets all types.
        names: names.map(|names| (!names.is_empty()).then_some(names))?,
        include_posting: !fields.text("include_posting").is_empty(),
        description: description?,
    })
}

fn since(text: &str) -> Result<OffsetDateTime, String> {
    let at = match day::parse(text) {
        Some(day) => Some(day.midnight().assume_utc()),
        None => OffsetDateTime::parse(text, &Rfc3339).ok(),
    };
    let expected = "a day such as 2026-03-01 or a time such as 2026-03-01T12:00:00Z";
    at.map(fields::microseconds).ok_or_else(|| match text {
        "" => format!("enter the start: {expected}"),
        text => format!("{text:?} is not {expected}"),
    })
}

async fn test(desk: &Desk, id: EndpointId) -> Answer {
    let (webhooks, now) = (desk.webhooks(), desk.now);
    if let Some(store) = desk.store() {
        webhooks.announce_test(id, store, now).await?;
    }
    let (delivery, body) = ping(Uuid::now_v7(), now).map_err(Failure::broken)?;
    let call = desk.receiver_call()?;
    let attempt = webhooks.test(id, (&delivery, &body), now).await?;
    drop(call);
    let took = attempt.duration.as_millis();
    let status = match attempt.outcome.status() {
        Some(status) => format!("The receiver answered {status}"),
        None => "The receiver did not answer".to_owned(),
    };
    let error = attempt.error.map(|error| format!(": {error}"));
    let notice = format!("{status} after {took} ms{}.", error.unwrap_or_default());
    pages::one(desk, id, Some(notice), Fields::default()).await
}

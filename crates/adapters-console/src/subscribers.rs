//! `/subscribers`: one person, found by the address, and the provider's accounts.

use actix_web::{HttpRequest, web};
use askama::Template;
use domain::outbox::SubjectTask;
use newsletter::{
    store::{AccountState, SubscriberCount},
    subscriber::{Account, Email, Subscriber},
    tasks,
};

use crate::{
    error::{Answer, Failure},
    form::Form,
    page,
    query::Query,
    session::SignedIn,
    state::{PersonCommand, PersonError, State},
    text,
};

const PATH: &str = "/subscribers";
/// Tasks of a person that are shown.
const TASKS: usize = 50;

#[derive(Template)]
#[template(path = "subscribers.html")]
struct Page<'a> {
    head: page::Head,
    frame: page::Frame,
    asked: &'a str,
    person: Option<Person>,
    accounts: Vec<(Account, AccountState)>,
    /// The subscribers of each account by status; `None` while they are counted.
    census: Option<Vec<SubscriberCount>>,
}

struct Person {
    email: String,
    status: &'static str,
    fields: Vec<(&'static str, String)>,
    tasks: Vec<SubjectTask>,
}

/// The search, and the person who is found. Addresses come in the address bar, as in every search;
/// the log has paths alone.
pub async fn show(request: HttpRequest, state: web::Data<State>) -> Answer {
    let query = Query::of(&request);
    render(
        &request,
        &state,
        query.get("email").unwrap_or_default(),
        None,
    )
    .await
}

async fn render(
    request: &HttpRequest,
    state: &State,
    asked: &str,
    notice: Option<String>,
) -> Answer {
    let mut frame = page::Frame::of(request, PATH)?;
    frame.notice = notice;
    let mut accounts = Vec::new();
    for account in [Account::Old, Account::New] {
        accounts.push((account, state.ports.accounts.account_state(account).await?));
    }
    let person = if asked.is_empty() {
        None
    } else {
        find(state, asked).await?
    };
    let page = Page {
        head: page::Head::new("Subscribers"),
        frame,
        asked,
        person,
        accounts,
        census: state.census().await?,
    };
    page::answer(&page, 200)
}

fn email(text: &str) -> Result<Email, Failure> {
    Email::parse(text).map_err(|error| Failure::field(format!("e-mail: {error}")))
}

async fn find(state: &State, asked: &str) -> Result<Option<Person>, Failure> {
    let email = email(asked)?;
    let mut known = state
        .ports
        .subscribers
        .load(std::slice::from_ref(&email))
        .await?;
    let Some(subscriber) = known.remove(&email) else {
        return Ok(None);
    };
    let outbox = &state.ports.outbox;
    let tasks = outbox
        .tasks_of(subscriber.id.uuid(), &tasks::KINDS, TASKS)
        .await?;
    Ok(Some(Person {
        email: subscriber.email.to_string(),
        status: subscriber.status.as_str(),
        fields: fields(&subscriber),
        tasks,
    }))
}

fn fields(subscriber: &Subscriber) -> Vec<(&'static str, String)> {
    let membership = subscriber.membership.map(|membership| {
        let until = membership.expires_at.map(|day| format!(", until {day}"));
        let (plan, status) = (membership.plan_category, membership.status);
        format!("{plan}, {status}{}", until.unwrap_or_default())
    });
    let suppression = subscriber.suppression.as_ref().map(|suppression| {
        let reason = suppression.reason.as_deref().unwrap_or("no reason given");
        format!(
            "by {}, {}: {reason}",
            suppression.source,
            text::minute(suppression.at)
        )
    });
    let migrated = subscriber.migrated.map(|migrated| {
        let arrived = if migrated.arrived { "" } else { ", under way" };
        format!(
            "{}, {}{arrived}",
            text::minute(migrated.at),
            migrated.source
        )
    });
    let fields = [
        ("UUID", subscriber.id.to_string()),
        ("Name", subscriber.name.clone().unwrap_or_default()),
        ("Country", subscriber.country.clone().unwrap_or_default()),
        ("Membership", membership.unwrap_or_default()),
        ("Account", subscriber.account().to_string()),
        ("Suppressed", suppression.unwrap_or_default()),
        (
            "Reinstated",
            text::optional_minute(subscriber.reinstated_at),
        ),
        ("Moved", migrated.unwrap_or_default()),
        (
            "Leaves",
            subscriber
                .departure
                .map(|it| it.kind().to_string())
                .unwrap_or_default(),
        ),
        ("Reported", text::optional_minute(subscriber.reported_at)),
        ("Updated", text::minute(subscriber.updated_at)),
    ];
    fields
        .into_iter()
        .filter(|(_, value)| !value.is_empty())
        .collect()
}

/// Suppresses, reinstates or erases a person.
pub async fn act(request: HttpRequest, payload: web::Payload, state: web::Data<State>) -> Answer {
    let signed_in = SignedIn::of(&request)?;
    let form = Form::checked(&request, payload, &state, &signed_in).await?;
    let email = email(form.get("email").unwrap_or_default())?;
    let command = match form.get("action") {
        Some("suppress") => PersonCommand::Suppress {
            reason: form.reason()?,
        },
        Some("reinstate") => PersonCommand::Reinstate {
            reason: form.reason()?,
        },
        Some("erase") => PersonCommand::Erase,
        _ => return Err(Failure::field("action: must be one of those on the page")),
    };
    let by = signed_in.attribution();
    let decided = state.ports.people.decide(&email, &command, &by).await;
    let said = decided.map_err(|error| match error {
        PersonError::NotFound => Failure::NotFound,
        PersonError::Store(error) => error.into(),
    })?;
    let asked = if matches!(command, PersonCommand::Erase) {
        ""
    } else {
        email.as_str()
    };
    render(&request, &state, asked, Some(said)).await
}

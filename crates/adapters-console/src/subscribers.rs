//! `/subscribers`: one person, found by the address, and the provider's accounts.

use actix_web::{HttpRequest, web};
use askama::Template;
use kernel::outbox::SubjectTask;
use newsletter::{
    store::{AccountState, SubscriberCount},
    subscriber::{Account, Email, Subscriber},
    tasks,
    usecase::{PersonCommand, PersonError},
};

use crate::{
    error::{Answer, Failure},
    form::{Fields, Form, Problem, Reader},
    page,
    query::Query,
    session::SignedIn,
    state::State,
    text,
};

const PATH: &str = "/subscribers";
/// Tasks of a person that are shown.
const TASKS: usize = 50;

#[derive(Template)]
#[template(path = "subscribers.html")]
struct Page {
    head: page::Head,
    frame: page::Frame,
    /// The address that is asked for.
    asked: String,
    search: Fields,
    fields: Fields,
    person: Option<Person>,
    has_newsletter: bool,
    accounts: Vec<(Account, AccountState)>,
    /// The subscribers of each account by status; `None` while they are counted.
    census: Option<Vec<SubscriberCount>>,
}

struct Person {
    email: String,
    status: &'static str,
    details: Vec<(&'static str, String)>,
    tasks: Vec<SubjectTask>,
}

/// The search, and the person who is found. Addresses come in the address bar, as in every search;
/// the log has paths alone.
pub async fn show(request: HttpRequest, state: web::Data<State>) -> Answer {
    render(
        &request,
        &state,
        Query::of(&request),
        None,
        Fields::default(),
    )
    .await
}

async fn render(
    request: &HttpRequest,
    state: &State,
    query: Query,
    notice: Option<String>,
    fields: Fields,
) -> Answer {
    let (mut accounts, mut census) = (Vec::new(), None);
    if state.has_newsletter {
        for account in [Account::Old, Account::New] {
            accounts.push((account, state.ports.accounts.account_state(account).await?));
        }
        census = state.census().await?;
    }
    let asked = match query.get("email") {
        None => Ok(None),
        Some(_) => Form::of(query.clone()).read(email).map(Some),
    };
    let (asked, search) = match asked {
        Ok(asked) => (asked, Fields::showing(query)),
        Err(refusal) => (None, Fields::refused(query, refusal)),
    };
    let person = match &asked {
        None => None,
        Some(email) => find(state, email).await?,
    };
    let refused = if search.problem().is_some() {
        &search
    } else {
        &fields
    };
    let status = refused.status();
    let mut frame = page::Frame::of_form(request, PATH, refused)?;
    frame.notice = notice;
    let page = Page {
        head: page::Head::new("Subscribers"),
        frame,
        asked: asked.map(|email| email.to_string()).unwrap_or_default(),
        search,
        fields,
        person,
        has_newsletter: state.has_newsletter,
        accounts,
        census,
    };
    page::answer(&page, status)
}

fn email(fields: &mut Reader<'_>) -> Option<Email> {
    fields.take("email", Email::parse(fields.text("email")))
}

async fn find(state: &State, email: &Email) -> Result<Option<Person>, Failure> {
    let mut known = state
        .ports
        .subscribers
        .load(std::slice::from_ref(email))
        .await?;
    let Some(subscriber) = known.remove(email) else {
        return Ok(None);
    };
    let outbox = &state.ports.outbox;
    let tasks = outbox
        .tasks_of(subscriber.id.uuid(), &tasks::KINDS, TASKS)
        .await?;
    Ok(Some(Person {
        email: subscriber.email.to_string(),
        status: subscriber.status.as_str(),
        details: details(&subscriber),
        tasks,
    }))
}

fn details(subscriber: &Subscriber) -> Vec<(&'static str, String)> {
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

impl From<PersonError> for Problem {
    fn from(error: PersonError) -> Self {
        match error {
            PersonError::NotFound => Failure::NotFound.into(),
            PersonError::Store(error) => error.into(),
        }
    }
}

fn command(fields: &mut Reader<'_>) -> Option<PersonCommand> {
    match fields.text("action") {
        "suppress" => {
            let reason = fields.reason();
            reason.map(|reason| PersonCommand::Suppress { reason })
        }
        "reinstate" => {
            let reason = fields.reason();
            reason.map(|reason| PersonCommand::Reinstate { reason })
        }
        "erase" => Some(PersonCommand::Erase),
        _ => fields.unknown_action(),
    }
}

/// Suppresses, reinstates or erases a person.
pub async fn act(request: HttpRequest, payload: web::Payload, state: web::Data<State>) -> Answer {
    let signed_in = SignedIn::of(&request)?;
    let form = Form::checked(&request, payload, &state, &signed_in).await?;
    let (query, notice, fields) = match decide(&state, &signed_in, &form).await {
        Ok((said, is_gone)) => {
            let email = form.get("email").filter(|_| !is_gone);
            let query = Query::with_values(email.map(|email| ("email", email.to_owned())));
            (query, Some(said), Fields::default())
        }
        Err(problem) => (form.values().clone(), None, form.refused(problem)?),
    };
    render(&request, &state, query, notice, fields).await
}

/// Carries out a form: what became of it, and whether the person is gone.
async fn decide(
    state: &State,
    signed_in: &SignedIn,
    form: &Form,
) -> Result<(String, bool), Problem> {
    let (email, command) = form.read(|fields| {
        let (email, command) = (email(fields), command(fields));
        Some((email?, command?))
    })?;
    let by = signed_in.attribution();
    let said = state.ports.people.decide(&email, &command, &by).await?;
    Ok((said, matches!(command, PersonCommand::Erase)))
}

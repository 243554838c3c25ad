//! `/subscribers`: one person, found by address, and the provider's accounts.

use askama::Template;
use kernel::outbox::SubjectTask;
use newsletter::{
    store::{AccountState, SubscriberCount},
    subscriber::{Account, Email, Subscriber},
    tasks,
    usecase::{PersonCommand, PersonError, PersonRef, decide_about_person},
};
use runtime::{COMMAND_PATIENCE, decide_again};
use stores::Stores;
use tokens::new_subscriber;

use crate::{
    error::{Answer, Failure},
    form::{Fields, Form, Reader},
    page::Frame,
    query::Query,
    text,
    visit::OperatorVisit,
};

const PATH: &str = "/subscribers";
const TASKS: usize = 50;

#[derive(Template)]
#[template(path = "subscribers.html")]
struct Page {
    frame: Frame,
    asked: String,
    search: Fields,
    fields: Fields,
    person: Option<(Subscriber, Vec<SubjectTask>)>,
    has_newsletter: bool,
    accounts: Vec<(Account, AccountState)>,
    subscriber_counts: Option<Vec<SubscriberCount>>,
}

/// Shows the search and the person found. As in every search, the address is in the URL's query,
/// because the log has only paths.
pub async fn show(visit: OperatorVisit) -> Answer {
    render(&visit, visit.query(), None, Fields::default()).await
}

async fn render(
    visit: &OperatorVisit,
    query: Query,
    notice: Option<String>,
    fields: Fields,
) -> Answer {
    let (state, stores) = (&visit.state, visit.stores());
    let (mut accounts, mut subscriber_counts) = (Vec::new(), None);
    if state.settings.has_newsletter {
        for account in [Account::Old, Account::New] {
            accounts.push((account, stores.accounts.account_state(account).await?));
        }
        subscriber_counts = state.subscriber_counts().await?;
    }
    let is_asked = query.get("email").is_some();
    let (asked, search) = Form::search(query, |fields| {
        if is_asked {
            email(fields).map(Some)
        } else {
            Some(None)
        }
    });
    let asked = asked.flatten();
    let person = match &asked {
        None => None,
        Some(email) => find(stores, email).await?,
    };
    let refused = if fields.problem().is_some() {
        &fields
    } else {
        &search
    };
    let page = Page {
        frame: visit
            .frame_of_form(PATH, "Subscribers", refused)
            .saying(notice),
        asked: asked.map(|email| email.to_string()).unwrap_or_default(),
        search,
        fields,
        person,
        has_newsletter: state.settings.has_newsletter,
        accounts,
        subscriber_counts,
    };
    page.frame.answer(&page)
}

fn email(fields: &mut Reader<'_>) -> Option<Email> {
    fields.take("email", Email::parse(fields.text("email")))
}

async fn find(
    stores: &Stores,
    email: &Email,
) -> Result<Option<(Subscriber, Vec<SubjectTask>)>, Failure> {
    let mut known = stores.newsletter.load(std::slice::from_ref(email)).await?;
    let Some(subscriber) = known.remove(email) else {
        return Ok(None);
    };
    let id = subscriber.id.uuid();
    let tasks = stores.outbox.tasks_of(id, &tasks::KINDS, TASKS).await?;
    Ok(Some((subscriber, tasks)))
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
    text::stated([
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
    ])
}

impl From<PersonError> for Failure {
    fn from(error: PersonError) -> Self {
        match error {
            PersonError::NotFound => Self::NotFound,
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

pub async fn act(visit: OperatorVisit, form: Form) -> Answer {
    let (query, notice, fields) = match decide(&visit, &form).await {
        Ok((said, is_gone)) => {
            let email = form.get("email").filter(|_| !is_gone);
            let query = Query::with_values(email.map(|email| ("email", email.to_owned())));
            (query, Some(said), Fields::default())
        }
        Err(failure) => (form.values().clone(), None, form.refused(failure)?),
    };
    render(&visit, query, notice, fields).await
}

async fn decide(visit: &OperatorVisit, form: &Form) -> Result<(String, bool), Failure> {
    let (email, command) = form.read(|fields| {
        let (email, command) = (email(fields), command(fields));
        Some((email?, command?))
    })?;
    let person = PersonRef::Email(email);
    let (store, new) = (&*visit.stores().newsletter, new_subscriber());
    let attempt =
        || decide_about_person(store, &person, &command, new.clone(), &visit.by, visit.now);
    let outcome = decide_again(COMMAND_PATIENCE, attempt).await?;
    Ok((outcome, matches!(command, PersonCommand::Erase)))
}

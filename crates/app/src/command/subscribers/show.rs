//! `posthaste subscribers show`: one subscriber as text or as JSON.

use clap::Args;
use kernel::{
    day,
    outbox::{Outbox, SubjectTask, TaskRow},
};
use newsletter::{
    store::Store,
    subscriber::{Account, Departure, Place, Places, Subscriber, Suppression},
    tasks,
    usecase::PersonRef,
};
use serde_json::{Value, json};
use time::OffsetDateTime;

use crate::{
    cli::{JsonArgs, StoreArgs, values},
    output,
};

/// Tasks of a person that are shown at most.
const TASKS: usize = 100;

/// Show what is known of a subscriber
#[derive(Debug, Args)]
pub struct Show {
    /// The subscriber's address or UUID
    #[arg(value_name = "EMAIL", value_parser = values::person)]
    person: PersonRef,
    #[command(flatten)]
    json: JsonArgs,
    #[command(flatten)]
    store: StoreArgs,
}

impl Show {
    pub async fn run(self) -> anyhow::Result<()> {
        let database = self.store.open().await?;
        let (store, outbox) = (&*database.newsletter, &*database.outbox);
        output::print(show(store, outbox, &self.person, self.json.enabled).await?)
    }
}

/// The origin of a suppression.
fn origin(known: &Suppression) -> Value {
    json!({
        "source": known.source.as_str(),
        "account": known.account.map(Account::as_str),
        "at": output::time(known.at),
        "reason": known.reason,
    })
}

/// The state of the person in an account.
fn state(place: &Place) -> Value {
    json!({
        "id": place.id.as_ref().map(|id| &id.0),
        "quiet": place.is_quiet,
        "withdrawn": place.is_withdrawn,
    })
}

/// A task about the person that is pending or was given up.
fn task_data(SubjectTask { task, is_dead }: &SubjectTask) -> Value {
    json!({
        "id": task.id.0,
        "kind": task.kind.as_str(),
        "attempts": task.attempts,
        "next_at": output::time(task.next_at),
        "last_error": task.last_error,
        "dead": is_dead,
    })
}

/// Renders a person and their tasks.
async fn show(
    store: &dyn Store,
    outbox: &dyn Outbox,
    person: &PersonRef,
    as_json: bool,
) -> anyhow::Result<String> {
    let subscriber = person.find(store).await?;
    let tasks = outbox
        .tasks_of(subscriber.id.uuid(), &tasks::KINDS, TASKS)
        .await?;
    if !as_json {
        return Ok(text(&subscriber, &tasks));
    }
    // The API's answer, with more for an operator.
    let mut record = serde_json::to_value(adapters_http::subscriber_data(&subscriber))?;
    let Places { old, new } = &subscriber.places;
    for (key, value) in [
        ("migration_token", json!(subscriber.token.reveal())),
        (
            "reported_at",
            json!(subscriber.reported_at.map(output::time)),
        ),
        (
            "suppression",
            json!(subscriber.suppression.as_ref().map(origin)),
        ),
        (
            "reinstated_at",
            json!(subscriber.reinstated_at.map(output::time)),
        ),
        (
            "departure",
            json!(subscriber.departure.map(|it| it.kind().as_str())),
        ),
        ("told_at", json!(subscriber.told_at.map(output::time))),
        ("accounts", json!({ "old": state(old), "new": state(new) })),
        ("tasks", tasks.iter().map(task_data).collect()),
    ] {
        record[key] = value;
    }
    Ok(output::json(&record)?)
}

/// The subscriber as text.
fn text(subscriber: &Subscriber, tasks: &[SubjectTask]) -> String {
    let time = |at: Option<OffsetDateTime>| at.map(output::time);
    let migrated = subscriber.migrated.map(|migrated| {
        let arrival = if migrated.arrived { "" } else { ", under way" };
        let at = output::time(migrated.at);
        format!("{at}, by {}{arrival}", migrated.source)
    });
    let suppressed = subscriber.suppression.as_ref().map(suppression);
    let reported = time(subscriber.reported_at).unwrap_or_else(|| "never".to_owned());
    let mut fields = output::Fields::default();
    for (name, value) in [
        ("email", Some(subscriber.email.to_string())),
        ("uuid", Some(subscriber.id.to_string())),
        ("name", subscriber.name.clone()),
        ("country", subscriber.country.clone()),
        ("status", Some(subscriber.status.to_string())),
        ("suppressed", suppressed),
        ("reinstated", time(subscriber.reinstated_at)),
        ("departs", subscriber.departure.map(departure)),
        ("membership", Some(membership(subscriber))),
        ("account", Some(subscriber.account().to_string())),
        ("migrated", migrated),
        ("told", time(subscriber.told_at)),
        ("in old", standing(subscriber, Account::Old)),
        ("in new", standing(subscriber, Account::New)),
        ("reported", Some(reported)),
        ("updated", time(Some(subscriber.updated_at))),
    ] {
        fields.add(name, value);
    }
    for task in tasks {
        fields.add("task", Some(task_text(task)));
    }
    fields.text()
}

fn suppression(known: &Suppression) -> String {
    let mut text = format!("{}, by {}", output::time(known.at), known.source);
    if let Some(account) = known.account {
        text = format!("{text}, in the {account} account");
    }
    match &known.reason {
        Some(reason) => format!("{text}: {reason}"),
        None => text,
    }
}

/// The reason why the address is removed from both accounts.
fn departure(departure: Departure) -> String {
    match departure {
        Departure::Moved(successor) => format!("the person has another address: {successor}"),
        Departure::Erased => "the person is being erased".to_owned(),
    }
}

/// The state of the person in an account, as far as it is known.
fn standing(subscriber: &Subscriber, account: Account) -> Option<String> {
    let Place {
        id,
        is_quiet,
        is_withdrawn,
    } = &subscriber.places[account];
    let mut parts: Vec<String> = id.iter().map(|id| format!("id {}", id.0)).collect();
    if *is_withdrawn {
        parts.push("unsubscribed by this service".to_owned());
    }
    if subscriber.is_watched() {
        let said = if *is_quiet {
            "seen to"
        } else {
            "to be looked at"
        };
        parts.push(said.to_owned());
    }
    (!parts.is_empty()).then(|| parts.join(", "))
}

fn task_text(SubjectTask { task, is_dead }: &SubjectTask) -> String {
    let TaskRow {
        id,
        kind,
        attempts,
        next_at,
        last_error,
        ..
    } = task;
    let state = if *is_dead {
        "given up".to_owned()
    } else {
        format!("next {}", output::time(*next_at))
    };
    let text = format!("{} {kind}, {state}, attempts: {attempts}", id.0);
    match last_error {
        Some(error) => format!("{text}: {error}"),
        None => text,
    }
}

fn membership(subscriber: &Subscriber) -> String {
    let Some(membership) = subscriber.membership else {
        return "none".to_owned();
    };
    let mut text = format!("{}, {}", membership.plan_category, membership.status);
    if let Some(day) = membership.expires_at {
        text = format!("{text}, until {}", day::write(day));
    }
    text
}

#[cfg(test)]
mod tests;

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
use serde::Serialize;

use crate::{
    cli::{JsonArgs, StoreArgs},
    config, output,
};

/// Tasks of a person that are shown at most.
const TASKS: usize = 100;

/// Show what is known of a subscriber
#[derive(Debug, Args)]
pub struct Show {
    /// The subscriber's address or UUID
    #[arg(value_name = "EMAIL", value_parser = config::person)]
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

/// A subscriber as JSON: the API's answer, with more for an operator.
#[derive(Serialize)]
struct Record<'a, T> {
    #[serde(flatten)]
    data: T,
    migration_token: &'a str,
    reported_at: Option<String>,
    suppression: Option<Suppressed<'a>>,
    reinstated_at: Option<String>,
    departure: Option<&'static str>,
    told_at: Option<String>,
    accounts: Accounts<'a>,
    tasks: Vec<Task<'a>>,
}

/// The origin of a suppression.
#[derive(Serialize)]
struct Suppressed<'a> {
    source: &'static str,
    account: Option<&'static str>,
    at: String,
    reason: Option<&'a str>,
}

impl<'a> From<&'a Suppression> for Suppressed<'a> {
    fn from(suppression: &'a Suppression) -> Self {
        Self {
            source: suppression.source.as_str(),
            account: suppression.account.map(Account::as_str),
            at: output::time(suppression.at),
            reason: suppression.reason.as_deref(),
        }
    }
}

/// The state of the person in each account.
#[derive(Serialize)]
struct Accounts<'a> {
    old: Standing<'a>,
    new: Standing<'a>,
}

#[derive(Serialize)]
struct Standing<'a> {
    id: Option<&'a str>,
    quiet: bool,
    withdrawn: bool,
}

impl<'a> From<&'a Place> for Standing<'a> {
    fn from(place: &'a Place) -> Self {
        Self {
            id: place.id.as_ref().map(|id| id.0.as_str()),
            quiet: place.is_quiet,
            withdrawn: place.is_withdrawn,
        }
    }
}

/// A task about the person that is pending or was given up.
#[derive(Serialize)]
struct Task<'a> {
    id: i64,
    kind: &'a str,
    attempts: u32,
    next_at: String,
    last_error: Option<&'a str>,
    dead: bool,
}

impl<'a> From<&'a SubjectTask> for Task<'a> {
    fn from(SubjectTask { task, is_dead }: &'a SubjectTask) -> Self {
        Self {
            id: task.id.0,
            kind: task.kind.as_str(),
            attempts: task.attempts,
            next_at: output::time(task.next_at),
            last_error: task.last_error.as_deref(),
            dead: *is_dead,
        }
    }
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
    let Places { old, new } = &subscriber.places;
    Ok(output::json(&Record {
        data: adapters_http::subscriber_data(&subscriber),
        migration_token: subscriber.token.reveal(),
        reported_at: subscriber.reported_at.map(output::time),
        suppression: subscriber.suppression.as_ref().map(Suppressed::from),
        reinstated_at: subscriber.reinstated_at.map(output::time),
        departure: subscriber.departure.map(|it| it.kind().as_str()),
        told_at: subscriber.told_at.map(output::time),
        accounts: Accounts {
            old: old.into(),
            new: new.into(),
        },
        tasks: tasks.iter().map(Task::from).collect(),
    })?)
}

/// The subscriber as text.
fn text(subscriber: &Subscriber, tasks: &[SubjectTask]) -> String {
    let mut fields = output::Fields::default();
    let mut field = |name: &str, value: Option<String>| {
        fields.add(name, value);
    };
    field("email", Some(subscriber.email.to_string()));
    field("uuid", Some(subscriber.id.to_string()));
    field("name", subscriber.name.clone());
    field("country", subscriber.country.clone());
    field("status", Some(subscriber.status.to_string()));
    field(
        "suppressed",
        subscriber.suppression.as_ref().map(suppression),
    );
    let reinstated = subscriber.reinstated_at.map(output::time);
    field("reinstated", reinstated);
    field("departs", subscriber.departure.map(departure));
    field("membership", Some(membership(subscriber)));
    field("account", Some(subscriber.account().to_string()));
    let migrated = subscriber.migrated.map(|migrated| {
        let arrival = if migrated.arrived { "" } else { ", under way" };
        let at = output::time(migrated.at);
        format!("{at}, by {}{arrival}", migrated.source)
    });
    field("migrated", migrated);
    field("told", subscriber.told_at.map(output::time));
    for &account in Account::ALL {
        let standing = standing(subscriber, account);
        field(&format!("in {account}"), standing);
    }
    let reported = subscriber.reported_at.map(output::time);
    field(
        "reported",
        Some(reported.unwrap_or_else(|| "never".to_owned())),
    );
    field("updated", Some(output::time(subscriber.updated_at)));
    for task in tasks {
        field("task", Some(task_text(task)));
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
mod tests {
    use kernel::{
        field::Patch,
        testing::{by_ann, minutes, noon},
    };
    use newsletter::{
        subscriber::{MigrationSource, SubscriberStatus},
        testing::{MemoryStore, email, notice, report, subscriber_id, token},
        usecase::{migrate, put_subscribers, suppress},
    };
    use serde_json::Value;

    use super::*;

    const ADA: &str = "ada@example.com";

    fn ada() -> PersonRef {
        PersonRef::Email(email(ADA))
    }

    async fn store() -> MemoryStore {
        let store = MemoryStore::new();
        let body = r#"{"name":"Ada","country":"Malta","membership":
            {"plan_category":"individual","status":"expired","expires_at":"2027-01-31"}}"#;
        // Older versions took names with control characters.
        let mut put = report(ADA, body);
        put.name = Patch::Set("Ada\u{1b}[2J".to_owned());
        put_subscribers(&store, &[put], noon()).await.unwrap();
        store
    }

    #[tokio::test]
    async fn json_is_what_the_api_answers_and_what_an_operator_asks() {
        let store = store().await;
        let text = show(&store, &store, &ada(), true).await.unwrap();
        let json: Value = serde_json::from_str(&text).unwrap();
        let mut keys: Vec<_> = json.as_object().unwrap().keys().cloned().collect();
        keys.sort_unstable();
        let mut expect = vec![
            "uuid",
            "email",
            "name",
            "country",
            "status",
            "membership_plan_category",
            "member_status",
            "membership_expire_at",
            "mailerlite_account",
            "migrated_at",
            "migration_source",
            "migration_token",
            "reported_at",
            "suppression",
            "reinstated_at",
            "departure",
            "told_at",
            "accounts",
            "tasks",
        ];
        expect.sort_unstable();
        assert_eq!(keys, expect);
        assert_eq!(json["email"], ADA);
        assert_eq!(json["member_status"], "active-or-expired");
        assert_eq!(json["membership_expire_at"], "2027-01-31");
        assert_eq!(json["mailerlite_account"], "old");
        assert_eq!(json["migrated_at"], Value::Null);
        assert_eq!(json["migration_token"], token(ADA).reveal());
        assert_eq!(json["reported_at"], "2026-03-01T12:00:00.123456Z");
        assert_eq!(json["suppression"], Value::Null);
        assert_eq!(json["accounts"]["old"]["id"], Value::Null);
        let kinds: Vec<_> = json["tasks"].as_array().unwrap().iter().collect();
        assert_eq!(kinds.len(), 1);
        assert_eq!(kinds[0]["kind"], "sync");
        assert_eq!(kinds[0]["dead"], false);
    }

    #[tokio::test]
    async fn the_text_says_what_a_person_asks_and_is_safe_for_a_terminal() {
        let store = store().await;
        let (source, at) = (MigrationSource::Launch, noon() + minutes(1));
        migrate(&store, &[email(ADA)], source, at).await.unwrap();
        let text = show(&store, &store, &ada(), false).await.unwrap();
        for part in [
            "email             ada@example.com\n",
            "name              Ada\u{FFFD}[2J\n",
            "status            active\n",
            "membership        individual, expired, until 2027-01-31\n",
            "account           new\n",
            "migrated          2026-03-01T12:01:00.123456Z, by launch, under way\n",
        ] {
            assert!(text.contains(part), "{part} in {text}");
        }
        assert!(!text.contains(token(ADA).reveal()), "{text}");
        assert!(!text.chars().any(|c| c.is_control() && c != '\n'));
    }

    #[tokio::test]
    async fn who_is_unknown_is_not_there() {
        let store = MemoryStore::new();
        let nobody = PersonRef::Id(subscriber_id(ADA));
        for (person, as_json) in [(ada(), false), (ada(), true), (nobody, false)] {
            let error = show(&store, &store, &person, as_json).await.unwrap_err();
            assert_eq!(error.to_string(), "Newsletter subscriber not found.");
        }
    }

    /// A person who was suppressed but never reported, with a task that was given up.
    #[tokio::test]
    async fn a_suppression_is_shown_with_where_it_came_from_and_what_is_to_be_done() {
        let store = MemoryStore::new();
        let asked = notice(ADA, SubscriberStatus::Unsubscribed);
        let by = by_ann(1);
        let done = suppress(&store, &asked, "by phone", &by, noon());
        assert!(done.await.unwrap().is_news);
        let claimed = store
            .claim(tasks::WITHDRAW, 1, minutes(1), uuid::Uuid::max(), noon())
            .await
            .unwrap();
        let given_up = store.give_up(claimed[0].token, "old: 403", noon()).await;
        assert_eq!(given_up, Ok(()));
        let id = PersonRef::Id(subscriber_id(ADA));
        let text = show(&store, &store, &id, false).await.unwrap();
        for part in [
            "status            unsubscribed\n",
            "suppressed        2026-03-01T12:00:00.123456Z, by operator: by phone\n",
            "in old            to be looked at\n",
            "reported          never\n",
            "task              1 withdraw, given up, attempts: 1: old: 403",
        ] {
            assert!(text.contains(part), "{part} in {text}");
        }
        let json = show(&store, &store, &id, true).await.unwrap();
        let json: Value = serde_json::from_str(&json).unwrap();
        assert_eq!(json["suppression"]["source"], "operator");
        assert_eq!(json["suppression"]["account"], Value::Null);
        assert_eq!(json["suppression"]["reason"], "by phone");
        assert_eq!(json["reported_at"], Value::Null);
        assert_eq!(json["tasks"][0]["dead"], true);
        assert_eq!(json["tasks"][0]["last_error"], "old: 403");
    }
}

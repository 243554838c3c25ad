use clap::Args;
use kernel::outbox::{Outbox, SubjectTask};
use newsletter::{
    store::Store,
    subscriber::{Account, Departure, Place, Places, SubscriberId, Suppression},
    tasks,
    usecase::PersonRef,
};
use serde_json::{Value, json};
use time::OffsetDateTime;

use crate::{
    args::{JsonArgs, StoreArgs, values},
    command::outbox,
    output,
};

const TASKS: usize = 100;

/// Show all data of a subscriber
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
        let shown = show(store, outbox, &self.person).await?;
        if self.json.enabled {
            output::print_json(&shown)
        } else {
            output::print(text(&shown)?)
        }
    }
}

fn origin(known: &Suppression) -> Value {
    json!({
        "source": known.source.as_str(),
        "account": known.account.map(Account::as_str),
        "at": output::time(known.at),
        "reason": known.reason,
    })
}

fn state(place: &Place) -> Value {
    json!({
        "id": place.id.as_ref().map(|id| &id.0),
        "quiet": place.is_quiet,
        "withdrawn": place.is_withdrawn,
    })
}

fn task_data(SubjectTask { task, is_dead }: &SubjectTask) -> Value {
    let mut data = outbox::data(task);
    data["dead"] = json!(is_dead);
    data
}

async fn show(store: &dyn Store, outbox: &dyn Outbox, person: &PersonRef) -> anyhow::Result<Value> {
    let subscriber = person.find(store).await?;
    let tasks = outbox
        .tasks_of(subscriber.id.uuid(), &tasks::KINDS, TASKS)
        .await?;
    let mut record = serde_json::to_value(views::subscriber::Subscriber::new(&subscriber))?;
    let time = |at: Option<OffsetDateTime>| json!(at.map(output::time));
    let departure = subscriber.departure;
    let successor = departure.and_then(Departure::successor);
    let Places { old, new } = &subscriber.places;
    for (key, value) in [
        ("migration_token", json!(subscriber.token.reveal())),
        (
            "migration_arrived",
            json!(subscriber.migrated.map(|it| it.arrived)),
        ),
        ("reported_at", time(subscriber.reported_at)),
        (
            "suppression",
            json!(subscriber.suppression.as_ref().map(origin)),
        ),
        ("reinstated_at", time(subscriber.reinstated_at)),
        ("departure", json!(departure.map(|it| it.kind().as_str()))),
        ("successor", json!(successor.map(SubscriberId::uuid))),
        ("told_at", time(subscriber.told_at)),
        ("updated_at", time(Some(subscriber.updated_at))),
        ("accounts", json!({ "old": state(old), "new": state(new) })),
        ("tasks", tasks.iter().map(task_data).collect()),
    ] {
        record[key] = value;
    }
    Ok(record)
}

/// Subscriber fields shown as text: all but the token.
const FIELDS: &str = "email  uuid  name  country  status  suppression  reinstated_at  departure  \
                      successor  membership_plan_category=none  member_status  \
                      membership_expire_at  mailerlite_account  migrated_at  migration_source  \
                      migration_arrived  told_at  accounts/old  accounts/new  \
                      reported_at=never  updated_at";

const COLUMNS: &str =
    "TASK=id  KIND=kind  TRIES=attempts  NEXT (UTC)=next_at  DEAD=dead  =last_error:below";

fn text(record: &Value) -> anyhow::Result<String> {
    let text = output::record(record, FIELDS)?;
    Ok(match record["tasks"].as_array().map(Vec::as_slice) {
        Some(tasks @ [_, ..]) => format!("{text}\n\n{}", output::table(COLUMNS, tasks)?),
        _ => text,
    })
}

#[cfg(test)]
mod tests;

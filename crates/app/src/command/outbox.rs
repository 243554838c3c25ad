//! `posthaste outbox`: side effects that wait, and those that were given up.

use std::{collections::BTreeSet, process::ExitCode};

use anyhow::bail;
use domain::{
    outbox::{Outbox, Revive, TaskId, TaskRow},
    store::AccountState,
    subscriber::Account,
};
use serde::Serialize;
use time::OffsetDateTime;

use crate::{
    cli::{OutboxCommand, OutboxListArgs, OutboxRetryArgs},
    clock,
    database::Database,
    output, text,
};

/// Carries out a command.
pub async fn run(command: OutboxCommand) -> anyhow::Result<ExitCode> {
    match command {
        OutboxCommand::List(args) => list(args).await?,
        OutboxCommand::Retry(args) => retry(args).await?,
    }
    Ok(ExitCode::SUCCESS)
}

/// A row as JSON shows it.
#[derive(Debug, Serialize)]
struct Row<'a> {
    id: i64,
    kind: &'static str,
    key: &'a str,
    attempts: u32,
    next_at: String,
    last_error: Option<&'a str>,
}

impl<'a> Row<'a> {
    fn new(task: &'a TaskRow) -> Self {
        Self {
            id: task.id.0,
            kind: task.kind.as_str(),
            key: &task.key,
            attempts: task.attempts,
            next_at: output::time(task.next_at),
            last_error: task.last_error.as_deref(),
        }
    }
}

async fn list(args: OutboxListArgs) -> anyhow::Result<()> {
    let database = Database::open(&args.store.database()).await?;
    let tasks = database.outbox.list(args.dead).await?;
    if args.json.enabled {
        let rows: Vec<_> = tasks.iter().map(Row::new).collect();
        return output::print_json(&rows);
    }
    output::print(table(&tasks, args.dead))?;
    for &account in Account::ALL {
        let state = database.accounts.account_state(account).await?;
        if let Some(pause) = pause(account, &state, clock::system()()) {
            output::print(pause)?;
        }
    }
    Ok(())
}

/// Says that an account of the e-mail provider is left alone, which is why its tasks wait.
fn pause(account: Account, state: &AccountState, now: OffsetDateTime) -> Option<String> {
    let until = state.paused_until.filter(|until| *until > now)?;
    let reason = state
        .pause_reason
        .as_deref()
        .unwrap_or("no reason is known");
    Some(format!(
        "The {account} account is left alone until {} (UTC): {}",
        output::minute(until),
        text::plain(reason)
    ))
}

/// One task takes two lines if something went wrong with it: an error is as long as it is.
fn table(tasks: &[TaskRow], dead: bool) -> String {
    if tasks.is_empty() {
        return if dead {
            "Nothing was given up."
        } else {
            "Nothing waits."
        }
        .to_owned();
    }
    let line = |id: &str, kind: &str, attempts: &str, next: &str, key: &str| {
        format!("{id:>8}  {kind:<7}  {attempts:>5}  {next:<16}  {key}")
    };
    let mut lines = vec![line("ID", "KIND", "TRIES", "NEXT (UTC)", "KEY")];
    for task in tasks {
        let next = output::minute(task.next_at);
        let (id, attempts) = (task.id.0.to_string(), task.attempts.to_string());
        lines.push(line(
            &id,
            task.kind.as_str(),
            &attempts,
            &next,
            &text::plain(&task.key),
        ));
        if let Some(error) = &task.last_error {
            lines.push(format!("{:>10}{}", "", text::plain(error)));
        }
    }
    lines.join("\n")
}

async fn retry(args: OutboxRetryArgs) -> anyhow::Result<()> {
    let database = Database::open(&args.store.database()).await?;
    let which = which(&args.ids, args.all_dead);
    output::print(revive(&*database.outbox, &which, clock::now()).await?)
}

/// One that is named twice is one.
fn which(ids: &[i64], all: bool) -> Revive {
    if all {
        return Revive::All;
    }
    let unique: BTreeSet<_> = ids.iter().copied().map(TaskId).collect();
    Revive::Tasks(unique.into_iter().collect())
}

/// Brings dead tasks back and says how many.
async fn revive(
    outbox: &dyn Outbox,
    which: &Revive,
    now: OffsetDateTime,
) -> anyhow::Result<String> {
    let revived = outbox.revive(which, now).await?;
    if let Revive::Tasks(named) = which
        && revived < named.len() as u64
    {
        bail!(
            "due again: {revived} of {}; what else was named is not dead, see \
             `posthaste outbox list --dead`",
            named.len()
        );
    }
    Ok(format!("Due again: {revived}."))
}

#[cfg(test)]
mod tests {
    use domain::{
        outbox::Queue,
        posting::Lifetime,
        subscriber::MigrationSource,
        testing::{MemoryStore, create, email, minutes, noon, report, subscriber_id},
        usecase::{ingest, migrate, put_subscribers},
    };
    use serde_json::Value;
    use uuid::Uuid;

    use super::*;

    /// A store with one posting's enrichment given up and its event waiting.
    async fn store() -> MemoryStore {
        let store = MemoryStore::new();
        ingest(&store, &[create("a", "acme")], Lifetime::NEVER, noon())
            .await
            .unwrap();
        let (lease, at) = (minutes(1), noon() + minutes(1));
        let claimed = store
            .claim(&[Queue::Enrich], 1, lease, Uuid::max(), at)
            .await
            .unwrap();
        store
            .bury(claimed[0].receipt, "no\x1b luck", at)
            .await
            .unwrap();
        store
    }

    async fn tasks(store: &MemoryStore, dead: bool) -> Vec<TaskRow> {
        Outbox::list(store, dead).await.unwrap()
    }

    #[test]
    fn a_pause_is_said_while_it_lasts() {
        let (now, minute) = (noon(), minutes(1));
        let state = AccountState {
            paused_until: Some(now + minute),
            pause_reason: Some("old account: 429\u{1b}[2J".to_owned()),
            reconciled_at: None,
        };
        let text = pause(Account::Old, &state, now).unwrap();
        assert!(text.contains("old account is left alone until"), "{text}");
        assert!(text.contains("429\u{FFFD}[2J"), "{text}");
        assert_eq!(pause(Account::Old, &state, now + minute), None);
        assert_eq!(pause(Account::New, &AccountState::default(), now), None);
    }

    #[tokio::test]
    async fn json_is_an_array_of_rows() {
        let store = store().await;
        let rows = |tasks: Vec<TaskRow>| -> Value {
            serde_json::to_value(tasks.iter().map(Row::new).collect::<Vec<_>>()).unwrap()
        };
        let waiting = rows(tasks(&store, false).await);
        assert_eq!(waiting.as_array().unwrap().len(), 1);
        assert_eq!(waiting[0]["kind"], "event");
        assert_eq!(waiting[0]["last_error"], Value::Null);
        assert_eq!(waiting[0]["next_at"], "2026-03-01T12:00:00.123456Z");
        assert!(
            waiting[0]["key"]
                .as_str()
                .unwrap()
                .starts_with("JobPostingCreated:")
        );
        let dead = rows(tasks(&store, true).await);
        let mut names: Vec<_> = dead[0]
            .as_object()
            .unwrap()
            .keys()
            .map(String::as_str)
            .collect();
        names.sort_unstable();
        assert_eq!(
            names,
            ["attempts", "id", "key", "kind", "last_error", "next_at"]
        );
        assert_eq!(
            (&dead[0]["kind"], &dead[0]["attempts"]),
            (&"enrich".into(), &1.into())
        );
        assert_eq!(rows(Vec::new()), Value::Array(Vec::new()));
    }

    #[tokio::test]
    async fn the_table_shows_errors_safely_and_fits_a_terminal() {
        let store = store().await;
        let text = table(&tasks(&store, true).await, true);
        let lines: Vec<_> = text.lines().collect();
        assert_eq!(lines.len(), 3, "{text}");
        assert!(
            lines[1].contains("enrich") && lines[1].contains("2026-03-01 12:0"),
            "{text}"
        );
        assert_eq!(lines[2].trim(), "no\u{FFFD} luck");
        let text = table(&tasks(&store, false).await, false);
        assert!(
            text.lines().all(|line| line.chars().count() <= 100),
            "{text}"
        );
        assert_eq!(table(&[], true), "Nothing was given up.");
        assert_eq!(table(&[], false), "Nothing waits.");
    }

    #[tokio::test]
    async fn syncs_and_moves_are_listed_and_come_back() {
        let (store, ada) = (MemoryStore::new(), "ada@example.com");
        put_subscribers(&store, &[report(ada, "{}")], noon())
            .await
            .unwrap();
        let source = MigrationSource::Manual;
        migrate(&store, &[email(ada)], source, noon())
            .await
            .unwrap();
        let queues = [Queue::Sync(Account::Old), Queue::Migrate];
        let claimed = store
            .claim(&queues, 2, minutes(1), Uuid::max(), noon())
            .await
            .unwrap();
        for task in claimed {
            store.bury(task.receipt, "422", noon()).await.unwrap();
        }
        let dead = tasks(&store, true).await;
        let rows: Vec<_> = dead.iter().map(Row::new).collect();
        assert_eq!(rows[0].kind, "sync");
        assert_eq!(rows[1].kind, "migrate");
        for row in &rows {
            assert_eq!(row.key, subscriber_id(ada).to_string());
        }
        let text = table(&dead, true);
        let lines: Vec<_> = text.lines().collect();
        assert!(lines[1].contains("  sync  "), "{text}");
        assert!(lines[3].contains("  migrate  "), "{text}");
        assert_eq!(lines[1].find("2026"), lines[3].find("2026"), "{text}");
        let revived = revive(&store, &which(&[], true), noon()).await.unwrap();
        assert_eq!(revived, "Due again: 2.");
    }

    #[tokio::test]
    async fn dead_tasks_come_back() {
        let store = store().await;
        let dead = tasks(&store, true).await[0].id.0;
        let waiting = tasks(&store, false).await[0].id.0;
        let error = revive(&store, &which(&[dead, waiting, dead], false), noon())
            .await
            .unwrap_err();
        assert!(
            error.to_string().starts_with("due again: 1 of 2;"),
            "{error}"
        );
        assert!(tasks(&store, true).await.is_empty());
        assert_eq!(
            revive(&store, &which(&[], true), noon()).await.unwrap(),
            "Due again: 0."
        );
    }
}

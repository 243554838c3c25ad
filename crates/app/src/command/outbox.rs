//! `posthaste outbox`: lists pending tasks and dead letters, and retries or dismisses dead letters.

use std::{collections::BTreeSet, process::ExitCode};

use anyhow::bail;
use kernel::{
    audit::{Action, Entry},
    outbox::{Dismissal, MOST_COUNTED, Outbox, Revive, TaskId, TaskRow},
};
use newsletter::{
    store::{AccountState, Accounts},
    subscriber::Account,
    tasks,
};
use runtime::clock;
use serde::Serialize;
use time::{Duration, OffsetDateTime};
use uuid::Uuid;

use crate::{
    cli::{OutboxCommand, OutboxDismissArgs, OutboxListArgs, OutboxRetryArgs},
    database::Database,
    output, text,
};

/// The age of a due task from selection the lack of a free worker does not explain its wait.
const OVERDUE: Duration = Duration::MINUTE;
/// Rows in memory at a time.
const PAGE: usize = 1_000;

/// Runs a subcommand.
pub async fn run(command: OutboxCommand) -> anyhow::Result<ExitCode> {
    match command {
        OutboxCommand::List(args) => list(args).await?,
        OutboxCommand::Retry(args) => retry(args).await?,
        OutboxCommand::Dismiss(args) => dismiss(args).await?,
    }
    Ok(ExitCode::SUCCESS)
}

/// A task as JSON.
#[derive(Debug, Serialize)]
struct Row<'a> {
    id: i64,
    kind: &'a str,
    key: Uuid,
    attempts: u32,
    next_at: String,
    last_error: Option<&'a str>,
}

impl<'a> Row<'a> {
    fn new(task: &'a TaskRow) -> Self {
        Self {
            id: task.id.0,
            kind: task.kind.as_str(),
            key: task.key,
            attempts: task.attempts,
            next_at: output::time(task.next_at),
            last_error: task.last_error.as_deref(),
        }
    }
}

async fn list(args: OutboxListArgs) -> anyhow::Result<()> {
    let database = Database::open(&args.store.database()).await?;
    let listing = Listing {
        dead: args.dead,
        limit: args.limit,
        as_json: args.json.enabled,
    };
    listing.hand_over(&*database.outbox, output::print).await?;
    if !args.json.enabled {
        for pause in pauses(&*database.accounts).await? {
            output::print(pause)?;
        }
    }
    Ok(())
}

/// A line for each paused account of the e-mail provider, whose tasks have to wait.
async fn pauses(accounts: &dyn Accounts) -> anyhow::Result<Vec<String>> {
    let mut pauses = Vec::new();
    for &account in Account::ALL {
        let state = accounts.account_state(account).await?;
        pauses.extend(pause(account, &state, clock::now()));
    }
    Ok(pauses)
}

fn pause(account: Account, state: &AccountState, now: OffsetDateTime) -> Option<String> {
    let until = state.paused_until.filter(|until| *until > now)?;
    let reason = state
        .pause_reason
        .as_deref()
        .unwrap_or("no reason is known");
    Some(format!(
        "The {account} account is paused until {} (UTC): {}",
        output::minute(until),
        text::plain(reason)
    ))
}

/// A hint about due tasks without an error: no worker claims tasks of an account without its key.
fn hint(tasks: &[TaskRow], dead: bool, now: OffsetDateTime) -> Option<&'static str> {
    let is_left = |task: &TaskRow| {
        tasks::KINDS.iter().any(|kind| kind.as_str() == task.kind)
            && task.last_error.is_none()
            && task.next_at + OVERDUE < now
    };
    (!dead && tasks.iter().any(is_left)).then_some(
        "A sync, migrate or withdraw that is due and has no error waits for a worker with its account's\n\
         key (POSTHASTE_MAILERLITE_OLD_API_KEY, …_NEW_API_KEY; a migrate needs both), or for an account\n\
         that is paused for a while.",
    )
}

/// The options of a list.
struct Listing {
    dead: bool,
    limit: usize,
    as_json: bool,
}

impl Listing {
    /// Prints the list page by page.
    async fn hand_over(
        &self,
        outbox: &dyn Outbox,
        mut print: impl FnMut(String) -> anyhow::Result<()>,
    ) -> anyhow::Result<()> {
        let (mut shown, mut after, mut why) = (0, None, None);
        while shown < self.limit {
            let size = (self.limit - shown).min(PAGE);
            let page = outbox.list(self.dead, after, size).await?;
            if !page.is_empty() {
                print(self.lines(&page, shown == 0)?)?;
            }
            why = why.or_else(|| hint(&page, self.dead, clock::now()));
            shown += page.len();
            after = page.last().map(|task| task.id).or(after);
            if page.len() < size {
                break;
            }
        }
        if self.as_json {
            return print(if shown == 0 { "[]" } else { "]" }.to_owned());
        }
        if shown == 0 && self.limit > 0 {
            return print(self.nothing().to_owned());
        }
        if let Some(more) = self.more(outbox, shown, after).await? {
            print(more)?;
        }
        why.map_or(Ok(()), |why| print(format!("\n{why}")))
    }

    fn lines(&self, page: &[TaskRow], is_first: bool) -> anyhow::Result<String> {
        if !self.as_json {
            return Ok(table(page, is_first));
        }
        let mut lines = Vec::with_capacity(page.len());
        for (index, task) in page.iter().enumerate() {
            let before = if is_first && index == 0 { "[" } else { "," };
            let row = serde_json::to_string(&Row::new(task))?;
            lines.push(before.to_owned() + &text::json(&row));
        }
        Ok(lines.join("\n"))
    }

    const fn nothing(&self) -> &'static str {
        if self.dead {
            "Nothing was given up."
        } else {
            "Nothing waits."
        }
    }

    /// A line with the number of tasks that were not shown.
    async fn more(
        &self,
        outbox: &dyn Outbox,
        shown: usize,
        after: Option<TaskId>,
    ) -> anyhow::Result<Option<String>> {
        if outbox.list(self.dead, after, 1).await?.is_empty() {
            return Ok(None);
        }
        let counts = outbox.backlog(&workers::kinds::ALL).await?;
        let counts = counts
            .iter()
            .map(|of| if self.dead { of.dead } else { of.waiting });
        let most = MOST_COUNTED as u64;
        let at_least = if counts.clone().any(|count| count >= most) {
            "at least "
        } else {
            ""
        };
        let more = counts.sum::<u64>().saturating_sub(shown as u64).max(1);
        Ok(Some(format!(
            "and {at_least}{more} more; `--limit` takes a larger number of rows"
        )))
    }
}

/// The tasks as a table. An error has a line of its own below its task, as it may be long.
fn table(tasks: &[TaskRow], has_heading: bool) -> String {
    let line = |id: &str, kind: &str, attempts: &str, next: &str, key: &str| {
        format!("{id:>8}  {kind:<8}  {attempts:>5}  {next:<16}  {key}")
    };
    let mut lines = Vec::with_capacity(tasks.len() + 1);
    if has_heading {
        lines.push(line("ID", "KIND", "TRIES", "NEXT (UTC)", "KEY"));
    }
    for task in tasks {
        let next = output::minute(task.next_at);
        let (id, attempts) = (task.id.0.to_string(), task.attempts.to_string());
        lines.push(line(
            &id,
            task.kind.as_str(),
            &attempts,
            &next,
            &task.key.to_string(),
        ));
        if let Some(error) = &task.last_error {
            lines.push(format!("{:>10}{}", "", text::plain(error)));
        }
    }
    lines.join("\n")
}

async fn retry(args: OutboxRetryArgs) -> anyhow::Result<()> {
    let database = Database::open(&args.store.database()).await?;
    let selection = selection(&args.ids, args.all_dead);
    let (by, now) = (args.operator.attribution()?, clock::now());
    let entry = by.entry(Action::OUTBOX_RETRY, now);
    output::print(revive(&*database.outbox, &selection, &entry, now).await?)
}

/// The tasks to revive, without duplicates.
fn selection(ids: &[i64], all: bool) -> Revive {
    if all {
        return Revive::All;
    }
    let unique: BTreeSet<_> = ids.iter().copied().map(TaskId).collect();
    Revive::Tasks(unique.into_iter().collect())
}

/// Makes dead letters due again, and returns a sentence with their number.
async fn revive(
    outbox: &dyn Outbox,
    selection: &Revive,
    entry: &Entry,
    now: OffsetDateTime,
) -> anyhow::Result<String> {
    let revived = outbox.revive(selection, Some(entry), now).await?;
    if let Revive::Tasks(named) = selection
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

async fn dismiss(args: OutboxDismissArgs) -> anyhow::Result<()> {
    let database = Database::open(&args.store.database()).await?;
    let dismissal = Dismissal {
        by: args.operator.attribution()?,
        reason: args.reason,
        at: clock::now(),
    };
    let selection = selection(&args.ids, args.all_dead);
    output::print(remove(&*database.outbox, &selection, &dismissal).await?)
}

/// Dismisses dead letters, a page in a commit, and returns a sentence with their number.
async fn remove(
    outbox: &dyn Outbox,
    selection: &Revive,
    dismissal: &Dismissal,
) -> anyhow::Result<String> {
    let mut dismissed = 0;
    match selection {
        Revive::Tasks(named) => {
            for page in named.chunks(PAGE) {
                dismissed += outbox.dismiss(page, dismissal).await?;
            }
            if dismissed < named.len() as u64 {
                bail!(
                    "dismissed: {dismissed} of {}; what else was named is not dead and stays, see \
                     `posthaste outbox list`",
                    named.len()
                );
            }
        }
        Revive::All => loop {
            let dead = outbox.list(true, None, PAGE).await?;
            let ids: Vec<_> = dead.iter().map(|task| task.id).collect();
            let removed = outbox.dismiss(&ids, dismissal).await?;
            dismissed += removed;
            if removed == 0 {
                break;
            }
        },
    }
    Ok(format!("Dismissed: {dismissed}."))
}

#[cfg(test)]
mod tests {
    use domain::{
        posting::{ENRICH, Lifetime},
        testing::{create, put_id},
        usecase::ingest,
    };
    use kernel::testing::{by_ann, minutes, noon};
    use newsletter::{
        subscriber::MigrationSource,
        testing::{MemoryStore, email, report, subscriber_id},
        usecase::{migrate, put_subscribers},
    };
    use serde_json::Value;

    use super::*;

    /// A store with two postings. The enrichment of the first is a dead letter, the other waits.
    async fn store() -> MemoryStore {
        let store = MemoryStore::new();
        for (identifier, at) in [("a", noon()), ("b", noon() + minutes(1))] {
            ingest(&store, &[create(identifier, "acme")], Lifetime::NEVER, at)
                .await
                .unwrap();
        }
        let (lease, at) = (minutes(1), noon() + minutes(1));
        let claimed = store
            .claim(ENRICH, 1, lease, Uuid::max(), at)
            .await
            .unwrap();
        store
            .give_up(claimed[0].token, "no\x1b luck", at)
            .await
            .unwrap();
        store
    }

    async fn tasks(store: &MemoryStore, dead: bool) -> Vec<TaskRow> {
        Outbox::list(store, dead, None, usize::MAX).await.unwrap()
    }

    fn recorded() -> Entry {
        by_ann(1).entry(Action::OUTBOX_RETRY, noon())
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
        assert!(text.contains("old account is paused until"), "{text}");
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
        assert_eq!(waiting[0]["kind"], "enrich");
        assert_eq!(waiting[0]["last_error"], Value::Null);
        assert_eq!(waiting[0]["next_at"], "2026-03-01T12:01:00.123456Z");
        let posting = put_id("b");
        assert_eq!(waiting[0]["key"], posting.to_string());
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

    async fn listed(store: &MemoryStore, limit: usize, as_json: bool) -> Vec<String> {
        let mut printed = Vec::new();
        let listing = Listing {
            dead: false,
            limit,
            as_json,
        };
        let print = |text: String| {
            printed.extend(text.lines().map(str::to_owned));
            Ok(())
        };
        listing.hand_over(store, print).await.unwrap();
        printed
    }

    #[tokio::test]
    async fn a_list_has_a_limit_and_says_how_many_more_there_are() {
        let store = MemoryStore::new();
        assert_eq!(listed(&store, 100, true).await, ["[]"]);
        let puts: Vec<_> = (0..PAGE * 2)
            .map(|n| create(&n.to_string(), "acme"))
            .collect();
        ingest(&store, &puts, Lifetime::NEVER, noon())
            .await
            .unwrap();
        for (limit, rows) in [(1, 1), (PAGE + 1, PAGE + 1), (PAGE * 3, PAGE * 2)] {
            let json = listed(&store, limit, true).await.concat();
            let json: Value = serde_json::from_str(&json).unwrap();
            assert_eq!(json.as_array().unwrap().len(), rows);
            let mut text = listed(&store, limit, false).await;
            if limit < PAGE * 2 {
                let more = format!("and {} more; ", PAGE * 2 - rows);
                let last = text.pop().unwrap();
                assert!(last.starts_with(&more), "{last}");
            }
            assert_eq!(text.len(), 1 + rows, "a heading and a line for each");
        }
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
        let text = table(&tasks(&store, false).await, true);
        assert!(
            text.lines().all(|line| line.chars().count() <= 100),
            "{text}"
        );
        assert_eq!(
            listed(&MemoryStore::new(), 9, false).await,
            ["Nothing waits."]
        );
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
        for queue in [tasks::bulk_syncs(Account::Old), tasks::MIGRATE] {
            let claim = store.claim(queue, 1, minutes(1), Uuid::max(), noon());
            let task = claim.await.unwrap().remove(0);
            store.give_up(task.token, "422", noon()).await.unwrap();
        }
        let dead = tasks(&store, true).await;
        let rows: Vec<_> = dead.iter().map(Row::new).collect();
        assert_eq!(rows[0].kind, "sync");
        assert_eq!(rows[1].kind, "migrate");
        for row in &rows {
            assert_eq!(row.key, subscriber_id(ada).uuid());
        }
        let text = table(&dead, true);
        let lines: Vec<_> = text.lines().collect();
        assert!(lines[1].contains("  sync  "), "{text}");
        assert!(lines[3].contains("  migrate  "), "{text}");
        assert_eq!(lines[1].find("2026"), lines[3].find("2026"), "{text}");
        let revived = revive(&store, &selection(&[], true), &recorded(), noon())
            .await
            .unwrap();
        assert_eq!(revived, "Due again: 2.");
    }

    #[tokio::test]
    async fn what_nobody_takes_is_told_to_lack_a_key() {
        let people = MemoryStore::new();
        put_subscribers(&people, &[report("ada@example.com", "{}")], noon())
            .await
            .unwrap();
        let waiting = tasks(&people, false).await;
        assert!(waiting.iter().any(|task| task.kind == tasks::SYNC.as_str()));
        assert_eq!(hint(&waiting, false, noon() + Duration::SECOND), None);
        let later = noon() + minutes(5);
        let said = hint(&waiting, false, later).unwrap();
        assert!(said.contains("POSTHASTE_MAILERLITE_OLD_API_KEY"), "{said}");
        assert_eq!(hint(&waiting, true, later), None);
        // An enrichment waits for another reason.
        let enrichments = tasks(&store().await, false).await;
        assert_eq!(hint(&enrichments, false, later), None);
    }

    #[tokio::test]
    async fn dead_tasks_come_back() {
        let store = store().await;
        let dead = tasks(&store, true).await[0].id.0;
        let waiting = tasks(&store, false).await[0].id.0;
        let error = revive(
            &store,
            &selection(&[dead, waiting, dead], false),
            &recorded(),
            noon(),
        )
        .await
        .unwrap_err();
        assert!(
            error.to_string().starts_with("due again: 1 of 2;"),
            "{error}"
        );
        assert!(tasks(&store, true).await.is_empty());
        assert_eq!(
            revive(&store, &selection(&[], true), &recorded(), noon())
                .await
                .unwrap(),
            "Due again: 0."
        );
    }

    #[tokio::test]
    async fn dead_tasks_are_dismissed_and_waiting_ones_refused() {
        let store = store().await;
        let dead = tasks(&store, true).await[0].id.0;
        let waiting = tasks(&store, false).await[0].id.0;
        let dismissal = Dismissal {
            by: by_ann(1),
            reason: "gone".to_owned(),
            at: noon(),
        };
        let error = remove(&store, &selection(&[waiting], false), &dismissal).await;
        let error = error.unwrap_err().to_string();
        assert!(error.starts_with("dismissed: 0 of 1;"), "{error}");
        let done = remove(&store, &selection(&[dead], false), &dismissal).await;
        assert_eq!(done.unwrap(), "Dismissed: 1.");
        let none = remove(&store, &selection(&[], true), &dismissal).await;
        assert_eq!(none.unwrap(), "Dismissed: 0.");
        assert_eq!(
            (
                tasks(&store, true).await.len(),
                tasks(&store, false).await.len()
            ),
            (0, 1)
        );
    }
}

//! `posthaste audit`: shows the operators' actions.

use std::{collections::HashMap, process::ExitCode};

use kernel::audit::{AuditLog, AuditPosition, AuditQuery, Entry};
use newsletter::{
    store::{Store, StoreError},
    subscriber::SubscriberId,
};
use serde::Serialize;
use serde_json::Value;

use crate::{
    cli::AuditArgs,
    database::Database,
    output,
    text::{self, plain},
};

/// Entries that are read at a time.
const PAGE: usize = 1_000;

/// Runs the command.
pub async fn run(args: AuditArgs) -> anyhow::Result<ExitCode> {
    let database = Database::open(&args.store.database()).await?;
    let query = AuditQuery {
        since: args.since,
        before: None,
        limit: args.limit,
    };
    let (entries, has_more) = read(&*database.audit, query).await?;
    let people = addresses(&*database.newsletter, &entries).await?;
    let lines: Vec<_> = entries
        .iter()
        .map(|entry| Line::new(entry, &people))
        .collect();
    if args.json.enabled {
        output::print_json(&lines)?;
    } else {
        output::print(text(&lines, has_more))?;
    }
    Ok(ExitCode::SUCCESS)
}

/// The newest entries, oldest first, and whether there are older ones.
async fn read(log: &dyn AuditLog, query: AuditQuery) -> Result<(Vec<Entry>, bool), StoreError> {
    let mut entries: Vec<Entry> = Vec::new();
    let mut has_more = true;
    while has_more && entries.len() < query.limit {
        let limit = (query.limit - entries.len()).min(PAGE);
        let page = AuditQuery {
            before: entries.last().map(AuditPosition::from),
            // One more than needed shows whether there are older ones.
            limit: limit + 1,
            ..query
        };
        let mut page = log.entries(&page).await?;
        has_more = page.len() > limit;
        page.truncate(limit);
        entries.extend(page);
    }
    entries.reverse();
    Ok((entries, has_more))
}

/// The current addresses of the people in entries, except of erased ones.
async fn addresses(
    store: &dyn Store,
    entries: &[Entry],
) -> Result<HashMap<SubscriberId, String>, StoreError> {
    let ids: Vec<_> = entries
        .iter()
        .filter_map(newsletter::audit::subscriber)
        .collect();
    let known = store.load_by_id(&ids).await?;
    let known = known.into_iter().filter(|(_, one)| !one.is_being_erased());
    Ok(known.map(|(id, one)| (id, one.email.to_string())).collect())
}

/// An entry as JSON.
#[derive(Debug, Serialize)]
struct Line<'a> {
    at: String,
    by: &'a str,
    action: &'a str,
    subject: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    email: Option<&'a str>,
    details: &'a serde_json::Map<String, Value>,
}

impl<'a> Line<'a> {
    fn new(entry: &'a Entry, people: &'a HashMap<SubscriberId, String>) -> Self {
        let person = newsletter::audit::subscriber(entry);
        Self {
            at: output::time(entry.at),
            by: &entry.by,
            action: entry.action.as_str(),
            subject: entry.subject.as_deref(),
            email: person.and_then(|id| people.get(&id)).map(String::as_str),
            details: &entry.details,
        }
    }

    fn text(&self) -> String {
        let details: Vec<_> = self
            .details
            .iter()
            .map(|(name, value)| match value {
                Value::String(text) => format!("{name}: {text}"),
                value => format!("{name}: {value}"),
            })
            .collect();
        let subject = self.email.or(self.subject).unwrap_or("-");
        let Self { at, by, action, .. } = self;
        plain(&format!(
            "{at}  {by}  {action}  {subject}  {}",
            details.join("; ")
        ))
        .trim_end()
        .to_owned()
    }
}

fn text(lines: &[Line<'_>], has_more: bool) -> String {
    let mut all: Vec<_> = lines.iter().map(Line::text).collect();
    if has_more {
        let more = "There are older lines; `--limit` takes a larger number.";
        all.push(format!("\n{more}"));
    } else if all.is_empty() {
        all.push("Nothing was done.".to_owned());
    }
    text::lines(&all.join("\n"))
}

#[cfg(test)]
mod tests {
    use kernel::{
        audit::Action,
        testing::{by_ann, minutes, noon},
    };
    use newsletter::{
        audit::SUBSCRIBERS_ERASE,
        store::WriteSet,
        subscriber::SubscriberStatus,
        testing::{MemoryStore, notice, subscriber_id},
        usecase::suppress,
    };

    use super::*;

    const ADA: &str = "ada@example.com";

    #[tokio::test]
    async fn lines_name_people_by_the_address_they_have_and_are_safe_for_a_terminal() {
        let store = MemoryStore::new();
        let notice = notice(ADA, SubscriberStatus::Unsubscribed);
        let first = by_ann(1);
        let done = suppress(&store, &notice, "by phone", &first, noon());
        assert!(done.await.unwrap().is_news);
        let erased = by_ann(2)
            .entry(SUBSCRIBERS_ERASE, noon() + minutes(1))
            .about(subscriber_id("gone@example.com"))
            .with("reason", "odd\u{1b}[2J");
        let mut writes = WriteSet::new(noon());
        writes.tasks.audit.push(erased);
        store.commit(writes).await.unwrap();
        let query = AuditQuery {
            limit: 10,
            ..AuditQuery::default()
        };
        let (entries, has_more) = read(&store, query).await.unwrap();
        let people = addresses(&store, &entries).await.unwrap();
        let lines: Vec<_> = entries.iter().map(|one| Line::new(one, &people)).collect();
        let expect = format!(
            "2026-03-01T12:00:00.123456Z  ann  subscribers.suppress  {ADA}  reason: by phone\n\
             2026-03-01T12:01:00.123456Z  ann  subscribers.erase  {}  reason: odd\u{FFFD}[2J",
            subscriber_id("gone@example.com")
        );
        assert_eq!(text(&lines, has_more), expect);
        let json = serde_json::to_value(&lines).unwrap();
        assert_eq!(json[0]["subject"], subscriber_id(ADA).to_string());
        assert_eq!(json[0]["email"], ADA);
        assert_eq!(json[0]["details"]["reason"], "by phone");
        assert!(json[1].get("email").is_none());
    }

    #[tokio::test]
    async fn the_newest_are_shown_and_that_there_are_more() {
        let store = MemoryStore::new();
        let many = PAGE + 5;
        let mut writes = WriteSet::new(noon());
        for n in 0..many {
            let at = noon() + minutes(i64::try_from(n).unwrap());
            let entry = by_ann(n as u128).entry(Action::OUTBOX_RETRY, at);
            writes.tasks.audit.push(entry);
        }
        store.commit(writes).await.unwrap();
        for (limit, shown, more) in [(0, 0, true), (3, 3, true), (many, many, false)] {
            let query = AuditQuery {
                limit,
                ..AuditQuery::default()
            };
            let (entries, has_more) = read(&store, query).await.unwrap();
            assert_eq!((entries.len(), has_more), (shown, more));
            assert!(entries.is_sorted_by_key(|entry| entry.at));
            if let Some(last) = entries.last() {
                assert_eq!(last.at, noon() + minutes(i64::try_from(many - 1).unwrap()));
            }
        }
        assert_eq!(text(&[], false), "Nothing was done.");
    }
}

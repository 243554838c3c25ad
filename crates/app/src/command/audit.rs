use std::collections::HashMap;

use access::{ClientRef, ClientRefError};
use clap::Args;
use kernel::{
    PostingId,
    audit::{AuditLog, AuditQuery, Details, Entry},
};
use newsletter::{
    store::{Store, StoreError},
    subscriber::{Email, SubscriberId},
};
use serde::Serialize;
use stores::Stores;
use time::OffsetDateTime;
use uuid::Uuid;

use crate::{
    args::{JsonArgs, StoreArgs, values::since},
    command::companies::company,
    output,
};

/// Show the actions of operators, newest last
#[derive(Debug, Args)]
pub struct Audit {
    /// Only actions since this day, such as `2026-03-01`, or this RFC 3339 time
    #[arg(long, value_name = "TIME", value_parser = since)]
    since: Option<OffsetDateTime>,

    /// Only actions on this subject: a posting's unique source identifier or UUID, a subscriber's
    /// address or id, a client's name or id, a company's website, or the id of another thing
    #[arg(long, value_name = "SUBJECT", env = "POSTHASTE_AUDIT_SUBJECT")]
    subject: Option<String>,

    /// Show only this number of lines, the newest
    #[arg(long, value_name = "LINES", default_value_t = 1000)]
    limit: usize,
    #[command(flatten)]
    json: JsonArgs,
    #[command(flatten)]
    store: StoreArgs,
}

impl Audit {
    pub async fn run(self) -> anyhow::Result<()> {
        let database = self.store.open().await?;
        let mut query = AuditQuery {
            since: self.since,
            subject: self.subject.clone(),
            limit: self.limit,
            ..AuditQuery::default()
        };
        let (mut entries, mut has_more) = read(&*database.audit, &query).await?;
        if let Some(text) = self.subject.filter(|_| entries.is_empty() && !has_more) {
            for subject in other_forms(&database, text.trim()).await? {
                query.subject = Some(subject);
                (entries, has_more) = read(&*database.audit, &query).await?;
                if !entries.is_empty() || has_more {
                    break;
                }
            }
        }
        let people = addresses(&*database.newsletter, &entries).await?;
        let lines = lines(&entries, &people);
        let mut list = output::List::new(self.json.enabled, COLUMNS, output::print);
        list.page(&lines)?;
        let more = "\nThere are older lines; `--limit` takes a larger number.";
        let nothing = match (has_more, &query.subject) {
            (true, _) => "",
            (false, None) => "Nothing was done.",
            (false, Some(_)) => NO_SUBJECT,
        };
        list.end(nothing, has_more.then(|| more.to_owned()))
    }
}

const NO_SUBJECT: &str = "\
    No such entry has this subject. A subject is the unique source identifier of a posting, the \
    website of a company, or the id of anything else.";

/// The subjects of entries about the posting, subscriber, client or company of this name or id.
async fn other_forms(database: &Stores, text: &str) -> anyhow::Result<Vec<String>> {
    let mut forms = vec![text.to_owned()];
    if let Ok(uuid) = Uuid::try_parse(text) {
        forms.push(uuid.to_string());
        let found = database.store.load_by_id(&[PostingId::new(uuid)]).await?;
        forms.extend(found.postings.into_keys().map(|id| id.to_string()));
    }
    if let Ok(email) = Email::parse(text) {
        let found = database.newsletter.load(&[email]).await?;
        forms.extend(found.into_values().map(|one| one.id.to_string()));
    }
    if let Ok(client) = text.parse::<ClientRef>() {
        match client.find(&*database.clients).await {
            Ok(client) => forms.push(client.id.to_string()),
            Err(ClientRefError::Unknown(_)) => {}
            Err(other) => return Err(other.into()),
        }
    }
    if let Ok(company) = company(text) {
        let found = database.companies.company(company).await?;
        forms.extend(found.map(|it| it.company.website.as_str().to_owned()));
    }
    Ok(forms)
}

/// The newest entries, oldest first, and whether older ones exist.
async fn read(log: &dyn AuditLog, query: &AuditQuery) -> Result<(Vec<Entry>, bool), StoreError> {
    let one_more = AuditQuery {
        limit: query.limit.saturating_add(1),
        ..query.clone()
    };
    let mut entries = log.entries(&one_more).await?;
    let has_more = entries.len() > query.limit;
    entries.truncate(query.limit);
    entries.reverse();
    Ok((entries, has_more))
}

/// The current addresses of people in entries, except erased people.
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

#[derive(Debug, Serialize)]
struct Line<'a> {
    at: String,
    by: &'a str,
    action: &'a str,
    run: Uuid,
    subject: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    email: Option<&'a str>,
    details: &'a Details,
}

fn lines<'a>(entries: &'a [Entry], people: &'a HashMap<SubscriberId, String>) -> Vec<Line<'a>> {
    let line = |entry: &'a Entry| Line {
        at: output::time(entry.at),
        by: &entry.by,
        action: entry.action.as_str(),
        run: entry.run,
        subject: entry.subject.as_deref(),
        email: newsletter::audit::subscriber(entry)
            .and_then(|id| people.get(&id))
            .map(String::as_str),
        details: &entry.details,
    };
    entries.iter().map(line).collect()
}

const COLUMNS: &str = "=at:1  =by:1  =action:1  =email|subject:1  =details:1";

#[cfg(test)]
mod tests {
    use kernel::{
        audit::OUTBOX_RETRY,
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
        let (entries, has_more) = read(&store, &query).await.unwrap();
        let people = addresses(&store, &entries).await.unwrap();
        let lines = lines(&entries, &people);
        let text = output::table(COLUMNS, &lines).unwrap();
        let expect = format!(
            "2026-03-01T12:00:00.123456Z  ann  subscribers.suppress  {ADA}  reason: by phone\n\
             2026-03-01T12:01:00.123456Z  ann  subscribers.erase  {}  reason: odd\u{FFFD}[2J",
            subscriber_id("gone@example.com")
        );
        assert_eq!((text, has_more), (expect, false));
        let json = serde_json::to_value(&lines).unwrap();
        assert_eq!(json[0]["subject"], subscriber_id(ADA).to_string());
        assert_eq!(json[0]["email"], ADA);
        assert_eq!(json[0]["details"]["reason"], "by phone");
        assert!(json[1].get("email").is_none());
    }

    #[tokio::test]
    async fn the_newest_are_shown_and_that_there_are_more() {
        let store = MemoryStore::new();
        let mut writes = WriteSet::new(noon());
        let at = |n: u8| noon() + minutes(n.into());
        let entry = |n: u8| by_ann(n.into()).entry(OUTBOX_RETRY, at(n));
        writes.tasks.audit = (0..5).map(entry).collect();
        store.commit(writes).await.unwrap();
        for (limit, shown, more) in [
            (0, &[] as &[_], true),
            (2, &[3, 4], true),
            (5, &[0, 1, 2, 3, 4], false),
        ] {
            let query = AuditQuery {
                limit,
                ..AuditQuery::default()
            };
            let expect: Vec<_> = shown.iter().map(|n| entry(*n)).collect();
            assert_eq!(read(&store, &query).await, Ok((expect, more)));
        }
    }
}

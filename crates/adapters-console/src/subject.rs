//! Subjects of tasks and audit entries, by name and with links to their pages.

use std::collections::HashMap;

use askama::Template;
use domain::posting::Posting;
use kernel::{PostingId, SourceIdentifier, audit::Entry, outbox::TaskRow};
use newsletter::{
    subscriber::{Subscriber, SubscriberId},
    tasks,
};
use stores::Stores;

use crate::{error::Failure, query::Query};

/// An unknown subject has its id as its name.
#[derive(Template)]
#[template(path = "subject.html")]
pub struct Subject {
    name: String,
    page: Option<String>,
}

impl Subject {
    fn new(name: impl Into<String>, page: Option<String>) -> Self {
        let name = name.into();
        Self { name, page }
    }

    fn posting(posting: &Posting, name: &str) -> Self {
        Self::new(name, Some(format!("/postings/{}", posting.id)))
    }

    fn person(person: &Subscriber) -> Self {
        Self::searched("/subscribers", "email", person.email.as_str())
    }

    fn searched(path: &str, field: &str, name: &str) -> Self {
        Self::new(name, Some(Query::default().with(path, field, name)))
    }
}

pub async fn of_tasks(stores: &Stores, tasks: &[TaskRow]) -> Result<Vec<Subject>, Failure> {
    let is_person = |task: &TaskRow| tasks::KINDS.iter().any(|kind| kind.as_str() == task.kind);
    let (people, postings): (Vec<_>, Vec<_>) = tasks.iter().partition(|task| is_person(task));
    let people: Vec<_> = people.iter().map(|it| SubscriberId::new(it.key)).collect();
    let postings: Vec<_> = postings.iter().map(|it| PostingId::new(it.key)).collect();
    let people = known_people(stores, &people).await?;
    let postings = stores.store.load_by_id(&postings).await?.postings;
    let postings: HashMap<_, _> = postings.values().map(|it| (it.id.uuid(), it)).collect();
    let subject = |task: &TaskRow| {
        let person = people.get(&SubscriberId::new(task.key));
        let posting = postings.get(&task.key);
        let posting = posting.map(|it| Subject::posting(it, &it.details.title));
        let found = person.map(Subject::person).or(posting);
        found.unwrap_or_else(|| Subject::new(task.key.to_string(), None))
    };
    Ok(tasks.iter().map(subject).collect())
}

pub async fn of_entries(stores: &Stores, entries: &[Entry]) -> Result<Vec<Subject>, Failure> {
    let people = entries.iter().filter_map(newsletter::audit::subscriber);
    let people = known_people(stores, &people.collect::<Vec<_>>()).await?;
    let postings: Vec<_> = entries.iter().filter_map(identifier).collect();
    let postings = stores.store.load(&postings, &[]).await?.postings;
    let subject = |entry: &Entry| {
        let person = newsletter::audit::subscriber(entry).and_then(|id| people.get(&id));
        let posting = identifier(entry).and_then(|identifier| postings.get(&identifier));
        let posting = posting.map(|it| Subject::posting(it, it.source_identifier.as_str()));
        let found = person.map(Subject::person).or(posting);
        let name = entry.subject.as_deref().unwrap_or_default();
        let context = entry.action.as_str().split('.').next();
        found.unwrap_or_else(|| match context.filter(|_| !name.is_empty()) {
            Some("clients") => Subject::new(name, Some(format!("/clients/{name}"))),
            Some("webhooks") => Subject::new(name, Some(format!("/webhooks/{name}"))),
            Some("companies") => Subject::searched("/companies", "from", name),
            Some("catalogues") => Subject::searched("/catalogues", "client", name),
            _ => Subject::new(name, None),
        })
    };
    Ok(entries.iter().map(subject).collect())
}

fn identifier(entry: &Entry) -> Option<SourceIdentifier> {
    let is_posting = entry.action.as_str().starts_with("postings.");
    let subject = entry.subject.as_deref().filter(|_| is_posting)?;
    SourceIdentifier::new(subject).ok()
}

/// These people, except people who are being erased.
async fn known_people(
    stores: &Stores,
    ids: &[SubscriberId],
) -> Result<HashMap<SubscriberId, Subscriber>, Failure> {
    let mut known = stores.newsletter.load_by_id(ids).await?;
    known.retain(|_, person| !person.is_being_erased());
    Ok(known)
}

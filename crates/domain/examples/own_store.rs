//! Brings a store: the two ports of postings over maps, held to them by the contract suite.
//!
//! `cargo run -p domain --example own_store`, and `cargo test -p domain --example own_store`
#![expect(clippy::print_stdout, reason = "that is what an example is for")]

use std::{
    collections::{BTreeMap, HashMap},
    error::Error,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use async_trait::async_trait;
use domain::{
    authority::Principal,
    company::{Company, CompanyView, CompanyWrite},
    posting::{Description, Lifetime, Posting, PostingView, PutPosting},
    store::{
        HISTORY_SHOWN, Known, ListEntry, ListOrder, ListQuery, Position, PostingPage,
        PostingReader, PostingWrite, Store, Texts, WriteSet,
    },
    usecase::ingest,
};
use kernel::{ClientId, CompanyId, PostingId, SourceIdentifier, StoreError};
use time::{OffsetDateTime, macros::datetime};
use uuid::Uuid;

/// Postings and companies in memory. Tasks are not kept: this service has no use for them.
#[derive(Default)]
struct MapStore(Mutex<Tables>);

#[derive(Default)]
struct Tables {
    postings: BTreeMap<SourceIdentifier, PostingView>,
    companies: HashMap<CompanyId, CompanyView>,
    former_names: HashMap<CompanyId, Vec<String>>,
}

impl MapStore {
    fn tables(&self) -> MutexGuard<'_, Tables> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Tables {
    /// Guards the commit: a version that moved, or an identifier that was taken, is a conflict.
    fn admits(&self, write: &PostingWrite) -> bool {
        let stored = self.postings.get(&write.posting.source_identifier);
        stored.map(|view| view.posting.version) == write.expected
    }

    /// Sets of a known company only what the commit says.
    fn upsert(&mut self, write: &CompanyWrite) -> Result<(), StoreError> {
        let id = write.company.id;
        let after = write.view(self.companies.get(&id))?;
        let former = self.former_names.entry(id).or_default();
        let stored = self
            .companies
            .get(&id)
            .map(|it| (it.company.name.as_str(), &**former));
        if let Some(names) = write.former_names(stored) {
            *former = names;
        }
        self.companies.insert(id, after);
        Ok(())
    }

    /// Writes a posting. A description that is not sent stays, as do texts.
    fn write(&mut self, mut write: PostingWrite, company: CompanyView) {
        let text = write.description().map(Arc::from);
        let before = self.postings.remove(&write.posting.source_identifier);
        let text = text.or_else(|| before.as_ref().map(|view| view.description().into()));
        let description = &mut write.posting.details.raw_description;
        *description = Description::stored(*description.digest(), text);
        let (texts, coordinates, mut history) = before
            .map(|view| (view.texts, view.coordinates, view.history))
            .unwrap_or_default();
        history.extend(write.history);
        let (texts, coordinates) = match write.enriched {
            Some((texts, coordinates)) => (Some(texts), coordinates),
            None => (texts, coordinates),
        };
        let view = PostingView {
            posting: write.posting,
            company,
            texts,
            coordinates,
            history,
        };
        let identifier = view.posting.source_identifier.clone();
        self.postings.insert(identifier, view);
    }

    /// A posting as it is shown: its company as it is by now, and the newest of its history.
    fn shown(&self, view: &PostingView, history: usize) -> PostingView {
        let mut view = view.clone();
        if let Some(company) = self.companies.get(&view.company.company.id) {
            view.company = company.clone();
        }
        let older = view.history.len().saturating_sub(history);
        view.history.drain(..older);
        view
    }

    fn company(&self, id: &CompanyId) -> Option<&Company> {
        self.companies.get(id).map(|view| &view.company)
    }

    fn known<'a>(&self, postings: impl Iterator<Item = &'a Posting>, ids: &[CompanyId]) -> Known {
        let mut known = Known::default();
        let mut ids = ids.to_vec();
        for posting in postings {
            ids.push(posting.company_id);
            let identifier = posting.source_identifier.clone();
            known.postings.insert(identifier, posting.clone());
        }
        let companies = ids.iter().filter_map(|id| self.companies.get(id));
        known.companies = companies
            .map(|it| (it.company.id, it.company.clone()))
            .collect();
        known
    }
}

#[async_trait]
impl Store for MapStore {
    async fn load(
        &self,
        identifiers: &[SourceIdentifier],
        companies: &[CompanyId],
    ) -> Result<Known, StoreError> {
        let tables = self.tables();
        let views = identifiers.iter().filter_map(|it| tables.postings.get(it));
        Ok(tables.known(views.map(|view| &view.posting), companies))
    }

    async fn load_by_id(&self, ids: &[PostingId]) -> Result<Known, StoreError> {
        let tables = self.tables();
        let postings = tables.postings.values().map(|view| &view.posting);
        let mut known = tables.known(postings.filter(|posting| ids.contains(&posting.id)), &[]);
        known.former_names.clone_from(&tables.former_names);
        Ok(known)
    }

    async fn commit(&self, writes: WriteSet) -> Result<(), StoreError> {
        let mut tables = self.tables();
        let mut assumed = writes.assumed.iter();
        if !writes.postings.values().all(|write| tables.admits(write))
            || !assumed.all(|(id, company)| tables.company(id) == Some(company))
        {
            return Err(StoreError::Conflict);
        }
        for write in writes.companies.values() {
            tables.upsert(write)?;
        }
        for write in writes.postings.into_values() {
            let company = tables.companies.get(&write.posting.company_id).cloned();
            let company = company.ok_or_else(|| StoreError::Broken("no company".to_owned()))?;
            tables.write(write, company);
        }
        Ok(())
    }

    async fn overdue(
        &self,
        now: OffsetDateTime,
        limit: usize,
    ) -> Result<Vec<SourceIdentifier>, StoreError> {
        let tables = self.tables();
        let postings = tables.postings.values().map(|view| &view.posting);
        let mut overdue: Vec<_> = postings
            .filter(|posting| posting.status.is_open())
            .filter(|posting| posting.expire_at.is_some_and(|end| end <= now))
            .collect();
        overdue.sort_by_key(|posting| posting.expire_at);
        let overdue = overdue.into_iter().take(limit);
        Ok(overdue.map(|it| it.source_identifier.clone()).collect())
    }
}

#[async_trait]
impl PostingReader for MapStore {
    async fn find(&self, identifier: &SourceIdentifier) -> Result<Option<PostingView>, StoreError> {
        let tables = self.tables();
        let view = tables.postings.get(identifier);
        Ok(view.map(|view| tables.shown(view, HISTORY_SHOWN)))
    }

    async fn list(&self, query: &ListQuery) -> Result<PostingPage, StoreError> {
        let tables = self.tables();
        let key = |position| key(query.order, position);
        let mut found: Vec<_> = tables
            .postings
            .values()
            .map(|view| (entry(view, query), view))
            .filter(|(_, view)| query.status.is_none_or(|it| view.posting.status == it))
            .filter(|(at, _)| {
                query
                    .updated_after
                    .is_none_or(|it| at.position.updated_at > it)
            })
            .filter(|(at, _)| query.after.is_none_or(|it| key(at.position) > key(it)))
            .collect();
        found.sort_by_key(|(at, _)| key(at.position));
        let entries: Vec<_> = found.iter().map(|(entry, _)| *entry).collect();
        let (page, next) = query.page(&entries);
        let views = found.iter().filter(|(entry, _)| page.contains(entry));
        let shown = views.map(|(_, view)| with(query.texts, tables.shown(view, 0)));
        let postings = shown.collect();
        Ok(PostingPage { postings, next })
    }
}

fn key(order: ListOrder, position: Position) -> (Option<OffsetDateTime>, Uuid) {
    match order {
        ListOrder::Changed => (Some(position.updated_at), position.id),
        ListOrder::Id => (None, position.id),
    }
}

/// The posting with those of its large texts that a page asks for.
fn with(texts: Texts, mut view: PostingView) -> PostingView {
    if texts == Texts::All {
        return view;
    }
    let description = &mut view.posting.details.raw_description;
    *description = description.unread();
    if let Some(enriched) = &mut view.texts {
        enriched.markdown.clear();
        if texts == Texts::None {
            enriched.redacted_markdown.clear();
        }
    }
    view
}

/// Where a posting stands in the list, and how large its texts are.
fn entry(view: &PostingView, query: &ListQuery) -> ListEntry {
    let metadata = view.posting.details.metadata.as_ref();
    let texts = view.texts.as_ref();
    ListEntry {
        position: Position {
            updated_at: view.posting.updated_at,
            id: view.posting.id.uuid(),
        },
        bytes: view.description().len()
            + metadata.map_or(0, |metadata| metadata.as_str().len())
            + texts.map_or(0, |it| it.markdown.len() + it.redacted_markdown.len()),
        is_wanted: query.wants(
            &view.posting.source_identifier,
            view.posting.created_by.as_ref(),
        ),
    }
}

fn main() -> Result<(), Box<dyn Error>> {
    let body = br#"{
        "title": "Baker", "raw_description": "<p>Bread and rolls.</p>",
        "application_url": "https://bakery.example/jobs/1",
        "company": {"name": "The Bakery", "website_url": "https://bakery.example"}
    }"#;
    let (client, new_id) = (
        Principal::unfenced(ClientId::new(Uuid::nil())),
        PostingId::new(Uuid::from_u128(1)),
    );
    let put = PutPosting::parse("bakery-1", body, client, new_id)?;
    let identifier = put.identifier.clone();

    let store = MapStore::default();
    let now = datetime!(2026-12-01 12:00 UTC);
    let batch = [put];
    let answers = ingest(&store, &batch, Lifetime::days(60), now);
    for answer in pollster::block_on(answers)? {
        println!("{}", answer?.outcome);
    }
    if let Some(view) = pollster::block_on(store.find(&identifier))? {
        println!("{}: {}", view.posting.details.title, view.posting.status);
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::MapStore;

    domain::contract_suite!(
        pollster::block_on, async { ((), MapStore::default()) };
        companies postings reading
    );
}

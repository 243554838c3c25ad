//! The console's view of postings in memory.

use std::{cmp::Reverse, collections::BTreeMap};

use async_trait::async_trait;
use kernel::{Actor, ClientId, Status, StoreError};
use time::OffsetDateTime;

use super::{MemoryStore, State};
use crate::{
    browse::{PostingBrowser, PostingSummary, WindowOrder},
    posting::{Posting, Shown},
    store::{Position, Rows},
};

#[async_trait]
impl PostingBrowser for MemoryStore {
    async fn window(
        &self,
        order: &WindowOrder,
        limit: usize,
    ) -> Result<Vec<PostingSummary>, StoreError> {
        let state = self.part::<State>();
        let rows = state.rows.postings.values().map(|row| {
            let (posting, details) = (&row.posting, &row.posting.details);
            let company = |id| {
                let company = state.rows.companies.get(&id);
                company.map(|view| view.company.name.clone())
            };
            let mut summary = PostingSummary {
                id: posting.id,
                version: posting.version,
                source_identifier: posting.source_identifier.clone(),
                status: posting.status(),
                status_reason: posting.status_reason().map(str::to_owned),
                moderated: posting.is_moderated(),
                is_featured: posting.is_featured,
                title: details.title.clone(),
                company: company(posting.company_id).unwrap_or_default(),
                created_by: posting.created_by.clone(),
                duplicate_of: posting.duplicate_of.clone(),
                created_at: posting.created_at,
                published_at: posting.published_at,
                updated_at: posting.updated_at,
            };
            if let Some(shown) = &posting.shown {
                summary.show(shown, shown.company_id.and_then(company));
            }
            summary
        });
        let mut found: Vec<_> = rows.collect();
        let place = |one: &PostingSummary| (one.updated_at, one.id.uuid());
        match order {
            WindowOrder::Newest { status, before } => {
                found.retain(|one| {
                    let follows = |at: Position| place(one) < (at.updated_at, at.id);
                    status.is_none_or(|status| one.status == status) && before.is_none_or(follows)
                });
                found.sort_by_key(|one| Reverse(place(one)));
            }
            WindowOrder::Identifier { prefix, after } => {
                found.retain(|one| {
                    let identifier = &one.source_identifier;
                    identifier.as_str().starts_with(&**prefix)
                        && after.as_ref().is_none_or(|after| identifier > after)
                });
                found.sort_by(|one, other| one.source_identifier.cmp(&other.source_identifier));
            }
            WindowOrder::Copies { before } => {
                found.retain(|one| {
                    let follows = |at: Position| place(one) < (at.updated_at, at.id);
                    one.duplicate_of.is_some() && before.is_none_or(follows)
                });
                found.sort_by_key(|one| Reverse(place(one)));
            }
            WindowOrder::Company { company, before } => {
                found.retain(|one| {
                    let row = state.rows.postings.get(&one.id);
                    row.is_some_and(|row| row.posting.company_id == *company)
                        && before.is_none_or(|before| one.id < before)
                });
                found.sort_by_key(|one| Reverse(one.id));
            }
        }
        found.truncate(limit);
        Ok(found)
    }

    async fn count_status(&self, status: Status, most: usize) -> Result<usize, StoreError> {
        let state = self.part::<State>();
        let rows = state.rows.postings.values();
        let count = rows.filter(|row| row.posting.status() == status).count();
        Ok(count.min(most))
    }

    async fn visible(&self) -> Result<BTreeMap<ClientId, u64>, StoreError> {
        let is_visible = |posting: &Posting| posting.status() == Status::Approved;
        Ok(count(&self.part::<State>().rows, is_visible))
    }

    async fn held_back(&self, now: OffsetDateTime) -> Result<BTreeMap<ClientId, u64>, StoreError> {
        let is_held = |posting: &Posting| {
            let since = posting.shown.as_ref().and_then(Shown::held_since);
            since.is_some_and(|at| at <= now)
        };
        Ok(count(&self.part::<State>().rows, is_held))
    }
}

fn count(rows: &Rows, is_counted: impl Fn(&Posting) -> bool) -> BTreeMap<ClientId, u64> {
    let mut counts = BTreeMap::new();
    let postings = rows.postings.values().map(|row| &row.posting);
    for posting in postings.filter(|posting| is_counted(posting)) {
        if let Some(Actor::Client(client)) = &posting.created_by {
            *counts.entry(*client).or_default() += 1;
        }
    }
    counts
}

use std::collections::BTreeMap;

use async_trait::async_trait;
use kernel::{CompanyId, PostingId, SourceIdentifier, Status, StoreError};

use super::{MemoryStore, State};
use crate::company::{
    Company, CompanyPair, CompanyPairView, CompanyReader, CompanyView, PairKind, name_key, site,
};

fn key(view: &CompanyView) -> String {
    view.company.website.key().as_str().to_owned()
}

impl State {
    fn companies(&self, is_wanted: impl Fn(&CompanyView) -> bool) -> Vec<CompanyView> {
        let own = |view: &&CompanyView| view.company.alias_of.is_none();
        let found = self.rows.companies.values().filter(own);
        let mut found: Vec<_> = found.filter(|view| is_wanted(view)).cloned().collect();
        found.sort_by_key(key);
        found
    }

    /// Writes found pairs. A pair that is found again keeps its time.
    pub(super) fn write_pairs(&mut self, found: BTreeMap<CompanyId, Vec<CompanyPair>>) {
        for (company, found) in found {
            let before = std::mem::take(&mut self.pairs);
            let (of_company, others): (Vec<_>, Vec<_>) = before
                .into_iter()
                .partition(|(ids, _)| ids.contains(&company));
            self.pairs.extend(others);
            for mut pair in found {
                let before = of_company.iter().find(|(ids, _)| *ids == pair.companies);
                pair.since = before.map_or(pair.since, |(_, before)| before.since);
                self.pairs.insert(pair.companies, pair);
            }
        }
    }
}

#[async_trait]
impl CompanyReader for MemoryStore {
    async fn companies(&self, after: &str, limit: usize) -> Result<Vec<CompanyView>, StoreError> {
        let mut found = self
            .part::<State>()
            .companies(|view| key(view).as_str() > after);
        found.truncate(limit);
        Ok(found)
    }

    async fn companies_named(
        &self,
        beginning: &str,
        limit: usize,
    ) -> Result<Vec<CompanyView>, StoreError> {
        let name = |view: &CompanyView| name_key(&view.company.name);
        let mut found = self
            .part::<State>()
            .companies(|view| name(view).starts_with(beginning));
        found.sort_by_cached_key(|view| (name(view), key(view)));
        found.truncate(limit);
        Ok(found)
    }

    async fn company(&self, id: CompanyId) -> Result<Option<CompanyView>, StoreError> {
        Ok(self.part::<State>().rows.companies.get(&id).cloned())
    }

    async fn aliases(&self, of: CompanyId, limit: usize) -> Result<Vec<CompanyView>, StoreError> {
        let state = self.part::<State>();
        let all = state.rows.companies.values();
        let aliases = all.filter(|view| view.company.alias_of == Some(of));
        let mut aliases: Vec<_> = aliases.cloned().collect();
        aliases.sort_by_key(key);
        aliases.truncate(limit);
        Ok(aliases)
    }

    async fn alike(&self, to: &Company, limit: usize) -> Result<Vec<CompanyView>, StoreError> {
        let state = self.part::<State>();
        let (name, at) = (name_key(&to.name), site(&to.website.key()));
        let is_other = |view: &CompanyView| view.company.id != to.id;
        let named = state.companies(|it| is_other(it) && name_key(&it.company.name) == name);
        let there = state.companies(|it| is_other(it) && site(&it.company.website.key()) == at);
        let found = named.into_iter().take(limit);
        let found = found.chain(there.into_iter().take(limit));
        let found: BTreeMap<_, _> = found.map(|view| (view.company.id, view)).collect();
        Ok(found.into_values().collect())
    }

    async fn company_pairs(
        &self,
        kind: PairKind,
        after: Option<[CompanyId; 2]>,
        limit: usize,
    ) -> Result<Vec<CompanyPairView>, StoreError> {
        let state = self.part::<State>();
        let view = |id: &CompanyId| {
            let view = state.rows.companies.get(id)?;
            view.company.alias_of.is_none().then(|| view.clone())
        };
        let pairs = state.pairs.values().filter(|pair| {
            let ids = pair.companies;
            kind.has(pair) && !state.apart.contains(&ids) && after.is_none_or(|it| ids > it)
        });
        let views = pairs.filter_map(|pair| {
            let [one, other] = &pair.companies;
            Some(CompanyPairView {
                pair: *pair,
                companies: [view(one)?, view(other)?],
            })
        });
        Ok(views.take(limit).collect())
    }

    async fn count_postings(
        &self,
        company: CompanyId,
        most: usize,
    ) -> Result<BTreeMap<Status, usize>, StoreError> {
        let state = self.part::<State>();
        let postings = state.rows.postings.values().map(|row| &row.posting);
        let own = postings.filter(|it| it.company_id == company).take(most);
        let mut counts = BTreeMap::new();
        for posting in own {
            *counts.entry(posting.status()).or_default() += 1;
        }
        Ok(counts)
    }

    async fn misplaced(
        &self,
        company: &Company,
        after: Option<PostingId>,
        limit: usize,
    ) -> Result<Vec<(PostingId, SourceIdentifier)>, StoreError> {
        let state = self.part::<State>();
        let postings = state.rows.postings.values().map(|row| &row.posting);
        let found = postings.filter(|it| {
            let shown = it.shown.as_ref();
            let places = match company.alias_of {
                Some(_) => [Some(it.company_id), shown.and_then(|it| it.company_id)],
                None => [it.came_by, shown.and_then(|it| it.came_by)],
            };
            places.contains(&Some(company.id))
        });
        let found = found.map(|it| (it.id, it.source_identifier.clone()));
        let mut found: Vec<_> = found
            .filter(|(id, _)| after.is_none_or(|it| *id > it))
            .collect();
        found.sort();
        found.truncate(limit);
        Ok(found)
    }
}

//! Postings and companies as rows, for stores in memory.

use std::collections::{HashMap, HashSet};

use kernel::{CompanyId, PostingId, SourceIdentifier, StoreError, Version};
use time::OffsetDateTime;
use uuid::Uuid;

use super::{ListQuery, PostingPage};
use crate::{
    company::{Company, CompanyView},
    decision::{HISTORY_SHOWN, PostingWrite, Snapshot, WriteSet},
    posting::{AsOf, COMPANY, PostingVersion, PostingView, Rewind},
};

/// Postings and companies, and the effect of commits on them.
#[derive(Clone, Debug, Default)]
pub struct Rows {
    pub(crate) postings: HashMap<PostingId, PostingView>,
    pub(crate) identifiers: HashMap<SourceIdentifier, PostingId>,
    pub(crate) companies: HashMap<CompanyId, CompanyView>,
    former_names: HashMap<CompanyId, Vec<String>>,
    /// The replaced values of postings, oldest first.
    pub(crate) versions: HashMap<PostingId, Vec<PostingVersion>>,
}

impl Rows {
    /// The named postings with their companies, and the named companies.
    pub fn named(&self, postings: &[SourceIdentifier], companies: &[CompanyId]) -> Snapshot {
        let ids = postings.iter().filter_map(|it| self.identifiers.get(it));
        self.snapshot(ids, companies)
    }

    /// The postings with these ids, with their companies.
    pub fn by_id(&self, ids: &[PostingId]) -> Snapshot {
        self.snapshot(ids.iter(), &[])
    }

    fn snapshot<'a>(
        &self,
        ids: impl Iterator<Item = &'a PostingId>,
        companies: &[CompanyId],
    ) -> Snapshot {
        let postings = ids.filter_map(|id| Some(self.postings.get(id)?.posting.clone()));
        let postings: Vec<_> = postings.collect();
        let of_postings = postings.iter().map(|posting| posting.company_id);
        let wanted: HashSet<_> = of_postings.chain(companies.iter().copied()).collect();
        let companies = wanted.iter().filter_map(|id| self.company(id).cloned());
        let companies: Vec<_> = companies.collect();
        let mut snapshot = Snapshot::of(postings, companies);
        loop {
            let targets = snapshot.targets();
            let found: Vec<_> = targets.iter().filter_map(|id| self.company(id)).collect();
            if found.is_empty() {
                break;
            }
            let found = found
                .into_iter()
                .map(|company| (company.id, company.clone()));
            snapshot.companies.extend(found);
        }
        let former = |id| Some((id, self.former_names.get(&id)?.clone()));
        snapshot.former_names = wanted.into_iter().filter_map(former).collect();
        snapshot
    }

    pub(crate) fn company(&self, id: &CompanyId) -> Option<&Company> {
        self.companies.get(id).map(|view| &view.company)
    }

    /// Writes a commit's companies and postings, or nothing. Returns the unchanged companies, whose
    /// events are omitted.
    pub fn apply(&mut self, writes: &WriteSet) -> Result<HashSet<CompanyId>, StoreError> {
        if !writes.postings.values().all(|write| self.admits(write)) {
            return Err(StoreError::Conflict);
        }
        let companies = writes.companies.iter();
        let companies =
            companies.map(|(id, write)| Ok((write, write.view(self.companies.get(id))?)));
        let companies: Vec<_> = companies.collect::<Result<_, StoreError>>()?;
        let mut unchanged = HashSet::new();
        for (write, after) in companies {
            let id = after.company.id;
            let stored = self.company(&id).map(|company| {
                let former = self.former_names.get(&id).map(Vec::as_slice);
                (company.name.as_str(), former.unwrap_or_default())
            });
            let former = write.former_names(stored);
            let has_new_names = former.is_some();
            self.former_names.extend(former.map(|names| (id, names)));
            let before = self.companies.insert(id, after.clone());
            if before == Some(after) && !has_new_names {
                unchanged.insert(id);
            }
        }
        for (id, write) in &writes.postings {
            let company = self.companies.get(&write.posting.company_id);
            let missing = || StoreError::Broken(format!("posting {id} has no company"));
            let company = company.ok_or_else(missing)?.clone();
            let stored = self.postings.get(id);
            let replaced = stored.zip(write.replaced.clone());
            if let Some((stored, replaced)) = replaced {
                let version = PostingVersion::of(stored, write.posting.version, replaced);
                self.versions.entry(*id).or_default().push(version);
            }
            let view = write.clone().view(self.postings.get(id), company);
            let identifier = view.posting.source_identifier.clone();
            self.identifiers.insert(identifier, *id);
            self.postings.insert(*id, view);
        }
        Ok(unchanged)
    }

    fn admits(&self, write: &PostingWrite) -> bool {
        let stored = self.postings.get(&write.posting.id);
        let is_taken = |it| self.identifiers.contains_key(it);
        match write.expected {
            Some(version) => stored.is_some_and(|row| row.posting.version == version),
            None => stored.is_none() && !is_taken(&write.posting.source_identifier),
        }
    }

    /// Overdue open postings, the longest overdue first.
    pub fn overdue(&self, now: OffsetDateTime, limit: usize) -> Vec<SourceIdentifier> {
        let postings = self.postings.values().map(|row| &row.posting);
        let mut overdue: Vec<_> = postings.filter(|it| it.is_overdue(now)).collect();
        overdue.sort_by_key(|it| (it.expire_at, &it.source_identifier));
        let overdue = overdue.into_iter().take(limit);
        overdue.map(|it| it.source_identifier.clone()).collect()
    }

    /// A posting for readers.
    pub fn find(&self, identifier: &SourceIdentifier) -> Option<PostingView> {
        self.shown(self.postings.get(self.identifiers.get(identifier)?)?)
    }

    /// A page of postings for readers.
    pub fn list(&self, query: &ListQuery) -> PostingPage {
        let rows = self.postings.values();
        PostingPage::of(query, rows.filter_map(|row| self.shown(row)))
    }

    /// The versions of a posting before the given version, newest first.
    pub fn versions(
        &self,
        identifier: &SourceIdentifier,
        before: Option<Version>,
        limit: usize,
    ) -> Option<Vec<PostingVersion>> {
        let id = self.identifiers.get(identifier)?;
        let all = self.versions.get(id).map_or(&[][..], Vec::as_slice);
        let found = all
            .iter()
            .rev()
            .filter(|it| before.is_none_or(|before| it.version < before));
        let found = found.take(limit).cloned().map(|mut version| {
            let company = version.before.get::<CompanyId>(COMPANY);
            version.company = company.and_then(|id| self.companies.get(&id).cloned());
            version
        });
        Some(found.collect())
    }

    /// The versions of each posting since an import first changed it, newest first.
    pub fn records(&self, import: Uuid, postings: &[PostingId]) -> Vec<PostingVersion> {
        let of_each = postings.iter().filter_map(|id| self.versions.get(id));
        let since = of_each.flat_map(|all| {
            let first = all.iter().position(|it| it.import == Some(import));
            all[first.unwrap_or(all.len())..].iter().rev()
        });
        since.cloned().collect()
    }

    /// The versions of each posting after the given version, newest first.
    #[cfg(any(test, feature = "testing"))]
    pub(crate) fn records_after(&self, versions: &[(PostingId, Version)]) -> Vec<PostingVersion> {
        let of_each = versions.iter().flat_map(|(id, version)| {
            let all = self.versions.get(id).into_iter().flatten().rev();
            all.take_while(|it| it.version > *version)
        });
        of_each.cloned().collect()
    }

    #[cfg(any(test, feature = "testing"))]
    pub(crate) fn changed_by(&self, import: Uuid) -> std::collections::BTreeSet<PostingId> {
        let versions = self.versions.values().flatten();
        let of_it = versions.filter(|it| it.import == Some(import));
        of_it.map(|it| it.posting).collect()
    }

    /// A posting as readers saw it at a moment.
    pub fn as_of(&self, identifier: &SourceIdentifier, moment: AsOf) -> Option<PostingView> {
        let view = self.row(self.postings.get(self.identifiers.get(identifier)?)?)?;
        let versions = self.versions(identifier, None, usize::MAX)?;
        let mut rewind = Rewind::new(view, moment);
        let _ = versions.into_iter().all(|version| rewind.take(version));
        rewind.end().map(|view| self.show(view))
    }

    fn row(&self, row: &PostingView) -> Option<PostingView> {
        let mut view = row.clone();
        view.company = self.companies.get(&row.posting.company_id)?.clone();
        let older = view.history.len().saturating_sub(HISTORY_SHOWN);
        view.history.drain(..older);
        Some(view)
    }

    fn show(&self, view: PostingView) -> PostingView {
        let text = view.posting.shown_description().and_then(|(id, version)| {
            let mut versions = self.versions.get(&id)?.iter();
            versions
                .find(|it| it.version == version)?
                .description
                .clone()
        });
        let company = view.posting.shown_company();
        let company = company.and_then(|id| self.companies.get(&id).cloned());
        view.shown(text, company)
    }

    fn shown(&self, row: &PostingView) -> Option<PostingView> {
        Some(self.show(self.row(row)?))
    }
}

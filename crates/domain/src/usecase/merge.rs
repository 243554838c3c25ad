//! Merges of companies: the commands of operators, and the moves of postings.

use std::collections::HashMap;

use kernel::{
    Actor, CompanyId, PostingId, Prefixes, SourceIdentifier, StoreError,
    audit::{Action, Attribution},
    event::{EventName, Subject},
    outbox::ClaimToken,
};
use time::{Duration, OffsetDateTime};

use super::CompanyError;
use crate::{
    audit::{COMPANIES_MERGE, COMPANIES_TELL_APART, COMPANIES_UNMERGE},
    company::{
        Company, CompanyPair, CompanyPairView, CompanyReader, CompanyView, CompanyWrite, PairKind,
        are_similar, is_lookalike, pair,
    },
    decision::{WriteSet, merge::settle},
    posting::{
        event::{COMPANY_MERGED, COMPANY_UPDATED},
        settle_company,
    },
    store::Store,
};

/// The largest number of aliases that a company may have.
pub const MOST_ALIASES: usize = 1_000;

const ALIKE: usize = 64;

/// For this long after a merge, postings that were decided before it may still be committed.
const SETTLED: Duration = Duration::MINUTE;

/// The task's wait before it looks again for such postings, and for an unmerge.
const LOOK_AGAIN: Duration = Duration::seconds(2);

/// Merges a company into another, which replaces it. A task moves the company's postings. A
/// repeated merge changes nothing.
pub async fn merge_companies(
    (store, companies): (&dyn Store, &dyn CompanyReader),
    (from, into): (CompanyId, CompanyId),
    reason: &str,
    by: &Attribution,
    now: OffsetDateTime,
) -> Result<(), CompanyError> {
    let snapshot = store.load(&[], &[from, into]).await?;
    let known = |id| snapshot.companies.get(&id).ok_or(CompanyError::NotFound);
    let (source, target) = (known(from)?, known(snapshot.meant(into))?);
    if snapshot.meant(from) == target.id && from != target.id {
        return Ok(());
    }
    if from == target.id {
        return Err(CompanyError::Same);
    }
    if source.alias_of.is_some() {
        return Err(CompanyError::AliasOfAnother);
    }
    let operator = Actor::Operator(Some(by.operator.clone()));
    let aliases = companies.aliases(from, MOST_ALIASES).await?;
    let aliases: Vec<_> = aliases.into_iter().map(|view| view.company).collect();
    let mut writes = WriteSet::new(now);
    for alias in aliases.iter().chain([source]) {
        redirect(&mut writes, alias, Some(target.id), &operator);
    }
    // The redacted texts of the target's postings must hide both names.
    let keeps_names = CompanyWrite {
        sets_name: true,
        replaced_names: vec![source.name.clone()],
        ..CompanyWrite::new(target.clone(), operator, now)
    };
    writes.companies.insert(target.id, keeps_names);
    raise(&mut writes, COMPANY_MERGED, from);
    record(&mut writes, by, COMPANIES_MERGE, source, target, reason);
    Ok(store.commit(writes).await?)
}

/// Ends an alias. Postings that came by the alias return to it.
pub async fn unmerge_company(
    store: &dyn Store,
    alias: CompanyId,
    reason: &str,
    by: &Attribution,
    now: OffsetDateTime,
) -> Result<(), CompanyError> {
    let snapshot = store.load(&[], &[alias]).await?;
    let company = snapshot.companies.get(&alias);
    let company = company.ok_or(CompanyError::NotFound)?;
    let target = snapshot.companies.get(&snapshot.meant(alias));
    let target = target.filter(|target| target.id != alias);
    let target = target.ok_or(CompanyError::NoAlias)?;
    let operator = Actor::Operator(Some(by.operator.clone()));
    let mut writes = WriteSet::new(now);
    redirect(&mut writes, company, None, &operator);
    raise(&mut writes, COMPANY_UPDATED, alias);
    record(&mut writes, by, COMPANIES_UNMERGE, company, target, reason);
    Ok(store.commit(writes).await?)
}

/// Marks two companies as different, so that they are no longer suggested.
pub async fn tell_companies_apart(
    store: &dyn Store,
    companies: [CompanyId; 2],
    by: &Attribution,
    now: OffsetDateTime,
) -> Result<(), CompanyError> {
    let snapshot = store.load(&[], &companies).await?;
    let known = |id| snapshot.companies.get(&id).ok_or(CompanyError::NotFound);
    let [one, other] = companies;
    let mut writes = WriteSet::new(now);
    writes.optional.apart.insert(pair(one, other));
    let entry = by.entry(COMPANIES_TELL_APART, now);
    let entry = entry.about(known(one)?.website.as_str());
    let entry = entry.with("other", known(other)?.website.as_str());
    writes.tasks.audit.push(entry);
    Ok(store.commit(writes).await?)
}

fn redirect(writes: &mut WriteSet, company: &Company, into: Option<CompanyId>, by: &Actor) {
    let after = Company {
        alias_of: into,
        ..company.clone()
    };
    let write = CompanyWrite {
        sets_alias: true,
        ..CompanyWrite::new(after, by.clone(), writes.tasks.at)
    };
    writes.companies.insert(company.id, write);
    writes.tasks.ask(settle_company(company.id));
}

fn raise(writes: &mut WriteSet, name: EventName, company: CompanyId) {
    if let Some(write) = writes.companies.get(&company) {
        writes.tasks.raise(name, Subject::Company(write.state()));
    }
}

fn record(
    writes: &mut WriteSet,
    by: &Attribution,
    action: Action,
    alias: &Company,
    target: &Company,
    reason: &str,
) {
    let entry = by.entry(action, writes.tasks.at);
    let entry = entry.about(alias.website.as_str());
    let entry = entry.with("into", target.website.as_str());
    writes.tasks.audit.push(entry.with("reason", reason));
}

/// The result of a batch of a company's task.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Settling {
    /// Postings after this posting may remain.
    After(PostingId),
    /// No posting remains for now. The task is due again at this time, because earlier decisions
    /// may still be committed, or an operator may have reversed the merge.
    Again(OffsetDateTime),
    /// All is done, and the task is finished.
    Done,
}

/// Works on up to `at_most` postings of a company's task. An interrupted batch is repeated.
///
/// [`StoreError::Conflict`] after a concurrent change.
pub async fn settle_batch(
    (store, companies): (&dyn Store, &dyn CompanyReader),
    (task, id): (ClaimToken, CompanyId),
    (after, at_most): (Option<PostingId>, usize),
    now: OffsetDateTime,
) -> Result<Settling, StoreError> {
    let Some(view) = companies.company(id).await? else {
        return finish(store, WriteSet::new(now), task).await;
    };
    let company = &view.company;
    let misplaced = companies.misplaced(company, after, at_most).await?;
    if let Some((last, _)) = misplaced.last() {
        let last = *last;
        move_postings(store, &view, misplaced, now).await?;
        return Ok(Settling::After(last));
    }
    let settled = view.merged_at.map(|at| at + SETTLED);
    if settled.is_some_and(|settled| now < settled) {
        return Ok(Settling::Again(now + LOOK_AGAIN));
    }
    let mut writes = WriteSet::new(now);
    let pairs = match company.alias_of {
        Some(_) => Vec::new(),
        None => find_pairs(store, companies, &view, now).await?,
    };
    writes.optional.pairs.insert(id, pairs);
    finish(store, writes, task).await
}

async fn finish(
    store: &dyn Store,
    mut writes: WriteSet,
    task: ClaimToken,
) -> Result<Settling, StoreError> {
    writes.tasks.done.push(task);
    store.commit(writes).await?;
    Ok(Settling::Done)
}

async fn move_postings(
    store: &dyn Store,
    view: &CompanyView,
    postings: Vec<(PostingId, SourceIdentifier)>,
    now: OffsetDateTime,
) -> Result<(), StoreError> {
    let id = view.company.id;
    // The last change of the company may be a push after the merge.
    let by = view.updated_by.clone();
    let by = by.filter(|by| matches!(by, Actor::Operator(_)));
    let by = by.unwrap_or(Actor::Operator(None));
    let identifiers: Vec<_> = postings.into_iter().map(|(_, it)| it).collect();
    let mut snapshot = store.load(&identifiers, &[id]).await?;
    let mut writes = WriteSet::new(now);
    for identifier in &identifiers {
        let posting = snapshot.postings.get(identifier);
        let change = posting.and_then(|it| settle(&snapshot, it, id, by.clone(), now));
        if let Some(change) = change {
            change.record(&mut snapshot, &mut writes);
        }
    }
    if writes.is_empty() {
        return Ok(());
    }
    store.commit(writes).await
}

async fn find_pairs(
    store: &dyn Store,
    companies: &dyn CompanyReader,
    view: &CompanyView,
    now: OffsetDateTime,
) -> Result<Vec<CompanyPair>, StoreError> {
    let others = companies.alike(&view.company, ALIKE).await?;
    let owners: Vec<_> = (others.iter().chain([view]))
        .filter_map(|it| it.company.owner)
        .collect();
    let fences = if others.is_empty() {
        HashMap::new()
    } else {
        store.prefixes(&owners).await?
    };
    let is_fenced = |view: &CompanyView| {
        let fence = view.company.owner.and_then(|owner| fences.get(&owner));
        fence.is_some_and(|prefixes: &Prefixes| !prefixes.are_all())
    };
    let found = others.iter().map(|other| {
        let both = [(view, other), (other, view)].into_iter();
        let mut lookalikes = both.filter(|(one, older)| is_fenced(one) && is_lookalike(one, older));
        CompanyPair {
            companies: pair(view.company.id, other.company.id),
            is_similar: are_similar(&view.company, &other.company),
            lookalike: lookalikes.next().map(|(one, _)| one.company.id),
            since: now,
        }
    });
    let found = found.filter(|pair| pair.is_similar || pair.lookalike.is_some());
    Ok(found.collect())
}

/// The companies that clients with prefixes created on other owners' sites.
pub async fn company_lookalikes(
    companies: &dyn CompanyReader,
    limit: usize,
) -> Result<Vec<CompanyPairView>, StoreError> {
    let kind = PairKind::Lookalike;
    let mut found = companies.company_pairs(kind, None, limit).await?;
    found.retain(|pair| pair.lookalike().is_some());
    Ok(found)
}

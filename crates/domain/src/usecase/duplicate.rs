//! The search for a posting's duplicates after a relevant change.

use std::collections::{BTreeMap, HashMap, HashSet};

use kernel::{PostingId, SourceIdentifier, StoreError, audit::Attribution, outbox::ClaimToken};
use time::OffsetDateTime;

use crate::{
    audit::POSTINGS_TELL_APART,
    decision::{WriteSet, duplicate::mark},
    posting::{
        duplicate::{Candidate, Fingerprint, Number, apart},
        look_up_duplicates,
    },
    store::Store,
};

const COPIES: usize = 64;

/// How often a search drops fingerprints of closed postings before it is postponed.
const SEARCHES: usize = 32;

/// Finishes the searches that have nothing to do: the posting has no duplicates, and is either
/// closed, or unmarked and similar to no other. Returns the other searches.
pub async fn finish_idle_searches(
    store: &dyn Store,
    tasks: &[(ClaimToken, PostingId)],
    now: OffsetDateTime,
) -> Result<Vec<(ClaimToken, PostingId)>, StoreError> {
    let ids: Vec<_> = tasks.iter().map(|(_, id)| *id).collect();
    let own = store.candidates(&[], &ids).await?;
    let copies = store.copies(&ids, None, COPIES).await?;
    if copies.len() == COPIES {
        return Ok(tasks.to_vec());
    }
    let (open, gone): (Vec<_>, Vec<_>) = own.into_iter().partition(|it| it.is_open);
    let near = search(store, &open, now).await?;
    let is_similar = |it: &Candidate| near.iter().any(|other| it.is_like(other));
    let to_mark = open
        .iter()
        .filter(|it| it.duplicate_of.is_some() || is_similar(it));
    let originals = copies.iter().filter_map(|it| it.duplicate_of.as_ref());
    let mut busy: HashSet<_> = originals.map(|it| it.id).collect();
    busy.extend(to_mark.map(|it| it.id));
    let mut writes = WriteSet::new(now);
    writes.optional.fingerprints = gone.iter().map(|it| (it.id, None)).collect();
    let (busy, idle): (Vec<_>, Vec<_>) = tasks.iter().partition(|(_, id)| busy.contains(id));
    writes.tasks.done = idle.into_iter().map(|(token, _)| token).collect();
    if !writes.is_empty() {
        store.commit(writes).await?;
    }
    Ok(busy)
}

/// Looks up a posting's duplicates in several commits, and then its own original. The last commit
/// finishes the task. A locked posting does not delay the others.
///
/// Of the unmarked postings, only `id` may get a mark here, after the search for its copies. Any
/// other posting may have become younger than its copies, so its own search marks it.
///
/// [`StoreError::Conflict`] after a concurrent change, or too many closed candidates.
pub async fn look_up(
    store: &dyn Store,
    (task, id): (ClaimToken, PostingId),
    now: OffsetDateTime,
) -> Result<(), StoreError> {
    // The posting is read before its copies, so that its version shows whether it became younger
    // meanwhile.
    let own = store.candidates(&[], &[id]).await?.pop();
    let (mut marked, mut after) = (Ok(()), None);
    loop {
        let copies = store.copies(&[id], after, COPIES).await?;
        let Some(last) = copies.last() else { break };
        after = Some(last.id);
        marked = marked.and(mark_each(store, &copies, now).await?);
    }
    let mut writes = WriteSet::new(now);
    if let Some(own) = own.filter(|it| it.is_open) {
        let mut younger = search(store, std::slice::from_ref(&own), now).await?;
        younger.retain(|it| it.duplicates(&own));
        let (copies, unmarked): (Vec<_>, Vec<_>) = younger
            .into_iter()
            .partition(|it| it.duplicate_of.is_some());
        marked = marked.and(mark_each(store, &copies, now).await?);
        let pairs = unmarked.iter().map(|it| apart(it.id, own.id));
        let distinct = store.told_apart(&pairs.collect::<Vec<_>>()).await?;
        for it in unmarked {
            if !distinct.contains(&apart(it.id, own.id)) {
                writes.tasks.ask(look_up_duplicates(it.id));
            }
        }
        if marked.is_ok() {
            mark_all(store, &[own], &mut writes).await?;
        }
    } else if marked.is_ok() {
        writes.optional.fingerprints.insert(id, None);
    }
    if marked.is_ok() {
        writes.tasks.done.push(task);
    }
    if !writes.is_empty() {
        store.commit(writes).await?;
    }
    marked
}

/// Marks copies again in one commit; after a conflict or lock, one by one. The inner result is the
/// first error of a single copy.
async fn mark_each(
    store: &dyn Store,
    copies: &[Candidate],
    now: OffsetDateTime,
) -> Result<Result<(), StoreError>, StoreError> {
    let mut writes = WriteSet::new(now);
    let mut marked = mark_all(store, copies, &mut writes).await;
    if marked.is_ok() && !writes.is_empty() {
        marked = store.commit(writes).await;
    }
    match marked {
        Err(StoreError::Conflict | StoreError::Locked(_)) if copies.len() > 1 => {
            let mut marked = Ok(());
            for copy in copies {
                let alone = std::slice::from_ref(copy);
                let one = Box::pin(mark_each(store, alone, now)).await?;
                marked = marked.and(one);
            }
            Ok(marked)
        }
        Err(error @ (StoreError::Conflict | StoreError::Locked(_))) => Ok(Err(error)),
        marked => marked.map(Ok),
    }
}

/// The open candidates for duplicates of these postings. Drops the fingerprints of closed
/// candidates, which would displace open ones.
async fn search(
    store: &dyn Store,
    postings: &[Candidate],
    now: OffsetDateTime,
) -> Result<Vec<Candidate>, StoreError> {
    let fingerprints = postings.iter().map(|it| it.dated.fingerprint.clone());
    let fingerprints: Vec<_> = fingerprints.collect();
    let numbers: Vec<_> = postings.iter().filter_map(Candidate::number).collect();
    let mut last = BTreeMap::new();
    for _ in 0..SEARCHES {
        let found = near(store, &fingerprints, &numbers, &[]).await?;
        let mut writes = WriteSet::new(now);
        let gone = found.iter().filter(|it| !it.is_open);
        writes.optional.fingerprints = gone.map(|it| (it.id, None)).collect();
        if writes.is_empty() || writes.optional.fingerprints == last {
            return Ok(found);
        }
        last.clone_from(&writes.optional.fingerprints);
        store.commit(writes).await?;
    }
    Err(StoreError::Conflict)
}

pub(super) async fn near(
    store: &dyn Store,
    fingerprints: &[Fingerprint],
    numbers: &[Number],
    named: &[PostingId],
) -> Result<Vec<Candidate>, StoreError> {
    let mut found = store.candidates(fingerprints, named).await?;
    if !numbers.is_empty() {
        found.extend(store.numbered(numbers).await?);
        found.sort_by_key(|it| it.id);
        found.dedup_by_key(|it| it.id);
    }
    Ok(found)
}

async fn mark_all(
    store: &dyn Store,
    postings: &[Candidate],
    writes: &mut WriteSet,
) -> Result<(), StoreError> {
    let now = writes.tasks.at;
    let candidates = search(store, postings, now).await?;
    let pairs = postings.iter().flat_map(|it| {
        let others = candidates.iter().filter(|other| it.duplicates(other));
        others.map(|other| apart(it.id, other.id))
    });
    let pairs: Vec<_> = pairs.collect();
    let distinct = if pairs.is_empty() {
        HashSet::new()
    } else {
        store.told_apart(&pairs).await?
    };
    let marks = postings.iter().filter_map(|it| {
        let original = it.original(&candidates, &distinct);
        let original = original.map(Candidate::as_original);
        (original != it.duplicate_of).then_some((it, original))
    });
    let marks: BTreeMap<_, _> = marks.map(|(it, mark)| (it.id, (it, mark))).collect();
    if marks.is_empty() {
        return Ok(());
    }
    let identifiers = marks.values().map(|(it, _)| it.source_identifier.clone());
    let identifiers: Vec<_> = identifiers.collect();
    let mut snapshot = store.load(&identifiers, &[]).await?;
    for (it, original) in marks.into_values() {
        let Some(posting) = snapshot.postings.get(&it.source_identifier) else {
            continue;
        };
        if posting.version != it.version {
            return Err(StoreError::Conflict);
        }
        if let Some(change) = mark(posting, original, now) {
            change.record(&mut snapshot, writes);
        }
    }
    stand(writes, &candidates);
    Ok(())
}

/// Causes a conflict in the commit if the original of a newly marked posting changed meanwhile.
fn stand(writes: &mut WriteSet, candidates: &[Candidate]) {
    let versions: HashMap<_, _> = candidates.iter().map(|it| (it.id, it.version)).collect();
    let marks = writes.postings.values().filter_map(|write| {
        let original = write.posting.duplicate_of.as_ref()?;
        let version = versions.get(&original.id)?;
        Some((original.id, *version))
    });
    let marks = marks.filter(|(id, _)| !writes.postings.contains_key(id));
    writes.optional.standing = marks.collect();
}

/// Marks two postings as different openings. Returns whether both exist.
pub async fn tell_postings_apart(
    store: &dyn Store,
    [one, other]: [&SourceIdentifier; 2],
    by: &Attribution,
    now: OffsetDateTime,
) -> Result<bool, StoreError> {
    let known = store.load(&[one.clone(), other.clone()], &[]).await?;
    let ids: Vec<_> = known.postings.values().map(|posting| posting.id).collect();
    let [first, second] = ids[..] else {
        return Ok(false);
    };
    let mut writes = WriteSet::new(now);
    writes.optional.told_apart.insert(apart(first, second));
    writes.tasks.ask(look_up_duplicates(first));
    writes.tasks.ask(look_up_duplicates(second));
    let entry = by.entry(POSTINGS_TELL_APART, now).about(one.as_str());
    writes.tasks.audit.push(entry.with("other", other.as_str()));
    store.commit(writes).await?;
    Ok(true)
}

//! The search for the duplicates of a posting, when something about them has changed.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

use kernel::{ClientId, PostingId, Prefixes, StoreError, outbox::ClaimToken};
use time::OffsetDateTime;

use crate::{
    decision::{WriteSet, duplicate::mark},
    posting::{duplicate::Candidate, look_up_duplicates},
    store::Store,
};

/// The number of copies of a posting that share a commit.
const COPIES: usize = 64;

/// The number of times that a search forgets fingerprints of postings which are gone, before it is
/// put off.
const SEARCHES: usize = 32;

/// Finishes the searches that have nothing to do: those of postings that are not open, and that
/// nothing is marked with. Returns the others.
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
    let (gone, open): (Vec<_>, Vec<_>) = own.into_iter().partition(|it| !it.is_open);
    let originals = copies.iter().filter_map(|it| it.duplicate_of.as_ref());
    let mut busy: HashSet<_> = originals.map(|it| it.id).collect();
    busy.extend(open.iter().map(|it| it.id));
    let mut writes = WriteSet::new(now);
    writes.fingerprints = gone.iter().map(|it| (it.id, None)).collect();
    let (busy, idle): (Vec<_>, Vec<_>) = tasks.iter().partition(|(_, id)| busy.contains(id));
    writes.tasks.done = idle.into_iter().map(|(token, _)| token).collect();
    if !writes.is_empty() {
        store.commit(writes).await?;
    }
    Ok(busy)
}

/// Looks up anew what duplicates a posting, in several commits, and then what it duplicates itself.
/// The last commit finishes the task. A posting whose row is locked delays none of the others.
///
/// Only the searched posting gets a first mark here, and not before its copies were looked up. Other
/// unmarked ones may have become younger than their own copies, so their own searches mark them.
///
/// [`StoreError::Conflict`] if something changed meanwhile, or too many candidates are gone.
pub async fn look_up(
    store: &dyn Store,
    (task, id): (ClaimToken, PostingId),
    now: OffsetDateTime,
) -> Result<(), StoreError> {
    // Before its copies: the version tells whether it has become younger than those meanwhile.
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
        let fences = Fences::of(store, unmarked.iter()).await?;
        for it in unmarked {
            if fences.of_creator(&it).permit(&own.source_identifier) {
                writes.tasks.ask(look_up_duplicates(it.id));
            }
        }
        if marked.is_ok() {
            mark_all(store, &[own], &mut writes).await?;
        }
    } else if marked.is_ok() {
        writes.fingerprints.insert(id, None);
    }
    if marked.is_ok() {
        writes.tasks.done.push(task);
    }
    if !writes.is_empty() {
        store.commit(writes).await?;
    }
    marked
}

/// Marks copies anew in one commit, or one by one where that fails, and returns what kept some from
/// it.
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

/// The open candidates for duplicates of these. Forgets those that are gone, so that they hide
/// none.
async fn search(
    store: &dyn Store,
    postings: &[Candidate],
    now: OffsetDateTime,
) -> Result<Vec<Candidate>, StoreError> {
    let fingerprints = postings.iter().map(|it| it.dated.fingerprint.clone());
    let fingerprints: Vec<_> = fingerprints.collect();
    let mut last = BTreeMap::new();
    for _ in 0..SEARCHES {
        let found = store.candidates(&fingerprints, &[]).await?;
        let mut writes = WriteSet::new(now);
        let gone = found.iter().filter(|it| !it.is_open);
        writes.fingerprints = gone.map(|it| (it.id, None)).collect();
        // A store leaves those whose rows are locked.
        if writes.is_empty() || writes.fingerprints == last {
            return Ok(found);
        }
        last.clone_from(&writes.fingerprints);
        store.commit(writes).await?;
    }
    Err(StoreError::Conflict)
}

/// Adds to a commit what these postings are to be marked with.
async fn mark_all(
    store: &dyn Store,
    postings: &[Candidate],
    writes: &mut WriteSet,
) -> Result<(), StoreError> {
    let now = writes.tasks.at;
    let candidates = search(store, postings, now).await?;
    let copies = postings
        .iter()
        .filter(|it| candidates.iter().any(|other| it.duplicates(other)));
    let fences = Fences::of(store, copies).await?;
    let marks = postings.iter().filter_map(|it| {
        let original = it.original(fences.of_creator(it), &candidates);
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

/// Makes a commit conflict if the original of a posting that it marks has changed meanwhile.
fn stand(writes: &mut WriteSet, candidates: &[Candidate]) {
    let versions: HashMap<_, _> = candidates.iter().map(|it| (it.id, it.version)).collect();
    let marks = writes.postings.values().filter_map(|write| {
        let original = write.posting.duplicate_of.as_ref()?;
        let version = versions.get(&original.id)?;
        Some((original.id, *version))
    });
    let marks = marks.filter(|(id, _)| !writes.postings.contains_key(id));
    writes.standing = marks.collect();
}

/// The parts of the board that creators of postings may see.
#[derive(Default)]
struct Fences(HashMap<ClientId, Prefixes>);

impl Fences {
    /// The prefixes of the clients that created these, as they are now.
    async fn of(
        store: &dyn Store,
        postings: impl Iterator<Item = &Candidate>,
    ) -> Result<Self, StoreError> {
        let creators: BTreeSet<_> = postings.filter_map(Candidate::creator).collect();
        if creators.is_empty() {
            return Ok(Self::default());
        }
        let creators: Vec<_> = creators.into_iter().collect();
        Ok(Self(store.fences(&creators).await?))
    }

    /// What the creator of a posting may see: everything, if it is not known.
    fn of_creator(&self, posting: &Candidate) -> &Prefixes {
        let prefixes = posting.creator().and_then(|id| self.0.get(&id));
        prefixes.unwrap_or(const { &Prefixes::ALL })
    }
}

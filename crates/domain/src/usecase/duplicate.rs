//! Duplicates: marked by outcomes of enrichment, and looked up anew when something about them has
//! changed.

use std::collections::{BTreeMap, HashMap, HashSet};

use access::Clients;
use kernel::{ClientId, PostingId, Prefixes, StoreError, outbox::Receipt};
use time::OffsetDateTime;

use super::Outcome;
use crate::{
    posting::{
        Original, Posting,
        duplicate::{Age, Candidate, DatedFingerprint, Fingerprint, mark},
        look_up_duplicates,
    },
    store::{Known, Store, WriteSet},
};

/// The number of copies of a posting that share a commit.
const COPIES: usize = 64;

/// The number of times that a search forgets fingerprints of postings which are gone, before it is
/// put off.
const SEARCHES: usize = 32;

/// The postings that may duplicate those of a batch of outcomes, and the other way round.
#[derive(Default)]
pub(super) struct Lookalikes {
    /// The batch's postings, with the fingerprints that its outcomes give them.
    own: HashMap<PostingId, Candidate>,
    /// What is stored of the batch's postings.
    before: HashMap<PostingId, Candidate>,
    /// All that may be duplicated: stored ones, and judged ones as they are from now on.
    candidates: Vec<Candidate>,
    /// What the creators of those of the batch may see that have anything near.
    fences: Fences,
    /// Whether marks are left to searches.
    marks_later: bool,
    /// The judged postings that are open and that no search has been asked for.
    settled: HashSet<PostingId>,
}

impl Lookalikes {
    pub(super) async fn of(
        store: &dyn Store,
        clients: &dyn Clients,
        outcomes: &[Outcome],
        known: &Known,
        marks_later: bool,
    ) -> Result<Self, StoreError> {
        let fingerprints = outcomes.iter().filter_map(|outcome| {
            let posting = known.postings.get(&outcome.posting)?;
            let fingerprint = match outcome.enrichment.min_hash {
                Some(min_hash) => Fingerprint::of(&posting.details, posting.company_id, min_hash),
                None => Fingerprint::unlike_any(posting.id),
            };
            Some((posting, fingerprint))
        });
        let fingerprints: Vec<_> = fingerprints.collect();
        let ids: Vec<_> = fingerprints.iter().map(|(posting, _)| posting.id).collect();
        let wanted: Vec<_> = fingerprints.iter().map(|(_, it)| it.clone()).collect();
        let mut candidates = store.near(&wanted, &ids).await?;
        let before: HashMap<_, _> = candidates
            .extract_if(.., |it| ids.contains(&it.id))
            .map(|it| (it.id, it))
            .collect();
        let own = fingerprints.into_iter().map(|(posting, fingerprint)| {
            let pushed = posting.content_since();
            let dated = match before.get(&posting.id) {
                Some(before) => before.dated.followed_by(fingerprint, pushed),
                None => DatedFingerprint::new(fingerprint, pushed),
            };
            // As it is if the outcome approves it.
            let own = Candidate {
                is_open: true,
                ..Candidate::of(posting, dated)
            };
            (posting.id, own)
        });
        let own: HashMap<_, _> = own.collect();
        let all = || candidates.iter().chain(own.values());
        let near = own
            .values()
            .filter(|it| all().any(|other| it.duplicates(other)));
        let fences = Fences::of(clients, near).await?;
        Ok(Self {
            own,
            before,
            candidates,
            fences,
            marks_later,
            settled: HashSet::new(),
        })
    }

    /// The place of one of the batch among its duplicates.
    pub(super) fn age(&self, id: PostingId) -> Option<Age> {
        self.own.get(&id).map(Candidate::age)
    }

    /// The posting that one of the batch duplicates from now on. One whose content is not the first
    /// that it had may have copies which are older now: a search sees to these before it marks the
    /// posting itself.
    pub(super) fn original(&self, posting: &Posting) -> Option<Original> {
        let own = self.own.get(&posting.id)?;
        if own.dated.since <= posting.created_at {
            let original = self.original_of(own).filter(|_| !self.marks_later);
            return original.map(Candidate::as_original);
        }
        let before = self.before.get(&posting.id)?;
        let is_as_old = before.dated.since == own.dated.since;
        posting.duplicate_of.clone().filter(|_| is_as_old)
    }

    fn original_of(&self, own: &Candidate) -> Option<&Candidate> {
        own.original(self.fences.of_creator(own), &self.candidates)
    }

    /// Notes how an outcome leaves a posting.
    pub(super) fn judged(&mut self, posting: &Posting, writes: &mut WriteSet) {
        let Some(own) = self.own.get(&posting.id).cloned() else {
            return;
        };
        if !posting.status.is_open() {
            writes.fingerprints.insert(own.id, None);
            return;
        }
        writes.fingerprints.insert(own.id, Some(own.dated.clone()));
        let before = self.before.get(&own.id);
        let is_other = own.dated.since > posting.created_at
            || before.is_some_and(|before| before.dated != own.dated);
        let is_new_to = |other: &Candidate| {
            let (one, other_one) = (&own.dated.fingerprint, &other.dated.fingerprint);
            other.duplicates(&own) || !other.is_open && one.shares_band(other_one)
        };
        let is_unmarked = self.marks_later && self.original_of(&own).is_some();
        if is_other || is_unmarked || self.candidates.iter().any(is_new_to) {
            writes.tasks.ask(look_up_duplicates(own.id));
        } else {
            self.settled.insert(own.id);
        }
        self.candidates.push(own);
    }

    /// Has the commit fail if an original is not as it was. Forgets the fingerprints of postings
    /// that are not open any more.
    pub(super) fn rely_on(&self, writes: &mut WriteSet) {
        for other in &self.candidates {
            if !other.is_open {
                writes.fingerprints.entry(other.id).or_insert(None);
            }
        }
        stand(writes, &self.candidates);
    }

    /// Asks for a search where one finds more after the commit than before it: of two postings that
    /// are recorded by two processes at the same moment, at least the later one sees the other.
    pub(super) async fn look_again(
        self,
        store: &dyn Store,
        now: OffsetDateTime,
    ) -> Result<(), StoreError> {
        let settled = self.own.values().filter(|it| self.settled.contains(&it.id));
        let settled: Vec<_> = settled.collect();
        if settled.is_empty() {
            return Ok(());
        }
        let fingerprints = settled.iter().map(|it| it.dated.fingerprint.clone());
        let mut others = store.near(&fingerprints.collect::<Vec<_>>(), &[]).await?;
        others.retain(|other| self.candidates.iter().all(|known| known.id != other.id));
        let mut writes = WriteSet::new(now);
        for own in settled {
            let is_near = |other: &Candidate| own.duplicates(other) || other.duplicates(own);
            if others.iter().any(is_near) {
                writes.tasks.ask(look_up_duplicates(own.id));
            }
        }
        if writes.is_empty() {
            return Ok(());
        }
        store.commit(writes).await
    }
}

/// Has a commit fail if the original of a posting that it writes is not as it was.
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
    const WHOLE_BOARD: &Prefixes = &Prefixes::ALL;

    /// The prefixes of the clients that created these, as they are now.
    async fn of(
        clients: &dyn Clients,
        postings: impl Iterator<Item = &Candidate> + Send,
    ) -> Result<Self, StoreError> {
        let creators: HashSet<_> = postings.filter_map(Candidate::creator).collect();
        let mut fences = HashMap::new();
        for id in creators {
            if let Some(client) = clients.find(id).await? {
                fences.insert(id, client.prefixes);
            }
        }
        Ok(Self(fences))
    }

    /// What the creator of a posting may see: everything, if it is not known.
    fn of_creator(&self, posting: &Candidate) -> &Prefixes {
        let prefixes = posting.creator().and_then(|id| self.0.get(&id));
        prefixes.unwrap_or(Self::WHOLE_BOARD)
    }
}

/// Finishes the searches that have nothing to do: those of postings that are not open, and that
/// nothing is marked with. Returns the others.
pub async fn finish_idle_searches(
    store: &dyn Store,
    tasks: &[(Receipt, PostingId)],
    now: OffsetDateTime,
) -> Result<Vec<(Receipt, PostingId)>, StoreError> {
    let ids: Vec<_> = tasks.iter().map(|(_, id)| *id).collect();
    let own = store.near(&[], &ids).await?;
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
    writes.tasks.done = idle.into_iter().map(|(receipt, _)| receipt).collect();
    if !writes.is_empty() {
        store.commit(writes).await?;
    }
    Ok(busy)
}

/// Looks up anew what duplicates a posting, in several commits, and then what it duplicates itself.
/// The last commit finishes the task. A posting whose row is held holds up none of the others.
///
/// [`StoreError::Conflict`] if something changed meanwhile, or too much that is gone is in the way.
pub async fn look_up(
    store: &dyn Store,
    clients: &dyn Clients,
    (task, id): (Receipt, PostingId),
    now: OffsetDateTime,
) -> Result<(), StoreError> {
    let (mut marked, mut after) = (Ok(()), None);
    loop {
        let copies = store.copies(&[id], after, COPIES).await?;
        let Some(last) = copies.last() else { break };
        after = Some(last.id);
        marked = marked.and(mark_each(store, clients, &copies, now).await?);
    }
    let mut writes = WriteSet::new(now);
    writes.tasks.done.push(task);
    let own = store.near(&[], &[id]).await?.pop();
    if let Some(own) = own.filter(|it| it.is_open) {
        let mut younger = search(store, std::slice::from_ref(&own), now).await?;
        younger.retain(|it| it.duplicates(&own));
        marked = marked.and(mark_each(store, clients, &younger, now).await?);
        // Not before all of its copies are younger.
        marked?;
        mark_all(store, clients, &[own], &mut writes).await?;
    } else {
        marked?;
        writes.fingerprints.insert(id, None);
    }
    store.commit(writes).await
}

/// Marks postings in one commit, or one by one where that fails, and returns what kept some from it.
/// Whatever becomes a copy may have some itself, for which a search is asked.
async fn mark_each(
    store: &dyn Store,
    clients: &dyn Clients,
    postings: &[Candidate],
    now: OffsetDateTime,
) -> Result<Result<(), StoreError>, StoreError> {
    let mut result = mark_together(store, clients, postings, now).await?;
    if result.is_err() && postings.len() > 1 {
        result = Ok(());
        for posting in postings {
            let alone = std::slice::from_ref(posting);
            result = result.and(mark_together(store, clients, alone, now).await?);
        }
    }
    Ok(result)
}

async fn mark_together(
    store: &dyn Store,
    clients: &dyn Clients,
    postings: &[Candidate],
    now: OffsetDateTime,
) -> Result<Result<(), StoreError>, StoreError> {
    let mut writes = WriteSet::new(now);
    let mut result = mark_all(store, clients, postings, &mut writes).await;
    for posting in postings.iter().filter(|it| it.duplicate_of.is_none()) {
        if writes.postings.contains_key(&posting.id) {
            writes.tasks.ask(look_up_duplicates(posting.id));
        }
    }
    if result.is_ok() && !writes.is_empty() {
        result = store.commit(writes).await;
    }
    match result {
        Err(error @ (StoreError::Conflict | StoreError::Locked(_))) => Ok(Err(error)),
        result => result.map(Ok),
    }
}

/// The open postings that are near to one of these. Forgets those that are gone, so that they hide
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
        let near = store.near(&fingerprints, &[]).await?;
        let mut writes = WriteSet::new(now);
        let gone = near.iter().filter(|it| !it.is_open);
        writes.fingerprints = gone.map(|it| (it.id, None)).collect();
        // A store leaves those whose rows are held.
        if writes.is_empty() || writes.fingerprints == last {
            return Ok(near);
        }
        last.clone_from(&writes.fingerprints);
        store.commit(writes).await?;
    }
    Err(StoreError::Conflict)
}

/// Adds to a commit what these postings are to be marked with.
async fn mark_all(
    store: &dyn Store,
    clients: &dyn Clients,
    postings: &[Candidate],
    writes: &mut WriteSet,
) -> Result<(), StoreError> {
    let now = writes.tasks.at;
    let candidates = search(store, postings, now).await?;
    let near = postings
        .iter()
        .filter(|it| candidates.iter().any(|other| it.duplicates(other)));
    let fences = Fences::of(clients, near).await?;
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
    let mut known = store.load(&identifiers, &[]).await?;
    for (it, original) in marks.into_values() {
        let Some(posting) = known.postings.get(&it.source_identifier) else {
            continue;
        };
        if posting.version != it.version {
            return Err(StoreError::Conflict);
        }
        if let Some(change) = mark(posting, original, now) {
            change.record(&mut known, writes);
        }
    }
    stand(writes, &candidates);
    Ok(())
}

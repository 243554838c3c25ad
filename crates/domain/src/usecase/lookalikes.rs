//! The duplicates among the postings that outcomes of enrichment are recorded of.

use std::collections::{BTreeSet, HashMap, HashSet};

use kernel::{ClientId, PostingId, Prefixes, StoreError};
use time::OffsetDateTime;

use crate::{
    decision::WriteSet,
    posting::{
        Original, Posting,
        duplicate::{Age, Candidate, DatedFingerprint, Fingerprint},
        look_up_duplicates,
    },
    store::Store,
};

/// The postings that may duplicate those of a batch of outcomes, and the other way round.
#[derive(Default)]
pub(super) struct Lookalikes {
    /// The batch's postings, with the fingerprints that its outcomes give them.
    own: HashMap<PostingId, Candidate>,
    /// What is stored of the batch's postings.
    before: HashMap<PostingId, Candidate>,
    /// All that may be duplicated: stored ones, and judged ones as they are from now on.
    candidates: Vec<Candidate>,
    /// What the creators of those of the batch may see that have any candidates.
    fences: Fences,
    /// Whether marks are left to searches.
    marks_later: bool,
    /// The judged postings that are open and that no search has been asked for.
    settled: HashSet<PostingId>,
}

impl Lookalikes {
    /// Finds them by the fingerprints that a batch of outcomes gives its postings.
    pub(super) async fn of(
        store: &dyn Store,
        fingerprints: Vec<(&Posting, Fingerprint)>,
        marks_later: bool,
    ) -> Result<Self, StoreError> {
        let ids: Vec<_> = fingerprints.iter().map(|(posting, _)| posting.id).collect();
        let wanted: Vec<_> = fingerprints.iter().map(|(_, it)| it.clone()).collect();
        let mut candidates = store.candidates(&wanted, &ids).await?;
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
        let alike = own
            .values()
            .filter(|it| all().any(|other| it.duplicates(other)));
        let fences = Fences::of(store, alike).await?;
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
        if !posting.is_open() {
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
        let mut others = store
            .candidates(&fingerprints.collect::<Vec<_>>(), &[])
            .await?;
        others.retain(|other| self.candidates.iter().all(|one| one.id != other.id));
        let mut writes = WriteSet::new(now);
        for own in settled {
            let is_alike = |other: &Candidate| own.duplicates(other) || other.duplicates(own);
            if others.iter().any(is_alike) {
                writes.tasks.ask(look_up_duplicates(own.id));
            }
        }
        if writes.is_empty() {
            return Ok(());
        }
        store.commit(writes).await
    }
}

/// Makes a commit conflict if the original of a posting that it marks has changed meanwhile.
pub(super) fn stand(writes: &mut WriteSet, candidates: &[Candidate]) {
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
pub(super) struct Fences(HashMap<ClientId, Prefixes>);

impl Fences {
    /// The prefixes of the clients that created these, as they are now.
    pub(super) async fn of(
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
    pub(super) fn of_creator(&self, posting: &Candidate) -> &Prefixes {
        let prefixes = posting.creator().and_then(|id| self.0.get(&id));
        prefixes.unwrap_or(const { &Prefixes::ALL })
    }
}

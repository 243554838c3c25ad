//! Finds postings that are similar to those of a batch of outcomes, and requests searches.

use std::collections::{HashMap, HashSet};

use kernel::{PostingId, StoreError};
use time::OffsetDateTime;

use super::duplicate::near;
use crate::{
    decision::WriteSet,
    posting::{
        Original, Posting,
        duplicate::{Candidate, DatedFingerprint, Fingerprint},
        look_up_duplicates,
    },
    store::Store,
};

pub(super) struct Lookalikes {
    own: HashMap<PostingId, Candidate>,
    before: HashMap<PostingId, DatedFingerprint>,
    /// The other postings: stored ones, and those already judged in the batch.
    others: Vec<Candidate>,
    /// Judged open postings without a requested search.
    settled: HashSet<PostingId>,
}

impl Lookalikes {
    pub(super) async fn of(
        store: &dyn Store,
        fingerprints: Vec<(&Posting, Fingerprint)>,
    ) -> Result<Self, StoreError> {
        let ids: Vec<_> = fingerprints.iter().map(|(posting, _)| posting.id).collect();
        let wanted: Vec<_> = fingerprints.iter().map(|(_, it)| it.clone()).collect();
        let numbers = fingerprints.iter().filter_map(|(posting, _)| {
            let number = posting.details.requisition_id.clone()?;
            Some((posting.company_id, number))
        });
        let numbers: Vec<_> = numbers.collect();
        let found = near(store, &wanted, &numbers, &ids).await?;
        let (before, others): (Vec<_>, Vec<_>) =
            found.into_iter().partition(|it| ids.contains(&it.id));
        let before: HashMap<_, _> = before.into_iter().map(|it| (it.id, it.dated)).collect();
        let own = fingerprints.into_iter().map(|(posting, fingerprint)| {
            let pushed = posting.content_since();
            let dated = match before.get(&posting.id) {
                Some(before) => before.followed_by(fingerprint, pushed),
                None => DatedFingerprint::new(fingerprint, pushed),
            };
            // The posting as if the outcome approves it.
            let own = Candidate {
                is_open: true,
                ..Candidate::of(posting, dated)
            };
            (posting.id, own)
        });
        Ok(Self {
            own: own.collect(),
            before,
            others,
            settled: HashSet::new(),
        })
    }

    /// The mark after an outcome. The mark stays if the content keeps its age. Otherwise a search
    /// handles the posting's copies, which may be older, before it marks the posting.
    pub(super) fn mark(&self, posting: &Posting) -> Option<Original> {
        let (own, before) = (self.own.get(&posting.id)?, self.before.get(&posting.id)?);
        let is_as_old = before.since == own.dated.since;
        posting.duplicate_of.clone().filter(|_| is_as_old)
    }

    /// Stores a posting's fingerprint after an outcome. Requests a search if similar postings
    /// exist, or if the content has changed since the posting was created. Also stores the
    /// content's age in the posting: after a merge, the next fingerprint starts with this age.
    pub(super) fn judged(&mut self, posting: &mut Posting, writes: &mut WriteSet) {
        let Some(own) = self.own.get(&posting.id).cloned() else {
            return;
        };
        if !posting.is_open() {
            writes.optional.fingerprints.insert(own.id, None);
            return;
        }
        if posting.content_since() != own.dated.since {
            posting.content_at = Some(own.dated.since);
        }
        writes
            .optional
            .fingerprints
            .insert(own.id, Some(own.dated.clone()));
        let before = self.before.get(&own.id);
        let is_other = own.dated.since > posting.created_at
            || before.is_some_and(|before| *before != own.dated);
        let is_like = |other: &Candidate| {
            let (one, other_one) = (&own.dated.fingerprint, &other.dated.fingerprint);
            own.is_like(other) || !other.is_open && one.shares_band(other_one)
        };
        if is_other || self.others.iter().any(is_like) {
            writes.tasks.ask(look_up_duplicates(own.id));
        } else {
            self.settled.insert(own.id);
        }
        self.others.push(own);
    }

    /// Requests searches if there are more similar postings after the commit than before. If two
    /// processes record two postings concurrently, at least the later one finds the other.
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
        let fingerprints: Vec<_> = fingerprints.collect();
        let numbers: Vec<_> = settled.iter().filter_map(|it| it.number()).collect();
        let mut others = near(store, &fingerprints, &numbers, &[]).await?;
        others.retain(|other| self.others.iter().all(|one| one.id != other.id));
        let mut writes = WriteSet::new(now);
        for own in settled {
            if others.iter().any(|other| own.is_like(other)) {
                writes.tasks.ask(look_up_duplicates(own.id));
            }
        }
        if writes.is_empty() {
            return Ok(());
        }
        store.commit(writes).await
    }
}

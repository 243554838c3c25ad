//! Computes, without the service's own rules, which values undos may restore, and which titles
//! readers may see.

use std::collections::{BTreeMap, BTreeSet};

use domain::posting::{Details, Posting};
use kernel::{Actor, PostingId, SourceIdentifier, Status};
use uuid::Uuid;

#[derive(Debug, Default)]
pub struct Restores {
    /// The posting before an import changed it, as long as nothing else has changed it.
    before: BTreeMap<(Uuid, PostingId), (Details, Status)>,
    let_in: BTreeSet<(SourceIdentifier, u64)>,
}

impl Restores {
    /// Records a written posting. Returns a broken rule if an undo restored values that the posting
    /// did not have before an import.
    pub fn written(
        &mut self,
        before: &Posting,
        after: &Posting,
        import: Option<Uuid>,
        is_restored: bool,
    ) -> Option<String> {
        let (id, name) = (after.id, &after.source_identifier);
        if is_restored {
            let mut known = self.before.iter();
            let is_known = known.any(|((_, of), was)| *of == id && is_same(was, after));
            self.before.retain(|(_, of), _| *of != id);
            return (!is_known).then(|| format!("{name} is restored to what it was not"));
        }
        let is_verdict = after.updated_by == Some(Actor::Enricher);
        let is_change = before.updated_at != after.updated_at || before.details != after.details;
        if is_change && !is_verdict {
            self.before
                .retain(|(by, of), _| *of != id || Some(*by) == import);
        }
        if let Some(import) = import {
            let was = || (before.details.clone(), before.status());
            self.before.entry((import, id)).or_insert_with(was);
        }
        None
    }

    pub fn let_in(&mut self, identifier: &SourceIdentifier, title: u64) {
        self.let_in.insert((identifier.clone(), title));
    }

    pub fn is_let_in(&self, identifier: &SourceIdentifier, title: u64) -> bool {
        self.let_in.contains(&(identifier.clone(), title))
    }
}

/// Whether a posting has these details (apart from the reason of an expiry), and was not opened or
/// closed except by a verdict.
fn is_same((details, status): &(Details, Status), posting: &Posting) -> bool {
    let mut details = details.clone();
    (details.expiration_reason).clone_from(&posting.details.expiration_reason);
    let is_expired = |status| status == Status::Expired;
    let is_so = is_expired(*status) == is_expired(posting.status());
    details == posting.details && (is_so || posting.status() == Status::Rejected)
}

//! Computes from calls to the store which postings imports may expire and undos may reopen.

use std::collections::{BTreeMap, BTreeSet};

use domain::{
    catalogue::{
        CatalogueId, CatalogueLease, CatalogueQuery, Guard, OpenPosting, PastImport, Undone,
    },
    posting::Posting,
};
use kernel::{Actor, ClientId, PostingId, SourceIdentifier, Status};
use time::OffsetDateTime;
use uuid::Uuid;

#[derive(Clone, Debug)]
pub struct Crawl {
    pub channel: String,
    /// The listed postings, including those in unreadable lines.
    pub listed: BTreeSet<SourceIdentifier>,
    /// Postings that only lines with unreadable identifiers name.
    pub unread: BTreeSet<SourceIdentifier>,
    pub has_unread: bool,
    pub guard: Guard,
    pub misses: u8,
    /// Whether the import's body ends properly, so that unlisted postings may expire.
    pub is_whole: bool,
    /// Whether the body states that it has no lines.
    pub proves_none: bool,
}

/// The process, the client and the time of an import's beginning. The lease has the same time.
pub type Beginning = (String, ClientId, OffsetDateTime);
#[derive(Debug, Default)]
pub struct Catalogues {
    beginning: BTreeMap<Beginning, Crawl>,
    channels: BTreeSet<String>,
    known: BTreeMap<CatalogueId, Known>,
}

#[derive(Debug)]
struct Known {
    client: ClientId,
    running: Option<Running>,
    /// For each posting, the smallest and largest possible number of imports in a row that missed
    /// it.
    misses: BTreeMap<PostingId, (u8, u8)>,
    /// The postings that the last expiry closed.
    expired: BTreeMap<PostingId, UndoState>,
    held: BTreeSet<PostingId>,
    held_by: Option<Uuid>,
    /// Whether a release was the last expiry.
    has_released: bool,
    /// The postings that each import changed, by the holder of its lease.
    changed: BTreeMap<Uuid, BTreeSet<PostingId>>,
    /// The import that an undo is about. `restored` has the postings that undos have restored.
    last: Option<Uuid>,
    restored: BTreeSet<PostingId>,
}

#[derive(Debug)]
enum Running {
    Import(Import),
    Correction,
}

#[derive(Debug)]
struct Import {
    holder: Uuid,
    crawl: Crawl,
    had: Option<Vec<OpenPosting>>,
    expired: BTreeSet<PostingId>,
    /// Postings that were opened or listed elsewhere meanwhile.
    came_back: BTreeSet<PostingId>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum UndoState {
    Untouched,
    Touched,
    Reopened,
    /// A newer import has changed other postings, so an undo is about that import, unless its
    /// changes are gone.
    Superseded,
}

impl Import {
    fn missing(&self) -> impl Iterator<Item = &OpenPosting> {
        let Crawl { listed, unread, .. } = &self.crawl;
        let is_named = |of: &SourceIdentifier| listed.contains(of) && !unread.contains(of);
        let had = self.had.iter().flatten();
        had.filter(move |posting| !is_named(&posting.identifier))
    }

    fn is_held(&self) -> bool {
        if self.crawl.proves_none && self.crawl.misses > 1 {
            return false;
        }
        let (missing, had) = (self.missing().count(), self.had.iter().flatten().count());
        let Guard {
            max_missing,
            min_missing,
            ..
        } = self.crawl.guard;
        let percent = usize::from(max_missing.percent());
        let are_many = missing as u64 > min_missing && missing * 100 > had * percent;
        let is_too_much = percent != 100 && (are_many || missing == had);
        missing > 0 && (self.crawl.has_unread || is_too_much)
    }
}

impl Catalogues {
    /// Returns `false` if another import of this client began at this process at the same time.
    pub fn begin(&mut self, beginning: Beginning, crawl: &Crawl) -> bool {
        let is_free = !self.beginning.contains_key(&beginning);
        if is_free {
            self.beginning.insert(beginning, crawl.clone());
            self.channels.insert(crawl.channel.clone());
        }
        is_free
    }

    /// A line of a catalogue may be written only while its import has the lease.
    pub fn may_write(&self, channels: &[String]) -> bool {
        let running = self
            .known
            .values()
            .filter_map(|known| match &known.running {
                Some(Running::Import(import)) => Some(&import.crawl.channel),
                Some(Running::Correction) | None => None,
            });
        let running: BTreeSet<_> = running.collect();
        let mut channels = channels.iter();
        channels.any(|channel| !self.channels.contains(channel) || running.contains(channel))
    }

    pub fn changed(&mut self, posting: PostingId, by: Uuid) {
        for known in self.known.values_mut() {
            if let Some(Running::Import(import)) = &known.running
                && import.holder == by
            {
                if import.expired.is_empty() {
                    let fates = known.expired.values_mut();
                    fates.for_each(|fate| *fate = UndoState::Superseded);
                }
                known.changed.entry(by).or_default().insert(posting);
                known.last_is(Some(by));
            }
        }
    }

    pub fn restored(&mut self, of: CatalogueId, posting: PostingId) {
        if let Some(known) = self.known.get_mut(&of) {
            known.restored.insert(posting);
        }
    }

    pub fn forget(&mut self, client: ClientId) {
        self.known.retain(|_, known| known.client != client);
    }

    /// Returns a broken rule, if any.
    pub fn written(&mut self, before: Option<&Posting>, after: &Posting) -> Option<String> {
        let (id, name) = (after.id, &after.source_identifier);
        let was_open = before.is_some_and(Posting::is_open);
        let is_moved = before.is_some_and(|before| before.catalogue != after.catalogue);
        let is_opened = after.is_open() && !was_open;
        for known in self.known.values_mut() {
            if let Some(Running::Import(import)) = &mut known.running
                && (is_opened || is_moved)
            {
                import.came_back.insert(id);
            }
        }
        let reason = after.status_reason().unwrap_or_default();
        let is_undone = is_opened && reason.starts_with("undo of the catalogue");
        let is_delisted = was_open
            && after.status() == Status::Expired
            && matches!(after.updated_by, Some(Actor::Catalogue(_)));
        let mut wrong = None;
        if is_delisted || is_undone {
            wrong = match after.catalogue.and_then(|id| self.known.get_mut(&id)) {
                Some(known) if is_undone => known.undone(id),
                Some(known) => known.delisted(id, name),
                None => Some("its catalogue is none"),
            };
        }
        if before.is_none_or(|before| is_touched(before, after)) && !is_delisted && !is_undone {
            let expired = self.known.values_mut();
            let fates = expired.filter_map(|known| known.expired.get_mut(&id));
            for fate in fates.filter(|fate| **fate == UndoState::Untouched) {
                *fate = UndoState::Touched;
            }
        }
        wrong.map(|wrong| format!("{name} is {}: {wrong}", after.status()))
    }

    pub fn leased(
        &mut self,
        process: &str,
        query: &CatalogueQuery,
        lease: CatalogueLease,
    ) -> Option<String> {
        // The clock of the process may be corrected in between.
        let is_its = |(of, client, at): &&Beginning| {
            let apart = (*at - query.now).abs();
            of == process && *client == query.client && apart < time::Duration::SECOND
        };
        let its = self.beginning.keys().filter(is_its);
        let nearest = its.min_by_key(|(.., at)| (*at - query.now).abs()).cloned();
        let crawl = nearest.and_then(|beginning| self.beginning.remove(&beginning));
        let running = match (query.new_id, crawl) {
            (Some(_), Some(crawl)) => Some(Running::Import(Import {
                holder: lease.holder,
                crawl,
                had: None,
                expired: BTreeSet::new(),
                came_back: BTreeSet::new(),
            })),
            (Some(_), None) => None,
            (None, _) => Some(Running::Correction),
        };
        let is_unknown = running.is_none();
        let known = self.known.entry(lease.catalogue).or_insert(Known {
            client: query.client,
            running: None,
            misses: BTreeMap::new(),
            expired: BTreeMap::new(),
            held: BTreeSet::new(),
            held_by: None,
            has_released: false,
            changed: BTreeMap::new(),
            last: None,
            restored: BTreeSet::new(),
        });
        known.running = running;
        is_unknown.then(|| format!("{process}: nobody began an import of {query:?}"))
    }

    /// The first read is the state at the import's beginning.
    pub fn read(&mut self, of: CatalogueId, open: &[OpenPosting]) {
        if let Some(known) = self.known.get_mut(&of)
            && let Some(Running::Import(import)) = &mut known.running
        {
            import.had.get_or_insert_with(|| open.to_vec());
        }
    }

    /// Returns broken rules. `open` has the postings that the import left open.
    pub fn finished(
        &mut self,
        lease: CatalogueLease,
        import: &PastImport,
        open: &BTreeSet<PostingId>,
        is_calm: bool,
    ) -> Vec<String> {
        let known = self.known.get_mut(&lease.catalogue);
        let running = known.and_then(|known| Some((known.running.take()?, known)));
        let Some((Running::Import(run), known)) = running else {
            return Vec::new();
        };
        let (summary, mut wrong) = (&import.summary, Vec::new());
        if !run.crawl.is_whole && (summary.complete || summary.missing.is_some()) {
            wrong.push(format!("it has no proper end, and {summary:?}"));
        }
        if let Some(missing) = &summary.missing {
            let is_told = missing.expired == run.expired.len() as u64;
            let is_right = missing.held.is_some() == run.is_held() && is_told;
            if is_calm && summary.complete && !is_right
                || missing.held.is_some() && !run.expired.is_empty()
            {
                wrong.push(format!("{missing:?} of {run:?}"));
            }
        }
        if import.counts_misses() {
            wrong.extend(known.count(&run, open));
        }
        if import.is_held() {
            known.held = run.missing().map(|posting| posting.id).collect();
            known.held_by = Some(lease.holder);
            known.has_released = false;
        } else if summary.complete {
            known.held.clear();
        }
        wrong
    }

    pub fn is_running(&self, lease: CatalogueLease) -> bool {
        let known = self.known.get(&lease.catalogue);
        known.is_some_and(|known| matches!(known.running, Some(Running::Import(_))))
    }

    /// Whether the last complete import may hold this posting back.
    pub fn holds_back(&self, of: CatalogueId, posting: PostingId) -> bool {
        let known = self.known.get(&of);
        known.is_some_and(|known| known.held.contains(&posting))
    }

    /// Returns how many postings the release expired.
    pub fn released(&mut self, lease: CatalogueLease) -> u64 {
        let Some(known) = self.known.get_mut(&lease.catalogue) else {
            return 0;
        };
        known.running = None;
        known.held.clear();
        let expired = if known.has_released {
            known.expired.len()
        } else {
            0
        };
        known.has_released = false;
        expired as u64
    }

    /// Returns the state of each posting whose expiry the undo covered, and how many other postings
    /// it restored and left. Any undo resets misses.
    pub fn undone(
        &mut self,
        lease: CatalogueLease,
        told: Undone,
    ) -> (BTreeMap<PostingId, UndoState>, Undone) {
        let Some(known) = self.known.get_mut(&lease.catalogue) else {
            return Default::default();
        };
        let restored = std::mem::take(&mut known.restored);
        let changed = known
            .last
            .take()
            .and_then(|last| known.changed.remove(&last));
        let left = changed.unwrap_or_default().difference(&restored).count();
        let others = Undone {
            reopened: 0,
            restored: restored.len() as u64,
            left: left as u64,
        };
        known.running = None;
        if told == Undone::default() {
            // Either no import could be undone, or none of its changes was left.
            known.misses.values_mut().for_each(|misses| misses.0 = 0);
        } else {
            known.misses.clear();
        }
        (std::mem::take(&mut known.expired), others)
    }
}

/// Whether a visible field changed. The catalogue's own field is checked elsewhere.
fn is_touched(before: &Posting, after: &Posting) -> bool {
    let seen = |it: &Posting| (it.status(), it.updated_at, it.updated_by.clone());
    seen(before) != seen(after) || before.details != after.details
}

impl Known {
    fn last_is(&mut self, import: Option<Uuid>) {
        if self.last != import {
            self.restored.clear();
        }
        self.last = import;
    }

    fn delisted(&mut self, id: PostingId, name: &SourceIdentifier) -> Option<&'static str> {
        let import = match &mut self.running {
            Some(Running::Import(import)) => import,
            Some(Running::Correction) => return self.released(id),
            None => return Some("no import of its catalogue runs"),
        };
        if import.expired.is_empty() {
            self.expired.clear();
            self.has_released = false;
        }
        import.expired.insert(id);
        let (holder, crawl) = (import.holder, import.crawl.clone());
        self.last_is(Some(holder));
        self.expired.insert(id, UndoState::Untouched);
        let (_, most) = self.misses.get(&id).copied().unwrap_or_default();
        if !crawl.is_whole {
            Some("the import of its catalogue has no proper end")
        } else if crawl.listed.contains(name) {
            Some("its catalogue lists it")
        } else if most + 1 < crawl.misses {
            Some("its catalogue has not missed it often enough")
        } else {
            None
        }
    }

    fn released(&mut self, id: PostingId) -> Option<&'static str> {
        if !self.has_released {
            self.expired.clear();
            self.has_released = true;
        }
        self.last_is(self.held_by);
        self.expired.insert(id, UndoState::Untouched);
        let is_held = self.held.contains(&id);
        (!is_held).then_some("no import holds it back")
    }

    fn undone(&mut self, id: PostingId) -> Option<&'static str> {
        if !matches!(self.running, Some(Running::Correction)) {
            return Some("no undo of its catalogue runs");
        }
        match self.expired.insert(id, UndoState::Reopened) {
            Some(UndoState::Untouched | UndoState::Superseded) => None,
            Some(_) => Some("somebody has touched it since"),
            None => Some("the last import that expired any has not expired it"),
        }
    }

    fn count(&mut self, run: &Import, open: &BTreeSet<PostingId>) -> Vec<String> {
        let (mut misses, mut wrong) = (BTreeMap::new(), Vec::new());
        for posting in run.missing().filter(|it| !run.expired.contains(&it.id)) {
            let before = self.misses.get(&posting.id).copied().unwrap_or_default();
            // Postings that others closed meanwhile may have been counted before.
            let is_open = open.contains(&posting.id) && !run.came_back.contains(&posting.id);
            let surely = if is_open { before.0 + 1 } else { 0 };
            if surely >= run.crawl.misses {
                wrong.push(format!("{} is open, and was missed", posting.identifier));
            }
            misses.insert(posting.id, (surely, before.1 + 1));
        }
        self.misses = misses;
        wrong
    }
}

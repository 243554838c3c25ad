//! Keeps judged values shown while others wait for a verdict.

use std::sync::Arc;

use kernel::{CompanyId, PostingId, Version};
use time::OffsetDateTime;

use super::{ContentHash, DESCRIPTION, Details, Held, Pending, Posting, PostingView, Shown, State};
use crate::company::CompanyView;

/// The fields whose changes wait for a verdict. A link or address waits only if it leads to another
/// domain.
const GUARDED: [&str; 7] = [
    "title",
    DESCRIPTION,
    "location_country_code",
    "location_city",
    "location_region",
    "location_postal_code",
    "locations",
];

impl Posting {
    fn judged(&self) -> (Details, CompanyId, Option<CompanyId>) {
        let mut details = self.details.clone();
        let own = (self.company_id, self.came_by);
        let Some(shown) = &self.shown else {
            return (details, own.0, own.1);
        };
        details.set(&shown.values);
        let (company, alias) = shown.company_id.map_or(own, |id| (id, shown.came_by));
        (details, company, alias)
    }

    /// The application domains that a push changed and no verdict covered.
    pub fn unjudged_domains(&self) -> Vec<String> {
        let is_changed = |shown: &Shown| {
            ["application_url", "application_email"]
                .iter()
                .any(|name| shown.values.has(name))
        };
        let changed = self.shown.as_ref().is_some_and(is_changed);
        let domains = self.details.domains().into_iter().flatten();
        domains.filter(|_| changed).collect()
    }

    /// Keeps judged values shown after a push changed the posting from `before`.
    pub(crate) fn keep_judged(&mut self, before: &Self, now: OffsetDateTime) {
        let was_judged = match before.state {
            State::Approved { .. } => true,
            // An expired posting keeps its last verdict.
            State::Expired { .. } => before.enriched_hash.is_some(),
            _ => false,
        };
        let is_open_again = matches!(self.state, State::Pending { .. });
        let is_same = self.details == before.details && self.company_id == before.company_id;
        if !was_judged || is_open_again || is_same {
            return;
        }
        let (judged, company_id, came_by) = before.judged();
        let mut values = judged.differences(&self.details);
        let [link, mail] = self.details.domains();
        let [judged_link, judged_mail] = judged.domains();
        values.retain(|name| match name {
            "application_url" => link != judged_link,
            "application_email" => mail != judged_mail,
            name => GUARDED.contains(&name),
        });
        let company_id = (company_id != self.company_id).then_some(company_id);
        if values.is_empty() && company_id.is_none() {
            self.shown = None;
            return;
        }
        let last = before.shown.as_ref();
        self.shown = Some(Shown {
            since: last.map_or(now, |shown| shown.since),
            description_in: last
                .and_then(|shown| shown.description_in)
                .filter(|_| values.has(DESCRIPTION)),
            held: last.and_then(|shown| shown.held.clone()),
            values,
            came_by: company_id.and(came_by),
            company_id,
        });
    }

    /// Notes that this version's record has the shown description, unless an earlier one has it.
    pub(crate) fn locate_description(&mut self) {
        if let Some(shown) = &mut self.shown
            && shown.values.has(DESCRIPTION)
        {
            shown.description_in.get_or_insert(self.version);
        }
    }

    /// Whether this content was judged to be no ad and is held back.
    pub(crate) fn holds(&self, content: ContentHash) -> bool {
        let held = self.shown.as_ref().and_then(|shown| shown.held.as_ref());
        matches!(held, Some(Held::Back { content: it, .. }) if *it == content)
    }

    /// The posting and version whose record has the shown description's text, if there is one.
    pub fn shown_description(&self) -> Option<(PostingId, Version)> {
        let shown = self.shown.as_ref()?;
        Some((self.id, shown.description_in?))
    }

    /// The shown company, if it differs from the pushed one.
    pub fn shown_company(&self) -> Option<CompanyId> {
        self.shown.as_ref()?.company_id
    }
}

impl PostingView {
    /// The posting as readers see it: `description` is the text of [`Posting::shown_description`],
    /// `company` is [`Posting::shown_company`].
    #[must_use]
    pub fn shown(mut self, description: Option<Arc<str>>, company: Option<CompanyView>) -> Self {
        let Some(shown) = self.posting.shown.take() else {
            return self;
        };
        let pushed = self.posting.details.clone();
        self.posting.details.set(&shown.values);
        let values = pushed.differences(&self.posting.details);
        let has_description = values.has(DESCRIPTION);
        if has_description {
            self.posting.details.raw_description.read(description);
        }
        let mut pending = Pending {
            since: shown.since,
            values,
            description: pushed
                .raw_description
                .text()
                .filter(|_| has_description)
                .cloned(),
            company: None,
        };
        let waits = shown.company_id.filter(|id| *id != self.posting.company_id);
        if let (Some(id), Some(company)) = (waits, company) {
            self.posting.company_id = id;
            pending.company = Some(std::mem::replace(&mut self.company, company));
        }
        // A merge may have made the two companies one.
        let is_any = !pending.values.is_empty() || pending.company.is_some();
        self.pending = is_any.then_some(pending);
        self
    }
}

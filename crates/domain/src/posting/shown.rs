//! What readers see of a posting: the values that were judged, while others wait for a verdict.
//!
//! A posting has its values as pushed. While a change of guarded fields waits, [`Shown`] holds the
//! values that are shown instead. [`PostingView::shown`](super::PostingView::shown) applies them,
//! for every reader.

use std::sync::Arc;

use kernel::{CompanyId, Version};
use serde::{Deserialize, Serialize};
use time::OffsetDateTime;

use super::{ContentHash, Values};
use crate::company::CompanyView;

/// The values that readers still see, where they differ from those that were pushed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Shown {
    /// When the first change that waits was pushed.
    #[serde(with = "time::serde::rfc3339")]
    pub since: OffsetDateTime,
    /// The judged values of the fields that wait; of the description its digest.
    pub values: Values,
    /// The company, if that waits.
    pub company_id: Option<CompanyId>,
    /// The alias by which it came to that company, as for [`Posting::came_by`](super::Posting).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub came_by: Option<CompanyId>,
    /// The version whose record has the text of the description, if that waits.
    pub description_in: Option<Version>,
    /// Whether what waits was judged to be no ad.
    pub held: Option<Held>,
}

/// Content that is no ad, which is held back from an approved posting.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Held {
    /// Such content has been held back since a time; this is the last of it.
    Back {
        /// The time.
        #[serde(with = "time::serde::rfc3339")]
        since: OffsetDateTime,
        /// The content.
        content: ContentHash,
    },
    /// The time is over. Such content is rejected when it is judged again.
    Over,
}

impl Shown {
    /// Reads a stored text from [`Self::to_text`].
    pub fn from_store(json: &str) -> Option<Self> {
        serde_json::from_str(json).ok()
    }

    /// The JSON text for a store.
    pub fn to_text(&self) -> String {
        serde_json::to_string(self).unwrap_or_default()
    }

    /// Since when content is held back.
    pub const fn held_since(&self) -> Option<OffsetDateTime> {
        match self.held {
            Some(Held::Back { since, .. }) => Some(since),
            _ => None,
        }
    }
}

/// The values of an approved posting that wait for a verdict, as they were pushed.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Pending {
    /// When the first of them was pushed.
    #[serde(with = "time::serde::rfc3339")]
    pub since: OffsetDateTime,
    /// What was pushed, of the fields that wait. The description's text is in `description`.
    pub values: Values,
    /// The description, if it waits and was read.
    pub description: Option<Arc<str>>,
    /// The company, if it waits.
    pub company: Option<CompanyView>,
}

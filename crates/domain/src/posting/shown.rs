//! The values of a posting that readers see: judged ones, while others wait for a verdict.
//!
//! A posting has its values as pushed. While changes of guarded fields wait, [`Shown`] has the
//! values to show instead. [`PostingView::shown`](super::PostingView::shown) applies them for every
//! reader.

use std::sync::Arc;

use kernel::{CompanyId, Version};
use serde::{Deserialize, Serialize};
use time::OffsetDateTime;

use super::{ContentHash, Values};
use crate::company::CompanyView;

/// The values that readers still see, if they differ from the pushed ones.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Shown {
    /// When the first waiting change was pushed.
    #[serde(with = "time::serde::rfc3339")]
    pub since: OffsetDateTime,
    /// The judged values of the waiting fields. For the description, its digest.
    pub values: Values,
    /// The shown company, if a change of it waits.
    pub company_id: Option<CompanyId>,
    /// The alias by which the posting came to that company; see
    /// [`Posting::came_by`](super::Posting).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub came_by: Option<CompanyId>,
    /// The version whose record has the shown description's text, if a change of it waits.
    pub description_in: Option<Version>,
    /// Whether the waiting content was judged to be no ad.
    pub held: Option<Held>,
}

/// Content that is no ad, held back from an approved posting.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Held {
    /// Content that is no ad is held back.
    Back {
        /// When the first content was held back.
        #[serde(with = "time::serde::rfc3339")]
        since: OffsetDateTime,
        /// The latest content that was held back.
        content: ContentHash,
    },
    /// The hold has ended. Content that is still no ad is rejected when it is judged again.
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

/// The pushed values of an approved posting that wait for a verdict.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Pending {
    /// When the first of these values was pushed.
    #[serde(with = "time::serde::rfc3339")]
    pub since: OffsetDateTime,
    /// The pushed values of waiting fields, without the description's text.
    pub values: Values,
    /// The pushed description, if it waits and was read.
    pub description: Option<Arc<str>>,
    /// The company, if it waits.
    pub company: Option<CompanyView>,
}

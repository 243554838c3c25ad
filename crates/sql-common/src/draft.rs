//! The table `drafts`.

use domain::enrichment::DraftKey;
use time::OffsetDateTime;
use uuid::Uuid;

use crate::{statement, value::Value};

statement! {
    /// Stores a draft, and ends the reservation of its key.
    pub Keep =
    "INSERT INTO drafts (key, draft, used_at) VALUES (?, ?, ?) \
     ON CONFLICT (key) DO UPDATE SET draft = excluded.draft, used_at = excluded.used_at, \
     holder = NULL, reserved_until = NULL"
}

impl Keep {
    /// The values to store a draft.
    pub fn values<'a>(key: &'a DraftKey, draft: &'a str, now: OffsetDateTime) -> [Value<'a>; 3] {
        [key.as_bytes().into(), draft.into(), now.into()]
    }
}

statement! {
    /// Ends a reservation. A row with a draft has no holder, and stays.
    pub Release = "DELETE FROM drafts WHERE key = ? AND holder = ?"
}

impl Release {
    /// The values to end a reservation.
    pub fn values(key: &DraftKey, holder: Uuid) -> [Value<'_>; 2] {
        [key.as_bytes().into(), holder.into()]
    }
}

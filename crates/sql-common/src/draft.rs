//! The table `drafts`.

use domain::enrichment::DraftKey;
use time::OffsetDateTime;
use uuid::Uuid;

use crate::{statement, value::Value};

statement! {
    /// Keeps a draft, whatever there was.
    pub Keep =
    "INSERT INTO drafts (key, draft, used_at) VALUES (?, ?, ?) \
     ON CONFLICT (key) DO UPDATE SET draft = excluded.draft, used_at = excluded.used_at, \
     holder = NULL, reserved_until = NULL"
}

impl Keep {
    /// The values of a draft.
    pub fn values<'a>(key: &'a DraftKey, draft: &'a str, now: OffsetDateTime) -> [Value<'a>; 3] {
        [key.as_bytes().into(), draft.into(), now.into()]
    }
}

statement! {
    /// Ends a reservation. A draft has no holder.
    pub Release = "DELETE FROM drafts WHERE key = ? AND holder = ?"
}

impl Release {
    /// The values of a reservation.
    pub fn values(key: &DraftKey, holder: Uuid) -> [Value<'_>; 2] {
        [key.as_bytes().into(), holder.into()]
    }
}

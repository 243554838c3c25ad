//! The table `drafts`.

use enrichment::DraftKey;
use kernel::PostingId;
use time::OffsetDateTime;
use uuid::Uuid;

use crate::{statement, value::Value};

/// The text of the statement that stores a draft, unless it is of a posting that is gone, and ends
/// the reservation of its key. The argument locks the posting until the draft is there.
#[macro_export]
macro_rules! keep_draft {
    ($lock:literal) => {
        concat!(
            "INSERT INTO drafts (key, draft, used_at, posting_id) \
             SELECT sent.key, sent.draft, sent.used_at, sent.posting_id \
             FROM (SELECT ? AS key, ? AS draft, ? AS used_at, ? AS posting_id) AS sent \
             WHERE sent.posting_id IS NULL \
             OR EXISTS (SELECT 1 FROM postings WHERE id = sent.posting_id",
            $lock,
            ") ON CONFLICT (key) DO UPDATE SET draft = excluded.draft, \
             used_at = excluded.used_at, posting_id = excluded.posting_id, \
             holder = NULL, reserved_until = NULL"
        )
    };
}

/// The values for [`keep_draft!`](crate::keep_draft).
pub fn keep_values<'a>(
    key: &'a DraftKey,
    draft: &'a str,
    of: Option<PostingId>,
    now: OffsetDateTime,
) -> [Value<'a>; 4] {
    let of = Value::Id(of.map(PostingId::uuid));
    [key.as_bytes().into(), draft.into(), now.into(), of]
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

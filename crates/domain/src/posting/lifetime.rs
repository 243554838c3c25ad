//! How long a posting stays without being pushed again.

use kernel::Status;
use time::{Duration, OffsetDateTime};

use super::Posting;

/// The lifetime of postings. It starts with the approval, and anew with a push in its second half.
/// Where postings stay for ever, a push clears the end that they had under another setting.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Lifetime(Option<Duration>);

impl Lifetime {
    /// Postings stay for ever.
    pub const NEVER: Self = Self(None);

    /// Postings stay for some days; 0 is for ever.
    pub fn days(days: u32) -> Self {
        Self((days > 0).then(|| Duration::days(days.into())))
    }

    /// Whether postings end at all.
    pub const fn is_limited(self) -> bool {
        self.0.is_some()
    }

    /// The end of a lifetime that starts now; `None` if unlimited or past the end of time.
    pub(crate) fn starting(self, now: OffsetDateTime) -> Option<OffsetDateTime> {
        now.checked_add(self.0?)
    }

    /// Starts the lifetime of a pushed posting anew if less than half of it is left, and ends it
    /// if postings stay for ever.
    pub(crate) fn renew(self, posting: &mut Posting, now: OffsetDateTime) {
        if self.is_due(posting.status(), posting.expire_at, now) {
            posting.expire_at = self.starting(now);
        }
    }

    /// Whether a push of a posting of this status and with this end gives it another end.
    pub(crate) fn is_due(
        self,
        status: Status,
        end: Option<OffsetDateTime>,
        now: OffsetDateTime,
    ) -> bool {
        match (self.0, status, end) {
            (None, status, end) => status.is_open() && end.is_some(),
            (Some(lifetime), status, Some(end)) => status.is_open() && end - now < lifetime / 2,
            // It was approved while lifetimes were switched off.
            (Some(_), status, None) => status == Status::Approved,
        }
    }
}

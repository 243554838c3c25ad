//! The lifetime of a posting that is not pushed again.

use kernel::Status;
use time::{Duration, OffsetDateTime};

use super::Posting;

/// The lifetime of postings. It starts when a posting is approved or reopened, and starts again
/// with a push in its second half.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Lifetime(Option<Duration>);

impl Lifetime {
    /// Postings stay for ever.
    pub const NEVER: Self = Self(None);

    /// Days that postings stay; 0 means for ever.
    pub fn days(days: u32) -> Self {
        Self((days > 0).then(|| Duration::days(days.into())))
    }

    /// Whether postings end at all.
    pub const fn is_limited(self) -> bool {
        self.0.is_some()
    }

    /// The end of a lifetime that starts now; `None` if unlimited or out of range.
    pub(crate) fn starting(self, now: OffsetDateTime) -> Option<OffsetDateTime> {
        now.checked_add(self.0?)
    }

    /// Renews the end of a posting after a push. Before the push, its closing date was `closed`.
    pub(crate) fn renew(
        self,
        posting: &mut Posting,
        closed: Option<OffsetDateTime>,
        now: OffsetDateTime,
    ) {
        let closing = (closed, posting.details.closes_at());
        posting.expire_at = self.end(posting.status(), posting.expire_at, closing, now);
    }

    /// The end of a posting after a push that changes its closing date from `closed` to `closing`.
    /// In its second half the lifetime restarts. If postings stay for ever, the lifetime is
    /// dropped. A closing date may shorten a lifetime, but never extends it.
    pub(crate) fn end(
        self,
        status: Status,
        end: Option<OffsetDateTime>,
        (closed, closing): (Option<OffsetDateTime>, Option<OffsetDateTime>),
        now: OffsetDateTime,
    ) -> Option<OffsetDateTime> {
        if !status.is_open() {
            return end;
        }
        // If the end is the closing date, it is not the end of the lifetime.
        let own = end.filter(|end| Some(*end) != closed);
        let is_due = self.is_due(status, own, now);
        let own = if is_due { self.starting(now) } else { own };
        earlier(own, closing)
    }

    fn is_due(self, status: Status, end: Option<OffsetDateTime>, now: OffsetDateTime) -> bool {
        match (self.0, status, end) {
            (None, _, end) => end.is_some(),
            (Some(lifetime), _, Some(end)) => end - now < lifetime / 2,
            // The posting was approved while lifetimes were off.
            (Some(_), status, None) => status == Status::Approved,
        }
    }
}

pub(super) fn earlier(
    one: Option<OffsetDateTime>,
    other: Option<OffsetDateTime>,
) -> Option<OffsetDateTime> {
    one.into_iter().chain(other).min()
}

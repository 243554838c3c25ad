//! The digests of a client's secrets.

use time::OffsetDateTime;

/// The most secrets of a client that are live at a time: the newest, and the one before it while
/// integrations change over.
pub const MOST_SECRETS: usize = 2;

/// A secret as it is stored.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StoredSecret {
    /// SHA-256 of the secret. The secret has 256 random bits, so a slow hash would add nothing.
    pub digest: [u8; 32],
    /// When it was made.
    pub created_at: OffsetDateTime,
    /// When it ends, if a newer one has replaced it.
    pub expires_at: Option<OffsetDateTime>,
    /// When a token was last issued for it; some seconds late.
    pub last_used_at: Option<OffsetDateTime>,
}

impl StoredSecret {
    /// A secret that was not used yet and has no end.
    pub const fn new(digest: [u8; 32], now: OffsetDateTime) -> Self {
        Self {
            digest,
            created_at: now,
            expires_at: None,
            last_used_at: None,
        }
    }

    /// Whether it authenticates its client at this time.
    pub fn is_live(&self, now: OffsetDateTime) -> bool {
        self.expires_at.is_none_or(|end| now < end)
    }

    /// The secret with this end, unless it has an earlier one.
    #[must_use]
    pub(super) fn ending(mut self, end: OffsetDateTime) -> Self {
        self.expires_at = Some(self.expires_at.map_or(end, |earlier| earlier.min(end)));
        self
    }
}

use time::OffsetDateTime;

/// The largest number of live secrets: the newest and, during a change, the previous one.
pub const MOST_SECRETS: usize = 2;

/// A secret as it is stored.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StoredSecret {
    /// SHA-256 of the secret. A slow hash adds nothing to 256 random bits.
    pub digest: [u8; 32],
    /// When it was created.
    pub created_at: OffsetDateTime,
    /// When it ends, if a newer one has replaced it.
    pub expires_at: Option<OffsetDateTime>,
    /// When a token was last issued for it. The time is stored some seconds later.
    pub last_used_at: Option<OffsetDateTime>,
}

impl StoredSecret {
    /// An unused secret without an end.
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

    #[must_use]
    pub(super) fn ending(mut self, end: OffsetDateTime) -> Self {
        self.expires_at = Some(self.expires_at.map_or(end, |earlier| earlier.min(end)));
        self
    }
}

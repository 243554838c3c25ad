//! Commands of operators about postings.

use super::Ground;

/// An operator's command.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Moderation {
    /// Approve the present content, overriding any enricher.
    Approve,
    /// Reject the posting, overriding enrichers and pushes.
    Reject {
        /// The reason.
        reason: String,
        /// The ground.
        ground: Ground,
    },
    /// Feature the posting, or stop featuring it.
    Feature(bool),
    /// Take it down until an operator reopens it.
    Expire {
        /// The reason.
        reason: String,
        /// The ground.
        ground: Ground,
    },
    /// Reopen an expired posting, to be judged again.
    Reopen {
        /// The reason.
        reason: String,
    },
}

impl Moderation {
    pub(crate) fn reason(&self) -> Option<&str> {
        match self {
            Self::Reject { reason, .. } | Self::Expire { reason, .. } | Self::Reopen { reason } => {
                Some(reason)
            }
            Self::Approve | Self::Feature(_) => None,
        }
    }

    /// Whether the command makes an enricher's verdict unnecessary.
    pub const fn ends_enrichment(&self) -> bool {
        !matches!(self, Self::Feature(_))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_featured_posting_still_needs_its_verdict() {
        assert!(!Moderation::Feature(true).ends_enrichment());
        assert!(Moderation::Approve.ends_enrichment());
    }
}

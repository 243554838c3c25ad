//! Commands of operators about postings.

use super::Ground;

/// An operator's command.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Moderation {
    /// Approve the present content, whatever an enricher decides.
    Approve,
    /// Reject the posting, whatever an enricher decides and a client pushes.
    Reject {
        /// The reason.
        reason: String,
        /// The ground.
        ground: Ground,
    },
    /// Feature it, or no longer.
    Feature(bool),
    /// Take it down, until an operator reopens it.
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

    /// Whether the posting needs no verdict of an enricher any more.
    pub const fn ends_enrichment(&self) -> bool {
        !matches!(self, Self::Feature(_))
    }
}

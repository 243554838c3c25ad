//! An item that needs attention.

use fields::vocabulary::vocabulary;
use time::OffsetDateTime;
use uuid::Uuid;

use crate::{ClientId, Prefixes};

vocabulary! {
    /// The kind of matter that needs attention.
    AttentionKind {
        /// Tasks of the outbox are dead.
        TaskDead = "task_dead",
        /// A webhook was disabled.
        WebhookDisabled = "webhook_disabled",
        /// Deliveries to a webhook have failed for an hour.
        WebhookFailing = "webhook_failing",
        /// An import holds back missing postings.
        CatalogueHeld = "catalogue_held",
        /// An import of a catalogue made many postings worse.
        CatalogueDegraded = "catalogue_degraded",
        /// A client has not pushed for longer than usual.
        SourceSilent = "source_silent",
        /// Many pushes of a client are refused.
        SourceRefused = "source_refused",
        /// Many postings of a client were rejected, or their content is held back.
        SourceRejected = "source_rejected",
        /// A new company is on the site of a company with another owner.
        CompanyLookalike = "company_lookalike",
        /// Reports of readers wait for a decision.
        ReportsWaiting = "reports_waiting",
        /// The e-mail provider's account is paused.
        ProviderPaused = "provider_paused",
    }
}

/// A matter that needs attention.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AttentionItem {
    /// Derived from kind and subject, so it is stable while the item lasts.
    pub id: Uuid,
    /// The kind.
    pub kind: AttentionKind,
    /// The name of its subject.
    pub subject: String,
    /// The client concerned, if any.
    pub client: Option<ClientId>,
    /// When the item began.
    pub since: OffsetDateTime,
    /// The problem, and what to do.
    pub sentence: String,
    /// The path of the console's page about it.
    pub page: String,
    /// Whether it is about postings. Every client without prefixes may see such an item.
    pub is_of_board: bool,
}

impl AttentionItem {
    /// The id of an item with this kind and subject key.
    pub fn id_of(kind: AttentionKind, key: &str) -> Uuid {
        let name = format!("{}:{key}", kind.as_str());
        Uuid::new_v5(&Uuid::NAMESPACE_URL, name.as_bytes())
    }

    /// Whether `reader` may see it: a client with these prefixes, or the operators if `None`. With
    /// prefixes, a client sees only its own items, and operators see none.
    pub fn is_for(&self, reader: Option<ClientId>, prefixes: &Prefixes) -> bool {
        match reader {
            Some(client) => self.client == Some(client) || (self.is_of_board && prefixes.are_all()),
            None => prefixes.are_all(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{item, uuid};

    #[test]
    fn a_client_sees_its_own_and_without_prefixes_those_of_postings() {
        let [own, other] = [1, 2].map(|n| ClientId::new(uuid(n)));
        let some = Prefixes::new(&["a-"]).unwrap_or(Prefixes::ALL);
        let of = |client, is_of_board| AttentionItem {
            client,
            is_of_board,
            ..item(1)
        };
        for (item, fenced, all, operator) in [
            (of(Some(own), false), true, true, true),
            (of(Some(other), true), false, true, true),
            (of(Some(other), false), false, false, true),
            (of(None, true), false, true, true),
        ] {
            let found = [
                item.is_for(Some(own), &some),
                item.is_for(Some(own), &Prefixes::ALL),
                item.is_for(None, &Prefixes::ALL),
            ];
            assert_eq!(found, [fenced, all, operator], "{item:?}");
            assert!(!item.is_for(None, &some));
        }
    }
}

//! An item of the list of what needs attention.

use fields::vocabulary::vocabulary;
use time::OffsetDateTime;
use uuid::Uuid;

use crate::{ClientId, Prefixes};

vocabulary! {
    /// What kind of matter needs attention.
    AttentionKind {
        /// Side effects failed for good.
        TaskDead = "task_dead",
        /// Deliveries to a webhook have ended.
        WebhookDisabled = "webhook_disabled",
        /// Deliveries to a webhook have failed for an hour.
        WebhookFailing = "webhook_failing",
        /// An import of a catalogue holds back what it misses.
        CatalogueHeld = "catalogue_held",
        /// An import of a catalogue made many postings worse.
        CatalogueDegraded = "catalogue_degraded",
        /// A client has not pushed for longer than usual.
        SourceSilent = "source_silent",
        /// Many pushes of a client are refused.
        SourceRefused = "source_refused",
        /// Many visible postings of a client were rejected.
        SourceRejected = "source_rejected",
        /// A new company looks like one of another owner.
        CompanyLookalike = "company_lookalike",
        /// Reports of readers wait for a decision.
        ReportsWaiting = "reports_waiting",
        /// The e-mail provider's account is paused.
        ProviderPaused = "provider_paused",
    }
}

/// Something that needs attention.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AttentionItem {
    /// Derived from the kind and its subject: the item is the same as long as it lasts.
    pub id: Uuid,
    /// The kind.
    pub kind: AttentionKind,
    /// The name of what it is about.
    pub subject: String,
    /// The client that it is about, if it is about one.
    pub client: Option<ClientId>,
    /// Since when.
    pub since: OffsetDateTime,
    /// What is the matter, and what to do.
    pub sentence: String,
    /// The path of the console's page about it.
    pub page: String,
    /// Whether it is about postings, so that clients without prefixes may see it.
    pub is_of_board: bool,
}

impl AttentionItem {
    /// The id of the item of a kind about a subject with this key.
    pub fn id_of(kind: AttentionKind, key: &str) -> Uuid {
        let name = format!("{}:{key}", kind.as_str());
        Uuid::new_v5(&Uuid::NAMESPACE_URL, name.as_bytes())
    }

    /// Whether a client with these prefixes may see it; without a client, a reader of the operator.
    /// Readers with prefixes see the items of their client alone.
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

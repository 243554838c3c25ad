//! An account's configuration at the provider.

use std::collections::BTreeMap;

/// A webhook of the account.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Webhook {
    /// The URL that it calls.
    pub url: String,
    /// The kinds of event that it delivers.
    pub events: Vec<String>,
    /// Whether it is enabled and not blocked.
    pub is_enabled: bool,
}

/// An account's configuration. An answer means that the key is valid; an invalid key is
/// [`ProviderError::Locked`](super::ProviderError::Locked).
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Inspection {
    /// The types of the account's custom fields (`text`, `number` or `date`), by their keys.
    pub fields: BTreeMap<String, String>,
    /// Whether the configured group exists; `None` if the settings name none.
    pub has_group: Option<bool>,
    /// The account's webhooks.
    pub webhooks: Vec<Webhook>,
    /// The limit of requests per minute (`X-RateLimit-Limit`), if the answer has it.
    pub requests_per_minute: Option<u32>,
    /// The number of subscribers in the account, if the answer has it.
    pub people: Option<u64>,
}

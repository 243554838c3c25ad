use std::collections::BTreeMap;

/// A webhook of the account.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Webhook {
    /// The URL that the provider calls.
    pub url: String,
    /// The kinds of events that it delivers.
    pub events: Vec<String>,
    /// Whether it is enabled and not blocked.
    pub is_enabled: bool,
}

/// An account's configuration. An invalid key is
/// [`ProviderError::Locked`](super::ProviderError::Locked).
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Inspection {
    /// The types of the custom fields (`text`, `number` or `date`), by their keys.
    pub fields: BTreeMap<String, String>,
    /// Whether the configured group exists; `None` if no group is configured.
    pub has_group: Option<bool>,
    /// Webhooks, enabled or not.
    pub webhooks: Vec<Webhook>,
    /// The limit of requests per minute (`X-RateLimit-Limit`), if the answer has it.
    pub requests_per_minute: Option<u32>,
    /// The number of subscribers in the account, if the answer has it.
    pub people: Option<u64>,
}

//! An account's configuration at the provider.

/// The type of a custom field.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FieldKind {
    /// The field's key, such as `member_status`.
    pub key: String,
    /// Its type: `text`, `number` or `date`.
    pub kind: String,
}

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
    /// The account's custom fields.
    pub fields: Vec<FieldKind>,
    /// Whether the configured group exists; `None` if the settings name none.
    pub has_group: Option<bool>,
    /// The account's webhooks.
    pub webhooks: Vec<Webhook>,
    /// The limit of requests per minute (`X-RateLimit-Limit`), if the answer has it.
    pub requests_per_minute: Option<u32>,
    /// The number of subscribers in the account, if the answer has it.
    pub people: Option<u64>,
}

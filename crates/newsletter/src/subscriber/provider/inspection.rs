//! What an account is set up like.

/// The type of a custom field.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FieldKind {
    /// The field's key, `member_status` for instance.
    pub key: String,
    /// Its type: `text`, `number` or `date`.
    pub kind: String,
}

/// A webhook of the account.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Webhook {
    /// Where it calls.
    pub url: String,
    /// The kinds of event that it sends.
    pub events: Vec<String>,
    /// Whether it sends any: it is enabled and not blocked.
    pub is_enabled: bool,
}

/// What an account is set up like. That it was answered at all means that the key is valid; a
/// key that is not is [`ProviderError::Locked`](super::ProviderError::Locked).
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Inspection {
    /// Every field that the account has.
    pub fields: Vec<FieldKind>,
    /// Whether the group to join is there; `None` when the settings name none.
    pub has_group: Option<bool>,
    /// Every webhook.
    pub webhooks: Vec<Webhook>,
    /// How many requests it takes a minute (`X-RateLimit-Limit`), where it says so.
    pub requests_per_minute: Option<u32>,
    /// How many people are in it, where it says so.
    pub people: Option<u64>,
}

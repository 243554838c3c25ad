//! What has to be known of an endpoint.

use std::{fmt, time::Duration};

use secrecy::SecretString;
use url::Url;

/// An endpoint and the model to ask there.
#[derive(Clone)]
pub struct Settings {
    /// Where the API is, with or without a slash at the end, such as `https://api.openai.com/v1`.
    /// A query is sent along.
    pub base_url: Url,
    /// The model's name. Azure wants a deployment's.
    pub model: String,
    /// The API key, if one is needed.
    pub api_key: Option<SecretString>,
    /// How long one call may take.
    pub timeout: Duration,
    /// What it costs.
    pub prices: Prices,
}

impl fmt::Debug for Settings {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Settings")
            // No more of the address: there may be a password in it, or a key in its query.
            .field("host", &self.base_url.host_str())
            .field("model", &self.model)
            .field("timeout", &self.timeout)
            .field("prices", &self.prices)
            .finish_non_exhaustive()
    }
}

/// What a million tokens cost, in whatever currency the operator counts in.
#[derive(Clone, Copy, Debug, Default)]
pub struct Prices {
    /// Of what the model reads.
    pub prompt: f64,
    /// Of what the model writes, thoughts included.
    pub completion: f64,
}

/// Why settings cannot be used.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SettingsError {
    /// The address is none of HTTP.
    #[error("the base URL of the model's endpoint must start with http:// or https://")]
    BaseUrl,
    /// The key is empty, or has characters that no key has, such as the end of a line.
    #[error("the API key of the model's endpoint is not one")]
    Key,
    /// The machine has no certificates, for example.
    #[error("no HTTP client can be made for the model's endpoint: {0}")]
    Client(String),
}

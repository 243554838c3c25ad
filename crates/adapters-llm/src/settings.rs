use std::{fmt, time::Duration};

use secrecy::SecretString;
use url::Url;

use crate::extra::ExtraBody;

#[derive(Clone)]
pub struct Settings {
    /// For example `https://api.openai.com/v1`. A final slash and a query are allowed.
    pub base_url: Url,
    /// The model's name; on Azure, the deployment's name.
    pub model: String,
    pub api_key: Option<SecretString>,
    /// The time limit of a request. It grows up to fourfold for a posting whose requests fail.
    pub timeout: Duration,
    pub extra_body: ExtraBody,
    pub prices: Prices,
}

impl fmt::Debug for Settings {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Settings")
            // The rest of the address is hidden, because it may contain a password or a key.
            .field("host", &self.base_url.host_str())
            .field("model", &self.model)
            .field("timeout", &self.timeout)
            .field("prices", &self.prices)
            .finish_non_exhaustive()
    }
}

/// The prices of a million tokens, in any currency.
#[derive(Clone, Copy, Debug, Default)]
pub struct Prices {
    /// The price of tokens that the model reads.
    pub prompt: f64,
    /// The price of tokens that the model writes, including its reasoning.
    pub completion: f64,
}

#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SettingsError {
    #[error("the base URL of the model's endpoint must start with http:// or https://")]
    BaseUrl,
    #[error("the API key of the model's endpoint is empty or has invalid characters")]
    Key,
    /// For example because the machine has no certificates.
    #[error("cannot create an HTTP client for the model's endpoint: {0}")]
    Client(String),
}

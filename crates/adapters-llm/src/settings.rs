//! Settings of an endpoint.

use std::{fmt, time::Duration};

use secrecy::SecretString;
use url::Url;

use crate::extra::ExtraBody;

/// An endpoint and its model.
#[derive(Clone)]
pub struct Settings {
    /// The API's address, with or without a slash at the end, such as `https://api.openai.com/v1`.
    /// A query is sent along.
    pub base_url: Url,
    /// The model's name; on Azure the deployment's.
    pub model: String,
    /// The API key, if needed.
    pub api_key: Option<SecretString>,
    /// The time limit of a call. One that took longer is repeated with up to four times as much.
    pub timeout: Duration,
    /// Further fields of every request.
    pub extra_body: ExtraBody,
    /// The prices.
    pub prices: Prices,
}

impl fmt::Debug for Settings {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Settings")
            // The rest of the address may contain a password or a key.
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
    /// Of tokens that the model reads.
    pub prompt: f64,
    /// Of tokens that the model writes, reasoning included.
    pub completion: f64,
}

/// The reason why settings are invalid.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SettingsError {
    /// The address is not HTTP.
    #[error("the base URL of the model's endpoint must start with http:// or https://")]
    BaseUrl,
    /// The key is empty or contains characters such as a line break.
    #[error("the API key of the model's endpoint is not one")]
    Key,
    /// The client cannot be built, for example without certificates on the machine.
    #[error("no HTTP client can be made for the model's endpoint: {0}")]
    Client(String),
}

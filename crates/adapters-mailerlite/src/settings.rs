//! What has to be known of the accounts.

use std::num::NonZeroU32;

use newsletter::subscriber::Account;
use secrecy::SecretString;
use url::Url;

/// Where the provider's API is, for every account.
pub const DEFAULT_BASE_URL: &str = "https://connect.mailerlite.com/api";

/// The accounts and how fast they may be spoken to.
#[derive(Clone, Debug)]
pub struct Settings {
    /// The account to leave; `None` to leave it alone.
    pub old: Option<AccountSettings>,
    /// The account to move to; `None` to leave it alone.
    pub new: Option<AccountSettings>,
    /// How many requests an account takes in a minute.
    pub requests_per_minute: NonZeroU32,
}

/// One account.
#[derive(Clone, Debug)]
pub struct AccountSettings {
    /// The API key.
    pub key: SecretString,
    /// Where its API is, with or without a slash at the end; see [`DEFAULT_BASE_URL`].
    pub base_url: Url,
    /// The id of the group whose automation sends the chain of e-mails, if there is one.
    pub group: Option<String>,
}

/// Why settings cannot be used.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SettingsError {
    /// The address is none of HTTP.
    #[error("the base URL of the {0} account must start with http:// or https://")]
    BaseUrl(Account),
    /// The key is empty, or has characters that no key has, such as the end of a line.
    #[error("the API key of the {0} account is not one")]
    Key(Account),
    /// The machine has no certificates, for example.
    #[error("no HTTP client can be made for the {0} account: {1}")]
    Client(Account, String),
}

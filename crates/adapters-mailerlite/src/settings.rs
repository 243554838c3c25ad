//! Settings of the accounts.

use std::num::NonZeroU32;

use newsletter::subscriber::Account;
use secrecy::SecretString;
use url::Url;

/// The address of the provider's API.
pub const DEFAULT_BASE_URL: &str = "https://connect.mailerlite.com/api";

/// The accounts and their rate limit.
#[derive(Clone, Debug)]
pub struct Settings {
    /// The old account; `None` if it is not used.
    pub old: Option<AccountSettings>,
    /// The new account; `None` if it is not used.
    pub new: Option<AccountSettings>,
    /// The requests per minute of each account.
    pub requests_per_minute: NonZeroU32,
}

impl Settings {
    /// Whether an account has a key: without one the newsletter is off.
    pub const fn has_account(&self) -> bool {
        self.old.is_some() || self.new.is_some()
    }
}

/// One account.
#[derive(Clone, Debug)]
pub struct AccountSettings {
    /// The API key.
    pub key: SecretString,
    /// The API's address, with or without a slash at the end; see [`DEFAULT_BASE_URL`].
    pub base_url: Url,
    /// The id of the group whose automation sends the chain of e-mails, if there is one.
    pub group: Option<String>,
}

/// The reason why settings are invalid.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SettingsError {
    /// The address is not HTTP.
    #[error("the base URL of the {0} account must start with http:// or https://")]
    BaseUrl(Account),
    /// The key is empty or contains characters such as a line break.
    #[error("the API key of the {0} account is not one")]
    Key(Account),
    /// The client cannot be built, for example without certificates on the machine.
    #[error("no HTTP client can be made for the {0} account: {1}")]
    Client(Account, String),
}

use std::num::NonZeroU32;

use newsletter::subscriber::Account;
use secrecy::{ExposeSecret as _, SecretString};
use url::Url;

pub const DEFAULT_BASE_URL: &str = "https://connect.mailerlite.com/api";

#[derive(Clone, Debug)]
pub struct Settings {
    pub old: Option<AccountSettings>,
    pub new: Option<AccountSettings>,
    pub requests_per_minute: NonZeroU32,
}

impl Settings {
    /// Whether an account has a key. Without one the newsletter is off.
    pub const fn has_account(&self) -> bool {
        self.old.is_some() || self.new.is_some()
    }

    /// Refuses equal keys. A move would remove people from their only account.
    pub(crate) fn check(&self) -> Result<(), SettingsError> {
        let key = |account: &Option<AccountSettings>| {
            account.as_ref().map(|it| it.key.expose_secret().to_owned())
        };
        match (key(&self.old), key(&self.new)) {
            (Some(old), Some(new)) if old == new => Err(SettingsError::SameKey),
            _ => Ok(()),
        }
    }
}

#[derive(Clone, Debug)]
pub struct AccountSettings {
    pub key: SecretString,
    pub base_url: Url,
    /// The group whose automation sends the chain of e-mails.
    pub group: Option<String>,
}

#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SettingsError {
    #[error("the base URL of the {0} account must start with http:// or https://")]
    BaseUrl(Account),
    /// The key is empty or contains characters such as a line break.
    #[error("the API key of the {0} account is empty or has invalid characters")]
    Key(Account),
    #[error(
        "POSTHASTE_MAILERLITE_NEW_API_KEY: is the same key as POSTHASTE_MAILERLITE_OLD_API_KEY; a \
         single account needs only the old one"
    )]
    SameKey,
    #[error("cannot create an HTTP client for the {0} account: {1}")]
    Client(Account, String),
}

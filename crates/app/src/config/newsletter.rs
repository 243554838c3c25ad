//! The settings of the e-mail provider, and references to subscribers. Reasons do not repeat
//! secrets.

use std::num::NonZeroU32;

use newsletter::{
    subscriber::{Account, Email, MigrationSource, SubscriberId},
    usecase::PersonRef,
};
use secrecy::SecretString;
use uuid::Uuid;

use super::{line, whole};

/// The longest name of a board, in characters.
const BOARD_NAME_LENGTH: usize = 100;

/// The longest id of a group, in characters. The provider's are numbers of 18 digits.
const GROUP_ID_LENGTH: usize = 64;

/// The secrets with which the provider signs its deliveries.
#[derive(Clone, Debug)]
pub struct WebhookSecrets(pub Vec<SecretString>);

/// `POSTHASTE_MAILERLITE_OLD_API_KEY`, `POSTHASTE_MAILERLITE_NEW_API_KEY`.
pub fn api_key(text: &str) -> Result<SecretString, String> {
    let key = text.trim();
    if key.is_empty() {
        Err("must not be empty".to_owned())
    } else if key.bytes().all(|byte| byte.is_ascii_graphic()) {
        Ok(key.into())
    } else {
        Err("must be one word of ASCII characters, which every API key is".to_owned())
    }
}

/// `POSTHASTE_BOARD_NAME`.
pub fn board_name(text: &str) -> Result<String, String> {
    line(text, BOARD_NAME_LENGTH)
}

/// The group that moved subscribers join.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Group {
    /// The group with this id.
    Id(String),
    /// Explicitly none.
    None,
}

/// `POSTHASTE_MAILERLITE_NEW_GROUP_ID`.
pub fn group_id(text: &str) -> Result<Group, String> {
    if text.trim() == "none" {
        return Ok(Group::None);
    }
    line(text, GROUP_ID_LENGTH).map(Group::Id)
}

/// `POSTHASTE_MAILERLITE_REQUESTS_PER_MINUTE`.
pub fn requests_per_minute(text: &str) -> Result<NonZeroU32, String> {
    let requests = whole(text, "requests", 1, u32::MAX.into())?;
    u32::try_from(requests)
        .and_then(NonZeroU32::try_from)
        .map_err(|error| error.to_string())
}

/// `POSTHASTE_MAILERLITE_RECONCILE`.
pub fn reconcile(text: &str) -> Result<bool, String> {
    match text.trim() {
        "daily" => Ok(true),
        "off" => Ok(false),
        _ => Err(format!("{text:?} is not one of daily, off")),
    }
}

/// `POSTHASTE_MAILERLITE_WEBHOOK_SECRET`: one, or several with commas between them.
pub fn webhook_secrets(text: &str) -> Result<WebhookSecrets, String> {
    let secrets = text.split(',').map(|secret| match secret.trim() {
        "" => Err("has a comma with no secret beside it".to_owned()),
        secret => Ok(secret.into()),
    });
    secrets.collect::<Result<_, _>>().map(WebhookSecrets)
}

/// One of the provider's accounts.
pub fn account(text: &str) -> Result<Account, String> {
    Account::parse(text.trim()).ok_or_else(|| format!("{text:?} is not one of old, new"))
}

/// A subscriber's address or UUID.
pub fn person(text: &str) -> Result<PersonRef, String> {
    if let Ok(uuid) = Uuid::parse_str(text.trim()) {
        return Ok(PersonRef::Id(SubscriberId::new(uuid)));
    }
    let email = Email::parse(text).map_err(|error| format!("{text:?} {error}"));
    email.map(PersonRef::Email)
}

/// An operator's reason for moving subscribers. The other sources are the subscribers' own
/// confirmations.
pub fn migration_source(text: &str) -> Result<MigrationSource, String> {
    match MigrationSource::parse(text.trim()) {
        Some(source @ (MigrationSource::Manual | MigrationSource::Launch)) => Ok(source),
        _ => Err(format!("{text:?} is not one of manual, launch")),
    }
}

use std::num::NonZeroU32;

use adapters_mailerlite::{AccountSettings, DEFAULT_BASE_URL, Settings};
use clap::Args;
use secrecy::SecretString;
use url::Url;
use workers::Links;

use super::values::{api_key, base_url, line, one_of, whole};

const HEADING: &str = "Newsletter (optional, off without an API key)";

#[derive(Clone, Debug, Args)]
#[command(next_help_heading = HEADING)]
pub struct AccountsArgs {
    /// MailerLite API key of the account to leave; without a key, syncs to this account wait
    #[arg(long, value_name = "KEY", value_parser = api_key)]
    mailerlite_old_api_key: Option<SecretString>,

    /// MailerLite API key of the account to move to; without a key, moves wait
    #[arg(long, value_name = "KEY", value_parser = api_key)]
    mailerlite_new_api_key: Option<SecretString>,

    /// The API's address of the account to leave
    #[arg(long, value_name = "URL", default_value = DEFAULT_BASE_URL, value_parser = base_url)]
    mailerlite_old_base_url: Url,

    /// The API's address of the account to move to
    #[arg(long, value_name = "URL", default_value = DEFAULT_BASE_URL, value_parser = base_url)]
    mailerlite_new_base_url: Url,

    /// Id of the group that people join when they move: joining starts the chain of e-mails. `none`
    /// means no group; without a value, moves are refused
    #[arg(long, value_name = "ID", value_parser = group_id)]
    mailerlite_new_group_id: Option<Group>,

    /// When the accounts' lists of people are read: `daily` (at night, and before the first sync)
    /// or `off`
    #[arg(
        long,
        value_name = "WHEN",
        // For a flag, `off` would mean that the option is absent.
        action = clap::ArgAction::Set,
        default_value = "daily",
        value_parser = one_of(&[("daily", true), ("off", false)])
    )]
    pub mailerlite_reconcile: bool,

    /// Requests per minute to each account
    #[arg(
        long = "mailerlite-requests-per-minute",
        value_name = "N",
        default_value = "120",
        value_parser = requests
    )]
    pub requests_per_minute: NonZeroU32,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Group {
    Id(String),
    /// `none` was given.
    None,
}

impl AccountsArgs {
    /// Whether the group is set, even to `none`.
    pub const fn has_group(&self) -> bool {
        self.mailerlite_new_group_id.is_some()
    }

    pub const fn links(&self) -> Links {
        if self.mailerlite_new_api_key.is_some() && !self.has_group() {
            Links::Refuse
        } else {
            Links::Move
        }
    }

    pub fn settings(&self) -> Settings {
        let account = |key: &Option<SecretString>, base_url: &Url, group: Option<String>| {
            key.clone().map(|key| AccountSettings {
                key,
                base_url: base_url.clone(),
                group,
            })
        };
        let group = match &self.mailerlite_new_group_id {
            Some(Group::Id(id)) => Some(id.clone()),
            Some(Group::None) | None => None,
        };
        let (old, new) = (&self.mailerlite_old_api_key, &self.mailerlite_new_api_key);
        Settings {
            old: account(old, &self.mailerlite_old_base_url, None),
            new: account(new, &self.mailerlite_new_base_url, group),
            requests_per_minute: self.requests_per_minute,
        }
    }
}

#[derive(Clone, Debug, Args)]
#[command(next_help_heading = HEADING)]
pub struct NewsletterArgs {
    /// The secret with which MailerLite signs its webhooks, or several, separated by commas.
    /// Without a secret the webhook answers 503
    #[arg(
        long = "mailerlite-webhook-secret",
        value_name = "SECRET",
        value_delimiter = ',',
        value_parser = webhook_secret
    )]
    pub webhook_secrets: Vec<SecretString>,

    /// The name of the board on the newsletter's pages
    #[arg(long, value_name = "NAME", default_value = "Newsletter", value_parser = line(100))]
    pub board_name: String,
}

/// The id of a group, or `none`. The provider's ids have 18 digits.
fn group_id(text: &str) -> Result<Group, String> {
    if text.trim() == "none" {
        return Ok(Group::None);
    }
    line(64)(text).map(Group::Id)
}

fn requests(text: &str) -> Result<NonZeroU32, String> {
    let requests: u32 = whole("requests", 1..=u32::MAX.into())(text)?;
    NonZeroU32::try_from(requests).map_err(|error| error.to_string())
}

fn webhook_secret(text: &str) -> Result<SecretString, String> {
    match text.trim() {
        "" => Err("has a comma with no secret beside it".to_owned()),
        secret => Ok(secret.into()),
    }
}

#[cfg(test)]
mod tests {
    use super::{super::values::tests::check, *};

    #[test]
    fn values_of_the_accounts() {
        check(
            requests,
            r#"
            120         | 120
            0           ! "0" is not a whole number of requests from 1 to 4294967295
            4294967296  ! "4294967296" is not
            "#,
        );
        check(
            group_id,
            r#"
            98765  | Id("98765")
            none   | None
                   ! must not be empty
            "#,
        );
    }
}

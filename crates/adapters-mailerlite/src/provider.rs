//! The calls of the port.

use async_trait::async_trait;
use domain::subscriber::{
    Account, Email,
    provider::{
        Cursor, Found, Inspection, Page, Profile, Provider, ProviderError, ProviderId, Upserted,
    },
};
use outbound::Patience;
use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};

use crate::{
    connection::{Connection, PATIENCE},
    settings::{Settings, SettingsError},
    wire::{Upsert, is_id},
};

/// What is not unreserved in a URL (RFC 3986 §2.3) is encoded in an address.
const ENCODED: &AsciiSet = &NON_ALPHANUMERIC
    .remove(b'-')
    .remove(b'.')
    .remove(b'_')
    .remove(b'~');

/// The provider, with the accounts that have settings.
#[derive(Debug)]
pub struct MailerLite {
    old: Option<Connection>,
    new: Option<Connection>,
}

impl MailerLite {
    /// Gets ready to speak to the accounts; nothing is sent yet.
    pub fn new(settings: &Settings) -> Result<Self, SettingsError> {
        Self::with_patience(settings, PATIENCE)
    }

    pub(crate) fn with_patience(
        settings: &Settings,
        patience: Patience,
    ) -> Result<Self, SettingsError> {
        let limit = settings.requests_per_minute;
        let connect = |account, settings: &Option<_>| {
            settings
                .as_ref()
                .map(|settings| Connection::new(account, settings, limit, patience))
                .transpose()
        };
        Ok(Self {
            old: connect(Account::Old, &settings.old)?,
            new: connect(Account::New, &settings.new)?,
        })
    }

    fn slot(&self, account: Account) -> Option<&Connection> {
        match account {
            Account::Old => self.old.as_ref(),
            Account::New => self.new.as_ref(),
        }
    }

    fn connection(&self, account: Account) -> Result<&Connection, ProviderError> {
        self.slot(account)
            .ok_or_else(|| ProviderError::Locked(format!("{account} account: there is no API key")))
    }
}

#[async_trait]
impl Provider for MailerLite {
    fn accounts(&self) -> Vec<Account> {
        let all = Account::ALL.iter().copied();
        all.filter(|account| self.slot(*account).is_some())
            .collect()
    }

    async fn upsert(
        &self,
        account: Account,
        profile: &Profile,
        join: bool,
    ) -> Result<Upserted, ProviderError> {
        let connection = self.connection(account)?;
        upsert(connection, profile, join)
            .await
            .map_err(|error| connection.presentable(error))
    }

    async fn find(&self, account: Account, email: &Email) -> Result<Option<Found>, ProviderError> {
        let connection = self.connection(account)?;
        find(connection, email)
            .await
            .map_err(|error| connection.presentable(error))
    }

    async fn remove(&self, account: Account, id: &ProviderId) -> Result<(), ProviderError> {
        let connection = self.connection(account)?;
        remove(connection, id)
            .await
            .map_err(|error| connection.presentable(error))
    }

    async fn update(
        &self,
        _: Account,
        _: &ProviderId,
        _: &Profile,
    ) -> Result<Option<Upserted>, ProviderError> {
        Err(unsupported())
    }

    async fn suppress(&self, _: Account, _: &Email, _: &ProviderId) -> Result<(), ProviderError> {
        Err(unsupported())
    }

    async fn forget(&self, _: Account, _: &ProviderId) -> Result<(), ProviderError> {
        Err(unsupported())
    }

    async fn page(&self, _: Account, _: Option<&Cursor>) -> Result<Page, ProviderError> {
        Err(unsupported())
    }

    async fn inspect(&self, _: Account) -> Result<Inspection, ProviderError> {
        Err(unsupported())
    }
}

fn unsupported() -> ProviderError {
    ProviderError::Permanent("the client cannot do that yet".to_owned())
}

async fn upsert(
    connection: &Connection,
    profile: &Profile,
    join: bool,
) -> Result<Upserted, ProviderError> {
    let group = connection.group().filter(|_| join);
    let request = connection
        .http()
        .post(connection.subscribers()?)
        .json(&Upsert::new(profile, group));
    let answer = connection.send(request).await?;
    if answer.is_success() {
        answer.found().map(Upserted::Taken)
    } else if answer.is_suppression_of(&profile.email) {
        Ok(Upserted::Suppressed)
    } else {
        Err(answer.error())
    }
}

async fn find(connection: &Connection, email: &Email) -> Result<Option<Found>, ProviderError> {
    let segment = utf8_percent_encode(email.as_str(), ENCODED).to_string();
    let request = connection.http().get(connection.subscriber(&segment)?);
    let answer = connection.send(request).await?;
    if answer.is_success() {
        answer.found().map(Some)
    } else if answer.is_nobody() {
        Ok(None)
    } else {
        Err(answer.error())
    }
}

async fn remove(connection: &Connection, id: &ProviderId) -> Result<(), ProviderError> {
    if !is_id(&id.0) {
        // In a path it might name something else.
        return Err(ProviderError::Permanent(format!("{:?} is no id", id.0)));
    }
    let request = connection.http().delete(connection.subscriber(&id.0)?);
    let answer = connection.send(request).await?;
    if answer.is_success() || answer.is_nobody() {
        Ok(())
    } else {
        Err(answer.error())
    }
}

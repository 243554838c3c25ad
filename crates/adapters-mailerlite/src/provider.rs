use std::collections::BTreeMap;

use async_trait::async_trait;
use newsletter::subscriber::{
    Account, Email,
    provider::{
        Cursor, Found, Inspection, Page, Profile, Provider, ProviderError, ProviderId, Upserted,
    },
};
use outbound::Timeouts;
use reqwest::Method;
use serde_json::{Value, json};

use crate::{
    answer::Answer,
    connection::{Connection, TIMEOUTS},
    inspect::inspect,
    person::{self, is_id},
    settings::{Settings, SettingsError},
};

const PER_PAGE: &str = "100";

#[derive(Debug)]
pub struct MailerLite(BTreeMap<Account, Connection>);

impl MailerLite {
    pub fn new(settings: &Settings) -> Result<Self, SettingsError> {
        Self::with_timeouts(settings, TIMEOUTS)
    }

    /// Like `new`, but with time limits other than the worker's.
    pub fn with_timeouts(settings: &Settings, timeouts: Timeouts) -> Result<Self, SettingsError> {
        settings.check()?;
        let limit = settings.requests_per_minute;
        let all = [(Account::Old, &settings.old), (Account::New, &settings.new)];
        let connected = all.into_iter().filter_map(|(account, settings)| {
            let connection = Connection::new(account, settings.as_ref()?, limit, timeouts);
            Some(connection.map(|connection| (account, connection)))
        });
        connected.collect::<Result<_, _>>().map(Self)
    }

    async fn call<'a, T, F>(
        &'a self,
        account: Account,
        call: impl FnOnce(&'a Connection) -> F + Send,
    ) -> Result<T, ProviderError>
    where
        F: Future<Output = Result<T, ProviderError>> + Send,
    {
        let connection = self.0.get(&account).ok_or_else(|| {
            ProviderError::Locked(format!("{account} account: there is no API key"))
        })?;
        let result = call(connection).await;
        result.map_err(|error| connection.presentable(error))
    }
}

#[async_trait]
impl Provider for MailerLite {
    fn accounts(&self) -> Vec<Account> {
        self.0.keys().copied().collect()
    }

    async fn upsert(
        &self,
        account: Account,
        profile: &Profile,
        join: bool,
    ) -> Result<Upserted, ProviderError> {
        // The body has no `status` and no `resubscribe`: either would activate an unsubscribed
        // person. A field that is `null` is cleared.
        let mut body = json!({"email": profile.email.as_str(), "fields": profile.fields});
        self.call(account, |connection| async move {
            if let Some(group) = connection.group().filter(|_| join) {
                body["groups"] = json!([group]);
            }
            let sent = connection.send(Method::POST, &["subscribers"], &[], Some(body));
            upserted(&sent.await?, &profile.email)
        })
        .await
    }

    async fn update(
        &self,
        account: Account,
        id: &ProviderId,
        profile: &Profile,
    ) -> Result<Option<Upserted>, ProviderError> {
        // The body has no `groups`, which would remove the subscriber from all other groups.
        let body = json!({ "fields": profile.fields });
        self.call(account, |connection| async move {
            let path = ["subscribers", checked(id)?];
            let answer = connection.send(Method::PUT, &path, &[], Some(body)).await?;
            if answer.is_absent() {
                return Ok(None);
            }
            upserted(&answer, &profile.email).map(Some)
        })
        .await
    }

    async fn find(&self, account: Account, email: &Email) -> Result<Option<Found>, ProviderError> {
        self.call(account, |connection| async {
            let path = ["subscribers", email.as_str()];
            let answer = connection.send(Method::GET, &path, &[], None).await?;
            let found = answer.unless_absent()?;
            found.map(|answer| answer.person(email)).transpose()
        })
        .await
    }

    /// Unsubscribes first, because that stops all mail. Leaving the group stops its chain of
    /// e-mails.
    async fn suppress(
        &self,
        account: Account,
        email: &Email,
        id: &ProviderId,
    ) -> Result<(), ProviderError> {
        // The only status that is ever sent.
        let body = json!({"status": "unsubscribed"});
        self.call(account, |connection| async move {
            let path @ [subscribers, id] = ["subscribers", checked(id)?];
            let answer = connection.send(Method::PUT, &path, &[], Some(body)).await?;
            let Some(answer) = answer.unless_absent()? else {
                return Ok(());
            };
            let status = answer.person(email)?.status;
            if status.suppression().is_none() {
                return Err(answer.misunderstood(&format!("the subscriber is still {status}")));
            }
            match connection.group() {
                Some(group) => {
                    let path = [subscribers, id, "groups", group];
                    done(connection, Method::DELETE, &path).await
                }
                None => Ok(()),
            }
        })
        .await
    }

    async fn remove(&self, account: Account, id: &ProviderId) -> Result<(), ProviderError> {
        self.call(account, |connection| async {
            done(connection, Method::DELETE, &["subscribers", checked(id)?]).await
        })
        .await
    }

    async fn forget(&self, account: Account, id: &ProviderId) -> Result<(), ProviderError> {
        self.call(account, |connection| async {
            let path = ["subscribers", checked(id)?, "forget"];
            done(connection, Method::POST, &path).await
        })
        .await
    }

    async fn page(&self, account: Account, cursor: Option<&Cursor>) -> Result<Page, ProviderError> {
        self.call(account, |connection| async {
            let mut query = vec![("limit", PER_PAGE)];
            query.extend(cursor.map(|cursor| ("cursor", cursor.0.as_str())));
            let sent = connection.send(Method::GET, &["subscribers"], &query, None);
            read_page(&sent.await?, cursor, |why| connection.line(why))
        })
        .await
    }

    async fn inspect(&self, account: Account) -> Result<Inspection, ProviderError> {
        self.call(account, inspect).await
    }
}

fn upserted(answer: &Answer, email: &Email) -> Result<Upserted, ProviderError> {
    if answer.is_suppression_of(email) {
        return Ok(Upserted::Suppressed);
    }
    answer.succeeded()?.person(email).map(Upserted::Taken)
}

async fn done(connection: &Connection, method: Method, path: &[&str]) -> Result<(), ProviderError> {
    let answer = connection.send(method, path, &[], None).await?;
    answer.unless_absent().map(|_| ())
}

/// Reads a page of a list. `line` prepares its unreadable entries for an operator.
pub fn read_page(
    answer: &Answer,
    cursor: Option<&Cursor>,
    line: impl Fn(&str) -> String,
) -> Result<Page, ProviderError> {
    let body = answer.succeeded()?.json()?;
    let Some(people) = body["data"].as_array() else {
        return Err(answer.misunderstood("without a list of subscribers"));
    };
    let next = match body["meta"].get("next_cursor") {
        Some(Value::Null) => None,
        Some(Value::String(next)) if cursor.is_none_or(|cursor| cursor.0 != *next) => {
            Some(Cursor(next.clone()))
        }
        // If such a page counted as the last one, subscribers would be missed.
        _ => return Err(answer.misunderstood("without a usable next page")),
    };
    let mut page = Page {
        next,
        ..Page::default()
    };
    for one in people {
        match person::listed(one) {
            Ok(listed) => page.people.push(listed),
            Err(why) => page.odd.push(line(&why)),
        }
    }
    Ok(page)
}

fn checked(id: &ProviderId) -> Result<&str, ProviderError> {
    if is_id(&id.0) {
        Ok(&id.0)
    } else {
        Err(ProviderError::Permanent(format!(
            "{:?} is not a valid id",
            id.0
        )))
    }
}

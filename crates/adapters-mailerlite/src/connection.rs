use std::{fmt, num::NonZeroU32, time::Duration};

use newsletter::subscriber::{Account, provider::ProviderError};
use outbound::Timeouts;
use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};
use reqwest::{
    Client, Method,
    header::{ACCEPT, AUTHORIZATION, HeaderValue},
};
use secrecy::SecretString;
use serde_json::Value;
use url::Url;

use crate::{
    answer::{Answer, no_answer},
    rate_limiter::RateLimiter,
    settings::{AccountSettings, SettingsError},
};

pub const TIMEOUTS: Timeouts = Timeouts {
    connection: Duration::from_secs(5),
    answer: Duration::from_secs(15),
};

/// How many idle connections are kept. Calls overlap as far as the account's limit allows.
const IDLE: usize = 8;

/// Characters to encode in a path segment: all but unreserved characters (RFC 3986 §2.3).
const ENCODED: &AsciiSet = &NON_ALPHANUMERIC
    .remove(b'-')
    .remove(b'.')
    .remove(b'_')
    .remove(b'~');

pub struct Connection {
    account: Account,
    http: Client,
    /// `Bearer …`, marked as a secret.
    authorization: HeaderValue,
    /// Removed from the provider's messages.
    key: SecretString,
    /// The base ends with a slash.
    base: Url,
    group: Option<String>,
    limiter: RateLimiter,
}

impl Connection {
    pub fn new(
        account: Account,
        settings: &AccountSettings,
        requests_per_minute: NonZeroU32,
        timeouts: Timeouts,
    ) -> Result<Self, SettingsError> {
        let base = outbound::base(&settings.base_url)
            // User information would be sent next to the key.
            .and_then(outbound::without_credentials)
            .ok_or(SettingsError::BaseUrl(account))?;
        let http = outbound::client(&base, timeouts, IDLE)
            .map_err(|error| SettingsError::Client(account, error.to_string()))?;
        Ok(Self {
            account,
            http,
            authorization: outbound::credential("Bearer ", &settings.key)
                .ok_or(SettingsError::Key(account))?,
            key: settings.key.clone(),
            base,
            group: settings.group.clone(),
            limiter: RateLimiter::per_minute(requests_per_minute),
        })
    }

    pub fn group(&self) -> Option<&str> {
        self.group.as_deref()
    }

    /// Sends a request at the pace of the account's limit. Encodes the segments of `path`.
    pub async fn send(
        &self,
        method: Method,
        path: &[&str],
        query: &[(&str, &str)],
        body: Option<Value>,
    ) -> Result<Answer, ProviderError> {
        let encoded = path.iter().map(|part| utf8_percent_encode(part, ENCODED));
        let encoded: Vec<_> = encoded.map(|part| part.to_string()).collect();
        let mut address = (self.base.join(&encoded.join("/")))
            .map_err(|error| ProviderError::Permanent(format!("not a valid URL: {error}")))?;
        if !query.is_empty() {
            address.query_pairs_mut().extend_pairs(query);
        }
        let mut request = (self.http.request(method, address))
            .header(AUTHORIZATION, self.authorization.clone())
            .header(ACCEPT, HeaderValue::from_static("application/json"));
        if let Some(body) = body {
            request = request.json(&body);
        }
        self.limiter.next().await;
        let response = request.send().await.map_err(|error| no_answer(&error))?;
        let answer = Answer::read(response).await?;
        if let Some(allowance) = answer.allowance() {
            self.limiter.note(allowance);
        }
        Ok(answer)
    }

    /// An error for an operator: one bounded line that names the account, without key or addresses.
    pub fn presentable(&self, error: ProviderError) -> ProviderError {
        match error {
            ProviderError::Retry { message, after } => ProviderError::Retry {
                message: self.line(&message),
                after,
            },
            ProviderError::Limited { message, after } => ProviderError::Limited {
                message: self.line(&message),
                after,
            },
            ProviderError::Locked(message) => ProviderError::Locked(self.line(&message)),
            ProviderError::Permanent(message) => ProviderError::Permanent(self.line(&message)),
        }
    }

    pub fn line(&self, message: &str) -> String {
        let message = outbound::without_addresses(message);
        let message = format!("{} account: {message}", self.account);
        outbound::line(&message, Some(&self.key))
    }
}

impl fmt::Debug for Connection {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Connection")
            .field("account", &self.account)
            .field("group", &self.group)
            .finish_non_exhaustive()
    }
}

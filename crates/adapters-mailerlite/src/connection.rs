//! One account: its address, its key, its client, and sending.

use std::{fmt, num::NonZeroU32, time::Duration};

use domain::subscriber::{Account, provider::ProviderError};
use reqwest::{
    Client, RequestBuilder,
    header::{ACCEPT, AUTHORIZATION, HeaderValue},
    redirect, retry,
};
use secrecy::{ExposeSecret as _, SecretString};
use url::{Host, Url};

use crate::{
    answer::{Answer, no_answer},
    pace::Pace,
    settings::{AccountSettings, SettingsError},
};

/// Longer than any error needs to be.
const LONGEST_MESSAGE: usize = 400;

/// How long an answer may take.
#[derive(Clone, Copy, Debug)]
pub struct Patience {
    /// Until there is a connection.
    pub connection: Duration,
    /// Until the answer is there in full.
    pub answer: Duration,
}

impl Default for Patience {
    fn default() -> Self {
        Self {
            connection: Duration::from_secs(5),
            answer: Duration::from_secs(15),
        }
    }
}

/// What speaks to one account.
pub struct Connection {
    account: Account,
    http: Client,
    /// `Bearer …`, marked as a secret.
    authorization: HeaderValue,
    /// To find it in what the provider says.
    key: SecretString,
    /// Ends with a slash.
    base: Url,
    group: Option<String>,
    pace: Pace,
}

impl Connection {
    /// Gets ready; nothing is sent yet.
    pub fn new(
        account: Account,
        settings: &AccountSettings,
        requests_per_minute: NonZeroU32,
        patience: Patience,
    ) -> Result<Self, SettingsError> {
        let base = base(&settings.base_url).ok_or(SettingsError::BaseUrl(account))?;
        let http = client(&base, patience)
            .map_err(|error| SettingsError::Client(account, error.to_string()))?;
        Ok(Self {
            account,
            http,
            authorization: authorization(&settings.key).ok_or(SettingsError::Key(account))?,
            key: settings.key.clone(),
            base,
            group: settings.group.clone(),
            pace: Pace::per_minute(requests_per_minute),
        })
    }

    /// The group to join.
    pub fn group(&self) -> Option<&str> {
        self.group.as_deref()
    }

    /// The address of the subscribers.
    pub fn subscribers(&self) -> Result<Url, ProviderError> {
        self.address("subscribers")
    }

    /// The address of one subscriber, by a segment that is encoded.
    pub fn subscriber(&self, segment: &str) -> Result<Url, ProviderError> {
        self.address(&format!("subscribers/{segment}"))
    }

    fn address(&self, path: &str) -> Result<Url, ProviderError> {
        self.base
            .join(path)
            .map_err(|error| ProviderError::Permanent(format!("no address: {error}")))
    }

    /// What makes requests.
    pub fn http(&self) -> &Client {
        &self.http
    }

    /// Sends a request when the account's limit allows it, and reads the answer.
    pub async fn send(&self, request: RequestBuilder) -> Result<Answer, ProviderError> {
        self.pace.next().await;
        let response = request
            .header(AUTHORIZATION, self.authorization.clone())
            .header(ACCEPT, HeaderValue::from_static("application/json"))
            .send()
            .await
            .map_err(|error| no_answer(&error))?;
        Answer::read(response).await
    }

    /// Makes an error fit to be shown to an operator: which account it is about, one line of a
    /// bounded length, and never the key, whatever the provider said.
    pub fn presentable(&self, error: ProviderError) -> ProviderError {
        match error {
            ProviderError::Retry { message, after } => ProviderError::Retry {
                message: self.line(&message),
                after,
            },
            ProviderError::Locked(message) => ProviderError::Locked(self.line(&message)),
            ProviderError::Permanent(message) => ProviderError::Permanent(self.line(&message)),
        }
    }

    fn line(&self, message: &str) -> String {
        let line = format!("{} account: {message}", self.account)
            .replace(self.key.expose_secret(), "[key]")
            .replace(char::is_control, " ");
        match line.char_indices().nth(LONGEST_MESSAGE - 1) {
            Some((end, _)) if line.chars().count() > LONGEST_MESSAGE => {
                format!("{}…", &line[..end])
            }
            _ => line,
        }
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

/// The header that carries the key.
fn authorization(key: &SecretString) -> Option<HeaderValue> {
    let key = key.expose_secret();
    if key.is_empty() || !key.bytes().all(|byte| byte.is_ascii_graphic()) {
        return None;
    }
    let mut value = HeaderValue::from_str(&format!("Bearer {key}")).ok()?;
    value.set_sensitive(true);
    Some(value)
}

/// The address with a path that ends with a slash, to join paths to.
fn base(url: &Url) -> Option<Url> {
    if !matches!(url.scheme(), "http" | "https") {
        return None;
    }
    let mut base = url.clone();
    base.set_query(None);
    base.set_fragment(None);
    // Credentials of another kind would be sent beside the key.
    base.set_username("").ok()?;
    base.set_password(None).ok()?;
    if !base.path().ends_with('/') {
        base.set_path(&format!("{}/", base.path()));
    }
    Some(base)
}

fn client(base: &Url, patience: Patience) -> reqwest::Result<Client> {
    // Fails when there is one already, which is as good.
    _ = rustls::crypto::ring::default_provider().install_default();
    let mut builder = Client::builder()
        .user_agent(concat!("posthaste/", env!("CARGO_PKG_VERSION")))
        // The key is for this host alone.
        .redirect(redirect::Policy::none())
        .retry(retry::never())
        .connect_timeout(patience.connection)
        .timeout(patience.answer)
        // One call at a time.
        .pool_max_idle_per_host(1);
    if base.scheme() == "http" {
        // Certificates are looked for when the client is made, and it is an error if the
        // machine has none, needed or not.
        builder = builder.tls_certs_only([]);
    }
    let is_loopback = match base.host() {
        Some(Host::Domain(name)) => name == "localhost",
        Some(Host::Ipv4(ip)) => ip.is_loopback(),
        Some(Host::Ipv6(ip)) => ip.is_loopback(),
        None => false,
    };
    if is_loopback {
        // A proxy's loopback is another one.
        builder = builder.no_proxy();
    }
    builder.build()
}

use std::{
    fmt,
    sync::Arc,
    time::{Duration, Instant},
};

use async_trait::async_trait;
use outbound::{Failure, Timeouts, Transport};
use reqwest::{
    Client, Method, Request,
    header::{CONTENT_TYPE, HeaderName, HeaderValue},
};
use tokio::time::timeout;
use webhooks::{
    AddressProblem, Attempt, Delivery, EndpointUrl, NoAnswer, PrivateAddresses, Sender,
};

use crate::{
    resolver::{CheckedResolver, Lookup, ResolveError, SystemLookup},
    signature::signature,
};

/// As many idle connections as concurrent requests. With fewer, each round would open new ones.
const IDLE: usize = 32;

/// How much of an answer's body is read, in bytes.
const LARGEST: usize = 16 * 1024;

const ID: HeaderName = HeaderName::from_static("webhook-id");
const TIMESTAMP: HeaderName = HeaderName::from_static("webhook-timestamp");
const SIGNATURE: HeaderName = HeaderName::from_static("webhook-signature");

#[derive(Clone, Copy, Debug)]
pub(crate) struct Limits {
    /// The time for the DNS lookup.
    pub resolution: Duration,
    /// The time for the connection, including the lookup and TLS.
    pub connection: Duration,
    /// The time for the whole attempt.
    pub answer: Duration,
    /// The time for the body, which is read only so that the connection can be reused.
    pub rest: Duration,
}

/// The limits of the service. Tests use others.
pub(crate) const LIMITS: Limits = Limits {
    resolution: Duration::from_secs(5),
    connection: Duration::from_secs(10),
    answer: Duration::from_secs(15),
    rest: Duration::from_secs(1),
};

#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("cannot create an HTTP client for webhooks: {0}")]
pub struct ClientError(String);

pub struct WebhookClient {
    http: Client,
    /// The reason if HTTPS cannot be used.
    https: Result<Client, String>,
    resolver: CheckedResolver,
    limits: Limits,
}

/// Why there was no answer: the reason, and its cause as a text.
type Silence = (NoAnswer, String);

impl WebhookClient {
    /// `private` says whether receivers may have private addresses and plain HTTP. `lookups` limits
    /// concurrent DNS lookups. A lookup may keep a thread after its attempt has ended.
    pub fn new(private: PrivateAddresses, lookups: usize) -> Result<Self, ClientError> {
        Self::with_lookup(private, LIMITS, Arc::new(SystemLookup::new(lookups)))
    }

    /// Like [`new`](Self::new) with another DNS lookup, for tests.
    pub(crate) fn with_lookup(
        private: PrivateAddresses,
        limits: Limits,
        lookup: Arc<dyn Lookup>,
    ) -> Result<Self, ClientError> {
        let resolver = CheckedResolver {
            lookup,
            private,
            limit: limits.resolution,
        };
        let timeouts = Timeouts {
            connection: limits.connection,
            answer: limits.answer,
        };
        let client = |transport| {
            let resolver = Arc::new(resolver.clone());
            outbound::resolving_client(transport, resolver, timeouts, IDLE)
                .map_err(|error| outbound::line(&outbound::cause(&error), None))
        };
        Ok(Self {
            http: client(Transport::Http).map_err(ClientError)?,
            https: client(Transport::Https),
            resolver,
            limits,
        })
    }

    /// Why HTTPS cannot be used, for example because the machine has no certificates.
    pub fn https_problem(&self) -> Option<&str> {
        self.https.as_ref().err().map(String::as_str)
    }

    /// Sends the request. The answer's body is not read yet.
    async fn call(&self, delivery: &Delivery<'_>) -> Result<reqwest::Response, Silence> {
        // Checked again: the settings may have changed, and the resolver checks only names.
        delivery
            .url
            .check(self.private())
            .map_err(|problem| (NoAnswer::AddressRefused, format!("it {problem}")))?;
        let client = if delivery.url.is_plain() {
            &self.http
        } else {
            let client = self.https.as_ref();
            client.map_err(|problem| (NoAnswer::Tls, problem.clone()))?
        };
        let request = request(delivery)?;
        client
            .execute(request)
            .await
            .map_err(|error| no_answer(&error))
    }

    const fn private(&self) -> PrivateAddresses {
        self.resolver.private
    }
}

#[async_trait]
impl Sender for WebhookClient {
    async fn send(&self, delivery: &Delivery<'_>) -> Attempt {
        let start = Instant::now();
        match self.call(delivery).await {
            Ok(response) => {
                let duration = start.elapsed();
                let status = response.status().as_u16();
                let retry_after = outbound::retry_after(response.headers());
                // If the rest cannot be read, the connection is closed, and nothing else changes.
                let rest = self
                    .limits
                    .rest
                    .min(self.limits.answer.saturating_sub(duration));
                _ = timeout(rest, outbound::body(response, LARGEST)).await;
                Attempt::answered(status, retry_after, duration)
            }
            Err((reason, cause)) => Attempt::unanswered(reason, &cause, start.elapsed()),
        }
    }

    async fn check(&self, url: &EndpointUrl) -> Result<(), AddressProblem> {
        url.check(self.private())?;
        let Some(name) = url.name() else {
            return Ok(());
        };
        match self.resolver.addresses(name).await {
            Ok(_) => Ok(()),
            Err(ResolveError::NotPublic) => Err(AddressProblem::NotPublic),
            Err(ResolveError::Nothing | ResolveError::Failed(_)) => Err(AddressProblem::Unresolved),
            Err(ResolveError::Late) => Err(AddressProblem::Late),
        }
    }
}

impl fmt::Debug for WebhookClient {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("WebhookClient")
            .field("private", &self.private())
            .field("limits", &self.limits)
            .finish_non_exhaustive()
    }
}

fn request(delivery: &Delivery<'_>) -> Result<Request, Silence> {
    if delivery.secrets.is_empty() {
        return Err((
            NoAnswer::Unsendable,
            "the endpoint has no secret".to_owned(),
        ));
    }
    let value = |text: &str| {
        HeaderValue::from_str(text).map_err(|_| {
            (
                NoAnswer::Unsendable,
                "the id is not a valid header value".to_owned(),
            )
        })
    };
    let timestamp = delivery.timestamp.unix_timestamp();
    let mut request = Request::new(Method::POST, delivery.url.url().clone());
    let headers = request.headers_mut();
    headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
    headers.insert(ID, value(delivery.id)?);
    headers.insert(TIMESTAMP, HeaderValue::from(timestamp));
    headers.insert(SIGNATURE, value(&signature(delivery, timestamp))?);
    if let Some(trace) = delivery.trace {
        headers.insert(outbound::TRACEPARENT, value(&trace.to_string())?);
    }
    *request.body_mut() = Some(delivery.body.to_vec().into());
    Ok(request)
}

fn no_answer(error: &reqwest::Error) -> Silence {
    let reason = match outbound::find(error) {
        Some(ResolveError::NotPublic) => NoAnswer::AddressRefused,
        Some(ResolveError::Late) => NoAnswer::Timeout,
        Some(ResolveError::Nothing | ResolveError::Failed(_)) => NoAnswer::Connection,
        None => match outbound::failure(error) {
            Failure::Request => NoAnswer::Unsendable,
            Failure::Timeout => NoAnswer::Timeout,
            Failure::Tls => NoAnswer::Tls,
            Failure::Broken => NoAnswer::Broken,
            Failure::Connection => NoAnswer::Connection,
        },
    };
    (reason, outbound::cause(error))
}

use std::{
    fmt,
    sync::{Mutex, PoisonError},
    time::{Duration, Instant},
};

use async_trait::async_trait;
use opentelemetry_http::{Bytes, HttpClient, HttpError, Request, Response};
use outbound::{Timeouts, Transport};
use reqwest::Client;
use tokio::runtime::Handle;

use crate::settings::Settings;

const QUIET: Duration = Duration::from_mins(1);

/// How much of an answer is read, in bytes.
const LARGEST: usize = 64 * 1024;

/// Posts batches on the runtime, because the exporter's own thread has no runtime.
pub struct CollectorClient {
    http: Client,
    runtime: Handle,
    warned: Mutex<Option<Instant>>,
}

impl CollectorClient {
    /// Creates a client, without a call. Must run on a tokio runtime.
    pub fn new(settings: &Settings) -> reqwest::Result<Self> {
        let transport = if settings.is_tls {
            Transport::Https
        } else {
            Transport::Http
        };
        let timeouts = Timeouts {
            connection: settings.timeout,
            answer: settings.timeout,
        };
        Ok(Self {
            http: outbound::client_over(transport, timeouts, 1)?,
            runtime: Handle::current(),
            warned: Mutex::new(None),
        })
    }

    /// Warns at most once a minute.
    fn warn(&self, error: &str) {
        let mut warned = self.warned.lock().unwrap_or_else(PoisonError::into_inner);
        if warned.is_none_or(|at| at.elapsed() >= QUIET) {
            *warned = Some(Instant::now());
            drop(warned);
            tracing::warn!(
                error,
                "spans are lost: the trace collector does not accept them"
            );
        }
    }
}

#[async_trait]
impl HttpClient for CollectorClient {
    async fn send_bytes(&self, request: Request<Bytes>) -> Result<Response<Bytes>, HttpError> {
        let call = post(self.http.clone(), request);
        let answer = match self.runtime.spawn(call).await {
            Ok(answer) => answer,
            Err(error) => Err(error.to_string()),
        };
        match answer {
            Ok(response) => {
                if !response.status().is_success() {
                    self.warn(&format!("the collector answers {}", response.status()));
                }
                Ok(response)
            }
            Err(error) => {
                self.warn(&error);
                Err(error.into())
            }
        }
    }
}

async fn post(http: Client, request: Request<Bytes>) -> Result<Response<Bytes>, String> {
    let request: reqwest::Request = request.try_into().map_err(|error| line(&error))?;
    let response = http.execute(request).await.map_err(|error| line(&error))?;
    let (status, headers) = (response.status(), response.headers().clone());
    // The body only lists refused spans, so a body that cannot be read is no failure.
    let body = outbound::body(response, LARGEST).await.unwrap_or_default();
    let mut answer = Response::new(Bytes::from(body));
    *answer.status_mut() = status;
    *answer.headers_mut() = headers;
    Ok(answer)
}

fn line(error: &reqwest::Error) -> String {
    outbound::line(&outbound::cause(error), None)
}

impl fmt::Debug for CollectorClient {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("CollectorClient").finish_non_exhaustive()
    }
}

use std::{
    mem,
    sync::{Mutex, MutexGuard, PoisonError},
    time::{Duration, Instant},
};

use anyhow::{Context as _, anyhow, bail};
use reqwest::{
    Client, Method, Response,
    header::{AUTHORIZATION, CONTENT_TYPE, HeaderValue},
};
use url::Url;

use crate::{
    answer::Answer,
    body::{Unreadable, body},
    counts::Counts,
    failure::Failure,
    import::{Import, Options},
    progress::Progress,
    retries::Retries,
    source::Source,
    token::{self, Credentials},
};

const CONNECT_TIMEOUT: Duration = Duration::from_secs(10);
/// How long an attempt may go without progress. A rate limit slows down imports with many lines.
const PATIENCE: Duration = Duration::from_mins(15);

#[derive(Debug)]
pub struct Loader {
    http: Client,
    base: Url,
    credentials: Credentials,
    progress: Progress,
    /// The token of the first attempt. Later attempts request their own.
    token: Mutex<Option<HeaderValue>>,
}

impl Loader {
    /// Requests a token, so that a wrong address or credentials fail before anything is sent.
    pub async fn connect(
        url: &Url,
        credentials: Credentials,
        progress: Progress,
    ) -> anyhow::Result<Self> {
        let base = outbound::base(url)
            .ok_or_else(|| anyhow!("--url must start with http:// or https://, but is {url}"))?;
        let http = outbound::upload_client(&base, CONNECT_TIMEOUT)
            .context("no HTTP client can be made")?;
        let loader = Self {
            http,
            base,
            credentials,
            progress,
            token: Mutex::default(),
        };
        let token = loader.retry(async || {
            loader.token().await.map_err(|failure| match failure {
                Failure::Passing {
                    message,
                    is_answer: false,
                    ..
                } => Failure::last(format!(
                    "{url} cannot be reached: {message}; check --url and whether the service is \
                     running"
                )),
                other => other,
            })
        });
        let token = token.await?;
        *loader.first_token() = Some(token);
        Ok(loader)
    }

    fn first_token(&self) -> MutexGuard<'_, Option<HeaderValue>> {
        self.token.lock().unwrap_or_else(PoisonError::into_inner)
    }

    async fn token(&self) -> Result<HeaderValue, Failure> {
        let endpoint = self.base.join("oauth/token");
        let endpoint = endpoint.map_err(|error| Failure::Last(error.into()))?;
        token::request(&self.http, &endpoint, &self.credentials).await
    }

    /// Sends all lines. When an import is full, another one continues it.
    pub async fn push(&self, source: &Source, options: &Options) -> anyhow::Result<Import> {
        let mut import = Import::default();
        let mut taken = 0;
        loop {
            let mut done = Counts::default();
            let answer = self.retry(async || {
                let ended = self.attempt(source, options, taken).await;
                if let Err(Failure::Passing { done: now, .. }) = &ended
                    && !options.dry_run
                {
                    done.add(now);
                }
                ended
            });
            let answer = answer.await?;
            let is_full = answer.is_full();
            let before = import.counts.total();
            import.add(answer, &done);
            if !is_full {
                return Ok(import);
            }
            taken += import.counts.total() - before;
        }
    }

    async fn retry<T>(
        &self,
        mut attempt: impl AsyncFnMut() -> Result<T, Failure>,
    ) -> anyhow::Result<T> {
        let mut retries = Retries::default();
        loop {
            let (message, after) = match attempt().await {
                Ok(done) => return Ok(done),
                Err(Failure::Last(error)) => return Err(error),
                Err(Failure::Passing { message, after, .. }) => (message, after),
            };
            let reached = self.progress.furthest();
            let Some(wait) = retries.next_wait(reached, after, Instant::now()) else {
                bail!(retries.given_up(&message));
            };
            self.progress.wait(&message, wait, retries.next_number());
            tokio::time::sleep(wait).await;
        }
    }

    async fn attempt(
        &self,
        source: &Source,
        options: &Options,
        taken: u64,
    ) -> Result<Answer, Failure> {
        let first = mem::take(&mut *self.first_token());
        let authorization = match first {
            Some(first) => first,
            None => self.token().await?,
        };
        let exchange = async {
            let response = self.send(authorization, source, options, taken).await?;
            if let Some(redirect) = Failure::of_redirect(&response) {
                return Err(redirect);
            }
            Answer::read(response).await
        };
        let answer = self.watch(exchange).await?;
        answer.judge(options.catalogue.is_some())
    }

    async fn send(
        &self,
        authorization: HeaderValue,
        source: &Source,
        options: &Options,
        taken: u64,
    ) -> Result<Response, Failure> {
        let method = match options.catalogue {
            None => Method::POST,
            Some(_) => Method::PUT,
        };
        let url = self.base.join(&options.path());
        let url = url.map_err(|error| Failure::Last(error.into()))?;
        let ndjson = HeaderValue::from_static("application/x-ndjson");
        let request = self.http.request(method, url);
        let mut request = request.header(CONTENT_TYPE, ndjson);
        for preference in options.preferences() {
            request = request.header("Prefer", preference);
        }
        self.progress.begin(source.length());
        let body = body(source.clone(), options, taken, self.progress.clone());
        let sent = request
            .header(AUTHORIZATION, authorization)
            .body(body)
            .send()
            .await;
        sent.map_err(|error| match outbound::find::<Unreadable>(&error) {
            Some(unreadable) => Failure::Last(unreadable.clone().into()),
            None => error.into(),
        })
    }

    async fn watch<T>(
        &self,
        exchange: impl Future<Output = Result<T, Failure>>,
    ) -> Result<T, Failure> {
        tokio::pin!(exchange);
        loop {
            let idle = self.progress.idle_time();
            if idle >= PATIENCE {
                let seconds = idle.as_secs();
                return Err(Failure::passing(format!(
                    "nothing has moved for {seconds} s"
                )));
            }
            tokio::select! {
                ended = &mut exchange => return ended,
                () = tokio::time::sleep(PATIENCE.saturating_sub(idle)) => {}
            }
        }
    }
}

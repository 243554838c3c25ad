use std::{
    fmt,
    sync::{Mutex, PoisonError},
    time::Duration,
};

use async_trait::async_trait;
use enrichment::{Brief, Draft, DraftError, DraftKey, EnrichError, Feedback, Model};
use outbound::Timeouts;
use reqwest::{
    Client, RequestBuilder, StatusCode,
    header::{ACCEPT, AUTHORIZATION, CONTENT_TYPE, HeaderName, HeaderValue},
};
use secrecy::SecretString;
use url::Url;

use crate::{
    answer::{self, Cause, Failure},
    completion::CUT_OFF,
    dialect::{Dialect, Step},
    failure_tracker::{FailureTracker, FaultAttribution, NoAnswer},
    meter::{self, Call, Outcome},
    prompt,
    request::{self, Question},
    settings::{Settings, SettingsError},
};

const CONNECT_TIMEOUT: Duration = Duration::from_secs(10);

/// Enough idle connections for the maximum of concurrent calls.
const IDLE: usize = 256;

/// The longest description that is sent, in characters. Every token costs money.
const LONGEST_DESCRIPTION: usize = 100_000;

/// The largest number of requests per call: one for each optional parameter, and some for limits.
const MOST_REQUESTS: usize = 10;

pub struct ChatModel {
    http: Client,
    endpoint: Url,
    credential: Option<(HeaderName, HeaderValue)>,
    /// Contains the key, which is also removed from the endpoint's messages.
    settings: Settings,
    version: String,
    /// The form of the next request, as learned from refusals.
    dialect: Mutex<Dialect>,
    failures: FailureTracker,
}

impl ChatModel {
    pub fn new(settings: &Settings) -> Result<Self, SettingsError> {
        let endpoint = endpoint(&settings.base_url).ok_or(SettingsError::BaseUrl)?;
        let credential = settings
            .api_key
            .as_ref()
            .map(|key| credential(&endpoint, key).ok_or(SettingsError::Key))
            .transpose()?;
        let timeouts = Timeouts {
            connection: CONNECT_TIMEOUT,
            answer: settings.timeout,
        };
        let http = outbound::client(&endpoint, timeouts, IDLE)
            .map_err(|error| SettingsError::Client(error.to_string()))?;
        Ok(Self {
            http,
            endpoint,
            credential,
            settings: settings.clone(),
            version: format!("{} {}", settings.model, prompt::VERSION),
            dialect: Mutex::default(),
            failures: FailureTracker::default(),
        })
    }

    /// Requests the list of models, which is free, and describes the result. An endpoint without
    /// such a list counts as reachable.
    pub async fn reach(&self) -> Result<String, String> {
        let mut address = self
            .endpoint
            .join("../models")
            .map_err(|error| error.to_string())?;
        address.set_query(self.endpoint.query());
        let request = self.with_credential(self.http.get(address));
        let response = request.send().await;
        let response = response
            .map_err(|error| self.line(&format!("no answer: {}", outbound::cause(&error))))?;
        let status = response.status();
        let answered = format!("it answers ({status})");
        if status == StatusCode::UNAUTHORIZED {
            let verb = self
                .settings
                .api_key
                .as_ref()
                .map_or("wants a", |_| "refuses the");
            Err(format!("it {verb} key ({status})"))
        } else if status.is_redirection() {
            Err(format!("{answered}, and no redirect is followed"))
        } else if status.is_server_error() {
            Err(answered)
        } else {
            Ok(answered)
        }
    }

    fn with_credential(&self, request: RequestBuilder) -> RequestBuilder {
        match &self.credential {
            Some((name, value)) => request.header(name, value.clone()),
            None => request,
        }
    }

    async fn call(&self, question: &Question<'_>, within: Duration) -> Result<Draft, Failure> {
        let mut left = None;
        let mut requests = 0;
        loop {
            let dialect = self.dialect();
            let room = left.unwrap_or_else(|| request::room(question, &dialect));
            let call = Call::start();
            let result = self
                .ask(question, &dialect, dialect.room(room), within)
                .await;
            requests += 1;
            let step = match &result {
                Err(Failure {
                    cause: Cause::Refused { complaint, .. },
                    ..
                }) if requests < MOST_REQUESTS => dialect.after(complaint, dialect.room(room)),
                _ => None,
            };
            let outcome = match (&result, step) {
                (_, Some(_)) => Outcome::Adapted,
                (Ok(_), None) => Outcome::Answered,
                (Err(failure), None) => failure.outcome,
            };
            call.end(outcome);
            match step {
                Some(Step::Always(next)) => self.learn(dialect, next),
                Some(Step::Room(tokens)) => left = Some(tokens),
                None => return result,
            }
        }
    }

    async fn ask(
        &self,
        question: &Question<'_>,
        dialect: &Dialect,
        room: usize,
        within: Duration,
    ) -> Result<Draft, Failure> {
        let Settings {
            model, extra_body, ..
        } = &self.settings;
        let body = request::body(model, question, dialect, extra_body, room)
            .map_err(|error| Failure::permanent(Outcome::Failed, format!("no request: {error}")))?;
        let json = HeaderValue::from_static("application/json");
        let request = self
            .http
            .post(self.endpoint.clone())
            .header(ACCEPT, json.clone())
            .header(CONTENT_TYPE, json)
            .timeout(within)
            .body(body);
        let request = match outbound::traceparent() {
            Some(trace) => request.header(outbound::TRACEPARENT, trace),
            None => request,
        };
        let response = self
            .with_credential(request)
            .send()
            .await
            .map_err(|error| answer::no_answer(&error))?;
        let completion = answer::read(response).await?;
        // Unusable answers also cost tokens.
        meter::count(completion.usage, self.settings.prices);
        answer::draft(completion.reply)
    }

    fn dialect(&self) -> Dialect {
        *self.dialect.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Stores the next form of requests, unless another call has changed the form meanwhile.
    fn learn(&self, before: Dialect, after: Dialect) {
        let mut dialect = self.dialect.lock().unwrap_or_else(PoisonError::into_inner);
        if *dialect == before && after != before {
            *dialect = after;
            drop(dialect);
            tracing::info!(form = %after, "the model's endpoint requires another form of requests");
        }
    }

    fn error(&self, failure: Failure, posting: DraftKey, within: Duration) -> DraftError {
        let (message, failure) = match failure.cause {
            Cause::Error(error) => {
                // Even if the model refuses, the endpoint has answered.
                if let Outcome::Unusable | Outcome::Refused = failure.outcome {
                    self.failures.answered(&posting);
                }
                if let DraftError::Unusable(Feedback { faults, .. }) = &error
                    && faults.iter().any(|fault| fault == CUT_OFF)
                {
                    let dialect = self.dialect();
                    self.learn(dialect, dialect.with_thoughts());
                }
                return error;
            }
            Cause::Refused {
                status, message, ..
            } => (message, NoAnswer::Refused(status)),
            Cause::TimedOut(message) => {
                let message = format!("{message} ({} s)", within.as_secs_f32());
                (message, NoAnswer::TimedOut)
            }
        };
        let after = None;
        DraftError::Failed(match self.failures.failed(posting, failure) {
            FaultAttribution::Unknown => EnrichError::Retry { message, after },
            FaultAttribution::Posting => EnrichError::Permanent(message),
            FaultAttribution::Endpoint => EnrichError::Unavailable { message, after },
        })
    }

    /// Prepares an error's messages for an operator. Only the model gets its own answer back.
    fn presentable(&self, mut error: DraftError) -> DraftError {
        let texts = match &mut error {
            DraftError::Unusable(Feedback { faults, .. }) => faults.as_mut_slice(),
            DraftError::Failed(
                EnrichError::Retry { message, .. }
                | EnrichError::Unavailable { message, .. }
                | EnrichError::Permanent(message),
            ) => std::slice::from_mut(message),
        };
        for text in texts {
            *text = self.line(text);
        }
        error
    }

    fn line(&self, text: &str) -> String {
        outbound::line(text, self.settings.api_key.as_ref())
    }
}

#[async_trait]
impl Model for ChatModel {
    fn version(&self) -> &str {
        &self.version
    }

    async fn draft(
        &self,
        brief: &Brief<'_>,
        feedback: Option<&Feedback>,
    ) -> Result<Draft, DraftError> {
        let length = brief.markdown.chars().count();
        if length > LONGEST_DESCRIPTION {
            return Err(DraftError::Failed(EnrichError::Permanent(format!(
                "the description has {length} characters; no more than {LONGEST_DESCRIPTION} are \
                 sent to a model"
            ))));
        }
        let posting = DraftKey::of(&self.version, brief);
        let within = self.settings.timeout * self.failures.timeout_factor(&posting);
        match self.call(&Question { brief, feedback }, within).await {
            Ok(draft) => {
                self.failures.answered(&posting);
                Ok(draft)
            }
            Err(failure) => Err(self.presentable(self.error(failure, posting, within))),
        }
    }
}

impl fmt::Debug for ChatModel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.settings.fmt(f)
    }
}

/// The address of chat completions. `None` if the URL is not HTTP. The query stays, because Azure
/// needs `api-version` there.
fn endpoint(base_url: &Url) -> Option<Url> {
    let mut endpoint = outbound::base(base_url)
        // User information would be sent in addition to the key.
        .and_then(outbound::without_credentials)?
        .join("chat/completions")
        .ok()?;
    endpoint.set_query(base_url.query());
    Some(endpoint)
}

/// The header with the key. Azure has its own: there, `Authorization` is for directory tokens.
fn credential(endpoint: &Url, key: &SecretString) -> Option<(HeaderName, HeaderValue)> {
    let is_azure = endpoint
        .domain()
        .is_some_and(|host| host == "azure.com" || host.ends_with(".azure.com"));
    if is_azure {
        let name = HeaderName::from_static("api-key");
        Some((name, outbound::credential("", key)?))
    } else {
        Some((AUTHORIZATION, outbound::credential("Bearer ", key)?))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_endpoint_is_below_the_base_url() {
        let check = |base_url: &str, expect: &str| {
            assert_eq!(
                endpoint(&base_url.parse().unwrap()).unwrap().as_str(),
                expect
            );
        };
        let openai = "https://api.openai.com/v1/chat/completions";
        check("https://api.openai.com/v1", openai);
        check("https://api.openai.com/v1/", openai);
        check("https://api.openai.com/v1#section", openai);
        check(
            "http://127.0.0.1:11434",
            "http://127.0.0.1:11434/chat/completions",
        );
        check(
            "https://a.openai.azure.com/openai/deployments/small?api-version=2024-12-01-preview",
            "https://a.openai.azure.com/openai/deployments/small/chat/completions\
             ?api-version=2024-12-01-preview",
        );
        check(
            "http://user:word@h.example/v1/?a=b&c",
            "http://h.example/v1/chat/completions?a=b&c",
        );
        for other in ["localhost:8080", "ftp://h.example/", "data:,x"] {
            assert_eq!(endpoint(&other.parse().unwrap()), None, "{other}");
        }
    }

    #[test]
    fn azure_has_a_header_of_its_own() {
        let header = |address: &str| {
            let (name, value) = credential(&address.parse().unwrap(), &"sesame".into()).unwrap();
            format!("{name}: {}", value.to_str().unwrap())
        };
        for azure in [
            "https://a.openai.azure.com/openai/v1/",
            "https://A.Services.AI.Azure.com/",
        ] {
            assert_eq!(header(azure), "api-key: sesame", "{azure}");
        }
        for other in [
            "https://api.openai.com/v1/",
            "https://notazure.com/",
            "https://azure.com.example/",
            "http://127.0.0.1:8080/azure.com/",
        ] {
            assert_eq!(header(other), "authorization: Bearer sesame", "{other}");
        }
    }
}

//! The model's client.

use std::{fmt, time::Duration};

use async_trait::async_trait;
use domain::enrichment::{Brief, Draft, DraftError, EnrichError, Model, Objection};
use outbound::Timeouts;
use reqwest::{
    Client, RequestBuilder, StatusCode,
    header::{ACCEPT, AUTHORIZATION, CONTENT_TYPE, HeaderName, HeaderValue},
};
use secrecy::SecretString;
use url::Url;

use crate::{
    answer::{self, Failure},
    meter::{self, Call, Outcome},
    prompt, request,
    settings::{Prices, Settings, SettingsError},
};

/// The time limit of a connection.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(10);

/// The number of idle connections to keep: as many as concurrent calls at most.
const IDLE: usize = 256;

/// The longest description to send, in characters. No job needs as much, and it would be paid for
/// three times: once read, twice written.
const LONGEST_DESCRIPTION: usize = 100_000;

/// A language model behind an endpoint.
pub struct ChatModel {
    http: Client,
    endpoint: Url,
    credential: Option<(HeaderName, HeaderValue)>,
    /// Removed from the endpoint's messages.
    key: Option<SecretString>,
    name: String,
    edition: String,
    prices: Prices,
}

impl ChatModel {
    /// Builds the client, without a call.
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
            key: settings.api_key.clone(),
            name: settings.model.clone(),
            edition: format!("{} {}", prompt::VERSION, settings.model),
            prices: settings.prices,
        })
    }

    /// Requests the list of models, which costs nothing, and describes the result in a line. An
    /// endpoint without such a list, or that hides it from this key, counts as reached.
    pub async fn reach(&self) -> Result<String, String> {
        let mut address = self
            .endpoint
            .join("../models")
            .map_err(|error| error.to_string())?;
        address.set_query(self.endpoint.query());
        let request = self.with_credential(self.http.get(address));
        let line = |text: &str| outbound::line(text, self.key.as_ref());
        let response = request
            .send()
            .await
            .map_err(|error| line(&format!("no answer: {}", outbound::cause(&error))))?;
        let status = response.status();
        let answered = format!("it answers ({status})");
        if status == StatusCode::UNAUTHORIZED {
            Err(match &self.key {
                Some(_) => format!("it refuses the key ({status})"),
                None => format!("it wants a key ({status})"),
            })
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

    /// One call.
    async fn call(&self, body: Vec<u8>) -> Result<Draft, Failure> {
        let json = HeaderValue::from_static("application/json");
        let request = self
            .http
            .post(self.endpoint.clone())
            .header(ACCEPT, json.clone())
            .header(CONTENT_TYPE, json)
            .body(body);
        let response = self
            .with_credential(request)
            .send()
            .await
            .map_err(|error| answer::no_answer(&error))?;
        let completion = answer::read(response).await?;
        // Useless answers cost tokens, too.
        meter::count(completion.usage, self.prices);
        answer::draft(completion.reply)
    }

    /// Prepares an error for an operator. The model's own text stays as it is, because it is only
    /// sent back to the model.
    fn presentable(&self, error: DraftError) -> DraftError {
        let line = |text: &str| outbound::line(text, self.key.as_ref());
        match error {
            DraftError::Unusable(Objection { answer, faults }) => {
                let faults = faults.iter().map(|fault| line(fault)).collect();
                DraftError::Unusable(Objection { answer, faults })
            }
            DraftError::Failed(error) => DraftError::Failed(match error {
                EnrichError::Retry { message, after } => EnrichError::Retry {
                    message: line(&message),
                    after,
                },
                EnrichError::Unavailable { message, after } => EnrichError::Unavailable {
                    message: line(&message),
                    after,
                },
                EnrichError::Permanent(message) => EnrichError::Permanent(line(&message)),
            }),
        }
    }
}

#[async_trait]
impl Model for ChatModel {
    fn edition(&self) -> &str {
        &self.edition
    }

    async fn draft(
        &self,
        brief: &Brief<'_>,
        objection: Option<&Objection>,
    ) -> Result<Draft, DraftError> {
        let length = brief.markdown.chars().count();
        if length > LONGEST_DESCRIPTION {
            return Err(DraftError::Failed(EnrichError::Permanent(format!(
                "the description has {length} characters; no more than {LONGEST_DESCRIPTION} are \
                 sent to a model"
            ))));
        }
        let body = request::body(&self.name, brief, objection)
            .map_err(|error| EnrichError::Permanent(format!("no request: {error}")))?;
        let call = Call::start();
        let result = self.call(body).await;
        call.end(match &result {
            Ok(_) => Outcome::Answered,
            Err(failure) => failure.outcome,
        });
        result.map_err(|failure| self.presentable(failure.error))
    }
}

impl fmt::Debug for ChatModel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ChatModel")
            .field("host", &self.endpoint.host_str())
            .field("edition", &self.edition)
            .finish_non_exhaustive()
    }
}

/// The address of chat completions; `None` if it is not HTTP. The query stays: Azure wants its
/// `api-version` there.
fn endpoint(base_url: &Url) -> Option<Url> {
    let mut endpoint = outbound::base(base_url)
        // User information would be sent beside the key.
        .and_then(outbound::without_credentials)?
        .join("chat/completions")
        .ok()?;
    endpoint.set_query(base_url.query());
    Some(endpoint)
}

/// The header with the key. Azure has its own; `Authorization` is for tokens of its directory
/// there.
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

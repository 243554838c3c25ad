//! Access tokens by client credentials (RFC 6749 §4.4).

use std::time::Duration;

use anyhow::anyhow;
use reqwest::{Client, StatusCode, header::HeaderValue};
use secrecy::{ExposeSecret as _, SecretString};
use serde::Deserialize;
use url::Url;

use crate::failure::Failure;

/// A slower answer is abandoned, and another token requested.
const ANSWER_TIMEOUT: Duration = Duration::from_mins(1);
const LARGEST: usize = 64 << 10;

#[derive(Clone, Debug)]
pub struct Credentials {
    pub client_id: String,
    pub client_secret: SecretString,
}

#[derive(Deserialize)]
struct Granted {
    access_token: String,
}

#[derive(Deserialize)]
struct Denied {
    error: String,
    error_description: Option<String>,
}

pub async fn request(
    http: &Client,
    endpoint: &Url,
    credentials: &Credentials,
) -> Result<HeaderValue, Failure> {
    let form = [
        ("grant_type", "client_credentials"),
        ("client_id", &credentials.client_id),
        ("client_secret", credentials.client_secret.expose_secret()),
        ("scope", "job-postings:write"),
    ];
    let request = http.post(endpoint.clone()).timeout(ANSWER_TIMEOUT);
    let response = request.form(&form).send().await?;
    let failure = Failure::of_redirect(&response).or_else(|| Failure::of_overload(&response));
    if let Some(failure) = failure {
        return Err(failure);
    }
    let status = response.status();
    let body = outbound::body(response, LARGEST).await;
    let body = body.map_err(|unread| Failure::passing(format!("the service's answer {unread}")))?;
    if !status.is_success() {
        return Err(Failure::Last(denied(endpoint, credentials, status, &body)));
    }
    let granted = serde_json::from_slice::<Granted>(&body).ok();
    let token =
        granted.and_then(|granted| outbound::credential("Bearer ", &granted.access_token.into()));
    token.ok_or_else(|| Failure::last(format!("{endpoint} did not answer with a token")))
}

fn denied(
    endpoint: &Url,
    credentials: &Credentials,
    status: StatusCode,
    body: &[u8],
) -> anyhow::Error {
    let Ok(Denied {
        error,
        error_description,
    }) = serde_json::from_slice(body)
    else {
        return if status == StatusCode::NOT_FOUND {
            anyhow!("there is no token endpoint at {endpoint}; check --url ({status})")
        } else {
            anyhow!("{endpoint} gave no token: it answered {status}; check --url")
        };
    };
    let said = error_description.unwrap_or_else(|| error.clone());
    match error.as_str() {
        "invalid_client" => anyhow!(
            "the service does not know this client id with this secret, or the client was \
             revoked; check --client-id and --client-secret ({said})"
        ),
        "invalid_scope" | "unauthorized_client" => anyhow!(
            "the client {} may not push; it needs the scope job-postings:write ({said})",
            credentials.client_id
        ),
        code => anyhow!("{endpoint} gave no token: {code} ({said})"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_fault_is_one_line() {
        let endpoint = "http://h.example/oauth/token".parse().unwrap();
        let credentials = Credentials {
            client_id: "someone".to_owned(),
            client_secret: "sesame".into(),
        };
        for (status, body, expect) in [
            (
                401,
                r#"{"error":"invalid_client","error_description":"Unknown client."}"#,
                "check --client-id and --client-secret (Unknown client.)",
            ),
            (
                400,
                r#"{"error":"invalid_scope"}"#,
                "someone may not push; it needs the scope job-postings:write",
            ),
            (
                400,
                r#"{"error":"invalid_request"}"#,
                "gave no token: invalid_request (invalid_request)",
            ),
            (404, "<html>", "there is no token endpoint at http://h."),
            (403, "<html>", "it answered 403 Forbidden; check --url"),
        ] {
            let status = StatusCode::from_u16(status).unwrap();
            let error = denied(&endpoint, &credentials, status, body.as_bytes()).to_string();
            assert!(error.contains(expect), "{error}");
            assert!(
                !error.contains("sesame") && !error.contains('\n'),
                "{error}"
            );
        }
    }
}

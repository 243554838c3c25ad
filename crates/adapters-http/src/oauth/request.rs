//! Parses a token request: the form, and the credentials in its header or form.

use std::{collections::HashMap, fmt};

use actix_web::http::header::{AUTHORIZATION, HeaderMap, HeaderValue};
use base64::{
    Engine as _, alphabet,
    engine::{DecodePaddingMode, GeneralPurpose, GeneralPurposeConfig},
};
use serde_json::Value;
use tokens::Object;
use url::form_urlencoded;

use crate::error::ApiError;

/// Base64 as in RFC 7617. Padding is optional, because some clients omit it.
const BASE64: GeneralPurpose = GeneralPurpose::new(
    &alphabet::STANDARD,
    GeneralPurposeConfig::new().with_decode_padding_mode(DecodePaddingMode::Indifferent),
);

/// The only parameter that may be repeated (RFC 8707 §2). It is ignored.
const REPEATABLE: &str = "resource";

#[derive(Clone, PartialEq, Eq)]
pub(super) struct Credentials {
    pub client_id: String,
    pub client_secret: String,
}

impl fmt::Debug for Credentials {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Credentials")
            .field("client_id", &self.client_id)
            .finish_non_exhaustive()
    }
}

#[derive(Debug)]
pub(super) struct TokenRequest {
    pub grant_type: Option<String>,
    pub scope: Option<String>,
    /// An error in the credentials is reported only if the grant type is supported.
    pub credentials: Result<Credentials, ApiError>,
}

#[derive(Default)]
pub(super) struct Form(HashMap<String, String>);

impl TokenRequest {
    pub fn new(headers: &HeaderMap, form: &Form) -> Result<Self, ApiError> {
        let mut authorization = headers.get_all(AUTHORIZATION);
        let basic = authorization.next();
        if authorization.next().is_some() {
            return Err(ApiError::invalid_request(
                "There is more than one Authorization header.",
            ));
        }
        let credentials = match basic.map(from_header) {
            None => from_form(form.get("client_id"), form.get("client_secret")),
            Some(Ok(credentials)) => {
                not_contradicted(&credentials, form)?;
                Ok(credentials)
            }
            Some(Err(error)) => Err(error),
        };
        Ok(Self {
            grant_type: form.get("grant_type"),
            scope: form.get("scope"),
            credentials,
        })
    }

    pub fn refusal(&self) -> ApiError {
        match (&self.grant_type, &self.credentials) {
            (None, _) => ApiError::invalid_request("The parameter grant_type is missing."),
            (_, Err(error)) => error.clone(),
            (_, Ok(_)) => ApiError::not_granted(),
        }
    }
}

impl Form {
    pub fn parse(body: &[u8]) -> Result<Self, ApiError> {
        let mut form = Self::default();
        for (name, value) in form_urlencoded::parse(body) {
            let is_broken = |text: &str| text.contains(char::REPLACEMENT_CHARACTER);
            if is_broken(&name) || is_broken(&value) {
                return Err(ApiError::invalid_request("The form is not UTF-8."));
            }
            let before = form.0.insert(name.clone().into_owned(), value.into_owned());
            if before.is_some() && name != REPEATABLE {
                return Err(ApiError::invalid_request(
                    "A parameter is sent more than once.",
                ));
            }
        }
        Ok(form)
    }

    pub fn parse_json(body: &[u8]) -> Result<Self, ApiError> {
        let object: Object = serde_json::from_slice(body).map_err(|_| {
            ApiError::invalid_request(
                "The body must be a JSON object in which no name is sent more than once.",
            )
        })?;
        let present = object.into_entries().filter(|(_, value)| !value.is_null());
        let texts = present.map(|(name, value)| match value {
            Value::String(value) => Ok((name, value)),
            _ => Err(ApiError::invalid_request(
                "Every parameter must be a string.",
            )),
        });
        texts.collect::<Result<_, _>>().map(Self)
    }

    /// Returns a parameter. An empty parameter counts as absent (RFC 6749 §3.2).
    fn get(&self, name: &str) -> Option<String> {
        self.0.get(name).filter(|value| !value.is_empty()).cloned()
    }
}

fn from_form(id: Option<String>, secret: Option<String>) -> Result<Credentials, ApiError> {
    match (id, secret) {
        (Some(client_id), Some(client_secret)) => Ok(Credentials {
            client_id,
            client_secret,
        }),
        _ => Err(ApiError::invalid_client(
            "Send client_id and client_secret, by HTTP Basic or in the form.",
        )),
    }
}

fn from_header(value: &HeaderValue) -> Result<Credentials, ApiError> {
    let broken = || ApiError::invalid_client("The Authorization header is not HTTP Basic.");
    let (scheme, encoded) = value
        .to_str()
        .ok()
        .and_then(|v| v.split_once(' '))
        .ok_or_else(broken)?;
    if !scheme.eq_ignore_ascii_case("basic") {
        return Err(broken());
    }
    let decoded = BASE64
        .decode(encoded.trim_matches(' '))
        .map_err(|_| broken())?;
    let pair = String::from_utf8(decoded).map_err(|_| broken())?;
    let (id, secret) = pair.split_once(':').ok_or_else(broken)?;
    Ok(Credentials {
        client_id: form_decoded(id),
        client_secret: form_decoded(secret),
    })
}

/// Decodes a part of the Basic credentials. RFC 6749 §2.3.1 requires form encoding before the parts
/// are joined. Some clients do not encode, but ids and secrets of this service contain no character
/// that encoding would change.
fn form_decoded(text: &str) -> String {
    let unspaced = text.replace('+', " ");
    percent_encoding::percent_decode_str(&unspaced)
        .decode_utf8_lossy()
        .into_owned()
}

/// Besides Basic credentials, a form may repeat only the client id. Anything else is a second
/// method of authentication, but only one is allowed (RFC 6749 §2.3).
fn not_contradicted(credentials: &Credentials, form: &Form) -> Result<(), ApiError> {
    if form.get("client_secret").is_some() {
        return Err(ApiError::invalid_request(
            "The client's secret is sent both by HTTP Basic and in the form; send it once.",
        ));
    }
    let repeated = form.get("client_id");
    if repeated.is_some_and(|id| id != credentials.client_id) {
        return Err(ApiError::invalid_request(
            "The client_id in the form is not the one sent by HTTP Basic.",
        ));
    }
    Ok(())
}

//! The bridge to oxide-auth. It runs oxide-auth's state machine of the client-credentials grant
//! with this service's clients and tokens.

use std::borrow::Cow;

use access::{Client, Scope};
use kernel::ClientId;
use oxide_auth::{
    code_grant::{
        client_credentials::{ClientCredentials, Input, Output, Request},
        error::{AccessTokenError, AccessTokenErrorType},
    },
    endpoint::PreGrant,
    primitives::{
        grant::Extensions,
        registrar::{BoundClient, RegisteredUrl},
        scope::Scope as GrantScope,
    },
};
use time::OffsetDateTime;
use tokens::Grant;
use url::Url;

use super::{
    authorizer::Authorizer, bearer::counted, clients::ActiveClient, request::TokenRequest,
};
use crate::{error::ApiError, limit::Usage};

/// The redirect URI that oxide-auth requires. This grant does not use redirects.
const NO_REDIRECT: &str = "urn:ietf:wg:oauth:2.0:oob";
pub(super) struct Issued {
    pub token: String,
    pub scope: String,
    pub client_id: ClientId,
}

/// Answers a client-credentials request (RFC 6749 §4.4), which counts towards the client's limit.
/// After authentication, `notice` gets the client and its usage.
pub(super) async fn issue(
    authorizer: &Authorizer,
    request: &TokenRequest,
    notice: impl Fn(ClientId, Option<Usage>),
) -> Result<Issued, ApiError> {
    let now = authorizer.now();
    let mut machine = ClientCredentials::new(request);
    let mut input = Input::None;
    let mut authenticated = None;
    loop {
        input = match machine.advance(input) {
            Output::Authenticate { client, passdata } => {
                let (client, secret) = (client.to_owned(), passdata.to_vec());
                let (active, digest) = authenticate(authorizer, &client, &secret, now).await?;
                let notice = |usage| notice(active.client.id, usage);
                counted(active.limit.as_deref(), notice)
                    .map_err(|(limit, retry_after)| ApiError::limited(limit, retry_after))?;
                authenticated = Some((active.client, digest));
                Input::Authenticated
            }
            Output::Binding { client_id } => Input::Bound {
                bound_client: bind(client_id)?,
            },
            Output::Extend => Input::Extended {
                extensions: Extensions::new(),
            },
            Output::Negotiate { bound_client, .. } => {
                let (client, _) = authenticated.as_ref().ok_or_else(ApiError::not_granted)?;
                Input::Negotiated {
                    pre_grant: PreGrant {
                        client_id: bound_client.client_id.clone().into_owned(),
                        redirect_uri: bound_client.redirect_uri.clone().into_owned(),
                        scope: negotiate(client, request.scope.as_deref())?,
                    },
                }
            }
            Output::Ok { pre_grant, .. } => {
                let (client, digest) = authenticated.ok_or_else(ApiError::not_granted)?;
                let scope = spell(&pre_grant.scope);
                let issued_at = client.time_of_issue(now);
                let grant = Grant {
                    client_id: &pre_grant.client_id,
                    scope: &scope,
                    issued_at,
                    expires_at: issued_at.saturating_add(authorizer.token_ttl),
                };
                let token = sign(authorizer, &grant, now)
                    .ok_or_else(|| ApiError::no_token("No token can be signed at the moment."))?;
                let used_at = fields::microseconds(now);
                authorizer.recorder.used(client.id, digest, used_at);
                return Ok(Issued {
                    token,
                    scope,
                    client_id: client.id,
                });
            }
            Output::Err(mut error) => {
                return Err(match error.description().map(AccessTokenError::kind) {
                    Some(AccessTokenErrorType::UnsupportedGrantType) => {
                        ApiError::unsupported_grant_type()
                    }
                    _ => request.refusal(),
                });
            }
        };
    }
}

fn sign(authorizer: &Authorizer, grant: &Grant<'_>, now: OffsetDateTime) -> Option<String> {
    let keys = authorizer.keys().current();
    let Some(key) = keys.signing(now) else {
        tracing::error!("there is no key to sign a token with");
        return None;
    };
    let signed = authorizer.tokens.mint(key, grant);
    signed
        .inspect_err(|error| tracing::error!(%error, "a token could not be signed"))
        .ok()
}

async fn authenticate(
    authorizer: &Authorizer,
    client: &str,
    secret: &[u8],
    now: OffsetDateTime,
) -> Result<(ActiveClient, [u8; 32]), ApiError> {
    let found = match client.parse() {
        Ok(id) => authorizer.active.authenticate(id, secret, now).await,
        Err(_) => Ok(None),
    };
    match found {
        Ok(Some(found)) => Ok(found),
        Ok(None) => Err(ApiError::invalid_client(
            "Unknown client, or wrong client secret.",
        )),
        Err(error) => {
            tracing::error!(%error, "a client could not be looked up");
            Err(ApiError::no_token(
                "The client cannot be checked at the moment.",
            ))
        }
    }
}

fn bind(client_id: &str) -> Result<BoundClient<'static>, ApiError> {
    let nowhere = Url::parse(NO_REDIRECT).map_err(|_| ApiError::not_granted())?;
    Ok(BoundClient {
        client_id: Cow::Owned(client_id.to_owned()),
        redirect_uri: Cow::Owned(RegisteredUrl::Semantic(nowhere)),
    })
}

/// The scopes of the token: the requested scopes, or all of the client's.
fn negotiate(client: &Client, asked: Option<&str>) -> Result<GrantScope, ApiError> {
    let names: Vec<&str> = asked
        .unwrap_or_default()
        .split(' ')
        .filter(|s| !s.is_empty())
        .collect();
    let scopes = if names.is_empty() {
        client.scopes.clone()
    } else {
        let granted = names.into_iter().map(|name| {
            let scope = Scope::parse(name).filter(|scope| client.scopes.contains(scope));
            scope.ok_or_else(|| ApiError::invalid_scope(name, &client.scopes))
        });
        granted.collect::<Result<_, _>>()?
    };
    if scopes.is_empty() {
        return Err(ApiError::invalid_scope("", &[]));
    }
    grant_scope(&scopes).ok_or_else(ApiError::not_granted)
}

/// Converts scopes. `None` if RFC 6749 does not allow a name, which never happens.
fn grant_scope(scopes: &[Scope]) -> Option<GrantScope> {
    let names: Vec<&str> = scopes.iter().map(|scope| scope.as_str()).collect();
    names.join(" ").parse().ok()
}

/// The scopes in the order of [`Scope::ALL`], because oxide-auth's set has no order.
fn spell(scope: &GrantScope) -> String {
    let names: Vec<&str> = Scope::ALL
        .iter()
        .map(|scope| scope.as_str())
        .filter(|name| scope.iter().any(|granted| granted == *name))
        .collect();
    names.join(" ")
}

/// Gives the state machine a single pair of credentials, from the header or the form. The state
/// machine does not support a repeated client id, and has no separate error for missing
/// credentials.
impl Request for TokenRequest {
    fn valid(&self) -> bool {
        true
    }

    fn authorization(&self) -> Option<(Cow<'_, str>, Cow<'_, [u8]>)> {
        let credentials = self.credentials.as_ref().ok()?;
        Some((
            Cow::Borrowed(&credentials.client_id),
            Cow::Borrowed(credentials.client_secret.as_bytes()),
        ))
    }

    /// Hidden, because the state machine would refuse a malformed scope as `invalid_request`.
    fn scope(&self) -> Option<Cow<'_, str>> {
        None
    }

    fn grant_type(&self) -> Option<Cow<'_, str>> {
        self.grant_type.as_deref().map(Cow::Borrowed)
    }

    fn extension(&self, _key: &str) -> Option<Cow<'_, str>> {
        None
    }
}

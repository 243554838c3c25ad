//! Bearer authentication (RFC 6750): finds the client of a request, its limit and its scopes.
//!
//! Only the header is read, before a handler reads the body. Two `Authorization` headers are
//! refused (RFC 6750 §3.1). Tokens in the query or body (RFC 6750 §2.2, §2.3) are not accepted.

use std::{num::NonZeroU32, sync::Arc, time::Duration};

use access::{Client, Crowded, Scope};
use actix_web::http::header::{AUTHORIZATION, HeaderMap};
use kernel::{ClientId, Prefixes};
use time::OffsetDateTime;
use tokens::{TokenFault, VerifiedToken};
use tokio::time::sleep;

use super::{authorizer::Authorizer, clients::ActiveClient, error::AuthError};
use crate::{
    limit::{Limit, Usage},
    slots::Shares,
};

/// The client of an authorised request, which is cached for a few seconds.
#[derive(Clone)]
pub struct Caller {
    authorizer: Arc<Authorizer>,
    client: Arc<Client>,
    token: Arc<VerifiedToken>,
    limit: Option<Arc<Limit>>,
    shares: Shares,
    scopes: &'static [Scope],
}

impl Caller {
    pub fn id(&self) -> ClientId {
        self.client.id
    }

    pub fn prefixes(&self) -> &Prefixes {
        &self.client.prefixes
    }

    pub fn client(&self) -> &Client {
        &self.client
    }

    /// The client with the scopes of the token only.
    pub fn narrowed(&self) -> Client {
        Client::clone(&self.client).narrowed(&self.token.scopes)
    }

    pub const fn shares(&self) -> &Shares {
        &self.shares
    }

    /// Looks the client of a request in progress up again, because it may have been revoked or may
    /// have lost scopes. Does not count towards the limit.
    pub async fn again(&self) -> Result<Self, AuthError> {
        let Self {
            authorizer, token, ..
        } = self;
        let active = authorizer.active_client(token, authorizer.now()).await?;
        authorizer.admit(active, Arc::clone(token), self.scopes)
    }

    /// Counts the request of an import or one of its lines. Waits while the limit is used up.
    pub async fn wait_for_limit(&self) -> Option<Usage> {
        let limit = self.limit.as_ref()?;
        loop {
            match limit.count() {
                (usage, Ok(())) => return Some(usage),
                (_, Err(seconds)) => sleep(Duration::from_secs(seconds)).await,
            }
        }
    }
}

impl Authorizer {
    /// Authorises a request by its headers: the token, the limit (if the request `counts`), and the
    /// scopes, of which the client needs any one. The weakest scope must come first, because
    /// `WWW-Authenticate` names it. If the token is valid, `notice` gets the client and its usage.
    pub async fn authorize(
        self: &Arc<Self>,
        headers: &HeaderMap,
        scopes: &'static [Scope],
        counts: bool,
        notice: impl Fn(ClientId, Option<Usage>),
    ) -> Result<Caller, AuthError> {
        let now = self.now();
        let token = self
            .verify(token_of(headers)?, now)
            .map_err(AuthError::Invalid)?;
        let active = self.active_client(&token, now).await?;
        let limit = active.limit.as_deref().filter(|_| counts);
        let notice = |usage| notice(active.client.id, usage);
        counted(limit, notice).map_err(|(per_minute, retry_after)| AuthError::Limited {
            per_minute,
            retry_after,
        })?;
        if !scopes.iter().any(|scope| token.scopes.contains(scope)) {
            return Err(AuthError::InsufficientScope(scopes.to_vec()));
        }
        self.admit(active, token, scopes)
    }

    pub async fn count(
        &self,
        client: ClientId,
        notice: impl Fn(Option<Usage>),
    ) -> Result<(), Crowded> {
        let active = self.active.find(client, self.now()).await?;
        let limit = active.and_then(|active| active.limit);
        counted(limit.as_deref(), notice).map_err(|(per_minute, retry_after)| Crowded::Limited {
            per_minute,
            retry_after,
        })
    }

    fn admit(
        self: &Arc<Self>,
        active: ActiveClient,
        token: Arc<VerifiedToken>,
        scopes: &'static [Scope],
    ) -> Result<Caller, AuthError> {
        let ActiveClient {
            client,
            limit,
            shares,
        } = active;
        let is_held = |scope| token.scopes.contains(scope) && client.scopes.contains(scope);
        if !scopes.iter().any(is_held) {
            return Err(AuthError::WithdrawnScope(scopes.to_vec()));
        }
        Ok(Caller {
            authorizer: Arc::clone(self),
            client,
            token,
            limit,
            shares,
            scopes,
        })
    }

    async fn active_client(
        &self,
        token: &VerifiedToken,
        now: OffsetDateTime,
    ) -> Result<ActiveClient, AuthError> {
        match self.active.find(token.client_id, now).await {
            Ok(Some(active)) if active.client.accepts_issue(token.issued_at) => Ok(active),
            Ok(Some(_)) => Err(AuthError::Invalid(TokenFault::Ended)),
            Ok(None) => Err(AuthError::Invalid(TokenFault::Revoked)),
            Err(error) => {
                tracing::error!(%error, "a token's client could not be looked up");
                Err(AuthError::Unavailable)
            }
        }
    }
}

/// Counts a request. At the limit, the error has the limit and the seconds until the next request.
pub(super) fn counted(
    limit: Option<&Limit>,
    notice: impl Fn(Option<Usage>),
) -> Result<(), (NonZeroU32, u64)> {
    let counted = limit.map(Limit::count);
    notice(counted.map(|(usage, _)| usage));
    match counted {
        Some((usage, Err(retry_after))) => Err((usage.per_minute(), retry_after)),
        _ => Ok(()),
    }
}

fn token_of(headers: &HeaderMap) -> Result<&str, AuthError> {
    let mut values = headers.get_all(AUTHORIZATION);
    let value = values.next().ok_or(AuthError::Missing)?;
    if values.next().is_some() {
        return Err(AuthError::Ambiguous);
    }
    // `to_str` would do the same, but checks a token letter by letter.
    let value = str::from_utf8(value.as_bytes())
        .ok()
        .filter(|value| value.is_ascii())
        .ok_or(AuthError::Missing)?;
    let (scheme, token) = value.split_once(' ').unwrap_or((value, ""));
    if !scheme.eq_ignore_ascii_case("bearer") {
        return Err(AuthError::Missing);
    }
    Ok(token.trim_matches(' '))
}

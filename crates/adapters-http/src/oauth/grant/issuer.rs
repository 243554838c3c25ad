//! oxide-auth's issuer on this service's tokens, and the conversion of scopes.

use std::{cell::RefCell, sync::Arc};

use access::Scope;
use chrono::{TimeDelta, Utc};
use oxide_auth::primitives::{
    grant::{Extensions, Grant},
    issuer::{IssuedToken, Issuer, RefreshedToken, TokenType},
    scope::Scope as GrantScope,
};
use time::OffsetDateTime;
use url::Url;

use crate::oauth::{
    authorizer::Authorizer,
    jwt::{self, TokenFault, VerifiedToken},
};

/// The redirect URI that oxide-auth requires of every client. This grant has no redirects.
pub(super) const NO_REDIRECT: &str = "urn:ietf:wg:oauth:2.0:oob";
/// The latest expiry that is passed to the guard, to which a later one makes no difference.
const FAR_AHEAD: TimeDelta = TimeDelta::days(365);

/// oxide-auth's issuer on this service's tokens.
pub(super) struct TokenIssuer<'a> {
    authorizer: &'a Authorizer,
    now: OffsetDateTime,
    /// The time of issue that a new token names.
    issued_at: i64,
    /// The result of verifying the token, because oxide-auth returns only "no grant".
    pub(super) recovered: RefCell<Option<Result<Arc<VerifiedToken>, TokenFault>>>,
}

impl<'a> TokenIssuer<'a> {
    pub(super) fn new(authorizer: &'a Authorizer, now: OffsetDateTime) -> Self {
        Self {
            authorizer,
            now,
            issued_at: now.unix_timestamp(),
            recovered: RefCell::default(),
        }
    }

    /// The same, with another time of issue of new tokens.
    pub(super) const fn issuing_at(mut self, issued_at: i64) -> Self {
        self.issued_at = issued_at;
        self
    }
}

impl Issuer for TokenIssuer<'_> {
    fn issue(&mut self, grant: Grant) -> Result<IssuedToken, ()> {
        let scope = spell(&grant.scope);
        let keys = self.authorizer.keys().current();
        let key = keys.signing(self.now).ok_or_else(|| {
            tracing::error!("there is no key to sign a token with");
        })?;
        let token = self
            .authorizer
            .tokens()
            .mint(
                key,
                &jwt::Grant {
                    client_id: &grant.client_id,
                    scope: &scope,
                    issued_at: self.issued_at,
                    expires_at: grant.until.timestamp(),
                },
            )
            .map_err(|error| tracing::error!(%error, "a token could not be signed"))?;
        Ok(IssuedToken {
            token,
            refresh: None,
            until: grant.until,
            token_type: TokenType::Bearer,
        })
    }

    fn refresh(&mut self, _refresh: &str, _grant: Grant) -> Result<RefreshedToken, ()> {
        Err(())
    }

    fn recover_token<'t>(&'t self, token: &'t str) -> Result<Option<Grant>, ()> {
        let verified = self.authorizer.verify(token, self.now);
        let grant = match &verified {
            Ok(verified) => Some(recovered_grant(verified, self.now)?),
            Err(_) => None,
        };
        self.recovered.replace(Some(verified));
        Ok(grant)
    }

    fn recover_refresh<'t>(&'t self, _refresh: &'t str) -> Result<Option<Grant>, ()> {
        Ok(None)
    }
}

fn recovered_grant(token: &VerifiedToken, now: OffsetDateTime) -> Result<Grant, ()> {
    // The guard compares with the system clock, so the remaining lifetime is counted from that.
    let left = TimeDelta::try_seconds(token.expires_at.saturating_sub(now.unix_timestamp()))
        .map_or(FAR_AHEAD, |left| left.min(FAR_AHEAD));
    Ok(Grant {
        owner_id: token.client_id.to_string(),
        client_id: token.client_id.to_string(),
        scope: grant_scope(&token.scopes).ok_or(())?,
        redirect_uri: Url::parse(NO_REDIRECT).map_err(|_| ())?,
        until: Utc::now() + left,
        extensions: Extensions::new(),
    })
}

/// Converts scopes. `None` if RFC 6749 does not allow a name. No name is like that, but an empty
/// scope in its place would allow everything: oxide-auth checks that the needed scope is a subset.
pub(super) fn grant_scope(scopes: &[Scope]) -> Option<GrantScope> {
    let names: Vec<&str> = scopes.iter().map(|scope| scope.as_str()).collect();
    names.join(" ").parse().ok()
}

/// The text of a scope, in the order of [`Scope::ALL`], because oxide-auth's set has none.
pub(super) fn spell(scope: &GrantScope) -> String {
    let names: Vec<&str> = Scope::ALL
        .iter()
        .map(|scope| scope.as_str())
        .filter(|name| scope.iter().any(|granted| granted == *name))
        .collect();
    names.join(" ")
}

//! oxide-auth's issuer over this service's tokens, and scopes from one to the other.

use std::{cell::RefCell, sync::Arc};

use chrono::{TimeDelta, Utc};
use domain::client::Scope;
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

/// A client without redirects needs an address all the same; this one leads nowhere.
pub(super) const NO_REDIRECT: &str = "urn:ietf:wg:oauth:2.0:oob";
/// What `expires_at` may lie ahead for the guard; more makes no difference to it.
const FAR_AHEAD: TimeDelta = TimeDelta::days(365);

/// oxide-auth's issuer over this service's tokens.
pub(super) struct TokenIssuer<'a> {
    authorizer: &'a Authorizer,
    now: OffsetDateTime,
    /// What became of the token that was to be recovered: oxide-auth tells only "no grant".
    pub(super) recovered: RefCell<Option<Result<Arc<VerifiedToken>, TokenFault>>>,
}

impl<'a> TokenIssuer<'a> {
    pub(super) fn new(authorizer: &'a Authorizer, now: OffsetDateTime) -> Self {
        Self {
            authorizer,
            now,
            recovered: RefCell::default(),
        }
    }
}

impl Issuer for TokenIssuer<'_> {
    fn issue(&mut self, grant: Grant) -> Result<IssuedToken, ()> {
        let scope = spell(&grant.scope);
        let keys = self.authorizer.keys().current(self.now);
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
                    issued_at: self.now.unix_timestamp(),
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
    // The guard compares with the machine's clock, so it gets the time that is left by ours.
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

/// `None` for a name that RFC 6749 does not allow. There is none; but an empty scope in its
/// place would open everything, as oxide-auth asks whether the needed one is a subset.
pub(super) fn grant_scope(scopes: &[Scope]) -> Option<GrantScope> {
    let names: Vec<&str> = scopes.iter().map(|scope| scope.as_str()).collect();
    names.join(" ").parse().ok()
}

/// In the order of [`Scope::ALL`]: oxide-auth keeps a set.
pub(super) fn spell(scope: &GrantScope) -> String {
    let names: Vec<&str> = Scope::ALL
        .iter()
        .map(|scope| scope.as_str())
        .filter(|name| scope.iter().any(|granted| granted == *name))
        .collect();
    names.join(" ")
}

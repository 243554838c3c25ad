//! The authorizer: what tokens are made of and checked against.

use std::{path::Path, sync::Arc, time::Duration};

use domain::{
    client::{Client, ClientId, Clients},
    store::StoreError,
};
use time::OffsetDateTime;

use super::{
    clients::{self, ClientStates},
    failures::FailedClients,
    jwt::{TokenFault, Tokens, VerifiedToken},
    keys::{KeyError, KeyFolder, KeyRing},
};

/// The protection space that both `WWW-Authenticate` challenges name.
pub(super) const REALM: &str = "posthaste";
/// Seconds after which to try again what could not be checked.
pub(super) const RETRY_AFTER_SECONDS: u32 = 5;

/// Where the time comes from.
pub type Clock = Arc<dyn Fn() -> OffsetDateTime + Send + Sync>;

/// What tokens say, the same in every process of one database.
#[derive(Clone, Debug)]
pub struct AuthSettings {
    /// `iss`, and the base of the addresses in the metadata.
    pub issuer: String,
    /// `aud`.
    pub audience: String,
    /// How long a token holds; cut to seconds.
    pub token_ttl: Duration,
}

/// Gives out tokens and checks them. The routes and the guard share one as [`web::Data`].
pub struct Authorizer {
    pub(super) issuer: String,
    token_ttl: i64,
    tokens: Tokens,
    keys: KeyRing,
    clients: Arc<dyn Clients>,
    failed: FailedClients,
    pub(super) states: ClientStates,
    clock: Clock,
}

impl Authorizer {
    /// An authorizer that is issuer and audience by the service's public address, on the system's
    /// clock.
    ///
    /// Without a key in the folder it starts all the same: tokens can be had and are accepted
    /// once there is one.
    pub fn new(
        clients: Arc<dyn Clients>,
        keys: &Path,
        public_url: &str,
        token_ttl: Duration,
    ) -> Result<Self, KeyError> {
        let settings = AuthSettings {
            issuer: public_url.to_owned(),
            audience: public_url.to_owned(),
            token_ttl,
        };
        let clock: Clock = Arc::new(OffsetDateTime::now_utc);
        let keys = KeyRing::open(KeyFolder::new(keys), clock())?;
        Ok(Self::with_clock(settings, keys, clients, clock))
    }

    /// The same with everything given.
    pub fn with_clock(
        settings: AuthSettings,
        keys: KeyRing,
        clients: Arc<dyn Clients>,
        clock: Clock,
    ) -> Self {
        Self {
            token_ttl: i64::try_from(settings.token_ttl.as_secs()).unwrap_or(i64::MAX),
            tokens: Tokens::new(settings.issuer.clone(), settings.audience),
            issuer: settings.issuer,
            keys,
            states: ClientStates::new(Arc::clone(&clients)),
            clients,
            failed: FailedClients::default(),
            clock,
        }
    }

    pub(super) fn now(&self) -> OffsetDateTime {
        (self.clock)()
    }

    /// How many keys can be used now. The folder is read again if that was some seconds ago.
    pub fn signing_keys(&self) -> usize {
        self.keys.current(self.now()).keys().len()
    }

    /// Leaves a trace of a client that could not be authenticated.
    pub(super) fn note_failure(&self, client_id: &str) {
        self.failed.note(client_id.parse().ok(), self.now());
    }

    pub(super) const fn token_ttl(&self) -> i64 {
        self.token_ttl
    }

    pub(super) const fn keys(&self) -> &KeyRing {
        &self.keys
    }

    pub(super) const fn tokens(&self) -> &Tokens {
        &self.tokens
    }

    pub(super) async fn find_client(&self, id: ClientId) -> Result<Option<Client>, StoreError> {
        clients::within(self.clients.find(id)).await
    }

    /// A token that passed before, if nothing that may have changed since speaks against it.
    pub(super) fn remembered(
        &self,
        token: &str,
        now: OffsetDateTime,
    ) -> Option<Arc<VerifiedToken>> {
        self.tokens.remembered(token, &self.keys.current(now), now)
    }

    pub(super) fn verify(
        &self,
        token: &str,
        now: OffsetDateTime,
    ) -> Result<Arc<VerifiedToken>, TokenFault> {
        match self.tokens.verify(token, &self.keys.current(now), now) {
            Err(TokenFault::UnknownKey) => {
                self.tokens
                    .verify(token, &self.keys.current_for_unknown(now), now)
            }
            other => other,
        }
    }
}

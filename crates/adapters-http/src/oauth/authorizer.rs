//! The authorizer: issues access tokens and verifies them.

use std::{
    path::Path,
    sync::Arc,
    time::{Duration, Instant},
};

use access::{ActivityRecorder, Clients};
use kernel::ClientId;
use runtime::Clock;
use time::OffsetDateTime;

use super::{
    clients::ActiveClients,
    failures::FailedClients,
    jwt::{TokenFault, Tokens, VerifiedToken},
    keys::{KeyError, KeyFolder, KeyRing},
    limit::Uptime,
};

/// The claims that all tokens share; the same in every process on one database.
#[derive(Clone, Debug)]
pub struct AuthSettings {
    /// The `iss` claim, and the base of the addresses in the metadata.
    pub issuer: String,
    /// The `aud` claim.
    pub audience: String,
    /// The lifetime of a token, truncated to seconds.
    pub token_ttl: Duration,
}

/// Issues and verifies tokens. The routes and the guard share one as `web::Data`.
pub struct Authorizer {
    pub(super) issuer: String,
    token_ttl: i64,
    tokens: Tokens,
    keys: Arc<KeyRing>,
    recorder: Arc<dyn ActivityRecorder>,
    failed: FailedClients,
    pub(super) active: ActiveClients,
    clock: Clock,
}

impl Authorizer {
    /// An authorizer on the system clock, whose issuer and audience are the service's public URL.
    ///
    /// The folder may have no key yet: tokens are issued and accepted once it has one.
    pub fn new(
        clients: Arc<dyn Clients>,
        recorder: Arc<dyn ActivityRecorder>,
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
        let keys = KeyRing::open(KeyFolder::new(keys))?;
        let start = Instant::now();
        let uptime = Uptime(Arc::new(move || start.elapsed()));
        Ok(Self::build(
            settings, keys, clients, recorder, clock, uptime,
        ))
    }

    /// An authorizer with other claims or another clock, by which limits are counted, too.
    pub fn with_clock(
        settings: AuthSettings,
        keys: KeyRing,
        clients: Arc<dyn Clients>,
        recorder: Arc<dyn ActivityRecorder>,
        clock: Clock,
    ) -> Self {
        let shown = Arc::clone(&clock);
        let uptime = Uptime(Arc::new(move || {
            let since_1970 = shown() - OffsetDateTime::UNIX_EPOCH;
            since_1970.try_into().unwrap_or_default()
        }));
        Self::build(settings, keys, clients, recorder, clock, uptime)
    }

    fn build(
        settings: AuthSettings,
        keys: KeyRing,
        clients: Arc<dyn Clients>,
        recorder: Arc<dyn ActivityRecorder>,
        clock: Clock,
        uptime: Uptime,
    ) -> Self {
        Self {
            token_ttl: i64::try_from(settings.token_ttl.as_secs()).unwrap_or(i64::MAX),
            tokens: Tokens::new(settings.issuer.clone(), settings.audience),
            issuer: settings.issuer,
            keys: Arc::new(keys),
            active: ActiveClients::new(clients, uptime),
            recorder,
            failed: FailedClients::default(),
            clock,
        }
    }

    pub(super) fn now(&self) -> OffsetDateTime {
        (self.clock)()
    }

    /// The number of usable keys.
    pub fn signing_keys(&self) -> usize {
        self.keys.current().keys().len()
    }

    /// Logs, at a limited rate, that a client could not be authenticated.
    pub(super) fn note_failure(&self, client_id: &str) {
        self.failed.note(client_id.parse().ok(), self.now());
    }

    pub(super) const fn token_ttl(&self) -> i64 {
        self.token_ttl
    }

    pub(crate) const fn keys(&self) -> &Arc<KeyRing> {
        &self.keys
    }

    pub(super) const fn tokens(&self) -> &Tokens {
        &self.tokens
    }

    /// Records that a token was issued for the secret with this digest.
    pub(super) fn note_use(&self, client: ClientId, digest: [u8; 32], now: OffsetDateTime) {
        self.recorder
            .used(client, digest, kernel::microseconds(now));
    }

    /// A token that was accepted before, if its key is still known and it has not expired.
    pub(super) fn remembered(
        &self,
        token: &str,
        now: OffsetDateTime,
    ) -> Option<Arc<VerifiedToken>> {
        self.tokens.remembered(token, &self.keys.current(), now)
    }

    pub(super) fn verify(
        &self,
        token: &str,
        now: OffsetDateTime,
    ) -> Result<Arc<VerifiedToken>, TokenFault> {
        self.tokens.verify(token, &self.keys.current(), now)
    }
}

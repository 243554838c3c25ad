//! The authorizer, which issues access tokens and verifies them.

use std::{
    path::Path,
    sync::Arc,
    time::{Duration, Instant},
};

use access::{ActivityRecorder, Clients};
use runtime::{Clock, clock};
use time::OffsetDateTime;
use tokens::{KeyError, KeyFolder, KeyRing, TokenFault, Tokens, VerifiedToken};

use super::{clients::ActiveClients, failures::FailedClients};
use crate::{limit::Uptime, slots::Limits};

/// Issues and verifies tokens. The routes and the guard share an authorizer as `web::Data`.
pub struct Authorizer {
    pub(super) token_ttl: i64,
    pub(super) tokens: Tokens,
    pub(super) recorder: Arc<dyn ActivityRecorder>,
    pub(super) active: ActiveClients,
    keys: Arc<KeyRing>,
    failed: FailedClients,
    clock: Clock,
}

impl Authorizer {
    /// The public URL is the issuer and the audience, so it must be the same in every process on a
    /// database. The key folder may be empty at first. No tokens are issued until it has a key.
    pub fn new(
        clients: Arc<dyn Clients>,
        recorder: Arc<dyn ActivityRecorder>,
        keys: &Path,
        public_url: &str,
        token_ttl: Duration,
        limits: Limits,
    ) -> Result<Self, KeyError> {
        let start = Instant::now();
        let clocks = (clock::system(), Uptime(Arc::new(move || start.elapsed())));
        let keys = KeyRing::open(KeyFolder::new(keys))?;
        let tokens = Tokens::new(public_url.to_owned());
        Ok(Self::with_clocks(
            tokens, token_ttl, keys, clients, recorder, clocks, limits,
        ))
    }

    pub(super) fn with_clocks(
        tokens: Tokens,
        token_ttl: Duration,
        keys: KeyRing,
        clients: Arc<dyn Clients>,
        recorder: Arc<dyn ActivityRecorder>,
        (clock, uptime): (Clock, Uptime),
        limits: Limits,
    ) -> Self {
        Self {
            token_ttl: i64::try_from(token_ttl.as_secs()).unwrap_or(i64::MAX),
            tokens,
            keys: Arc::new(keys),
            active: ActiveClients::new(clients, uptime, limits),
            recorder,
            failed: FailedClients::default(),
            clock,
        }
    }

    pub(super) fn now(&self) -> OffsetDateTime {
        (self.clock)()
    }

    pub fn signing_keys(&self) -> usize {
        self.keys.current().keys().len()
    }

    pub(super) fn note_failure(&self, client_id: &str) {
        self.failed.note(client_id.parse().ok(), self.now());
    }

    pub(crate) const fn keys(&self) -> &Arc<KeyRing> {
        &self.keys
    }

    /// Returns the claims of a valid token. Its client may have been revoked since.
    pub(super) fn verify(
        &self,
        token: &str,
        now: OffsetDateTime,
    ) -> Result<Arc<VerifiedToken>, TokenFault> {
        self.tokens.verify(token, &self.keys.current(), now)
    }
}

use std::{io, sync::Arc};

use ::newsletter::subscriber::provider::ProviderError;
use enrichment::EnrichError;
use kernel::{
    StoreError,
    outbox::{ClaimToken, Claimed, Kind, LOST_TOO_OFTEN, Queue, next_attempt},
};
use runtime::Loops;
use time::{Duration, OffsetDateTime};
use uuid::Uuid;

use super::{
    background::Background, parts::WorkerParts, quarantine::Quarantine, settings::WorkerSettings,
};

pub(super) struct KindHandler {
    pub kinds: &'static [Kind],
    pub start: fn(&Tasks, &mut Loops),
}

#[derive(Clone)]
pub(super) struct Tasks {
    pub parts: Arc<WorkerParts>,
    pub quarantine: Arc<Quarantine>,
    pub threads: Arc<Background>,
}

impl Tasks {
    pub fn new(parts: WorkerParts) -> io::Result<Self> {
        Ok(Self {
            threads: Arc::new(parts.settings.threads()?),
            parts: Arc::new(parts),
            quarantine: Arc::default(),
        })
    }

    pub fn settings(&self) -> &WorkerSettings {
        &self.parts.settings
    }

    pub fn now(&self) -> OffsetDateTime {
        (self.parts.clock)()
    }

    pub fn lease(&self) -> Duration {
        Duration::try_from(self.settings().lease.length).unwrap_or(Duration::MAX)
    }

    /// Claims due tasks of a queue. If there are none, claims those of its fallback queue.
    pub async fn claim(&self, queue: Queue, limit: usize) -> Result<Vec<Claimed>, StoreError> {
        let lease = self.lease();
        for queue in with_behind(queue) {
            let claimed = self
                .parts
                .stores
                .outbox
                .claim(queue, limit, lease, Uuid::now_v7(), self.now())
                .await?;
            if !claimed.is_empty() {
                return Ok(claimed);
            }
        }
        Ok(Vec::new())
    }

    /// Whether a queue or its fallback has a crashed task. Asks the store at most once per
    /// interval.
    pub async fn has_crashed(&self, queue: Queue) -> Result<bool, StoreError> {
        let every = self.settings().poll_every;
        if !self.quarantine.is_to_look(queue, every) {
            return Ok(false);
        }
        for queue in with_behind(queue) {
            if self
                .parts
                .stores
                .outbox
                .has_crashed(queue, self.now())
                .await?
            {
                return Ok(true);
            }
        }
        Ok(false)
    }

    pub async fn claim_crashed(&self, queue: Queue) -> Result<Option<Claimed>, StoreError> {
        let (lease, now) = (self.lease(), self.now());
        for queue in with_behind(queue) {
            let claim = self
                .parts
                .stores
                .outbox
                .claim_crashed(queue, lease, Uuid::now_v7(), now);
            if let Some(task) = claim.await? {
                return Ok(Some(task));
            }
        }
        Ok(None)
    }

    pub async fn keep(&self, tokens: &[ClaimToken]) {
        let renew = async || {
            let until = self.now() + self.lease();
            self.parts.stores.outbox.renew(tokens, until).await?;
            Ok::<_, StoreError>(true)
        };
        self.settings().lease.renew("tasks", renew).await;
    }

    /// Releases tasks, which are due after a delay. No failure is counted. Errors are ignored,
    /// because the leases expire.
    pub async fn give_back(&self, tokens: &[ClaimToken], after: Duration) {
        if tokens.is_empty() {
            return;
        }
        if let Err(error) = self
            .parts
            .stores
            .outbox
            .give_back(tokens, self.now() + after)
            .await
        {
            tracing::debug!(%error, "tasks stay leased until their leases end");
        }
    }

    /// Postpones or dead-letters a failed task. Returns whether this was recorded.
    pub async fn failed(&self, task: &Claimed, failure: impl Into<Failure>) -> bool {
        let failure = failure.into();
        match self.next_attempt(task, &failure) {
            Some(next_at) => self.put_off(task, &failure, next_at).await,
            None => self.dead_letter(task, &failure).await,
        }
    }

    pub fn next_attempt(&self, task: &Claimed, failure: &Failure) -> Option<OffsetDateTime> {
        let Again::After(asked) = failure.again else {
            return None;
        };
        // A requested wait counts as a day at most.
        let asked = asked.map(|asked| {
            Duration::try_from(asked)
                .unwrap_or(Duration::DAY)
                .min(Duration::DAY)
        });
        let (attempts, since) = (task.attempts, task.first_failed_at);
        next_attempt(attempts, since, asked, rand::random(), self.now())
    }

    pub async fn put_off(
        &self,
        task: &Claimed,
        failure: &Failure,
        next_at: OffsetDateTime,
    ) -> bool {
        let (error, attempts) = (failure.message.as_str(), task.attempts);
        let (kind, key) = (task.effect.kind(), task.effect.key());
        tracing::warn!(%kind, %key, attempts, %next_at, error, "a task failed");
        let settled = self
            .parts
            .stores
            .outbox
            .retry(task.token, next_at, error, self.now());
        recorded(&settled.await)
    }

    pub async fn dead_letter(&self, task: &Claimed, failure: &Failure) -> bool {
        failure.log_end(task);
        let (error, now) = (failure.message.as_str(), self.now());
        recorded(
            &self
                .parts
                .stores
                .outbox
                .give_up(task.token, error, now)
                .await,
        )
    }
}

fn with_behind(queue: Queue) -> impl Iterator<Item = Queue> {
    std::iter::once(queue).chain(queue.fallback())
}

fn recorded(settled: &Result<(), StoreError>) -> bool {
    if let Err(error) = settled {
        tracing::warn!(%error, "a failure was not recorded; its task is due when the lease ends");
    }
    settled.is_ok()
}

pub(super) struct Failure {
    pub message: String,
    again: Again,
}

enum Again {
    /// Retries by the retry policy, but not before this wait has passed.
    After(Option<std::time::Duration>),
    /// Retries only after an operator's action.
    Never,
}

impl Failure {
    /// The failure of a task whose workers died while they handled it.
    pub fn poison() -> Self {
        Self {
            message: LOST_TOO_OFTEN.to_owned(),
            again: Again::Never,
        }
    }

    pub fn log_end(&self, task: &Claimed) {
        let (error, attempts) = (self.message.as_str(), task.attempts);
        let (kind, key) = (task.effect.kind(), task.effect.key());
        tracing::error!(%kind, %key, attempts, error, "a task is a dead letter");
    }
}

impl From<EnrichError> for Failure {
    fn from(error: EnrichError) -> Self {
        let message = error.to_string();
        let again = match error {
            EnrichError::Retry { after, .. } | EnrichError::Unavailable { after, .. } => {
                Again::After(after)
            }
            EnrichError::Permanent(_) => Again::Never,
        };
        Self { message, again }
    }
}

impl From<ProviderError> for Failure {
    fn from(error: ProviderError) -> Self {
        let message = error.to_string();
        let again = match error {
            ProviderError::Retry { after, .. } | ProviderError::Limited { after, .. } => {
                Again::After(after)
            }
            // A new key ends the failure, so the task is retried. The breaker in `newsletter`
            // pauses the calls.
            ProviderError::Locked(_) => Again::After(None),
            ProviderError::Permanent(_) => Again::Never,
        };
        Self { message, again }
    }
}

impl From<StoreError> for Failure {
    fn from(error: StoreError) -> Self {
        Self {
            message: error.to_string(),
            again: Again::After(None),
        }
    }
}

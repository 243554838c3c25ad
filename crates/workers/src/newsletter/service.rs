//! Answers the newsletter's commands (see [`Newsletter`]).
//!
//! Each command runs in a task of its own, so that a dropped request does not cancel it. After a
//! conflict, the command is retried until its deadline.

use std::{sync::Arc, time::Duration};

use async_trait::async_trait;
use kernel::{ClientId, StoreError};
use newsletter::{
    audit,
    store::Store,
    subscriber::{Email, MigrationToken, PutSubscriber, ReceivedEvent, Subscriber, migration},
    usecase::{self, Erased, Newsletter, NewsletterError, Reported},
};
use runtime::{COMMAND_PATIENCE as DEADLINE, Clock, decide_again};
use tokio::{
    runtime::Handle,
    time::{Instant, timeout, timeout_at},
};
use tokio_util::task::TaskTracker;
use uuid::Uuid;

/// Extra time for commits that began before their command's deadline.
const GRACE: Duration = Duration::from_secs(5);

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Links {
    Move,
    /// Refuses moves by link, because the group that people join when they move is not configured.
    /// The configured value `none` means no group, and allows moves.
    Refuse,
}

#[derive(Clone)]
pub struct NewsletterService {
    store: Arc<dyn Store>,
    clock: Clock,
    links: Links,
    runtime: Handle,
    tasks: TaskTracker,
}

impl NewsletterService {
    /// Commands run on the current runtime, wherever a caller awaits them.
    pub fn new(store: &Arc<dyn Store>, clock: &Clock, links: Links) -> Self {
        Self {
            store: Arc::clone(store),
            clock: Arc::clone(clock),
            links,
            runtime: Handle::current(),
            tasks: TaskTracker::new(),
        }
    }

    pub async fn stop(self) {
        self.tasks.close();
        if timeout(DEADLINE + GRACE, self.tasks.wait()).await.is_err() {
            tracing::error!("the store does not answer; whether a commit took place is not known");
        }
    }

    async fn run<T, F>(
        &self,
        work: impl FnOnce(Arc<dyn Store>, Clock) -> F,
    ) -> Result<T, NewsletterError>
    where
        T: Send + 'static,
        F: Future<Output = Result<T, StoreError>> + Send + 'static,
    {
        let deadline = Instant::now() + DEADLINE;
        let work = work(Arc::clone(&self.store), Arc::clone(&self.clock));
        let task = self.tasks.spawn_on(work, &self.runtime);
        match timeout_at(deadline, task).await {
            Ok(Ok(result)) => result.map_err(refusal),
            Ok(Err(error)) => Err(NewsletterError::Broken(error.to_string())),
            Err(_) => Err(unavailable("it took too long")),
        }
    }
}

macro_rules! decide {
    ($service:expr, |$store:ident, $now:ident| $attempt:expr) => {
        $service
            .run(|store, clock| async move {
                let attempt = || {
                    let ($store, $now) = (&*store, clock());
                    $attempt
                };
                decide_again(DEADLINE, attempt).await
            })
            .await
    };
}

#[async_trait]
impl Newsletter for NewsletterService {
    async fn put(&self, put: PutSubscriber) -> Result<Reported, NewsletterError> {
        decide!(self, |store, now| usecase::put_subscriber(store, &put, now))
    }

    async fn find(&self, email: &Email) -> Result<Option<Subscriber>, NewsletterError> {
        let email = email.clone();
        decide!(self, |store, _now| usecase::find_subscriber(store, &email))
    }

    async fn erase(&self, email: &Email, by: ClientId) -> Result<bool, NewsletterError> {
        let (email, run) = (email.clone(), Uuid::now_v7());
        let erased = decide!(self, |store, now| {
            usecase::erase(store, &email, audit::erasure(run, by, now))
        })?;
        Ok(erased == Erased::Reported)
    }

    async fn notice(&self, notices: Vec<ReceivedEvent>) -> Result<(), NewsletterError> {
        decide!(self, |store, now| usecase::notice_events(
            store, &notices, now
        ))
    }

    async fn find_by_token(
        &self,
        token: &MigrationToken,
    ) -> Result<Option<Subscriber>, NewsletterError> {
        let token = token.clone();
        decide!(self, |store, _now| usecase::find_subscriber_by_token(
            store, &token
        ))
    }

    async fn confirm_migration(
        &self,
        token: &MigrationToken,
    ) -> Result<Option<Subscriber>, NewsletterError> {
        if self.links == Links::Refuse {
            return match self.find_by_token(token).await? {
                Some(holder) if migration::is_to_move(&holder) => Err(NewsletterError::NotSetUp),
                other => Ok(other),
            };
        }
        let token = token.clone();
        decide!(self, |store, now| usecase::confirm_migration(
            store, &token, now
        ))
    }

    async fn unsubscribe(
        &self,
        token: &MigrationToken,
    ) -> Result<Option<Subscriber>, NewsletterError> {
        let token = token.clone();
        decide!(self, |store, now| usecase::unsubscribe_holder(
            store, &token, now
        ))
    }
}

fn refusal(error: StoreError) -> NewsletterError {
    match error {
        StoreError::Conflict => unavailable("others kept changing the same subscriber"),
        StoreError::Locked(why) | StoreError::Unavailable(why) | StoreError::InDoubt(why) => {
            NewsletterError::Unavailable(why)
        }
        StoreError::Broken(why) => NewsletterError::Broken(why),
    }
}

fn unavailable(why: &str) -> NewsletterError {
    NewsletterError::Unavailable(why.to_owned())
}

#[cfg(test)]
mod tests;

//! Moves to the provider's new account: the decision, and its steps at the provider.
//!
//! [`begin_move`] starts the task. [`look_up`] asks the old account, and [`record_found`] records
//! its answer before anything else happens. [`join`] adds the subscriber to the new account,
//! [`record_joined`] records the answer. The old account is looked up and recorded once more,
//! because a subscriber may unsubscribe during the call to the new one. Only then [`leave`] removes
//! the subscriber from the old account, and [`record_move`] records the arrival. If a step shows a
//! suppression, the subscriber stays in the old account and is withdrawn from the new one. Each
//! step can be repeated, so a move that starts over after a failure loses no subscriber.

use kernel::outbox::ClaimToken;
use time::OffsetDateTime;

use super::{ProviderJob, report::is_reported};
use crate::{
    store::{Store, StoreError, WriteSet},
    subscriber::{
        Account, Email, Migrated, MigrationSource, MigrationToken, Subscriber, SubscriberId,
        migration::{self, Next},
        provider::{Found, Provider, ProviderError, ProviderStatus},
        sync::Observation,
    },
    tasks,
};

/// The outcome of a request to move a subscriber.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Migration {
    /// The move has started.
    Started,
    /// It was started before.
    Unchanged,
    /// The address was not reported.
    Unknown,
}

/// Starts the moves of several subscribers in one commit.
pub async fn migrate(
    store: &dyn Store,
    emails: &[Email],
    source: MigrationSource,
    now: OffsetDateTime,
) -> Result<Vec<Migration>, StoreError> {
    let mut known = store.load(emails).await?;
    let mut writes = WriteSet::new(now);
    let mut answers = Vec::with_capacity(emails.len());
    for email in emails {
        let Some(subscriber) = known.get_mut(email).filter(|known| is_reported(known)) else {
            answers.push(Migration::Unknown);
            continue;
        };
        answers.push(match migration::migrate(subscriber, source, now) {
            Some(change) => {
                *subscriber = change.record(&mut writes);
                Migration::Started
            }
            None => Migration::Unchanged,
        });
    }
    if !writes.is_empty() {
        store.commit(writes).await?;
    }
    Ok(answers)
}

/// Starts the move of a token's holder, who has confirmed it. Returns the subscriber afterwards;
/// `None` if no reported subscriber holds the token.
pub async fn confirm_migration(
    store: &dyn Store,
    token: &MigrationToken,
    now: OffsetDateTime,
) -> Result<Option<Subscriber>, StoreError> {
    let Some(holder) = super::find_subscriber_by_token(store, token).await? else {
        return Ok(None);
    };
    let source = MigrationSource::EmailConfirmation;
    let Some(change) = migration::migrate(&holder, source, now) else {
        return Ok(Some(holder));
    };
    let mut writes = WriteSet::new(now);
    let after = change.record(&mut writes);
    store.commit(writes).await?;
    Ok(Some(after))
}

/// Returns the job of a claimed move. Finishes a task that is no longer needed.
pub async fn begin_move(
    store: &dyn Store,
    token: ClaimToken,
    id: SubscriberId,
    now: OffsetDateTime,
) -> Result<Option<ProviderJob>, StoreError> {
    let known = store.load_by_id(&[id]).await?;
    let job = known.get(&id).and_then(|subscriber| {
        migration::due(subscriber)?;
        Some(job(token, subscriber))
    });
    if job.is_none() {
        let mut writes = WriteSet::new(now);
        writes.tasks.done.push(token);
        store.commit(writes).await?;
    }
    Ok(job)
}

/// The job for the subscriber's present state.
fn job(token: ClaimToken, subscriber: &Subscriber) -> ProviderJob {
    let has_joined = |migrated: Migrated| migrated.has_joined;
    ProviderJob {
        token,
        subscriber: subscriber.id,
        state: subscriber.provider_state(),
        id: subscriber.places.new.id.clone(),
        joins: !subscriber.migrated.is_some_and(has_joined),
    }
}

/// Looks the subscriber up in the old account.
pub async fn look_up(
    provider: &dyn Provider,
    job: &ProviderJob,
) -> Result<Option<Found>, ProviderError> {
    let email = &job.state.profile.email;
    provider.find(Account::Old, email).await
}

/// How a move continues after a recorded step.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum MoveStep {
    /// With this job.
    GoOn(ProviderJob),
    /// It has ended, and its task is finished.
    Done,
    /// It stops for an operator.
    Stuck(ProviderError),
}

/// Records the old account's answer and returns how the move continues. `was_there`: the account
/// showed the subscriber earlier in this attempt.
pub async fn record_found(
    store: &dyn Store,
    job: &ProviderJob,
    found: Option<&Found>,
    was_there: bool,
    now: OffsetDateTime,
) -> Result<MoveStep, StoreError> {
    record_step(store, job, now, |subscriber| {
        migration::look(subscriber, found, was_there, now)
    })
    .await
}

/// Adds the subscriber to the new account, and to its group unless they joined it before: that
/// starts the chain of e-mails.
pub async fn join(
    provider: &dyn Provider,
    job: &ProviderJob,
) -> Result<Observation, ProviderError> {
    let profile = &job.state.profile;
    if job.id.is_some() {
        // A subscriber whom the account has lost is not created again.
        match provider.find(Account::New, &profile.email).await? {
            None => return Ok(Observation::Missing),
            Some(found) if found.is_deleted => return Ok(Observation::Missing),
            Some(found) if found.status != ProviderStatus::Active => {
                return Ok(Observation::Found(found));
            }
            Some(_) => {}
        }
    }
    let upserted = provider.upsert(Account::New, profile, job.joins).await?;
    job.observe(provider, upserted).await
}

/// Records the new account's answer.
pub async fn record_joined(
    store: &dyn Store,
    job: &ProviderJob,
    observed: &Observation,
    now: OffsetDateTime,
) -> Result<MoveStep, StoreError> {
    record_step(store, job, now, |subscriber| {
        migration::join(subscriber, observed, now)
    })
    .await
}

/// Removes the subscriber from the old account.
pub async fn leave(provider: &dyn Provider, found: Option<&Found>) -> Result<(), ProviderError> {
    match found {
        Some(found) => provider.remove(Account::Old, &found.id).await,
        None => Ok(()),
    }
}

async fn record_step(
    store: &dyn Store,
    job: &ProviderJob,
    now: OffsetDateTime,
    decide: impl FnOnce(&Subscriber) -> (Subscriber, Next) + Send,
) -> Result<MoveStep, StoreError> {
    let id = job.subscriber;
    let known = store.load_by_id(&[id]).await?;
    let mut writes = WriteSet::new(now);
    let under_way = known
        .get(&id)
        .filter(|subscriber| migration::due(subscriber).is_some());
    let step = match under_way {
        None => {
            writes.tasks.done.push(job.token);
            MoveStep::Done
        }
        // The departure removes the other address from the new account.
        Some(subscriber) if !migration::is_of(subscriber, &job.state) => {
            writes.tasks.done.push(job.token);
            writes.tasks.ask(tasks::migrate(id));
            MoveStep::Done
        }
        Some(subscriber) => {
            let (after, next) = decide(subscriber);
            if next == Next::Stay {
                migration::stay(subscriber, after, now).record(&mut writes);
                writes.tasks.done.push(job.token);
                MoveStep::Done
            } else {
                let step = match next {
                    Next::Stuck(why) => MoveStep::Stuck(ProviderError::Permanent(why)),
                    _ => MoveStep::GoOn(self::job(job.token, &after)),
                };
                if let Some(change) = migration::change(subscriber, after, now) {
                    change.record(&mut writes);
                }
                step
            }
        }
    };
    if !writes.is_empty() {
        store.commit(writes).await?;
    }
    Ok(step)
}

/// Records the arrival in the new account, with the state sent on joining, and finishes the task.
pub async fn record_move(
    store: &dyn Store,
    joined: &ProviderJob,
    now: OffsetDateTime,
) -> Result<(), StoreError> {
    let known = store.load_by_id(&[joined.subscriber]).await?;
    let mut writes = WriteSet::new(now);
    writes.tasks.done.push(joined.token);
    let subscriber = known.get(&joined.subscriber);
    if let Some(subscriber) = subscriber.filter(|it| migration::due(it).is_some()) {
        if !migration::is_of(subscriber, &joined.state) {
            writes.tasks.ask(tasks::migrate(joined.subscriber));
        } else if let Some(change) = migration::arrive(subscriber, &joined.state, now) {
            change.record(&mut writes);
        }
    }
    store.commit(writes).await
}

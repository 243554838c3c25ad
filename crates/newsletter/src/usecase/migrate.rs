use kernel::outbox::ClaimToken;
use time::OffsetDateTime;

use super::{
    report::is_reported,
    sync::ProviderJob,
    task::{TaskError, TaskPorts},
};
use crate::{
    store::{Store, StoreError, WriteSet},
    subscriber::{
        Account, Email, Migrated, MigrationSource, Subscriber, SubscriberId,
        migration::{self, Next},
        provider::{Provider, ProviderError, ProviderStatus},
        sync::Observation,
    },
    tasks,
};

/// The outcome of a request to move a subscriber.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Migration {
    /// The move has started, or continues.
    Started,
    /// The move had already ended, or a suppressed subscriber confirmed it.
    Unchanged,
    /// The address was not reported.
    Unknown,
}

/// Starts the moves of several subscribers in one commit. A move in progress gets its task again,
/// which may be dead or dismissed.
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
            None if subscriber.is_under_way() => {
                writes.tasks.ask(tasks::migrate(subscriber.id));
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

/// Carries out a claimed move, whose steps can be repeated after a failure:
///
/// 1. Looks the subscriber up in the old account, and records the answer.
/// 2. Adds them to the new account.
/// 3. Looks them up again, because they may have unsubscribed meanwhile.
/// 4. Removes them from the old account.
///
/// If a step shows a suppression, the subscriber stays in the old account, and leaves the new one.
pub async fn carry_out_move(
    ports: &impl TaskPorts,
    token: ClaimToken,
    id: SubscriberId,
) -> Result<(), TaskError> {
    let (store, provider, old) = (ports.store(), ports.provider(), Account::Old);
    let Some(job) = ports
        .again(|| Box::pin(begin_move(store, token, id, ports.now())))
        .await?
    else {
        return Ok(());
    };
    let email = &job.state.profile.email;
    let _alone = ports.alone(email).await;
    let found = provider.find(old, email).await?;
    let was_there = found.is_some();
    let look: Decide<'_> = &|it, now| migration::look(it, found.as_ref(), false, now);
    let Some(joining) = step(ports, &job, look).await? else {
        return Ok(());
    };
    let observed = join(provider, &joining).await?;
    let look: Decide<'_> = &|it, now| migration::join(it, &observed, now);
    let Some(joined) = step(ports, &joining, look).await? else {
        return Ok(());
    };
    let found = provider.find(old, email).await?;
    let look: Decide<'_> = &|it, now| migration::look(it, found.as_ref(), was_there, now);
    if step(ports, &joined, look).await?.is_none() {
        return Ok(());
    }
    if let Some(found) = &found {
        provider.remove(old, &found.id).await?;
    }
    Ok(ports
        .again(|| Box::pin(record_move(store, &joining, ports.now())))
        .await?)
}

async fn begin_move(
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

async fn join(provider: &dyn Provider, job: &ProviderJob) -> Result<Observation, ProviderError> {
    let profile = &job.state.profile;
    if job.id.is_some() {
        // If the account has lost a subscriber, the move does not create them again.
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

async fn step(
    ports: &impl TaskPorts,
    job: &ProviderJob,
    decide: Decide<'_>,
) -> Result<Option<ProviderJob>, TaskError> {
    let recorded = ports
        .again(|| Box::pin(record_step(ports.store(), job, decide, ports.now())))
        .await?;
    Ok(recorded?)
}

type Decide<'a> = &'a (dyn Fn(&Subscriber, OffsetDateTime) -> (Subscriber, Next) + Sync);

/// Returns `None` if the move has ended and its task is finished. A `ProviderError` makes the task
/// a dead letter.
async fn record_step(
    store: &dyn Store,
    job: &ProviderJob,
    decide: Decide<'_>,
    now: OffsetDateTime,
) -> Result<Result<Option<ProviderJob>, ProviderError>, StoreError> {
    let id = job.subscriber;
    let known = store.load_by_id(&[id]).await?;
    let mut writes = WriteSet::new(now);
    let under_way = known
        .get(&id)
        .filter(|subscriber| migration::due(subscriber).is_some());
    let mut next = Ok(None);
    match under_way {
        Some(subscriber) if migration::is_of(subscriber, &job.state) => {
            let (after, decided) = decide(subscriber, now);
            if decided == Next::Stay {
                migration::stay(subscriber, after, now).record(&mut writes);
            } else {
                next = match decided {
                    Next::Stuck(why) => Err(ProviderError::Permanent(why)),
                    _ => Ok(Some(self::job(job.token, &after))),
                };
                if let Some(change) = migration::change(subscriber, after, now) {
                    change.record(&mut writes);
                }
            }
        }
        // The address changed. The departure removes the old address from the new account.
        Some(_) => writes.tasks.ask(tasks::migrate(id)),
        None => {}
    }
    if next == Ok(None) {
        writes.tasks.done.push(job.token);
    }
    if !writes.is_empty() {
        store.commit(writes).await?;
    }
    Ok(next)
}

async fn record_move(
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

//! Moves to the provider's new account: the decision, and its steps at the provider.
//!
//! [`begin_move`] says who is to be moved. Then, for each: [`look_up`] asks the old account,
//! [`record_found`] records what it showed before anything else happens, [`join`] puts the person
//! into the new account, [`record_joined`] records what that showed; the old account is looked up
//! and recorded once more, because somebody may have left while the new one was called; only then
//! [`leave`] takes the person out of the old account, and [`record_move`] records the arrival.
//! Who is suppressed by any of these stays in the old account and is withdrawn from the new one.
//! Each step may be done again: whoever starts over after a failure loses nobody.

use domain::outbox::Receipt;
use time::OffsetDateTime;

use super::{Errand, report::is_reported};
use crate::{
    store::{Store, StoreError, WriteSet},
    subscriber::{
        Account, Email, Migrated, MigrationSource, MigrationToken, Subscriber, SubscriberId,
        migration::{self, Next},
        provider::{Found, Provider, ProviderError, ProviderStatus},
        sync::Sight,
    },
    tasks,
};

/// What became of the wish to move somebody.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Migration {
    /// They are on the way.
    Started,
    /// They had moved before, and stay as they are.
    Unchanged,
    /// Nobody has reported them.
    Unknown,
}

/// Moves people to the new account, in one commit.
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

/// Moves the holder of a token to the new account because they confirmed it, and gives them as
/// they are afterwards; `None` when nobody who was reported holds it.
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

/// Says what the new account has to be told of the person who is to be moved for a task. A task
/// that needs nothing any more is finished on the spot.
pub async fn begin_move(
    store: &dyn Store,
    receipt: Receipt,
    id: SubscriberId,
    now: OffsetDateTime,
) -> Result<Option<Errand>, StoreError> {
    let known = store.load_by_id(&[id]).await?;
    let errand = known.get(&id).and_then(|subscriber| {
        migration::due(subscriber)?;
        Some(errand(receipt, subscriber))
    });
    if errand.is_none() {
        let mut writes = WriteSet::new(now);
        writes.tasks.done.push(receipt);
        store.commit(writes).await?;
    }
    Ok(errand)
}

/// What a move tells the new account of the person, as they are known by now.
fn errand(receipt: Receipt, subscriber: &Subscriber) -> Errand {
    let has_joined = |migrated: Migrated| migrated.has_joined;
    Errand {
        receipt,
        subscriber: subscriber.id,
        state: subscriber.provider_state(),
        id: subscriber.places.new.id.clone(),
        joins: !subscriber.migrated.is_some_and(has_joined),
    }
}

/// Looks the person up in the old account.
pub async fn look_up(
    provider: &dyn Provider,
    errand: &Errand,
) -> Result<Option<Found>, ProviderError> {
    let email = &errand.state.profile.email;
    provider.find(Account::Old, email).await
}

/// How a move goes on after a step was recorded.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum MoveStep {
    /// With this.
    GoOn(Errand),
    /// Not at all: the task is finished.
    Over,
    /// Not without an operator.
    Stuck(ProviderError),
}

/// Records what the old account showed, before anything follows from it, and says how the move
/// goes on by what is known by now. `was_there` says that the account showed the person earlier
/// in this attempt.
pub async fn record_found(
    store: &dyn Store,
    errand: &Errand,
    found: Option<&Found>,
    was_there: bool,
    now: OffsetDateTime,
) -> Result<MoveStep, StoreError> {
    record_step(store, errand, now, |subscriber| {
        migration::look(subscriber, found, was_there, now)
    })
    .await
}

/// Puts the person into the new account, and into its group if they have not been in it: that starts
/// its chain of e-mails.
pub async fn join(provider: &dyn Provider, errand: &Errand) -> Result<Sight, ProviderError> {
    let profile = &errand.state.profile;
    if errand.id.is_some() {
        // Whom the account had and has no more is not created again.
        match provider.find(Account::New, &profile.email).await? {
            None => return Ok(Sight::Missing),
            Some(found) if found.is_deleted => return Ok(Sight::Missing),
            Some(found) if found.status != ProviderStatus::Active => {
                return Ok(Sight::Found(found));
            }
            Some(_) => {}
        }
    }
    let upserted = provider.upsert(Account::New, profile, errand.joins).await?;
    errand.sight(provider, upserted).await
}

/// Records what the new account showed of the person who joined.
pub async fn record_joined(
    store: &dyn Store,
    errand: &Errand,
    sight: &Sight,
    now: OffsetDateTime,
) -> Result<MoveStep, StoreError> {
    record_step(store, errand, now, |subscriber| {
        migration::join(subscriber, sight, now)
    })
    .await
}

/// Takes the person, who is active in the new account, out of the old one.
pub async fn leave(provider: &dyn Provider, found: Option<&Found>) -> Result<(), ProviderError> {
    match found {
        Some(found) => provider.remove(Account::Old, &found.id).await,
        None => Ok(()),
    }
}

async fn record_step(
    store: &dyn Store,
    errand: &Errand,
    now: OffsetDateTime,
    decide: impl FnOnce(&Subscriber) -> (Subscriber, Next) + Send,
) -> Result<MoveStep, StoreError> {
    let id = errand.subscriber;
    let known = store.load_by_id(&[id]).await?;
    let mut writes = WriteSet::new(now);
    let under_way = known
        .get(&id)
        .filter(|subscriber| migration::due(subscriber).is_some());
    let step = match under_way {
        None => {
            writes.tasks.done.push(errand.receipt);
            MoveStep::Over
        }
        // What was put there under the other address is seen to by its departure.
        Some(subscriber) if !migration::is_of(subscriber, &errand.state) => {
            writes.tasks.done.push(errand.receipt);
            writes.tasks.ask(tasks::migrate(id));
            MoveStep::Over
        }
        Some(subscriber) => {
            let (after, next) = decide(subscriber);
            if next == Next::Stay {
                migration::stay(subscriber, after, now).record(&mut writes);
                writes.tasks.done.push(errand.receipt);
                MoveStep::Over
            } else {
                let step = match next {
                    Next::Stuck(why) => MoveStep::Stuck(ProviderError::Permanent(why)),
                    _ => MoveStep::GoOn(self::errand(errand.receipt, &after)),
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

/// Records that the person has arrived in the new account, which was told what it was told when
/// they joined, and finishes the task.
pub async fn record_move(
    store: &dyn Store,
    joined: &Errand,
    now: OffsetDateTime,
) -> Result<(), StoreError> {
    let known = store.load_by_id(&[joined.subscriber]).await?;
    let mut writes = WriteSet::new(now);
    writes.tasks.done.push(joined.receipt);
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

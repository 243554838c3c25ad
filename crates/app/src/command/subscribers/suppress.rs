//! `posthaste subscribers suppress`, `reinstate` and `rotate-token`.

use anyhow::bail;
use kernel::audit::Attribution;
use newsletter::{
    store::Store,
    subscriber::{Notice, ProviderEvent, Subscriber, SubscriberStatus},
    usecase::{self, Operated},
};

use super::person::{self, NOT_FOUND};
use crate::{
    cli::SubscribersDecideArgs,
    clock::{self, Clock},
    config::PersonRef,
    conflicts::decide_again,
    database::Database,
    newsletter_service::{DEADLINE, new_id, new_token},
};

/// An operator's decision about a person.
#[derive(Clone, Copy, Debug)]
pub(super) enum Decision {
    Suppress,
    Reinstate,
    RotateToken,
}

/// Applies a decision, and returns a sentence about the new state.
pub(super) async fn run(args: SubscribersDecideArgs, decision: Decision) -> anyhow::Result<String> {
    let SubscribersDecideArgs {
        person,
        reason,
        store,
        operator,
    } = args;
    let by = operator.attribution()?;
    let store = Database::open(&store.database()).await?.newsletter;
    let clock = clock::system();
    match decision {
        Decision::Suppress => suppress(&*store, &clock, &person, &reason, &by).await,
        Decision::Reinstate => reinstate(&*store, &clock, &person, &reason, &by).await,
        Decision::RotateToken => rotate_token(&*store, &clock, &person, &reason, &by).await,
    }
}

/// Suppresses an address, and returns a sentence about its state.
pub async fn suppress(
    store: &dyn Store,
    clock: &Clock,
    person: &PersonRef,
    reason: &str,
    by: &Attribution,
) -> anyhow::Result<String> {
    let Some(email) = person::address(store, person).await? else {
        bail!(NOT_FOUND);
    };
    let notice = Notice {
        event: ProviderEvent {
            email,
            status: SubscriberStatus::Unsubscribed,
            signed_with: None,
        },
        new_id: new_id(),
        new_token: new_token(),
    };
    let attempt = || usecase::suppress(store, &notice, reason, by, clock());
    let Operated {
        subscriber,
        is_news,
    } = decide_again(DEADLINE, attempt).await?;
    let Subscriber { email, status, .. } = &subscriber;
    Ok(if is_news {
        format!("{email} is {status}; both accounts are told.")
    } else {
        format!("{email} was {status} before; nothing has changed.")
    })
}

/// Reinstates a person, and returns a sentence about their state.
pub async fn reinstate(
    store: &dyn Store,
    clock: &Clock,
    person: &PersonRef,
    reason: &str,
    by: &Attribution,
) -> anyhow::Result<String> {
    let known = match person {
        // An erased address may have left a hash that still suppresses it.
        PersonRef::Email(email) => {
            let attempt = || usecase::recall(store, email, (new_id(), new_token()), clock());
            decide_again(DEADLINE, attempt).await?
        }
        PersonRef::Id(_) => person::find(store, person).await?,
    };
    let Some(known) = known else {
        bail!(NOT_FOUND);
    };
    let attempt = || usecase::reinstate(store, known.id, reason, by, clock());
    let Some(operated) = decide_again(DEADLINE, attempt).await? else {
        bail!(NOT_FOUND);
    };
    let email = &operated.subscriber.email;
    Ok(if operated.is_news {
        format!(
            "{email} is active from now on. No account is told: whoever is unsubscribed there has to \
             subscribe again."
        )
    } else {
        format!("{email} is not suppressed; nothing has changed.")
    })
}

/// Gives a person another migration token, and returns a sentence about it.
async fn rotate_token(
    store: &dyn Store,
    clock: &Clock,
    person: &PersonRef,
    reason: &str,
    by: &Attribution,
) -> anyhow::Result<String> {
    let Some(known) = person::find(store, person).await? else {
        bail!(NOT_FOUND);
    };
    let token = new_token();
    let attempt = || usecase::rotate_token(store, known.id, &token, reason, by, clock());
    let Some(subscriber) = decide_again(DEADLINE, attempt).await? else {
        bail!(NOT_FOUND);
    };
    Ok(format!(
        "{} has another token; a link with the old one is nobody's.",
        subscriber.email
    ))
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use kernel::{
        StoreError,
        testing::{by_ann, noon},
    };
    use newsletter::{
        subscriber::SubscriberId,
        testing::{MemoryStore, email, report},
        usecase::put_subscribers,
    };

    use super::*;
    use crate::testing::{Fault, FaultyStore};

    const ADA: &str = "ada@example.com";

    fn clock() -> Clock {
        Arc::new(noon)
    }

    #[tokio::test]
    async fn a_person_is_meant_by_address_or_id() {
        let store = MemoryStore::new();
        let put = report(ADA, "{}");
        let id = PersonRef::Id(put.new_id);
        put_subscribers(&store, &[put], noon()).await.unwrap();
        let ada = PersonRef::Email(email(ADA));
        let said = suppress(&store, &clock(), &id, "asked", &by_ann(1)).await;
        assert_eq!(
            said.unwrap(),
            "ada@example.com is unsubscribed; both accounts are told."
        );
        let said = suppress(&store, &clock(), &ada, "asked", &by_ann(2)).await;
        let expect = "ada@example.com was unsubscribed before; nothing has changed.";
        assert_eq!(said.unwrap(), expect);
        let said = reinstate(&store, &clock(), &id, "asked", &by_ann(3)).await;
        assert!(said.unwrap().starts_with("ada@example.com is active "));
        let said = reinstate(&store, &clock(), &ada, "asked", &by_ann(4)).await;
        let expect = "ada@example.com is not suppressed; nothing has changed.";
        assert_eq!(said.unwrap(), expect);
    }

    #[tokio::test]
    async fn a_token_is_rotated_by_address_or_id() {
        let store = MemoryStore::new();
        let put = report(ADA, "{}");
        let (id, ada) = (PersonRef::Id(put.new_id), PersonRef::Email(email(ADA)));
        let mut tokens = vec![put.new_token.clone()];
        put_subscribers(&store, &[put], noon()).await.unwrap();
        for person in [&id, &ada] {
            let said = rotate_token(&store, &clock(), person, "forwarded", &by_ann(1)).await;
            let said = said.unwrap();
            let token = person::find(&store, person).await.unwrap().unwrap().token;
            assert!(!tokens.contains(&token) && token.is_well_formed());
            assert!(said.starts_with(ADA) && !said.contains(token.reveal()));
            tokens.push(token);
        }
        let nobody = PersonRef::Email(email("stranger@example.com"));
        let said = rotate_token(&store, &clock(), &nobody, "?", &by_ann(2)).await;
        assert_eq!(said.unwrap_err().to_string(), NOT_FOUND);
    }

    #[tokio::test]
    async fn a_stranger_may_be_suppressed_by_address_alone() {
        let store = MemoryStore::new();
        let stranger = PersonRef::Email(email("stranger@example.com"));
        let nobody = PersonRef::Id(SubscriberId::new(uuid::Uuid::max()));
        for unknown in [&stranger, &nobody] {
            let said = reinstate(&store, &clock(), unknown, "?", &by_ann(1)).await;
            assert_eq!(said.unwrap_err().to_string(), NOT_FOUND);
        }
        let said = suppress(&store, &clock(), &nobody, "?", &by_ann(1)).await;
        assert_eq!(said.unwrap_err().to_string(), NOT_FOUND);
        let said = suppress(&store, &clock(), &stranger, "asked", &by_ann(1)).await;
        assert!(said.unwrap().contains("is unsubscribed"));
        let known = person::find(&store, &stranger).await.unwrap();
        assert_eq!(known.unwrap().reported_at, None);
    }

    #[tokio::test(start_paused = true)]
    async fn others_writes_are_no_failure() {
        let store = FaultyStore::new();
        store.fail_next(vec![Fault::Fail(StoreError::Conflict); 2]);
        let ada = PersonRef::Email(email(ADA));
        let said = suppress(&*store, &clock(), &ada, "asked", &by_ann(1)).await;
        assert!(said.unwrap().contains("both accounts are told"));
    }
}

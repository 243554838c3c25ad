//! Withdrawals from every account that shows a suppressed subscriber active.

use super::*;
use crate::{subscriber::SuppressionSource, tasks, usecase::unsubscribe_holder};

#[pollster::test]
async fn the_suppression_of_an_unreported_address_is_sent_too() {
    let mut world = World::new();
    for status in [ProviderStatus::Active, ProviderStatus::Unconfirmed] {
        world.provider.set(Account::New, &email(ANN), status);
    }
    world.suppress(SubscriberStatus::Bounced).await;
    world.work().await.unwrap();
    let person = world.provider.person(Account::New, &email(ANN)).unwrap();
    assert_eq!(person.status, ProviderStatus::Unsubscribed);
    assert!(!world.is_in(Account::Old), "nobody is made known");
}

#[pollster::test]
async fn each_account_is_seen_to_by_itself() {
    let mut world = World::with_ann().await;
    world
        .provider
        .set(Account::New, &email(ANN), ProviderStatus::Active);
    world.suppress(SubscriberStatus::Unsubscribed).await;
    let (token, work) = world.claim(tasks::WITHDRAW).await.unwrap();
    world.provider.fail(0, Failing::Before, no_answer());
    assert_eq!(world.run(token, work).await, Err(no_answer()));
    let person = world.provider.person(Account::New, &email(ANN)).unwrap();
    assert_eq!(person.status, ProviderStatus::Unsubscribed);
    let unconfirmed: Vec<_> = world.ann().await.unconfirmed_suppressions().collect();
    assert_eq!(unconfirmed, [Account::Old]);
}

/// This holds for any state of either account, and after any decision.
#[pollster::test]
async fn the_holder_of_a_link_leaves_both_accounts() {
    use SubscriberStatus::{Active, Bounced, SpamReported, Unsubscribed};

    for (before, expect) in [
        (Active, Unsubscribed),
        (Bounced, Unsubscribed),
        (SpamReported, SpamReported),
    ] {
        let mut world = World::with_ann().await;
        world.suppress(before).await;
        world.work().await.unwrap();
        for &account in Account::ALL {
            let active = ProviderStatus::Active;
            world.provider.set(account, &email(ANN), active);
        }
        press(&mut world, expect).await;
        if before != SpamReported {
            let from = world.ann().await.suppression.unwrap();
            assert_eq!((from.source, from.account), (SuppressionSource::Link, None));
        }
        if before == Active {
            assert_gets_no_mail(&world);
            world.reinstate().await;
            for &account in Account::ALL {
                let active = ProviderStatus::Active;
                world.provider.set(account, &email(ANN), active);
            }
            press(&mut world, Unsubscribed).await;
            assert_gets_no_mail(&world);
        }
    }
    let world = World::with_ann().await;
    for nobody in [token("bo@example.com"), MigrationToken::from_text("\0")] {
        let left = unsubscribe_holder(&world.store, &nobody, world.now).await;
        assert_eq!(left, Ok(None));
    }
}

async fn press(world: &mut World, expect: SubscriberStatus) {
    world.now += hours(1);
    let left = unsubscribe_holder(&world.store, &token(ANN), world.now).await;
    let ann = left.unwrap().unwrap();
    assert_eq!((ann.status, ann.migrated), (expect, None));
    assert_eq!(world.ann().await, ann);
    world.work().await.unwrap();
}

fn assert_gets_no_mail(world: &World) {
    for &account in Account::ALL {
        let person = world.provider.person(account, &email(ANN)).unwrap();
        assert_eq!(person.status, ProviderStatus::Unsubscribed, "{account}");
    }
}

/// A repeated old delivery does not undo the reinstatement. A new unsubscription ends it.
#[pollster::test]
async fn a_reinstated_person_counts_from_then_on() {
    let mut world = World::with_ann().await;
    let (old, unsubscribed) = (Account::Old, ProviderStatus::Unsubscribed);
    world.provider.at(world.now);
    world.provider.set(old, &email(ANN), unsubscribed);
    world.suppress(SubscriberStatus::Unsubscribed).await;
    world.work().await.unwrap();
    world.reinstate().await;
    for status in [unsubscribed, ProviderStatus::Active] {
        // At first the account has not changed; then the person has subscribed again.
        if status == ProviderStatus::Active {
            world.provider.set(old, &email(ANN), status);
        }
        world.suppress(SubscriberStatus::Unsubscribed).await;
        world.work().await.unwrap();
        assert_eq!(world.ann().await.status, SubscriberStatus::Active);
        let person = world.provider.person(old, &email(ANN)).unwrap();
        assert_eq!(
            person.status, status,
            "nobody makes them active, or undoes it"
        );
    }
    world.provider.at(world.now);
    world.provider.set(old, &email(ANN), unsubscribed);
    world.suppress(SubscriberStatus::Unsubscribed).await;
    world.work().await.unwrap();
    assert_eq!(world.ann().await.status, SubscriberStatus::Unsubscribed);
}

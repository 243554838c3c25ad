use kernel::testing::Checked;
use time::macros::date;

use super::{A, B, full, insert, load, update};
use crate::{
    subscriber::{
        Account, Departure, Membership, MembershipStatus, Migrated, MigrationSource,
        MigrationToken, PlanCategory, Subscriber, SubscriberStatus, Suppression, SuppressionSource,
    },
    testing::{AllPorts, email, noon, report, subscriber, subscriber_id, token},
    usecase,
};

kernel::contract_cases!(
    subscribers::loading,
    impl AllPorts,
    async fn a_subscriber_comes_back(store: &S) {
        for address in [A, "o'brien+%_news@sub.exämple.com"] {
            let first = full(address);
            insert(store, &first).await?;
            assert_eq!(load(store, address).await?, Some(first.clone()));
            let bare = update(store, &first, subscriber(address)).await?;
            assert_eq!(load(store, address).await?, Some(bare.clone()));
            let again = update(store, &bare, full(address)).await?;
            assert_eq!(load(store, address).await?, Some(again));
        }
    },
    async fn every_word_comes_back(store: &S) {
        let mut before = subscriber(A);
        insert(store, &before).await?;
        let mut check = async |change: &dyn Fn(&mut Subscriber)| -> Checked {
            let mut after = before.clone();
            change(&mut after);
            before = update(store, &before, after).await?;
            assert_eq!(load(store, A).await?.as_ref(), Some(&before));
            Ok(())
        };
        for &status in SubscriberStatus::ALL {
            check(&|it| it.status = status).await?;
        }
        for &source in SuppressionSource::ALL {
            for account in [None, Some(Account::Old), Some(Account::New)] {
                let at = noon();
                let reason = account.map(|account| format!("seen in {account}"));
                let suppression = Suppression {
                    source,
                    account,
                    at,
                    reason,
                };
                check(&|it| it.suppression = Some(suppression.clone())).await?;
            }
        }
        for departure in [
            Some(Departure::Moved(subscriber_id(B))),
            Some(Departure::Erased),
            None,
        ] {
            check(&|it| {
                it.reported_at = None;
                it.departure = departure;
            })
            .await?;
        }
        for (old, new) in [(false, true), (true, false)] {
            check(&|it| {
                it.places.old.is_quiet = old;
                it.places.new.is_quiet = new;
                it.places.old.is_withdrawn = new;
                it.places.new.is_withdrawn = old;
            })
            .await?;
        }
        for (&plan_category, &status) in PlanCategory::ALL.iter().flat_map(|plan| {
            MembershipStatus::ALL
                .iter()
                .map(move |status| (plan, status))
        }) {
            for expires_at in [
                None,
                Some(date!(0001 - 01 - 01)),
                Some(date!(9999 - 12 - 31)),
            ] {
                let membership = Membership {
                    plan_category,
                    status,
                    expires_at,
                };
                check(&|it| it.membership = Some(membership)).await?;
            }
        }
        for &source in MigrationSource::ALL {
            for (arrived, was_found, has_joined) in [
                (false, false, false),
                (false, true, false),
                (true, false, false),
                (false, false, true),
            ] {
                let at = noon();
                let migrated = Migrated {
                    at,
                    source,
                    arrived,
                    was_found,
                    has_joined,
                };
                check(&|it| it.migrated = Some(migrated)).await?;
            }
        }
    },
    async fn loads_only_the_given_addresses(store: &S) {
        for address in [A, B, "c@example.com"] {
            insert(store, &subscriber(address)).await?;
        }
        let emails = [email(B), email("unknown@example.com")];
        let known = store.load(&emails).await;
        assert_eq!(known, Ok([(email(B), subscriber(B))].into()));
        let ids = [subscriber_id(A), subscriber_id("unknown@example.com")];
        let known = store.load_by_id(&ids).await;
        assert_eq!(known, Ok([(subscriber_id(A), subscriber(A))].into()));
        assert_eq!(store.load(&[]).await, Ok([].into()));
        assert_eq!(store.load_by_id(&[]).await, Ok([].into()));
    },
    /// A batch may exceed a database's limit of parameters.
    async fn loads_large_batches(store: &S) {
        let addresses: Vec<_> = (0..3_000).map(|n| format!("{n}@example.com")).collect();
        let body = r#"{"membership":{"plan_category":"team","status":"active"}}"#;
        let batch: Vec<_> = addresses.iter().map(|to| report(to, body)).collect();
        let answers = usecase::put_subscribers(store, &batch, noon()).await?;
        assert!(answers.iter().all(|answer| answer.is_new));
        let emails: Vec<_> = addresses.iter().map(|to| email(to)).collect();
        let known = store.load(&emails).await;
        assert_eq!(known?.len(), 3_000);
        let ids: Vec<_> = addresses.iter().map(|to| subscriber_id(to)).collect();
        let known = store.load_by_id(&ids).await;
        assert_eq!(known?.len(), 3_000);

        let body = r#"{"country":"Norway"}"#;
        let batch: Vec<_> = addresses.iter().map(|to| report(to, body)).collect();
        let answers = usecase::put_subscribers(store, &batch, noon()).await;
        for answer in answers? {
            assert_eq!((answer.is_new, answer.subscriber.version), (false, 2));
        }
    },
    async fn the_holder_of_a_token_is_found(store: &S) {
        let unreported = Subscriber {
            reported_at: None,
            ..subscriber(B)
        };
        insert(store, &subscriber(A)).await?;
        insert(store, &unreported).await?;
        let find = async |text: &str| {
            let token = MigrationToken::from_text(text);
            store.find_by_token(&token).await
        };
        let text = token(A).reveal().to_owned();
        assert_eq!(find(&text).await, Ok(Some(subscriber(A))));
        assert_eq!(find(token(B).reveal()).await, Ok(Some(unreported)));
        for other in [
            token("c@example.com").reveal(),
            "",
            "%",
            "'; --",
            &text[1..],
            &format!("{text} "),
            &text.to_uppercase(),
            &text.to_lowercase(),
        ] {
            assert_eq!(find(other).await, Ok(None), "{other}");
        }
    },
);

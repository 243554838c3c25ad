//! Subscribers are listed and counted.

use kernel::{outbox::Outbox, testing::Checked};

use super::{A, B, full, insert, list, load, put};
use crate::{
    store::{Store, SubscriberCount, SubscriberFilter, SubscriberQuery},
    subscriber::{Email, Migrated, MigrationSource, Subscriber, SubscriberStatus},
    testing::{AllPorts, MemoryStore, email, hours, noon, notice, subscriber, token},
    usecase,
};

fn addresses(subscribers: &[Subscriber]) -> Vec<&str> {
    let emails = subscribers.iter().map(|subscriber| &subscriber.email);
    emails.map(Email::as_str).collect()
}

async fn a_day<S: Store>(store: &S) -> Checked {
    let member = |status: &str| {
        format!(
            r#"{{"membership":{{"plan_category":"individual","status":"{status}","expires_at":"2026-06-01"}}}}"#
        )
    };
    for (hour, (address, body)) in (0..).zip([
        (A, r#"{"name":"Ann","country":"Norway"}"#),
        (A, &member("active")),
        (A, &member("expired")),
        (B, &member("active")),
        (B, r#"{"membership":null}"#),
        (B, r#"{"membership":null}"#),
    ]) {
        put(store, address, body, noon() + hours(hour)).await?;
    }
    let said = [
        notice("c@example.com", SubscriberStatus::Bounced),
        notice("d@example.com", SubscriberStatus::SpamReported),
        notice(B, SubscriberStatus::Unsubscribed),
        notice(B, SubscriberStatus::Bounced),
    ];
    usecase::notice_events(store, &said, noon() + hours(7)).await?;
    put(store, "c@example.com", "{}", noon() + hours(8)).await?;
    let confirmed = usecase::confirm_migration(store, &token(A), noon() + hours(9)).await;
    assert!(confirmed.is_ok_and(|moved| moved.is_some()));
    let emails = [A, B, "d@example.com"].map(email);
    let now = noon() + hours(10);
    let migrated = usecase::migrate(store, &emails, MigrationSource::Launch, now).await;
    assert!(migrated.is_ok());
    Ok(())
}

kernel::contract_cases!(
    subscribers::lists,
    impl AllPorts,
    /// Page by page, without gap or repeat.
    async fn lists_ascend_byte_for_byte_and_page(store: &S) {
        let ascending = [
            "+@b.example",
            "-a@b.example",
            "0@b.example",
            "_@b.example",
            "a+b@b.example",
            "a-b@b.example",
            "a.b@b.example",
            "a@a-b.example",
            "a@a.example",
            "a@ab.example",
            "a@b.example",
            "a@xn--9ca.example",
            "a_b@b.example",
            "aa@b.example",
            "ab@b.example",
            "a~@b.example",
            "z@b.example",
        ];
        assert!(ascending.is_sorted());
        for address in ascending.iter().rev() {
            insert(store, &subscriber(address)).await?;
        }
        let mut query = SubscriberQuery {
            limit: 100,
            ..SubscriberQuery::default()
        };
        assert_eq!(addresses(&list(store, &query).await?), ascending);

        query.limit = 4;
        let mut paged = Vec::new();
        loop {
            let page = list(store, &query).await?;
            let Some(last) = page.last() else { break };
            query.after = Some(last.email.clone());
            paged.extend(page);
        }
        assert_eq!(addresses(&paged), ascending);
        query.after = Some(email("a@b.examplf"));
        query.limit = 1;
        let behind = list(store, &query).await?;
        assert_eq!(
            addresses(&behind),
            ["a@xn--9ca.example"],
            "nobody has to be there"
        );
    },
    /// Reported, not moved, or suppressed.
    async fn lists_filter(store: &S) {
        let unreported = Subscriber {
            reported_at: None,
            ..subscriber("0@example.com")
        };
        let stranger = Subscriber {
            reported_at: None,
            status: SubscriberStatus::SpamReported,
            ..subscriber("1@example.com")
        };
        let moved = full(A);
        let arriving = Subscriber {
            migrated: moved.migrated.map(|migrated| Migrated {
                arrived: false,
                ..migrated
            }),
            ..full(B)
        };
        let left = subscriber("c@example.com");
        for subscriber in [&unreported, &stranger, &moved, &arriving, &left] {
            insert(store, subscriber).await?;
        }
        let all = SubscriberQuery {
            limit: 10,
            ..SubscriberQuery::default()
        };
        let unmigrated = SubscriberQuery {
            filter: SubscriberFilter::Unmigrated,
            ..all.clone()
        };
        let suppressed = SubscriberQuery {
            filter: SubscriberFilter::Suppressed,
            ..all.clone()
        };
        assert_eq!(
            addresses(&list(store, &unmigrated).await?),
            [left.email.as_str()]
        );
        assert_eq!(
            list(store, &suppressed).await?,
            [stranger, moved.clone(), arriving.clone()]
        );
        assert_eq!(
            list(store, &all).await?,
            [&moved, &arriving, &left].map(Clone::clone)
        );
        let standing = |one: &Subscriber, is_under_way| SubscriberCount {
            account: one.account(),
            status: one.status,
            is_under_way,
            people: 1,
        };
        let mut expect = vec![
            standing(&left, false),
            standing(&moved, false),
            standing(&arriving, true),
        ];
        expect.sort_unstable();
        assert_eq!(store.counts().await, Ok(expect));
    },
    /// After a day of reports, events and moves.
    async fn reads_as_in_memory(store: &S) {
        let memory = MemoryStore::new();
        a_day(&memory).await?;
        a_day(store).await?;
        let query = SubscriberQuery {
            limit: 100,
            ..SubscriberQuery::default()
        };
        assert_eq!(list(store, &query).await?, list(&memory, &query).await?);
        for address in [A, B, "c@example.com", "d@example.com"] {
            assert_eq!(load(store, address).await?, load(&memory, address).await?);
        }
        let tasks = async |outbox: &dyn Outbox| -> Checked<Vec<_>> {
            let mut rows = outbox.list(false, None, usize::MAX).await?;
            rows.sort_by(|a, b| (&a.kind, &a.key, a.id).cmp(&(&b.kind, &b.key, b.id)));
            let rows = rows.into_iter().map(|row| (row.kind, row.key, row.next_at));
            Ok(rows.collect())
        };
        assert_eq!(tasks(store).await?, tasks(&memory).await?);
    },
);

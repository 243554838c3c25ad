use super::{A, B, full, insert, list};
use crate::{
    store::{SubscriberCount, SubscriberFilter, SubscriberQuery},
    subscriber::{Email, Migrated, Subscriber, SubscriberStatus},
    testing::{AllPorts, email, subscriber},
};

fn addresses(subscribers: &[Subscriber]) -> Vec<&str> {
    let emails = subscribers.iter().map(|subscriber| &subscriber.email);
    emails.map(Email::as_str).collect()
}

kernel::contract_cases!(
    subscribers::lists,
    impl AllPorts,
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
);

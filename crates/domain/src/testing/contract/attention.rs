//! Attention items, their events, and counts of visible postings.

use std::collections::BTreeMap;

use kernel::{
    AttentionItem, ClientId, Prefixes, Status, StoreError,
    attention::{
        ATTENTION_CLEARED, ATTENTION_RAISED, AttentionCheck, AttentionList, StoredAttention,
    },
    event::{EventLog, LogQuery, Subject},
    testing::{Checked, hours, item, noon, uuid},
};

use super::{change, events::until_all_readable, put};
use crate::{
    browse::PostingBrowser,
    store::Store,
    testing::{create, pusher, state},
};

fn client(n: u128) -> ClientId {
    ClientId::new(uuid(n))
}

async fn read<S: EventLog>(store: &S, n: u128, prefixes: &Prefixes) -> Checked<Vec<String>> {
    let query = LogQuery {
        after: None,
        names: vec![ATTENTION_RAISED, ATTENTION_CLEARED],
        prefixes: prefixes.clone(),
        reader: Some(client(n)),
        limit: 9,
    };
    let events = store.read(&query).await?.events.into_iter();
    Ok(events
        .map(|recorded| match recorded.event.subject {
            Subject::Attention(item) => format!("{} {}", recorded.event.name, item.subject),
            other => format!("{other:?}"),
        })
        .collect())
}

kernel::contract_cases!(
    attention,
    impl Store + AttentionList + EventLog + PostingBrowser,
    async fn items_are_replaced_under_the_version_before(store: &S) {
        assert_eq!(store.attention().await, Ok(StoredAttention::default()));
        let own = AttentionItem {
            client: Some(client(1)),
            is_of_board: false,
            ..item(1)
        };
        let found = vec![own.clone(), item(2)];
        let first = AttentionCheck::new(&store.attention().await?, found, noon());
        store.record_check(&first).await?;
        let expect = StoredAttention {
            version: 1,
            checked_at: Some(noon()),
            items: first.items.clone().unwrap_or_default(),
        };
        assert_eq!(store.attention().await?, expect);
        assert_eq!(store.record_check(&first).await, Err(StoreError::Conflict));
        // Unchanged items are not written, but the check counts.
        let same = AttentionCheck::new(&expect, expect.items.clone(), noon() + hours(1));
        store.record_check(&same).await?;
        let stored = store.attention().await?;
        assert_eq!((stored.version, &stored.items), (2, &expect.items));
        assert_eq!(stored.checked_at, Some(noon() + hours(1)));
        let last = AttentionCheck::new(&stored, vec![item(2)], noon() + hours(2));
        store.record_check(&last).await?;
        assert_eq!(store.attention().await?.items, [item(2)]);

        until_all_readable(store).await?;
        let raised = format!("AttentionRaised {}", item(2).subject);
        let of_own = ["Raised", "Cleared"].map(|it| format!("Attention{it} {}", own.subject));
        let some = Prefixes::new(&["a-"])?;
        assert_eq!(read(store, 1, &some).await?, of_own);
        assert_eq!(read(store, 2, &some).await?, [""; 0]);
        assert_eq!(read(store, 2, &Prefixes::ALL).await?, [raised]);
        assert_eq!(read(store, 1, &Prefixes::ALL).await?.len(), 3);
    },
    async fn visible_postings_are_counted(store: &S) {
        put(store, &["a", "b", "c"].map(|id| create(id, "acme"))).await?;
        assert_eq!(store.visible().await?, BTreeMap::new());
        for (id, status) in [
            ("a", Status::Approved),
            ("b", Status::Approved),
            ("c", Status::Rejected),
        ] {
            change(store, id, |posting| posting.put_in(state(status), None)).await?;
        }
        assert_eq!(store.visible().await?, BTreeMap::from([(pusher(), 2)]));
    },
);

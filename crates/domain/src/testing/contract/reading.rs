//! Answers about postings.

use super::{identifier, posting, put, run, touching};
use crate::{
    client::ClientId,
    posting::{Actor, Status},
    store::{ListQuery, Position, PostingReader},
    testing::{AllPorts, MemoryStore, create, hours, minutes, noon, push, push_by, uuid},
};

/// Nothing is no error.
pub async fn an_unknown_posting_is_none<S: AllPorts>(store: &S) {
    let found = PostingReader::find(store, &identifier("a")).await;
    assert_eq!(found.expect("the store works"), None);
}

/// History is what happened, oldest first, with who did it.
pub async fn history_is_in_order<S: AllPorts>(store: &S) {
    let other = ClientId::new(uuid(2));
    put(
        store,
        &[
            create("a", "acme"),
            push_by(other, "a", r#"{"expiration":{"reason":"gone"}}"#),
        ],
    )
    .await;
    run(
        store,
        &[push("a", r#"{"expiration":null}"#)],
        noon() + hours(1),
    )
    .await;
    let view = PostingReader::find(store, &identifier("a"))
        .await
        .expect("the store works");
    let view = view.expect("the posting is there");
    let steps: Vec<_> = view
        .history
        .iter()
        .map(|step| (step.status, step.at, step.reason.as_deref(), step.by))
        .collect();
    let client = Actor::Client(ClientId::new(uuid(1)));
    assert_eq!(
        steps,
        [
            (Status::PendingEnrichment, noon(), None, client),
            (Status::Expired, noon(), Some("gone"), Actor::Client(other)),
            (Status::PendingEnrichment, noon() + hours(1), None, client),
        ]
    );
}

/// Ascending by time of change and id, page by page, without gap or repeat.
pub async fn lists_ascend_and_page<S: AllPorts>(store: &S) {
    for minute in [3, 1, 2] {
        let batch: Vec<_> = (0..5)
            .map(|n| create(&format!("{minute} {n}"), "acme"))
            .collect();
        run(store, &batch, noon() + minutes(minute)).await;
    }
    let all = ListQuery {
        limit: 100,
        ..ListQuery::default()
    };
    let all = PostingReader::list(store, &all)
        .await
        .expect("the store works");
    let positions: Vec<_> = all
        .iter()
        .map(|view| (view.posting.updated_at, view.posting.id))
        .collect();
    assert_eq!(positions.len(), 15);
    assert!(positions.is_sorted());
    assert!(
        all.iter()
            .all(|view| view.history.is_empty() && view.company.name == "acme")
    );

    let mut paged = Vec::new();
    let mut after = None;
    loop {
        let query = ListQuery {
            limit: 4,
            after,
            ..ListQuery::default()
        };
        let page = PostingReader::list(store, &query)
            .await
            .expect("the store works");
        let Some(last) = page.last() else { break };
        after = Some(Position {
            updated_at: last.posting.updated_at,
            id: last.posting.id.uuid(),
        });
        paged.extend(page);
    }
    assert_eq!(paged, all);
}

/// By status and by time of change, which is exclusive.
pub async fn lists_filter<S: AllPorts>(store: &S) {
    for (minute, name) in [(0, "a"), (1, "b"), (2, "c")] {
        run(store, &[create(name, "acme")], noon() + minutes(minute)).await;
    }
    let writes = touching(&posting(store, "b").await, |posting| {
        posting.status = Status::Approved;
    });
    store
        .commit(writes)
        .await
        .expect("the version is the expected one");
    let names = async |query: ListQuery| -> Vec<String> {
        let query = ListQuery { limit: 10, ..query };
        let views = PostingReader::list(store, &query)
            .await
            .expect("the store works");
        views
            .iter()
            .map(|view| view.posting.source_identifier.to_string())
            .collect()
    };
    let none = ListQuery::default();
    let pending = Some(Status::PendingEnrichment);
    assert_eq!(
        names(ListQuery {
            status: Some(Status::Approved),
            ..none
        })
        .await,
        ["b"]
    );
    assert_eq!(
        names(ListQuery {
            status: pending,
            ..none
        })
        .await,
        ["a", "c"]
    );
    assert_eq!(
        names(ListQuery {
            updated_after: Some(noon()),
            ..none
        })
        .await,
        ["b", "c"]
    );
    let query = ListQuery {
        status: pending,
        updated_after: Some(noon()),
        ..none
    };
    assert_eq!(names(query).await, ["c"]);
}

/// A day of commands leaves the same postings here as in memory.
pub async fn reads_as_in_memory<S: AllPorts>(store: &S) {
    let day = [
        vec![
            create("a", "acme"),
            create("b", "acme"),
            create("c", "core"),
        ],
        vec![
            push("a", r#"{"title":"New","salary_min":5,"metadata":{"a":1}}"#),
            push("a", r#"{"salary_max":4}"#),
            push(
                "b",
                r#"{"expiration":{"reason":"filled"},"location_city":"Oslo"}"#,
            ),
            push("b", r#"{"expiration":{}}"#),
            push("d", r#"{"expiration":{}}"#),
        ],
        vec![
            push(
                "a",
                r#"{"salary_min":null,"metadata":null,"employment_types":["contract"]}"#,
            ),
            push("b", r#"{"expiration":null}"#),
            push("c", r#"{"company":{"name":"Core AS","logo_path":"c.png"}}"#),
        ],
        vec![
            push(
                "c",
                r#"{"company":{"website_url":"HTTPS://acme.example:443/"}}"#,
            ),
            push("a", r#"{"title":"New"}"#),
            push("e", r#"{"title":"lacks the rest"}"#),
        ],
    ];
    let memory = MemoryStore::new();
    for (hour, batch) in (0..).zip(day) {
        let now = noon() + hours(hour);
        assert_eq!(
            run(store, &batch, now).await,
            run(&memory, &batch, now).await
        );
    }
    let query = ListQuery {
        limit: 100,
        ..ListQuery::default()
    };
    let views = PostingReader::list(store, &query)
        .await
        .expect("the store works");
    assert_eq!(
        views,
        PostingReader::list(&memory, &query)
            .await
            .expect("memory works")
    );
    for name in ["a", "b", "c", "d", "e"] {
        let name = identifier(name);
        let view = PostingReader::find(store, &name)
            .await
            .expect("the store works");
        assert_eq!(
            view,
            PostingReader::find(&memory, &name)
                .await
                .expect("memory works")
        );
    }
}

/// A store that works says so.
pub async fn is_ready<S: AllPorts>(store: &S) {
    store.ready().await.expect("it is ready");
}

//! Postings for readers.

use kernel::{
    Actor, ClientId, Prefixes, Status,
    testing::{Absent, Checked, hours, minutes, noon, uuid, valid},
};

use super::{change, first, posting, put, run, view, writing};
use crate::{
    posting::{EnrichedTexts, HistoryEntry, PostingView},
    store::{HISTORY_SHOWN, ListOrder, ListQuery, PostingPage, PostingReader, Store, Texts},
    testing::{create, push, push_by, pusher, state},
};

fn names(views: &[PostingView]) -> Vec<&str> {
    let postings = views.iter().map(|view| &view.posting);
    postings.map(|it| it.source_identifier.as_str()).collect()
}

async fn pages<S>(store: &S, mut query: ListQuery) -> Checked<Vec<Vec<PostingView>>>
where
    S: Store + PostingReader,
{
    let mut pages = Vec::new();
    loop {
        let page = listed(store, &query).await?;
        assert!(page.postings.len() <= query.limit);
        pages.push(page.postings);
        query.after = page.next;
        if query.after.is_none() {
            return Ok(pages);
        }
    }
}

async fn listed<S: Store + PostingReader>(store: &S, query: &ListQuery) -> Checked<PostingPage> {
    Ok(PostingReader::list(store, query).await?)
}

async fn enriched<S: Store + PostingReader>(store: &S, name: &str, size: usize) -> Checked {
    let texts = EnrichedTexts {
        markdown: "x".repeat(size / 2),
        redacted_markdown: "x".repeat(size / 2),
        redacted_title: Some("x".into()),
    };
    let posting = posting(store, name).await?;
    let writes = writing(&posting, |write| write.enriched = Some((texts, None)));
    Ok(store.commit(writes).await?)
}

/// Creates postings in each of three minutes, not in order of time.
async fn pushed_out_of_order<S: Store>(store: &S, count: usize) -> Checked {
    for minute in [3, 1, 2] {
        let batch: Vec<_> = (0..count)
            .map(|n| create(&format!("{minute} {n}"), "acme"))
            .collect();
        run(store, &batch, noon() + minutes(minute)).await?;
    }
    Ok(())
}

kernel::contract_cases!(
    reading,
    impl PostingReader + Store,
    async fn lists_ascend_and_page(store: &S) {
        pushed_out_of_order(store, 5).await?;
        let all = listed(store, &first(100)).await?.postings;
        let positions: Vec<_> = all
            .iter()
            .map(|view| (view.posting.updated_at, view.posting.id))
            .collect();
        assert_eq!(positions.len(), 15);
        assert!(positions.is_sorted());
        assert!(
            all.iter()
                .all(|view| view.history.is_empty() && view.company.company.name == "acme")
        );

        assert_eq!(pages(store, first(4)).await?.concat(), all);
    },
    async fn lists_by_id_page(store: &S) {
        pushed_out_of_order(store, 3).await?;
        let mut ids = Vec::new();
        let mut query = ListQuery {
            order: ListOrder::Id,
            ..first(2)
        };
        for minute in 4.. {
            let page = listed(store, &query).await?;
            ids.extend(page.postings.iter().map(|view| view.posting.id));
            let changed = [push("3 1", &format!(r#"{{"title":"{minute}"}}"#))];
            run(store, &changed, noon() + minutes(minute)).await?;
            query.after = page.next;
            if query.after.is_none() {
                break;
            }
        }
        assert_eq!(ids.len(), 9, "each once");
        assert!(ids.is_sorted());
    },
    async fn lists_have_the_texts_that_are_asked_for(store: &S) {
        put(store, &[create("a", "acme"), create("b", "acme")]).await?;
        enriched(store, "b", 6).await?;
        for order in [ListOrder::Changed, ListOrder::Id] {
            let with = async |texts| -> Checked<Vec<_>> {
                let query = ListQuery {
                    order,
                    texts,
                    ..first(9)
                };
                let mut postings = listed(store, &query).await?.postings;
                postings.sort_by_key(|view| view.posting.source_identifier.clone());
                Ok(postings)
            };
            let all = with(Texts::All).await?;
            let full = all[1].texts.clone().ok_or(Absent)?;
            assert!(!full.redacted_markdown.is_empty());
            for (texts, redacted) in [
                (Texts::Redacted, full.redacted_markdown.as_str()),
                (Texts::None, ""),
            ] {
                let mut expect = all.clone();
                for view in &mut expect {
                    let description = &mut view.posting.details.raw_description;
                    *description = description.unread();
                }
                expect[1].texts = Some(EnrichedTexts {
                    markdown: String::new(),
                    redacted_markdown: redacted.to_owned(),
                    redacted_title: full.redacted_title.clone(),
                });
                assert_eq!(with(texts).await?, expect, "{texts:?}");
            }
        }
    },
    async fn lists_end_at_their_size(store: &S) {
        let of_size = |name: &str, field: &str, size: usize| {
            let text = "é".repeat(size / 2);
            let body = format!(
                r#"{{"title":"T","application_url":"https://a.example/1",
                    "company":{{"name":"A","website_url":"https://a.example"}},{field}}}"#
            );
            push(name, &body.replace("TEXT", &text))
        };
        let description = r#""raw_description":"TEXT""#;
        let metadata = r#""raw_description":"-","metadata":{"a":"TEXT"}"#;
        for (minute, (name, field, size)) in (0..).zip([
            ("a", description, 100_000),
            ("b", metadata, 100_000),
            ("c", description, 10),
            ("d", description, 400_000),
            ("e", description, 10),
        ]) {
            let put = of_size(name, field, size);
            run(store, &[put], noon() + minutes(minute)).await?;
        }
        enriched(store, "e", 300_000).await?;
        for (max_bytes, expect) in [
            (usize::MAX, vec!["abcde"]),
            (250_000, vec!["abc", "d", "e"]),
            (150_000, vec!["a", "bc", "d", "e"]),
            (0, vec!["a", "b", "c", "d", "e"]),
        ] {
            let query = ListQuery {
                max_bytes,
                ..first(10)
            };
            let pages = pages(store, query).await?;
            let pages: Vec<_> = pages.iter().map(|page| names(page).concat()).collect();
            assert_eq!(pages, expect, "{max_bytes}");
        }
    },
    async fn a_long_history_is_cut(store: &S) {
        put(store, &[create("a", "acme")]).await?;
        for hour in 1..=60 {
            let reason = format!(r#"{{"expiration":{{"reason":"{hour}"}}}}"#);
            let batch = [push("a", &reason), push("a", r#"{"expiration":null}"#)];
            run(store, &batch, noon() + hours(hour)).await?;
        }
        let history = view(store, "a").await?.history;
        // There are 121 entries: the creation, and two for each hour.
        assert_eq!(history.len(), HISTORY_SHOWN);
        let by = Actor::Client(pusher());
        for (entry, status, reason, hour) in [
            (history.first(), Status::Expired, Some("11"), 11),
            (history.last(), Status::PendingEnrichment, None, 60),
        ] {
            let expect = HistoryEntry {
                status,
                at: noon() + hours(hour),
                reason: reason.map(str::to_owned),
                by: by.clone(),
            };
            assert_eq!(entry, Some(&expect));
        }
    },
    async fn lists_filter(store: &S) {
        for (minute, name) in [(0, "a"), (1, "b"), (2, "c")] {
            run(store, &[create(name, "acme")], noon() + minutes(minute)).await?;
        }
        change(store, "b", |it| it.put_in(state(Status::Approved), None)).await?;
        let (approved, pending) = (Some(Status::Approved), Some(Status::PendingEnrichment));
        for (status, updated_after, expect) in [
            (approved, None, &["b"][..]),
            (pending, None, &["a", "c"]),
            (None, Some(noon()), &["b", "c"]),
            (pending, Some(noon()), &["c"]),
        ] {
            for order in [ListOrder::Changed, ListOrder::Id] {
                let query = ListQuery {
                    order,
                    status,
                    updated_after,
                    ..first(10)
                };
                let found = pages(store, query).await?.concat();
                let mut found = names(&found);
                found.sort_unstable();
                assert_eq!(found, expect, "{status:?} {updated_after:?}");
            }
        }
    },
    async fn lists_have_the_postings_of_a_client_and_of_prefixes(store: &S) {
        let other = ClientId::new(uuid(2));
        let whole = r#"{"title":"T","raw_description":"<p>D</p>","application_email":"a@b.example",
            "company":{"name":"acme","website_url":"https://acme.example"}}"#;
        let batch = [
            create("a-1", "acme"),
            push_by(other, "a-2", whole),
            create("b%1", "acme"),
            push_by(other, "b_2", whole),
        ];
        put(store, &batch).await?;
        put(store, &[push_by(other, "a-1", r#"{"title":"Other"}"#)]).await?;
        let one = Some(ClientId::new(uuid(1)));
        for (created_by, texts, expect) in [
            (one, &[][..], &["a-1", "b%1"][..]),
            (Some(other), &[], &["a-2", "b_2"]),
            (Some(other), &["a-"], &["a-2"]),
            (None, &["a-"], &["a-1", "a-2"]),
            (None, &["b_", "a-2"], &["a-2", "b_2"]),
            (None, &["A", "b-"], &[]),
            (Some(ClientId::new(uuid(404))), &[], &[]),
        ] {
            for order in [ListOrder::Changed, ListOrder::Id] {
                for limit in [1, 100] {
                    let query = ListQuery {
                        order,
                        created_by,
                        prefixes: valid(Prefixes::new(texts)),
                        ..first(limit)
                    };
                    let found = pages(store, query).await?.concat();
                    let mut found = names(&found);
                    found.sort_unstable();
                    assert_eq!(found, expect, "{created_by:?} {texts:?}");
                }
            }
        }
    },
);

//! The list, page by page.

use std::collections::HashSet;

use serde_json::json;

use crate::support::{PATH, TestApp, posting, push};

#[tokio::test]
async fn pages_follow_one_another_to_the_end() {
    let (app, token) = TestApp::with_writer().await;
    let page = async |query: &str| app.get(&token, &format!("{PATH}?{query}")).await.json();
    assert_eq!(page("").await, json!({"data": [], "next_cursor": null}));
    for n in 0..7 {
        push(&app, &token, &format!("n{n}"), &posting()).await;
    }
    for (limit, pages) in [(3, 3), (7, 1)] {
        let (mut seen, mut cursor, mut count) = (HashSet::new(), String::new(), 0);
        loop {
            let answer = page(&format!("limit={limit}{cursor}")).await;
            let items = answer["data"].as_array().unwrap();
            assert!(!items.is_empty() && items.len() <= limit);
            assert!(items.iter().all(|item| item.get("history").is_none()));
            seen.extend(items.iter().map(|item| item["uuid"].to_string()));
            count += 1;
            match answer["next_cursor"].as_str() {
                Some(next) => cursor = format!("&cursor={next}"),
                None => break,
            }
        }
        assert_eq!((count, seen.len()), (pages, 7), "limit {limit}");
    }
}

//! The list, page by page.

use std::collections::HashSet;

use serde_json::Value;

use crate::support::{PATH, TestApp, posting, push, request};

async fn page(app: &TestApp, token: &str, query: &str) -> Value {
    let response = request("GET", &format!("{PATH}?{query}"))
        .token(token)
        .send(app)
        .await;
    assert_eq!(response.status, 200, "{query}: {response:?}");
    response.json()
}

#[tokio::test]
async fn pages_follow_one_another_to_the_end() {
    let app = TestApp::spawn();
    let token = app.writer().await;
    assert_eq!(
        page(&app, &token, "").await,
        serde_json::json!({"data": [], "next_cursor": null})
    );
    for n in 0..7 {
        push(&app, &token, &format!("n{n}"), &posting()).await;
    }
    for (limit, pages) in [(3, 3), (7, 1)] {
        let (mut seen, mut cursor, mut count) = (Vec::new(), String::new(), 0);
        loop {
            let answer = page(&app, &token, &format!("limit={limit}{cursor}")).await;
            let items = answer["data"].as_array().unwrap();
            assert!(!items.is_empty() && items.len() <= limit);
            assert!(items.iter().all(|item| item.get("history").is_none()));
            seen.extend(
                items
                    .iter()
                    .map(|item| (item["updated_at"].to_string(), item["uuid"].to_string())),
            );
            count += 1;
            match answer["next_cursor"].as_str() {
                Some(next) => cursor = format!("&cursor={next}"),
                None => break,
            }
        }
        assert_eq!(count, pages, "limit {limit}");
        assert_eq!(seen.len(), 7);
        assert_eq!(seen.iter().collect::<HashSet<_>>().len(), 7);
        assert!(seen.is_sorted(), "{seen:?}");
    }
}

#[tokio::test]
async fn a_page_ends_early_when_it_is_large() {
    let app = TestApp::spawn();
    let token = app.writer().await;
    let mut large = posting();
    // In JSON each of these characters is escaped with six bytes.
    large["raw_description"] = format!("x{}", "\u{1}".repeat(10_000)).into();
    for n in 0..200 {
        push(&app, &token, &n.to_string(), &large).await;
    }
    let mut names = HashSet::new();
    let mut cursor = String::new();
    let mut sizes = Vec::new();
    loop {
        let path = format!("{PATH}?limit=200{cursor}");
        let answer = request("GET", &path).token(&token).send(&app).await;
        sizes.push(answer.body.len());
        let answer = answer.json();
        for item in answer["data"].as_array().unwrap() {
            assert!(names.insert(item["unique_source_identifier"].to_string()));
        }
        match answer["next_cursor"].as_str() {
            Some(next) => cursor = format!("&cursor={next}"),
            None => break,
        }
    }
    assert_eq!(names.len(), 200);
    // Together, the postings have 12 MB.
    assert_eq!(sizes.len(), 2, "{sizes:?}");
    assert!(
        sizes.iter().all(|size| *size <= (8 << 20) + 200),
        "{sizes:?}"
    );
}

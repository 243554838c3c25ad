//! The shown values of a posting while new content waits for a verdict, and the posting's versions.

use domain::posting::EnrichedTexts;
use serde_json::{Value, json};

use crate::support::{PATH, TestApp, posting, push};

#[tokio::test]
async fn a_posting_is_shown_as_it_was_judged_now_and_then() {
    let (app, token) = TestApp::with_writer().await;
    push(&app, &token, "a", &posting()).await;
    let texts = EnrichedTexts {
        markdown: "Good.".to_owned(),
        ..EnrichedTexts::default()
    };
    app.backend.enrich(&texts).await;
    let path = format!("{PATH}/a");
    let good = app.get(&token, &path).await.json();
    let bait = json!({"title": "Easy cash", "salary_min": 7, "metadata": {"a": 1}});
    push(&app, &token, "a", &bait).await;
    let shown = app.get(&token, &path).await.json()["data"].clone();
    assert_eq!(shown["title"], good["data"]["title"]);
    assert_eq!(
        (&shown["salary_min"], &shown["pending"]["title"]),
        (&json!(7), &json!("Easy cash"))
    );
    let list = app.get(&token, &format!("{PATH}?texts=none")).await.json();
    assert_eq!(list["data"][0]["pending"], shown["pending"]);

    let page = app
        .get(&token, &format!("{path}/versions?limit=1"))
        .await
        .json();
    let version = &page["data"][0];
    assert_eq!(version["version"], json!(3));
    assert_eq!(
        version["changed"],
        json!(["metadata", "salary_min", "title"])
    );
    let before = json!({
        "metadata": null, "salary_min": null, "title": good["data"]["title"],
    });
    assert_eq!(
        (&version["before"], &version["import"]),
        (&before, &Value::Null)
    );
    let next = page["next_cursor"].as_str().unwrap();
    let rest = app
        .get(&token, &format!("{path}/versions?cursor={next}"))
        .await
        .json();
    assert_eq!(
        (&rest["data"][0]["by"], &rest["next_cursor"]),
        (&json!("enricher"), &Value::Null)
    );
    assert_eq!(rest["data"][0]["before"]["status"], "PendingEnrichment");

    let then = app.get(&token, &format!("{path}?version=2")).await.json()["data"].clone();
    assert_eq!(
        (&then["salary_min"], &then["pending"]),
        (&Value::Null, &Value::Null)
    );
    assert_eq!(
        (&then["as_of"]["version"], &then["markdown_description"]),
        (&json!(2), &json!("Good."))
    );
    let at = good["data"]["updated_at"].as_str().unwrap();
    let at = app.get(&token, &format!("{path}?at={at}")).await.json();
    assert_eq!(at["data"], then);
    for (query, status) in [
        ("version=9", 404),
        ("at=2020-01-01T00:00:00Z", 404),
        ("version=x", 422),
    ] {
        let answer = app.get(&token, &format!("{path}?{query}")).await;
        assert_eq!(answer.status, status, "{query}");
    }
}

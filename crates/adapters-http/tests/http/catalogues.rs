//! Imports of catalogues, their proof and their undo.

use std::time::Duration;

use access::Scope;
use domain::{
    catalogue::{CatalogueId, CatalogueQuery, Catalogues as _, Leased, PastImport},
    import::{Counts, Missing, Summary},
};
use kernel::{CatalogueName, ClientId};
use serde_json::{Value, json};
use time::macros::datetime;
use uuid::Uuid;

use crate::{
    imports::{CATALOGUES, IMPORTS, import, line, lines, summary},
    support::{self, TestApp, posting, request},
};

#[tokio::test]
async fn a_catalogue_says_what_is_missing() {
    let app = TestApp::spawn();
    let token = app.writer().await;
    let body = line("a", &posting());
    for (query, missing) in [
        ("", json!({"count": 25, "expired": 0, "held": true})),
        (
            "?max_missing=99",
            json!({"count": 25, "expired": 0, "held": true}),
        ),
        (
            "?max_missing=100",
            json!({"count": 25, "expired": 25, "held": false}),
        ),
        (
            "?min_missing=24",
            json!({"count": 25, "expired": 0, "held": true}),
        ),
        (
            "?min_missing=25&misses=1",
            json!({"count": 25, "expired": 25, "held": false}),
        ),
        (
            "?min_missing=10000000&misses=10",
            json!({"count": 25, "expired": 0, "held": false}),
        ),
    ] {
        let target = format!("{CATALOGUES}/A.b_c-9{query}");
        let answer = import(&token, &target, &*body).send(&app).await;
        assert_eq!(
            (answer.status, &summary(&answer)["missing"]),
            (200, &missing),
            "{query}"
        );
    }
    let broken = import(&token, &format!("{CATALOGUES}/a"), "{");
    let broken = broken.header("Content-Encoding", "gzip").send(&app).await;
    assert_eq!(
        (broken.status, summary(&broken).get("missing")),
        (400, None)
    );

    let long = "n".repeat(65);
    for name in ["", "a%20b", "%C3%A4", &long] {
        let refused = import(&token, &format!("{CATALOGUES}/{name}"), "")
            .send(&app)
            .await;
        assert_eq!(refused.status, 422, "{name}");
        assert!(refused.json()["errors"].get("name").is_some());
    }
    for (parameter, value) in [
        ("max_missing", "101"),
        ("min_missing", "10000001"),
        ("misses", "0"),
        ("misses", "11"),
        ("require_end", "1"),
    ] {
        let target = format!("{CATALOGUES}/a?{parameter}={value}");
        let refused = import(&token, &target, "").send(&app).await;
        assert_eq!(refused.status, 422, "{target}");
        assert!(refused.json()["errors"].get(parameter).is_some());
    }
    for (name, wait) in [("running", Some("7")), ("one-too-many", None)] {
        let refused = import(&token, &format!("{CATALOGUES}/{name}"), "")
            .send(&app)
            .await;
        assert_eq!((refused.status, refused.header("Retry-After")), (409, wait));
        assert!(refused.message().contains("catalogue"), "{refused:?}");
    }
}

#[tokio::test]
async fn a_body_that_is_not_what_its_end_says_is_not_complete() {
    let app = TestApp::spawn();
    let token = app.writer().await;
    let end = |lines: u32| format!("{}\n", json!({"end": {"lines": lines}}));
    let [a, b] = ["a", "b"].map(|id| line(id, &posting()));
    for (query, body, taken, message) in [
        ("", [&*a, "\n", &b, end(2).trim_end()].concat(), 2, None),
        (
            "&require_end=true",
            ["nonsense\n", &end(1)].concat(),
            1,
            None,
        ),
        (
            "",
            [&*a, &b, &end(3)].concat(),
            2,
            Some("The end says that 3 lines came before it, but 2 did."),
        ),
        (
            "",
            [&*a, &end(1), &line("never", &posting())].concat(),
            1,
            Some("A line follows the end."),
        ),
        (
            "&require_end=true",
            a.clone(),
            1,
            Some("The body has no end, which require_end asks for."),
        ),
    ] {
        for path in [IMPORTS.to_owned(), format!("{CATALOGUES}/feed")] {
            let target = format!("{path}?receipts=all{query}");
            let answer = import(&token, &target, &*body).send(&app).await;
            let status = if message.is_none() { 200 } else { 422 };
            assert_eq!(answer.status, status, "{body}: {answer:?}");
            let mut lines = lines(&answer);
            let summary = lines.pop().unwrap()["summary"].take();
            assert_eq!(lines.len(), taken, "{body}: {answer:?}");
            assert_eq!(summary["lines"], taken);
            assert_eq!(summary["complete"], message.is_none());
            assert_eq!(summary.get("message").and_then(Value::as_str), message);
            let tells = message.is_none() && path != IMPORTS;
            assert_eq!(summary.get("missing").is_some(), tells, "{summary}");
        }
    }
    let get = |id: &str| request("GET", &format!("{}/{id}", support::PATH)).token(&token);
    assert_eq!(get("b").send(&app).await.status, 200);
    assert_eq!(get("never").send(&app).await.status, 404);
}

#[tokio::test]
async fn a_client_undoes_what_its_catalogue_expired() {
    let app = TestApp::spawn();
    let token = app.writer().await;
    let reader = app.token(&[Scope::JobPostingsRead]).await;
    let undo = async |token: &str, name: &str| {
        let target = format!("{CATALOGUES}/{name}");
        request("POST", &target).token(token).send(&app).await
    };
    let done = undo(&token, "feed/undo").await;
    assert_eq!(
        (done.status, done.header("Cache-Control")),
        (200, Some("no-store"))
    );
    assert_eq!(done.json(), json!({"data": {"reopened": 2, "left": 1}}));
    for (token, name, status, wait, message) in [
        (&token, "unknown/undo", 404, None, "Catalogue not found."),
        (&token, "running/undo", 409, Some("7"), "catalogue"),
        (&token, "a%20b/undo", 422, None, ""),
        (&token, "feed/undo?x=1", 422, None, ""),
        (&reader, "feed/undo", 403, None, ""),
    ] {
        let refused = undo(token, name).await;
        assert_eq!(
            (refused.status, refused.header("Retry-After")),
            (status, wait),
            "{name}"
        );
        assert!(refused.message().contains(message), "{refused:?}");
    }
}

#[tokio::test]
async fn a_client_sees_and_forgets_its_catalogues() {
    let app = TestApp::spawn();
    let (id, token) = app.client(|_| {}).await;
    let started_at = datetime!(2026-01-31 04:00 UTC);
    let counts = Counts {
        lines: 3,
        created: 2,
        refused: 1,
        ..Counts::default()
    };
    let missing = Missing {
        count: 5,
        expired: 0,
        held: true,
    };
    let import = PastImport {
        started_at,
        finished_at: started_at + Duration::from_millis(1_500),
        summary: Summary {
            counts,
            missing: Some(missing),
            complete: true,
        },
    };
    let lease = async |client: ClientId, name: &str| {
        let holder = Uuid::now_v7();
        let query = CatalogueQuery {
            client,
            name: CatalogueName::new(name).unwrap(),
            new_id: Some(CatalogueId::new(holder)),
            holder,
            now: started_at,
            until: datetime!(9999-01-01 00:00 UTC),
        };
        match app.backend.store.lease(&query).await {
            Ok(Leased::Held(lease)) => lease,
            other => panic!("{other:?}"),
        }
    };
    let store = &app.backend.store;
    assert!(store.finish(lease(id, "b").await, &import).await.unwrap());
    lease(id, "a").await;
    lease(ClientId::new(Uuid::nil()), "c").await;

    let get = async |path: &str| {
        let target = format!("{CATALOGUES}{path}");
        request("GET", &target).token(&token).send(&app).await
    };
    let b = json!({
        "name": "b", "postings": 0, "running": false,
        "last_import": {
            "started_at": "2026-01-31T04:00:00Z", "finished_at": "2026-01-31T04:00:01.5Z",
            "lines": 3, "created": 2, "updated": 0, "unchanged": 0, "expired": 0, "reopened": 0,
            "refused": 1, "failed": 0, "missing": {"count": 5, "expired": 0, "held": true},
            "complete": true
        }
    });
    let a = json!({"name": "a", "postings": 0, "running": true, "last_import": null});
    assert_eq!(get("").await.json(), json!({"data": [a, b]}));
    assert_eq!(get("/b").await.json(), json!({"data": b}));
    assert_eq!(get("/c").await.status, 404);
    assert_eq!(get("/b?x=1").await.status, 422);
    let delete = || request("DELETE", &format!("{CATALOGUES}/b")).token(&token);
    assert_eq!(delete().send(&app).await.status, 204);
    for gone in [delete().send(&app).await, get("/b").await] {
        assert_eq!(
            (gone.status, gone.message()),
            (404, "Catalogue not found.".to_owned())
        );
    }
}

//! Imports of catalogues, their proof and their undo.

use access::Scope;
use domain::catalogue::{CatalogueId, CatalogueQuery, Catalogues as _, Leased};
use kernel::{
    CatalogueName, ClientId,
    testing::{hours, noon},
};
use serde_json::json;
use uuid::Uuid;

use crate::{
    imports::{CATALOGUES, IMPORTS, import, line, summary},
    support::{TestApp, check, posting, request},
};

#[tokio::test]
async fn a_catalogue_says_what_is_missing() {
    let (app, token) = TestApp::with_writer().await;
    let body = line("a", &posting());
    for (query, expired, held) in [
        ("", 0, true),
        ("?max_missing=100", 25, false),
        ("?min_missing=24", 0, true),
        ("?min_missing=25&misses=1", 25, false),
        ("?min_missing=10000000&misses=10", 0, false),
    ] {
        let target = format!("{CATALOGUES}/A.b_c-9{query}");
        let answer = import(&token, &target, &*body).send(&app).await;
        assert_eq!(answer.status, 200, "{query}");
        let mut missing = json!({"count": 25, "expired": expired, "held": held});
        if held {
            missing["because"] = json!("share");
        }
        assert_eq!(summary(&answer)["missing"], missing, "{query}");
    }
    let table = format!(
        "
        PUT /                  |  | 422 | name must
        PUT /a%20b             |  | 422 | name must
        PUT /%C3%A4            |  | 422 | name must
        PUT /{long}            |  | 422 | name must
        PUT /a?max_missing=101 |  | 422 | max_missing must be an integer between 0 and 100
        PUT /a?min_missing=10000001 |  | 422 | min_missing must be an integer between 0 and 10000000
        PUT /a?max_unattributed=-1 |  | 422 | max_unattributed must be an integer between 0 and 10000000
        PUT /a?misses=0        |  | 422 | misses must be an integer between 1 and 10
        PUT /a?require_end=1   |  | 422 | require_end must be true or false
        PUT /running           |  | 409 | catalogue | Retry-After: 7
        PUT /one-too-many      |  | 409 | catalogue
        ",
        long = "n".repeat(65)
    );
    check(&app, Some(&token), CATALOGUES, &table).await;
}

/// What an end says is read by `domain`.
#[tokio::test]
async fn a_body_that_is_not_what_its_end_says_is_not_complete() {
    let (app, token) = TestApp::with_writer().await;
    let end = |lines: u32| format!("{}\n", json!({"end": {"lines": lines}}));
    let body = [line("a", &posting()), end(3)].concat();
    let short = import(&token, &format!("{CATALOGUES}/feed"), body)
        .send(&app)
        .await;
    assert_eq!(short.status, 422, "{short:?}");
    let summary = summary(&short);
    let said = "The end says that 3 lines came before it, but 1 did.";
    assert_eq!(
        (&summary["lines"], &summary["message"]),
        (&json!(1), &json!(said))
    );
    assert_eq!(
        (&summary["complete"], summary.get("missing")),
        (&json!(false), None)
    );
    let endless = import(
        &token,
        &format!("{IMPORTS}?require_end=true"),
        line("a", &posting()),
    );
    assert_eq!(endless.send(&app).await.status, 422);
}

#[tokio::test]
async fn a_client_undoes_what_its_catalogue_expired() {
    let (app, token) = TestApp::with_writer().await;
    let undo = request("POST", &format!("{CATALOGUES}/feed/undo")).token(&token);
    let done = undo.send(&app).await;
    assert_eq!(
        (done.status, done.header("Cache-Control")),
        (200, Some("no-store"))
    );
    assert_eq!(done.json(), json!({"data": {"reopened": 2, "left": 1}}));
    let table = "
        POST /unknown/undo  |  | 404 | Catalogue not found.
        POST /running/undo  |  | 409 | catalogue | Retry-After: 7
        POST /a%20b/undo    |  | 422 | name must
        ";
    check(&app, Some(&token), CATALOGUES, table).await;
    let reader = app.token(&[Scope::JobPostingsRead]).await;
    check(&app, Some(&reader), CATALOGUES, "POST /feed/undo | | 403").await;
}

#[tokio::test]
async fn a_client_sees_and_forgets_its_catalogues() {
    let app = TestApp::spawn();
    let (id, token) = app.client(|_| {}).await;
    for (client, name) in [(id, "b"), (id, "a"), (ClientId::new(Uuid::nil()), "c")] {
        let holder = Uuid::now_v7();
        let query = CatalogueQuery {
            client,
            name: CatalogueName::new(name).unwrap(),
            new_id: Some(CatalogueId::new(holder)),
            holder,
            now: noon(),
            until: noon() + hours(1_000_000),
        };
        let leased = app.backend.store.lease(&query).await;
        assert!(matches!(leased, Ok(Leased::Held(_))), "{leased:?}");
    }
    let get = async |path: &str| app.get(&token, &format!("{CATALOGUES}{path}")).await.json();
    let [a, b] = ["a", "b"]
        .map(|name| json!({"name": name, "postings": 0, "running": true, "last_import": null}));
    assert_eq!(get("").await, json!({"data": [a, b]}));
    assert_eq!(get("/b").await, json!({"data": b}));
    let delete = request("DELETE", &format!("{CATALOGUES}/b")).token(&token);
    assert_eq!(delete.send(&app).await.status, 204);
    let table = "
        DELETE /b  |  | 404 | Catalogue not found.
        GET /b     |  | 404 | Catalogue not found.
        GET /c     |  | 404 | Catalogue not found.
        ";
    check(&app, Some(&token), CATALOGUES, table).await;
}

//! Imports of catalogues, the proof that they are complete, and their undo.

use access::Scope;
use domain::{
    catalogue::{CatalogueId, CatalogueQuery, Catalogues as _, Leased, Missed, PastImport},
    import::{HeldBecause, Missing, Summary},
    store::Reads as _,
    usecase::record_missed,
};
use kernel::{
    CatalogueName, ClientId,
    testing::{hours, identifier, noon},
};
use serde_json::json;
use uuid::Uuid;

use crate::{
    imports::{CATALOGUES, IMPORTS, import, line, summary},
    support::{TestApp, check, posting, push, request},
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
            missing["first"] = json!(["a"]);
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

/// `domain` parses the end marker.
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
    assert_eq!(
        done.json(),
        json!({"data": {"reopened": 2, "restored": 3, "left": 1}})
    );
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
async fn a_client_sees_and_releases_what_is_held_back() {
    let app = TestApp::spawn();
    let (id, token) = app.client(|_| {}).await;
    let query = CatalogueQuery {
        client: id,
        name: CatalogueName::new("feed").unwrap(),
        new_id: Some(CatalogueId::new(Uuid::from_u128(1))),
        holder: Uuid::from_u128(2),
        now: noon(),
        until: noon() + hours(1),
    };
    let store = &app.backend.store;
    let Ok(Leased::Held(lease)) = store.lease(&query).await else {
        panic!("it is free");
    };
    for id in ["a", "b", "c"] {
        push(&app, &token, id, &posting()).await;
    }
    let loaded = store.load(&["a", "b", "c"].map(identifier), &[]).await;
    let ids: Vec<_> = loaded.unwrap().postings.values().map(|it| it.id).collect();
    let recorded = record_missed(&**store, lease, ids, Missed::Held, noon()).await;
    assert_eq!(recorded, Ok(()));
    let import = PastImport {
        started_at: noon(),
        finished_at: noon(),
        summary: Summary {
            missing: Some(Missing {
                count: 3,
                held: Some(HeldBecause::Share),
                ..Missing::default()
            }),
            complete: true,
            ..Summary::default()
        },
    };
    assert_eq!(store.finish(lease, &import, false).await, Ok(true));
    let get = async |path: &str| {
        app.get(&token, &format!("{CATALOGUES}/feed{path}"))
            .await
            .json()
    };
    assert_eq!(get("").await["data"]["held"], 3);
    let first = get("/missing?limit=2").await;
    let cursor = first["next_cursor"].as_str().unwrap();
    let rest = get(&format!("/missing?limit=2&cursor={cursor}")).await;
    assert_eq!(rest["next_cursor"], json!(null));
    let pages = [&first, &rest].map(|page| page["data"].as_array().unwrap().clone());
    let mut all = pages.concat();
    all.sort_by_key(|it| it["unique_source_identifier"].to_string());
    let named = all.iter().map(|it| it["unique_source_identifier"].clone());
    assert_eq!(json!(named.collect::<Vec<_>>()), json!(["a", "b", "c"]));
    assert_eq!(
        (&all[0]["held"], &all[0]["status"]),
        (&json!(true), &json!("PendingEnrichment"))
    );
    let release = request("POST", &format!("{CATALOGUES}/feed/release")).token(&token);
    let done = release.send(&app).await;
    assert_eq!(done.json(), json!({"data": {"expired": 4, "left": 1}}));
    let table = "
        GET  /none/missing             |  | 404 | Catalogue not found.
        GET  /feed/missing?limit=1001  |  | 422 | limit must be an integer between 1 and 1000
        GET  /feed/missing?cursor=x    |  | 422 | cursor must be a next_cursor
        POST /unknown/release          |  | 404 | Catalogue not found.
        POST /running/release          |  | 409 | catalogue | Retry-After: 7
        ";
    check(&app, Some(&token), CATALOGUES, table).await;
}

#[tokio::test]
async fn a_client_sees_and_forgets_its_catalogues() {
    let app = TestApp::spawn();
    let (id, token) = app.client(|_| {}).await;
    let other = ClientId::new(Uuid::nil());
    for (client, name, hours_long) in [(id, "b", 0), (id, "a", 1_000_000), (other, "c", 0)] {
        let holder = Uuid::now_v7();
        let query = CatalogueQuery {
            client,
            name: CatalogueName::new(name).unwrap(),
            new_id: Some(CatalogueId::new(holder)),
            holder,
            now: noon(),
            until: noon() + hours(hours_long),
        };
        let leased = app.backend.store.lease(&query).await;
        assert!(matches!(leased, Ok(Leased::Held(_))), "{leased:?}");
    }
    let get = async |path: &str| app.get(&token, &format!("{CATALOGUES}{path}")).await.json();
    let [a, b] = [("a", true), ("b", false)].map(|(name, is_running)| {
        json!({"name": name, "postings": 0, "running": is_running, "held": null,
            "last_import": null, "imports": []})
    });
    assert_eq!(get("").await, json!({"data": [a, b]}));
    assert_eq!(get("/b").await, json!({"data": b}));
    let delete = request("DELETE", &format!("{CATALOGUES}/b")).token(&token);
    assert_eq!(delete.send(&app).await.status, 204);
    let table = "
        DELETE /b  |  | 404 | Catalogue not found.
        DELETE /a  |  | 409 | catalogue
        GET /b     |  | 404 | Catalogue not found.
        GET /c     |  | 404 | Catalogue not found.
        ";
    check(&app, Some(&token), CATALOGUES, table).await;
}

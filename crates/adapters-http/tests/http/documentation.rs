//! The documentation as it is served. Its content is checked by the unit tests of `openapi`.

use std::collections::BTreeSet;

use access::Scope;
use domain::posting::ReasonCode;
use kernel::Status;

use crate::support::{TestApp, request};

#[tokio::test]
async fn what_is_documented_is_there_and_what_is_not_is_405() {
    let app = TestApp::spawn();
    let token = app.token(Scope::ALL).await;
    let document = serde_json::to_value(adapters_http::openapi().unwrap()).unwrap();
    for (path, operations) in document["paths"].as_object().unwrap() {
        let target = path
            .replace("{uniqueSourceIdentifier}", "documented")
            .replace("{email}", "documented@example.com")
            .replace("{id}", "0190a1b2-0000-7000-8000-000000000002");
        let known = operations.as_object().unwrap().keys().map(String::as_str);
        let known: BTreeSet<_> = known.collect();
        for method in ["get", "put", "post", "delete", "patch", "options", "trace"] {
            let request = request(&method.to_uppercase(), &target).token(&token);
            let response = request.send(&app).await;
            let status = response.status;
            assert_eq!(status == 405, !known.contains(method), "{method} {path}");
            if status == 405 {
                let allow = response.header("Allow").unwrap().to_lowercase();
                let allowed = allow.split(", ").filter(|method| *method != "head");
                assert_eq!(allowed.collect::<BTreeSet<_>>(), known, "{path}");
            } else {
                let documented = operations[method]["responses"].get(status.to_string());
                assert!(
                    documented.is_some(),
                    "{method} {path}: {status} is not documented"
                );
            }
        }
    }
}

#[tokio::test]
async fn a_browser_is_led_to_the_documentation() {
    let app = TestApp::spawn();
    let browser = request("GET", "/").header("Accept", "text/html,*/*;q=0.8");
    let led = browser.send(&app).await;
    assert_eq!((led.status, led.header("Location")), (302, Some("docs")));
    assert_eq!(request("GET", "/").send(&app).await.status, 404);
}

#[tokio::test]
async fn swagger_ui_needs_nothing_from_elsewhere() {
    let app = TestApp::spawn();
    let get = async |path: &str| request("GET", path).send(&app).await;
    for path in ["/docs/reference", "/docs/index.html"] {
        let page = get(path).await;
        assert_eq!(
            page.header("Content-Type"),
            Some("text/html; charset=utf-8")
        );
        let policy = page.header("Content-Security-Policy").unwrap();
        assert!(policy.contains("default-src 'self'"), "{policy}");
        let text = page.text();
        for part in ["<title>Posthaste API</title>", "<base href=\"/docs/\">"] {
            assert!(text.contains(part), "{part} in {text}");
        }
        assert!(!text.contains("http:") && !text.contains("https:"));
        let is_source = |text: &&str| matches!(text.rsplit_once('.'), Some((_, "js" | "css")));
        let sources: Vec<_> = text.split(['"', '\'']).filter(is_source).collect();
        assert!(sources.len() >= 4, "{sources:?}");
        for source in sources {
            let source = format!("/docs/{}", source.trim_start_matches("./"));
            assert_eq!(get(&source).await.status, 200, "{source}");
        }
    }
    let settings = get("/docs/swagger-initializer.js").await;
    for part in ["\"/api/openapi.json\"", "\"validatorUrl\": \"none\""] {
        assert!(settings.text().contains(part), "{}", settings.text());
    }
}

#[tokio::test]
async fn the_guide_needs_no_script_and_nothing_from_elsewhere() {
    let app = TestApp::spawn();
    for path in ["/docs", "/docs/"] {
        let page = request("GET", path).send(&app).await;
        assert_eq!(
            page.header("Content-Type"),
            Some("text/html; charset=utf-8")
        );
        let policy = page.header("Content-Security-Policy").unwrap();
        assert!(policy.starts_with("default-src 'none'"), "{policy}");
        let text = page.text();
        assert!(!text.contains("<script") && !text.contains("style="));
        assert!(text.contains("href=\"/docs/reference\""), "{text}");
        // Whatever the code knows is explained.
        let codes = ReasonCode::ALL.iter().map(|code| code.as_str());
        for name in codes.chain(Status::NAMES.iter().copied()) {
            assert!(text.contains(&format!("<code>{name}</code>")), "{name}");
        }
        for target in text.split("href=\"").skip(1) {
            let target = target.split('"').next().unwrap();
            if let Some(id) = target.strip_prefix('#') {
                assert!(text.contains(&format!("id=\"{id}\"")), "{id}");
            } else {
                let found = request("GET", target).send(&app).await;
                assert_eq!(found.status, 200, "{target}");
            }
        }
    }
}

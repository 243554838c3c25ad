//! The documentation as served. Unit tests of `openapi` check its content.

use domain::posting::ReasonCode;
use kernel::Status;

use crate::support::{TestApp, request};

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
async fn the_guide_needs_nothing_from_elsewhere() {
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
        assert_eq!(text.matches("<script src=\"/docs/copy.js\"").count(), 1);
        assert_eq!(text.matches("<script").count(), 1);
        assert!(!text.contains("style="));
        for part in ["href=\"/docs/reference\"", "<code>salary_min</code>"] {
            assert!(text.contains(part), "{part} in {text}");
        }
        // Every code is explained.
        let codes = ReasonCode::ALL.iter().map(|code| code.as_str());
        for name in codes.chain(Status::NAMES.iter().copied()) {
            assert!(text.contains(&format!("<code>{name}</code>")), "{name}");
        }
        check_links(&app, text).await;
    }
}

#[tokio::test]
async fn the_pages_of_the_documentation_lead_to_what_they_name() {
    let app = TestApp::spawn();
    for (path, part) in [
        ("sources", "<h3 id=\"greenhouse\">"),
        ("api", "href=\"/docs/api/push\""),
        ("api/push", "href=\"#fields\""),
        ("api/read", "<h2 id=\"events\">"),
        ("api/webhooks", "href=\"/docs/examples/receiver.py\""),
        ("api/newsletter", "<table>"),
    ] {
        let page = request("GET", &format!("/docs/{path}")).send(&app).await;
        let text = page.text();
        assert!(text.contains(part), "{part} in {text}");
        assert!(!text.contains("style=") && !text.contains(".md"), "{path}");
        check_links(&app, text).await;
        let markdown = request("GET", &format!("/docs/{path}.md")).send(&app).await;
        assert!(markdown.text().starts_with("# "), "{path}");
    }
}

#[tokio::test]
async fn programs_find_the_documentation_as_text() {
    let app = TestApp::spawn();
    let index = request("GET", "/llms.txt").send(&app).await;
    let index = index.text();
    let links = index
        .split("](")
        .skip(1)
        .filter_map(|it| it.split(')').next());
    let links: Vec<_> = links.collect();
    assert_eq!(links.len(), 7, "{index}");
    for link in links {
        assert_eq!(request("GET", link).send(&app).await.status, 200, "{link}");
    }
    let guide = request("GET", "/docs.md").send(&app).await;
    let text = guide.text();
    for part in ["## Get a token", "```python", "- `approved`: ", "&"] {
        assert!(text.contains(part), "{part} in {text}");
    }
    assert!(!text.contains("&amp;") && !text.contains("&#"), "{text}");
    let schema = request("GET", "/api/import-line.schema.json")
        .send(&app)
        .await;
    let schema: serde_json::Value = serde_json::from_slice(&schema.body).unwrap();
    let payload = &schema["anyOf"][0]["properties"]["payload"]["$ref"];
    assert_eq!(payload, "#/$defs/PostingPayload");
    assert!(schema["$defs"]["PostingPayload"]["properties"]["title"].is_object());
    let payload = &schema["$defs"]["PostingPayload"]["properties"];
    assert_eq!(payload["latitude"], false);
    assert!(!schema.to_string().contains("#/components/"));
}

async fn check_links(app: &TestApp, page: &str) {
    let targets = page
        .split(" href=\"")
        .skip(1)
        .chain(page.split(" src=\"").skip(1));
    for target in targets {
        let target = target.split('"').next().unwrap();
        if let Some(id) = target.strip_prefix('#') {
            assert!(page.contains(&format!("id=\"{id}\"")), "{id}");
        } else if !target.starts_with("https://") {
            let path = match target.strip_prefix('/') {
                Some(_) => target.to_owned(),
                None => format!("/docs/{target}"),
            };
            let found = request("GET", &path).send(app).await;
            assert_eq!(found.status, 200, "{target}");
        }
    }
}

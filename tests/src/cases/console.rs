use pg_cluster::free_port;
use reqwest::{Client, Response, StatusCode, redirect::Policy};

use crate::harness::{App, Site, Store, fresh, minimal};

on_postgres! {
    an_operator_signs_in_moderates_and_signs_out_in_another_process,
}

pub(super) struct Browser {
    client: Client,
    cookie: String,
}

impl Browser {
    pub(super) fn new() -> Self {
        Self {
            client: Client::builder().redirect(Policy::none()).build().unwrap(),
            cookie: String::new(),
        }
    }

    pub(super) async fn signed_in(app: &App, console: &str) -> Self {
        let mut browser = Self::new();
        let link = app.run(&["console", "link", "--as", "ann"]).succeeded();
        browser.enter(console, behind(&link, "?link=").trim()).await;
        browser
    }

    pub(super) async fn enter(&mut self, console: &str, token: &str) {
        let entered = self
            .post(&format!("{console}/sign-in"), &format!("link={token}"))
            .await;
        assert_eq!(entered.status(), StatusCode::SEE_OTHER);
        let cookie = entered.headers()["set-cookie"].to_str().unwrap();
        self.cookie = cookie.split(';').next().unwrap().to_owned();
    }

    pub(super) async fn get(&self, url: &str) -> (StatusCode, String) {
        let request = self.client.get(url).header("cookie", &self.cookie);
        let response = request.send().await.unwrap();
        (response.status(), response.text().await.unwrap())
    }

    async fn post(&self, url: &str, form: &str) -> Response {
        self.client
            .post(url)
            .header("cookie", &self.cookie)
            .header("content-type", "application/x-www-form-urlencoded")
            .body(form.to_owned())
            .send()
            .await
            .unwrap()
    }
}

pub(super) fn free() -> String {
    format!("127.0.0.1:{}", free_port().unwrap())
}

fn behind<'a>(page: &'a str, text: &str) -> &'a str {
    let (_, rest) = page.split_once(text).unwrap();
    rest.split('"').next().unwrap()
}

async fn an_operator_signs_in_moderates_and_signs_out_in_another_process(store: Store) {
    let (one, other) = (free(), free());
    let site = Site::new(store);
    let beside = site.beside().with("POSTHASTE_CONSOLE_BIND", &other);
    let site = site.with("POSTHASTE_CONSOLE_BIND", &one);
    let _servers = (site.serve(&[]), beside.serve(&[]));
    let app = App::at(site);
    let (one, other) = (format!("http://{one}"), format!("http://{other}"));
    let mut browser = Browser::new();
    assert_eq!(browser.get(&one).await.0, StatusCode::SEE_OTHER);

    let link = app.run(&["console", "link", "--as", "ann"]).succeeded();
    let (address, token) = link.trim().split_once("/sign-in?link=").unwrap();
    assert_eq!(address, one);
    let (status, page) = browser.get(link.trim()).await;
    assert!(status.is_success() && page.contains("ann"), "{page}");
    browser.enter(&other, token).await;
    let again = browser
        .post(&format!("{one}/sign-in"), &format!("link={token}"))
        .await;
    assert_eq!(again.status(), StatusCode::GONE);

    for path in [
        "/",
        "/companies",
        "/clients",
        "/catalogues",
        "/webhooks",
        "/outbox",
        "/subscribers",
        "/audit",
    ] {
        let (status, page) = browser.get(&format!("{one}{path}")).await;
        assert!(status.is_success(), "{path}: {page}");
    }
    let id = fresh("console");
    let uuid = app.put(&id, &minimal()).await.created();
    // A verdict between reading the page and sending the form would change the version.
    app.api.until(&id, "approved").await;
    let (_, list) = browser.get(&format!("{one}/postings?id={id}")).await;
    assert!(list.contains(&uuid.to_string()), "{list}");
    let token = behind(&list, "name=\"token\" value=\"");
    let path = format!("{one}/postings/{uuid}");
    let (_, page) = browser.get(&path).await;
    let version = behind(&page, "name=\"version\" value=\"");
    let form = format!("token={token}&version={version}&action=reject&reason=Not+a+job.");
    assert_eq!(
        browser.post(&path, &form).await.status(),
        StatusCode::SEE_OTHER
    );
    let posting = app.show(&id).await;
    assert_eq!(posting["status"], "rejected");
    let history = posting["history"].as_array().unwrap();
    assert_eq!(history.last().unwrap()["by"], "operator:ann");

    let left = browser
        .post(&format!("{other}/sign-out"), &format!("token={token}"))
        .await;
    assert_eq!(left.status(), StatusCode::SEE_OTHER);
    for console in [&one, &other] {
        assert_eq!(browser.get(console).await.0, StatusCode::SEE_OTHER);
    }
    let audit = app.run(&["audit"]).succeeded();
    for action in [
        "console.link",
        "console.sign_in",
        "postings.reject",
        "console.sign_out",
    ] {
        assert!(audit.contains(action), "{action}: {audit}");
    }
}

use reqwest::StatusCode;
use serde_json::json;

use super::console::Browser;
use crate::harness::{Client, Site, Store, fresh, minimal};

on_sqlite! {
    developers_see_the_outcome_of_their_clients_postings,
}

async fn developers_see_the_outcome_of_their_clients_postings(store: Store) {
    let site = Site::new(store);
    let _server = site.serve(&["--no-worker"]);
    let (own, other) = (format!("{}-", fresh("own")), fresh("other"));
    let client = Client::create(&site, &["--prefix", &own]);
    let api = client.api(&site);
    let neighbour = Client::create(&site, &[]).api(&site);
    let id = format!("{own}1");
    api.put(&id, &minimal()).await.created();
    neighbour.put(&other, &minimal()).await.created();

    let pages = format!("{}/integration", site.url());
    let mut browser = Browser::new();
    let (status, page) = browser.get(&pages).await;
    assert_eq!(status, StatusCode::UNAUTHORIZED);
    assert!(page.contains("A link signs in once"), "{page}");

    let made = api
        .post("/api/job-board/integration/link", &json!({}))
        .await;
    let made = made.json();
    let own_link = made["data"]["url"].as_str().unwrap();
    let given = site.run(&["clients", "link", &client.id]).succeeded();
    for link in [own_link, given.trim()] {
        let (address, token) = link.split_once("/sign-in?link=").unwrap();
        assert_eq!(address, pages);
        browser.enter(&pages, token).await;
    }
    let (status, list) = browser.get(&format!("{pages}/postings")).await;
    assert!(status.is_success() && list.contains(&id), "{list}");
    assert!(!list.contains(&other), "{list}");
    for (id, expect) in [(&id, StatusCode::OK), (&other, StatusCode::NOT_FOUND)] {
        let one = browser.get(&format!("{pages}/postings?posting={id}")).await;
        assert_eq!(one.0, expect);
    }

    site.run(&["clients", "revoke", &client.id]).succeeded();
    assert_eq!(browser.get(&pages).await.0, StatusCode::UNAUTHORIZED);
}

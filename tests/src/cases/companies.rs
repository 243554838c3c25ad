use serde_json::{Value, json};

use crate::harness::{App, SETTLING, Store, eventually, fresh, minimal, website};

on_every_store! {
    the_postings_of_a_merged_company_follow_and_come_back,
}

/// Waits until a posting is of the company with this website.
async fn until_of(app: &App, id: &str, site: &str) {
    eventually("the posting has moved", SETTLING, || async {
        let posting = app.show(id).await;
        (posting["company"]["website_url"] == *site).then_some(())
    })
    .await;
}

async fn the_postings_of_a_merged_company_follow_and_come_back(store: Store) {
    let app = App::served(store);
    let [from, into] = [website(), website()];
    let [moved, own] = [fresh("moved"), fresh("own")];
    for (id, site) in [(&moved, &from), (&own, &into)] {
        let mut payload = minimal();
        payload["company"]["website_url"] = json!(site);
        app.put(id, &payload).await.created();
    }
    let reason = ["--reason", "one employer"];
    let show = |arguments: &[&str]| -> Value {
        let printed = app.run(arguments).succeeded();
        serde_json::from_str(&printed).unwrap()
    };
    let merged = show(&[
        "companies",
        "merge",
        &from,
        &into,
        reason[0],
        reason[1],
        "--json",
    ]);
    assert_eq!(merged["aliases"][0]["website_url"], json!(from));
    until_of(&app, &moved, &into).await;
    // Another spelling of either website changes nothing.
    for site in [&from, &into] {
        let site = format!("{}/?utm_source=x", site.replace("https://", "http://www."));
        let push = json!({"company": {"website_url": site, "name": "Rosenhof"}});
        app.put(&moved, &push).await.updated();
        until_of(&app, &moved, &into).await;
    }
    let shown = show(&["companies", "show", &from, "--json"]);
    assert_eq!(shown["uuid"], merged["uuid"]);
    app.run(&["companies", "unmerge", &from, reason[0], reason[1]])
        .succeeded();
    until_of(&app, &moved, &from).await;
    until_of(&app, &own, &into).await;
    app.run(&["companies", "unmerge", &from, reason[0], reason[1]])
        .failed(1);
}

use serde_json::{Value, json};

use crate::harness::{
    App, SETTLING, Site, Store, eventually, fresh,
    import::{IMPORTS, import, line},
    minimal, website,
};

on_every_store! {
    the_postings_of_a_merged_company_follow_and_come_back,
    a_merge_and_its_end_go_on_after_a_kill,
}

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

/// The number of postings: more than a few commits move.
const MANY: usize = 5_000;

async fn a_merge_and_its_end_go_on_after_a_kill(store: Store) {
    let site = Site::new(store);
    let mut server = site.serve(&[]);
    let app = App::at(site);
    let [from, into] = [website(), website()];
    let ids: Vec<String> = (0..MANY).map(|_| fresh("p")).collect();
    let payload = |company: &str| {
        let mut payload = minimal();
        payload["company"]["website_url"] = json!(company);
        payload
    };
    let lines = ids.iter().map(|id| line(id, &payload(&from)));
    import(&app.api, IMPORTS, lines.collect::<String>())
        .await
        .complete();
    app.put(&fresh("own"), &payload(&into)).await.created();
    let of_target = || {
        let shown = app.run(&["companies", "show", &into, "--json"]).succeeded();
        let shown: Value = serde_json::from_str(&shown).unwrap();
        let counts = shown["postings"].as_object().unwrap().values();
        counts.filter_map(Value::as_u64).sum::<u64>()
    };
    let all = 1 + MANY as u64;
    for (order, company, after) in [
        (vec!["merge", &*from, &*into], &into, all),
        (vec!["unmerge", &*from], &from, 1),
    ] {
        let order = [&["companies"], &*order, &["--reason", "one employer"]].concat();
        app.run(&order).succeeded();
        until_of(&app, &ids[0], company).await;
        server.kill();
        let moved = of_target();
        assert!(1 < moved && moved < all, "{order:?} was over too early");
        server = app.site.serve(&[]);
        eventually("all postings have moved", SETTLING, || async {
            (of_target() == after).then_some(())
        })
        .await;
    }
    server.kill();
}

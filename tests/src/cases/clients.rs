use futures_util::future::join_all;
use serde_json::json;

use crate::harness::{Api, App, Client, SETTLING, Site, Store, eventually, fresh, minimal};

on_sqlite! {
    a_secret_is_replaced_without_a_gap,
}

on_postgres! {
    clients_share_the_board_within_their_prefixes_and_limits,
}

async fn clients_share_the_board_within_their_prefixes_and_limits(store: Store) {
    let site = Site::new(store);
    let other = site.beside();
    let _servers = [&site, &other].map(|site| site.serve(&["--no-worker"]));
    let (ours, theirs) = (fresh("acme-"), fresh("bolt-"));
    let limit = ["--prefix", "acme-", "--requests-per-minute", "6"];
    let acme = Client::create(&site, &limit);
    let bolt = Client::create(&site, &["--prefix", "bolt-", "--prefix", "nut-"]);
    bolt.api(&other).put(&theirs, &minimal()).await.created();
    let (payload, apis) = (minimal(), [&site, &other].map(|site| acme.api(site)));
    for (n, api) in apis.iter().enumerate() {
        let pushed = api.put(&ours, &payload).await;
        assert_eq!(pushed.status, if n == 0 { 201 } else { 200 }, "{pushed:#?}");
        let outcome = if n == 0 { "created" } else { "unchanged" };
        assert_eq!(pushed.header("posthaste-outcome"), outcome);
        let message = api.put(&theirs, &minimal()).await.error(403);
        let expect = "This client may only use identifiers that begin with acme-.";
        assert_eq!(message, expect);
        api.get(&Api::path(&theirs)).await.error(404);
        // Each process counts requests separately, and allows more requests one by one.
        let lists = join_all((0..12).map(|_| api.get(Api::LIST))).await;
        let (listed, refused) = lists
            .iter()
            .partition::<Vec<_>, _>(|answer| answer.status == 200);
        for answer in listed {
            let list = answer.data();
            assert_eq!(list.as_array().unwrap().len(), 1, "{list}");
            assert_eq!(list[0]["unique_source_identifier"], *ours);
        }
        refused[0].error(429);
    }

    let update = [
        "clients",
        "update",
        &acme.id,
        "--no-limit",
        "--prefix",
        "bolt-",
    ];
    site.run(&update).succeeded();
    for api in &apis {
        eventually("the new prefix is known", SETTLING, || async {
            (api.get(&Api::path(&theirs)).await.status == 200).then_some(())
        })
        .await;
        api.get(&Api::path(&ours)).await.error(404);
    }
    // The activity covers both processes, once it is written and the posting is enriched.
    let _worker = site.work();
    let about = eventually("the activity is there", SETTLING, || async {
        let about = apis[0].get("/api/job-board/integration").await.data();
        let day = &about["days"][0];
        (day["refused"] == 2 && day["approved"] == 1).then_some(about)
    })
    .await;
    let day = &about["days"][0];
    assert_eq!((&day["created"], &day["unchanged"]), (&json!(1), &json!(1)));
    assert_eq!(about["refusals"].as_array().unwrap().len(), 2);
    let shown = site.json(&["clients", "show", &acme.id, "--json"]);
    for key in ["client_id", "scopes", "prefixes", "days", "refusals"] {
        assert_eq!(shown[key], about[key], "{key}");
    }
}

async fn a_secret_is_replaced_without_a_gap(store: Store) {
    let app = App::quiet(store);
    let (site, first) = (&app.site, Client::create(&app.site, &[]));
    let rotated = |options: &[&str]| {
        let rotate = ["clients", "rotate", &first.id, "--json", "--overlap"];
        let rotated = site.json(&[&rotate, options].concat());
        Client {
            id: first.id.clone(),
            secret: rotated["client_secret"].as_str().unwrap().to_owned(),
        }
    };
    let second = rotated(&["1h"]);
    let [old, _] = [&first, &second].map(|client| client.api(site));
    let third = rotated(&["0s", "--end-tokens"]);
    assert_eq!(second.ask(site).status, 401);
    let new = third.api(site);
    assert_eq!(new.get(Api::LIST).await.status, 200, "at once");
    old.until_answered(401).await;
    assert_eq!(new.get(Api::LIST).await.status, 200);
}

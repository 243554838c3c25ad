//! Many integrations on one board: prefixes, limits, rotation and activity, through two servers.

use serde_json::{Value, json};

use crate::harness::{
    Api, App, SETTLING, Site, Store, WITHIN_TEN_SECONDS, eventually, fresh, minimal, raw, token,
};

on_every_store! {
    clients_share_the_board_within_their_prefixes_and_limits,
}

on_sqlite! {
    a_secret_is_replaced_without_a_gap,
}

/// A client with options of its own, and its API at each of the sites.
pub(super) struct Client {
    pub(super) id: String,
    secret: String,
    pub(super) apis: Vec<Api>,
}

impl Client {
    pub(super) fn create(sites: &[&Site], options: &[&str]) -> Self {
        let mut arguments = vec!["clients", "create", "--name", "shared", "--json"];
        for scope in ["job-postings:write", "webhooks:manage"] {
            arguments.extend(["--scope", scope]);
        }
        arguments.extend(options);
        let client: Value = serde_json::from_str(&sites[0].run(&arguments).succeeded()).unwrap();
        let text = |key: &str| client[key].as_str().unwrap().to_owned();
        let (id, secret) = (text("client_id"), text("client_secret"));
        let token = token(sites[0], &id, &secret, None);
        let apis = sites.iter().map(|site| Api::new(&site.url(), &token));
        Self {
            id,
            secret,
            apis: apis.collect(),
        }
    }
}

async fn clients_share_the_board_within_their_prefixes_and_limits(store: Store) {
    let site = Site::new(store).with("POSTHASTE_PUBLIC_URL", "https://jobs.example");
    let other = site.beside();
    let _servers = [other.serve(&["--no-worker"]), site.serve(&[])];
    let sites = [&site, &other];
    let (ours, theirs) = (fresh("acme-"), fresh("bolt-"));
    let limit = ["--prefix", "acme-", "--requests-per-minute", "6"];
    let acme = Client::create(&sites, &limit);
    let bolt = Client::create(&sites, &["--prefix", "bolt-", "--prefix", "nut-"]);
    bolt.apis[1].put(&theirs, &minimal()).await.created();
    let payload = minimal();
    for (n, api) in acme.apis.iter().enumerate() {
        let pushed = api.put(&ours, &payload).await;
        assert_eq!(pushed.status, if n == 0 { 201 } else { 200 }, "{pushed:#?}");
        let outcome = if n == 0 { "created" } else { "unchanged" };
        assert_eq!(pushed.header("posthaste-outcome"), outcome);
        let message = api.put(&theirs, &minimal()).await.error(403);
        let expect = "This client may only use identifiers that begin with acme-.";
        assert_eq!(message, expect);
        api.get(&Api::path(&theirs)).await.error(404);
        // Each process counts by itself; places come back one by one.
        let mut answer = api.get(Api::LIST).await;
        for _ in 0..6 {
            if answer.status == 429 {
                break;
            }
            let list = answer.data();
            assert_eq!(list.as_array().unwrap().len(), 1, "{list}");
            assert_eq!(list[0]["unique_source_identifier"], *ours);
            answer = api.get(Api::LIST).await;
        }
        answer.error(429);
    }

    // Fence and limit are moved while the servers run.
    let update = [
        "clients",
        "update",
        &acme.id,
        "--no-limit",
        "--prefix",
        "bolt-",
    ];
    site.run(&update).succeeded();
    for api in &acme.apis {
        eventually("the new prefix is known", WITHIN_TEN_SECONDS, || async {
            (api.get(&Api::path(&theirs)).await.status == 200).then_some(())
        })
        .await;
        api.get(&Api::path(&ours)).await.error(404);
    }
    // Both processes' activity, once it is written and enrichment has come to a verdict.
    let about = eventually("the activity is there", SETTLING, || async {
        let about = acme.apis[0].get("/api/job-board/integration").await.data();
        let day = &about["days"][0];
        (day["refused"] == 2 && day["approved"] == 1).then_some(about)
    })
    .await;
    let day = &about["days"][0];
    assert_eq!((&day["created"], &day["unchanged"]), (&json!(1), &json!(1)));
    assert_eq!(about["refusals"].as_array().unwrap().len(), 2);
    let show = ["clients", "show", &acme.id, "--json"];
    let shown: Value = serde_json::from_str(&site.run(&show).succeeded()).unwrap();
    for key in ["client_id", "scopes", "prefixes", "days", "refusals"] {
        assert_eq!(shown[key], about[key], "{key}");
    }
}

async fn a_secret_is_replaced_without_a_gap(store: Store) {
    let app = App::quiet(store);
    let client = Client::create(&[&app.site], &[]);
    let rotate = |options: &[&str]| -> String {
        let rotate = ["clients", "rotate", &client.id, "--json", "--overlap"];
        let arguments = [&rotate, options].concat();
        let rotated: Value = serde_json::from_str(&app.run(&arguments).succeeded()).unwrap();
        rotated["client_secret"].as_str().unwrap().to_owned()
    };
    let second = rotate(&["1h"]);
    for secret in [&client.secret, &second] {
        token(&app.site, &client.id, secret, None);
    }
    let third = rotate(&["0s", "--end-tokens"]);
    let form = format!(
        "grant_type=client_credentials&client_id={}&client_secret={second}",
        client.id
    );
    let headers = [("Content-Type", "application/x-www-form-urlencoded")];
    let request = raw::request("POST", "/oauth/token", &headers, &form);
    assert_eq!(raw::exchange(&app.site.host(), request).status, 401);
    let new = token(&app.site, &client.id, &third, None);
    let new = app.api.with_token(&new);
    assert_eq!(new.get(Api::LIST).await.status, 200, "at once");
    let old = &client.apis[0];
    let is_ended = || async { (old.get(Api::LIST).await.status == 401).then_some(()) };
    eventually("older tokens end", WITHIN_TEN_SECONDS, is_ended).await;
    assert_eq!(new.get(Api::LIST).await.status, 200);
}

//! Many integrations on one board: prefixes, limits, rotation and activity, through two servers.

use std::time::Duration;

use reqwest::Method;
use serde_json::{Value, json};

use crate::harness::{
    Answer, Api, App, SETTLING, Site, Store, WITHIN_TEN_SECONDS, eventually, follower::EVENTS,
    fresh, minimal, raw, receiver::Receiver, token,
};

on_every_store! {
    clients_share_the_board_within_their_prefixes,
    a_limit_holds_in_each_process_and_activity_is_that_of_all,
    a_secret_is_replaced_without_a_gap,
}

const INTEGRATION: &str = "/api/job-board/integration";

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

/// Two servers on one database that know each other's tokens.
fn two(store: Store) -> (Site, Site) {
    let site = Site::new(store)
        .with("POSTHASTE_PUBLIC_URL", "https://jobs.example")
        .with("POSTHASTE_WEBHOOK_PRIVATE", "allow");
    (site.beside(), site)
}

fn identifiers(items: &Value) -> Vec<String> {
    let items = items.as_array().unwrap().iter();
    let texts = items.filter_map(|item| item["unique_source_identifier"].as_str());
    texts.map(str::to_owned).collect()
}

async fn clients_share_the_board_within_their_prefixes(store: Store) {
    let (other, site) = two(store);
    let _servers = [other.serve(&["--no-worker"]), site.serve(&[])];
    let sites = [&site, &other];
    let (ours, theirs) = (fresh("acme-"), fresh("bolt-"));
    let acme = Client::create(&sites, &["--prefix", "acme-"]);
    let bolt = Client::create(&sites, &["--prefix", "bolt-", "--prefix", "nut-"]);
    let receiver = Receiver::start();
    let webhook = json!({"url": receiver.url("/acme"), "types": ["JobPostingCreated"]});
    let request = acme.apis[0].authorized(Method::POST, "/api/job-board/webhooks");
    let registered = Answer::of(request.json(&webhook).send().await.unwrap()).await;
    assert_eq!(registered.status, 201, "{registered:#?}");

    let created = acme.apis[0].put(&ours, &minimal()).await;
    created.created();
    assert_eq!(created.header("posthaste-outcome"), "created");
    assert_eq!(created.header("posthaste-status"), "PendingEnrichment");
    bolt.apis[1].put(&theirs, &minimal()).await.created();
    for api in &acme.apis {
        let message = api.put(&theirs, &minimal()).await.error(403);
        let expect = "This client may only use identifiers that begin with acme-.";
        assert_eq!(message, expect);
        api.get(&Api::path(&theirs)).await.error(404);
        let list = api.get(Api::LIST).await.data();
        assert_eq!(identifiers(&list), [ours.as_str()]);
        let export = api.get("/api/job-board/export").await.body;
        let lines: Vec<Value> = export
            .lines()
            .map(|line| serde_json::from_str(line).unwrap())
            .collect();
        assert_eq!(identifiers(&json!(lines)), [ours.as_str()]);
        let events = eventually("the events can be read", SETTLING, || async {
            let page = api.get(&format!("{EVENTS}?types=JobPostingCreated")).await;
            let data = page.data();
            (data != json!([])).then_some(data)
        })
        .await;
        let subjects: Vec<_> = events.as_array().unwrap().iter().collect();
        assert_eq!(subjects.len(), 1);
        assert_eq!(subjects[0]["data"]["unique_source_identifier"], *ours);
    }
    let posting = acme.apis[0].show(&ours).await;
    assert_eq!(posting["created_by"], format!("client:{}", acme.id));

    let delivered = || {
        let got = receiver.at("/acme").into_iter();
        got.map(|got| got.identifier().to_owned())
            .collect::<Vec<_>>()
    };
    let until_delivered = async |id: &String| {
        eventually("events are delivered", SETTLING, || async {
            let delivered = delivered();
            delivered.contains(id).then_some(delivered)
        })
        .await
    };
    // What is not delivered before the fence moves is not delivered afterwards.
    assert_eq!(until_delivered(&ours).await, [ours.as_str()]);

    // The fence is moved while the servers run.
    site.run(&["clients", "update", &acme.id, "--prefix", "bolt-"])
        .succeeded();
    for api in &acme.apis {
        eventually("the new prefix is known", WITHIN_TEN_SECONDS, || async {
            let found = api.get(&Api::path(&theirs)).await.status;
            (found == 200).then_some(())
        })
        .await;
        api.get(&Api::path(&ours)).await.error(404);
    }
    let next = fresh("bolt-");
    bolt.apis[0].put(&next, &minimal()).await.created();
    // Whether the other one was passed before the change is a matter of time.
    let delivered = until_delivered(&next).await;
    let later = &delivered[1..];
    assert!(
        later.iter().all(|id| [&theirs, &next].contains(&id)),
        "{later:?}"
    );
}

async fn a_limit_holds_in_each_process_and_activity_is_that_of_all(store: Store) {
    let (other, site) = two(store);
    let _servers = [other.serve(&["--no-worker"]), site.serve(&[])];
    let limit = ["--prefix", "lim-", "--requests-per-minute", "6"];
    let client = Client::create(&[&site, &other], &limit);
    let (id, whole) = (fresh("lim-"), minimal());
    for (n, api) in client.apis.iter().enumerate() {
        let first = api.put(&id, &whole).await;
        assert_eq!(first.status, if n == 0 { 201 } else { 200 }, "{first:#?}");
        assert_eq!(first.header("ratelimit-policy"), r#""client";q=6;w=60"#);
        // The first process has also issued the token.
        let left = format!(r#""client";r={};t="#, 4 + n);
        let told = first.header("ratelimit");
        assert!(told.starts_with(&left), "{told}");
        api.put("other-1", &whole).await.error(403);
        api.put(&id, &json!({"title": 1})).await.error(422);
        let statuses = async || api.get(&Api::path(&id)).await;
        let mut refused = statuses().await;
        for _ in 0..5 {
            if refused.status == 429 {
                break;
            }
            refused = statuses().await;
        }
        refused.error(429);
        let wait: u64 = refused.header("retry-after").parse().unwrap();
        assert!((1..=10).contains(&wait), "{wait}");
        assert!(refused.header("ratelimit").starts_with(r#""client";r=0;"#));
    }

    // Both processes' activity, once it is written and enrichment has come to a verdict.
    site.run(&["clients", "update", &client.id, "--no-limit"])
        .succeeded();
    let about = eventually("the activity is there", SETTLING, || async {
        let answer = client.apis[0].get(INTEGRATION).await;
        let about = (answer.status == 200).then(|| answer.data())?;
        let day = &about["days"][0];
        let is_whole = day["refused"] == 4 && day["approved"] == 1;
        is_whole.then_some(about)
    })
    .await;
    assert_eq!(about["client_id"], *client.id);
    assert_eq!(about["prefixes"], json!(["lim-"]));
    let day = &about["days"][0];
    assert_eq!((&day["created"], &day["unchanged"]), (&json!(1), &json!(1)));
    let refusals = about["refusals"].as_array().unwrap();
    let mut statuses: Vec<_> = refusals.iter().map(|it| it["status"].as_u64()).collect();
    statuses.sort_unstable();
    assert_eq!(statuses, [403, 403, 422, 422].map(Some));
    assert_eq!(
        refusals
            .iter()
            .filter(|it| it["errors"]["title"].is_array())
            .count(),
        2
    );
    let shown = site
        .run(&["clients", "show", &client.id, "--json"])
        .succeeded();
    let shown: Value = serde_json::from_str(&shown).unwrap();
    for key in ["client_id", "scopes", "prefixes", "days", "refusals"] {
        assert_eq!(shown[key], about[key], "{key}");
    }
}

async fn a_secret_is_replaced_without_a_gap(store: Store) {
    let app = App::quiet(store);
    let client = Client::create(&[&app.site], &[]);
    let rotate = |options: &[&str]| -> String {
        let arguments = [
            &["clients", "rotate", &client.id, "--json", "--overlap"],
            options,
        ];
        let arguments = arguments.concat();
        let rotated: Value = serde_json::from_str(&app.run(&arguments).succeeded()).unwrap();
        rotated["client_secret"].as_str().unwrap().to_owned()
    };
    let second = rotate(&["1h"]);
    for secret in [&client.secret, &second] {
        token(&app.site, &client.id, secret, None);
    }
    let third = rotate(&["1h"]);
    let refused = |secret: &str| {
        let form = format!(
            "grant_type=client_credentials&client_id={}&client_secret={secret}",
            client.id
        );
        let headers = [("Content-Type", "application/x-www-form-urlencoded")];
        let request = raw::request("POST", "/oauth/token", &headers, &form);
        raw::exchange(&app.site.host(), request).status == 401
    };
    assert!(refused(&client.secret), "rotating again ends the oldest");
    token(&app.site, &client.id, &second, None);
    let fourth = rotate(&["0s"]);
    assert!(refused(&second) && refused(&third));
    token(&app.site, &client.id, &fourth, None);
    // The tokens that were issued before stay valid until they are ended.
    let old = &client.apis[0];
    assert_eq!(old.get(Api::LIST).await.status, 200);
    let fifth = rotate(&["0s", "--end-tokens"]);
    let new = token(&app.site, &client.id, &fifth, None);
    let new = app.api.with_token(&new);
    assert_eq!(new.get(Api::LIST).await.status, 200, "at once");
    let is_ended = || async { (old.get(Api::LIST).await.status == 401).then_some(()) };
    eventually("older tokens end", WITHIN_TEN_SECONDS, is_ended).await;
    assert_eq!(new.get(Api::LIST).await.status, 200);
    let used = eventually("the use of the secret is written", SETTLING, || async {
        let shown = app
            .run(&["clients", "show", &client.id, "--json"])
            .succeeded();
        let shown: Value = serde_json::from_str(&shown).unwrap();
        let secrets = shown["secrets"].as_array().unwrap().clone();
        assert_eq!(secrets.len(), 1);
        secrets[0]["last_used_at"].is_string().then_some(())
    });
    tokio::time::timeout(Duration::from_mins(1), used)
        .await
        .unwrap();
}

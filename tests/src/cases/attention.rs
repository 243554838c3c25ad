use std::{collections::BTreeMap, time::Duration};

use serde_json::{Value, json};

use crate::harness::{
    Api, App, Client, SETTLING, Site, Store, eventually,
    import::{catalogue, import, line},
    minimal, website,
};

on_every_store! {
    a_source_that_goes_bad_is_seen_once,
}

const BLOCKED: &str =
    "<h1>403 Forbidden</h1><p>Your IP address has been blocked. Request ID: 8f1.</p>";
const COOKIES: &str = "<p>Before you go on, choose how your data may be used. Accept all cookies, \
    reject all cookies, or manage your choices.</p>";

struct Source {
    name: &'static str,
    api: Api,
    site: String,
}

impl Source {
    fn new(site: &Site, name: &'static str, options: &[&str]) -> Self {
        let scopes = [
            "--scope",
            "job-postings:write",
            "--scope",
            "job-postings:read",
        ];
        let create = [
            "clients", "create", "--json", "--name", name, "--prefix", name,
        ];
        let client = site.json(&[&create, &scopes[..], options].concat());
        let text = |key: &str| client[key].as_str().unwrap().to_owned();
        let client = Client {
            id: text("client_id"),
            secret: text("client_secret"),
        };
        Self {
            name,
            api: client.api(site),
            site: website(),
        }
    }

    fn payload(&self, n: usize) -> Value {
        let mut payload = minimal();
        let text = payload["raw_description"].as_str().unwrap().to_owned();
        payload["title"] = json!(format!("Gardener of {} {n}", self.name));
        payload["raw_description"] =
            json!(format!("{text}<p>It is garden {n} of {}.</p>", self.name));
        payload["application_url"] = json!(format!("https://apply.example/{}/{n}", self.name));
        payload["salary_min"] = json!(30_000 + n);
        payload["salary_period"] = json!("annually");
        payload["salary_currency_code"] = json!("EUR");
        payload["company"]["website_url"] = json!(self.site);
        payload
    }

    async fn crawl(&self, count: usize, edit: impl Fn(usize, &mut Value)) {
        let lines = (0..count).map(|n| {
            let mut payload = self.payload(n);
            edit(n, &mut payload);
            line(&format!("{}-{n}", self.name), &payload)
        });
        let body: String = lines.collect();
        let answer = import(&self.api, &catalogue(self.name), body).await;
        answer.complete();
    }
}

fn items(site: &Site) -> Vec<(String, String)> {
    let printed = site.run(&["attention", "--json"]).stdout;
    let items: Value = serde_json::from_str(&printed).unwrap();
    let text = |item: &Value, key: &str| item[key].as_str().unwrap().to_owned();
    let items = items.as_array().unwrap().iter();
    items
        .map(|item| (text(item, "kind"), text(item, "sentence")))
        .collect()
}

/// Two workers check what needs attention, and are killed in turns.
#[expect(
    clippy::too_many_lines,
    reason = "six sources, from healthy to healthy"
)]
async fn a_source_that_goes_bad_is_seen_once(store: Store) {
    let app = App::served_as(Site::new(store), &["--no-worker"]);
    let site = &app.site;
    let mut workers = [site.work(), site.work()].map(Some);
    let mut killed = 0;
    let mut kill = || {
        workers[killed % 2].take().unwrap().kill();
        workers[killed % 2] = Some(site.work());
        killed += 1;
    };
    let of = |name| Source::new(site, name, &[]);
    let [blocked, cookies, refused, halved, quarter] =
        ["blocked", "cookies", "refused", "halved", "quarter"].map(of);
    for (source, count) in [
        (&blocked, 40),
        (&cookies, 40),
        (&refused, 5),
        (&halved, 60),
        (&quarter, 100),
    ] {
        source.crawl(count, |_, _| ()).await;
    }
    app.settled().await;
    assert_eq!(items(site), []);

    let silent = Source::new(site, "silent", &["--expect-every", "20s"]);
    silent.crawl(1, |_, _| ()).await;
    let says = |text| move |_, payload: &mut Value| payload["raw_description"] = json!(text);
    blocked.crawl(40, says(BLOCKED)).await;
    cookies.crawl(40, says(COOKIES)).await;
    let is_bad = |n| n >= 5;
    let breaks = |n, payload: &mut Value| {
        if is_bad(n) {
            payload["title"] = json!(7);
        }
    };
    refused.crawl(30, breaks).await;
    halved.crawl(30, |_, _| ()).await;
    let loses = |_, payload: &mut Value| payload["salary_min"] = Value::Null;
    quarter.crawl(75, loses).await;
    kill();
    let expect = [
        (
            "source_rejected",
            "of blocked were rejected, or their new content is held back. Look at",
        ),
        ("catalogue_degraded", "of cookies looks degraded: "),
        (
            "source_refused",
            "25 of 35 pushes of refused were refused. Its page has the reasons.",
        ),
        (
            "catalogue_held",
            "of halved holds 30 postings back. Send it again, or let them expire.",
        ),
        (
            "catalogue_degraded",
            "of quarter looks degraded: 75 of 75 lost salary_min. Look at",
        ),
        ("source_silent", "silent has pushed nothing since"),
    ];
    for (kind, says) in expect {
        eventually(says, SETTLING, || async {
            let found = items(site);
            let is_it = |item: &(String, String)| item.0 == kind && item.1.contains(says);
            found.iter().any(is_it).then_some(())
        })
        .await;
        kill();
    }

    for (source, count) in [
        (&blocked, 40),
        (&cookies, 40),
        (&refused, 65),
        (&halved, 60),
        (&quarter, 100),
    ] {
        source.crawl(count, |_, _| ()).await;
    }
    let clients = site.json(&["clients", "list", "--json"]);
    let mut clients = clients.as_array().unwrap().iter();
    let id = clients.find(|it| it["name"] == "silent").unwrap()["client_id"].as_str();
    site.run(&["clients", "update", id.unwrap(), "--expect-every", "1d"])
        .succeeded();
    kill();
    eventually("all is well", SETTLING, || async {
        items(site).is_empty().then_some(())
    })
    .await;
    kill();
    // The other worker gets time to check.
    tokio::time::sleep(Duration::from_secs(30)).await;
    let mut told = BTreeMap::<_, Vec<_>>::new();
    for event in app.all_events().await {
        let kind = event["type"].as_str().unwrap().to_owned();
        if kind.starts_with("Attention") {
            let item = &event["data"];
            let about = format!("{} {}", item["kind"], item["subject"]);
            told.entry(about).or_default().push(kind);
        }
    }
    let once = ["AttentionRaised", "AttentionCleared"];
    assert!(told.values().all(|kinds| *kinds == once), "{told:#?}");
    assert!(told.len() >= expect.len(), "{told:#?}");
}

use std::{collections::BTreeSet, fs};

use serde_json::{Value, json};
use time::OffsetDateTime;
use uuid::{NoContext, Timestamp, Uuid};

use crate::harness::{
    Api, App, SETTLING, Site, Store, eventually,
    jwt::{self, Jwt},
};

on_sqlite! {
    a_key_verifies_at_once_signs_later_and_is_retired_at_runtime,
}

fn ids(site: &Site) -> BTreeSet<String> {
    let Ok(folder) = fs::read_dir(site.data().join("keys")) else {
        return BTreeSet::new();
    };
    folder
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect()
}

fn generate(site: &Site) -> String {
    let before = ids(site);
    let printed = site.run(&["keys", "generate"]).succeeded();
    let after = ids(site);
    let mut new = after.difference(&before);
    let id = new.next().expect("a key was made").clone();
    assert_eq!(new.next(), None);
    assert!(printed.contains(&id), "{printed}");
    id
}

fn age(site: &Site, id: &str, seconds: i64) -> String {
    let made = OffsetDateTime::now_utc().unix_timestamp() - seconds;
    let made = Timestamp::from_unix(NoContext, u64::try_from(made).unwrap(), 0);
    let new = Uuid::new_v7(made).to_string();
    let keys = site.data().join("keys");
    fs::rename(keys.join(id), keys.join(&new)).unwrap();
    new
}

async fn a_key_verifies_at_once_signs_later_and_is_retired_at_runtime(store: Store) {
    let site = Site::new(store);
    let first = generate(&site);
    let first = age(&site, &first, 3_600);
    let server = site.serve(&["--no-worker"]);
    assert_eq!(ids(&site), BTreeSet::from([first.clone()]));
    let app = App::at(site);
    let old = Jwt::parse(app.api.token());
    assert_eq!(old.header["kid"], json!(first));

    // A new key verifies tokens of other processes, but this process does not sign with it yet.
    let second = generate(&app.site);
    let second = age(&app.site, &second, -3_600);
    let key = jwt::read_key(&app.site.data().join("keys").join(&second));
    let mut elsewhere = old.clone();
    elsewhere.header["kid"] = json!(second);
    let elsewhere = app.api.with_token(&elsewhere.signed_by(&key));
    elsewhere.until_answered(200).await;
    let kid = || Jwt::parse(&app.client.token(&app.site)).header["kid"].clone();
    assert_eq!(kid(), json!(first));
    let known: Value = app.api.get("/.well-known/jwks.json").await.json();
    let known: BTreeSet<&str> = known["keys"]
        .as_array()
        .unwrap()
        .iter()
        .map(|key| key["kid"].as_str().unwrap())
        .collect();
    assert_eq!(known, BTreeSet::from([first.as_str(), second.as_str()]));

    // After half a minute this process signs with the new key. Tokens of the old key stay valid.
    let second = age(&app.site, &second, 31);
    eventually("the new key signs", SETTLING, || async {
        (kid() == json!(second)).then_some(())
    })
    .await;
    assert_eq!(app.api.get(Api::LIST).await.status, 200);
    let new = app.api.with_token(&app.client.token(&app.site));
    assert_eq!(new.get(Api::LIST).await.status, 200);

    let refused = app.run(&["keys", "retire", &first]).failed(1);
    assert!(refused.contains("is needed until"), "{refused}");
    app.run(&["keys", "retire", &first, "--force"]).succeeded();
    assert_eq!(ids(&app.site), BTreeSet::from([second.clone()]));
    app.api.until_answered(401).await;
    assert_eq!(new.get(Api::LIST).await.status, 200);
    drop(server);
}

//! Signing keys: generated, rotated and retired while the service runs.

use std::{collections::BTreeSet, fs, time::Duration};

use serde_json::{Value, json};
use time::OffsetDateTime;
use uuid::{NoContext, Timestamp, Uuid};

use crate::harness::{
    Api, App, Site, Store, WITHIN_TEN_SECONDS, eventually,
    jwt::{self, Jwt},
};

on_sqlite! {
    a_key_verifies_at_once_signs_later_and_is_retired_at_runtime,
}

/// The ids of the keys.
fn ids(site: &Site) -> BTreeSet<String> {
    let Ok(folder) = fs::read_dir(site.data().join("keys")) else {
        return BTreeSet::new();
    };
    folder
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect()
}

/// Generates a key and returns its id.
pub(super) fn generate(site: &Site) -> String {
    let before = ids(site);
    let printed = site.run(&["keys", "generate"]).succeeded();
    let after = ids(site);
    let mut new = after.difference(&before);
    let id = new.next().expect("a key was made").clone();
    assert_eq!(new.next(), None);
    assert!(printed.contains(&id), "{printed}");
    id
}

/// Renames a key so that it appears to be of this age, and returns its new id.
fn age(site: &Site, id: &str, age: Duration) -> String {
    let made = u64::try_from(OffsetDateTime::now_utc().unix_timestamp()).unwrap() - age.as_secs();
    let older = Uuid::new_v7(Timestamp::from_unix(NoContext, made, 0)).to_string();
    let keys = site.data().join("keys");
    fs::rename(keys.join(id), keys.join(&older)).unwrap();
    older
}

async fn a_key_verifies_at_once_signs_later_and_is_retired_at_runtime(store: Store) {
    let site = Site::new(store);
    let first = generate(&site);
    let first = age(&site, &first, Duration::from_hours(1));
    let server = site.serve(&["--no-worker"]);
    // Existing keys are not generated again.
    assert_eq!(ids(&site), BTreeSet::from([first.clone()]));
    let app = App::at(site);
    let old = Jwt::parse(app.api.token());
    assert_eq!(old.header["kid"], json!(first));

    // A new key verifies tokens of other processes, but this process does not sign with it yet.
    let second = generate(&app.site);
    let key = jwt::read_key(&app.site.data().join("keys").join(&second));
    let mut elsewhere = old.clone();
    elsewhere.header["kid"] = json!(second);
    let elsewhere = app.api.with_token(&elsewhere.signed_by(&key));
    let ask = &elsewhere;
    eventually("the new key verifies", WITHIN_TEN_SECONDS, || async move {
        (ask.get(Api::LIST).await.status == 200).then_some(())
    })
    .await;
    assert_eq!(Jwt::parse(&app.token()).header["kid"], json!(first));
    let known: Value = app.api.get("/.well-known/jwks.json").await.json();
    let known: BTreeSet<&str> = known["keys"]
        .as_array()
        .unwrap()
        .iter()
        .map(|key| key["kid"].as_str().unwrap())
        .collect();
    assert_eq!(known, BTreeSet::from([first.as_str(), second.as_str()]));

    // Half a minute later it signs, and tokens of the old key stay valid.
    let second = age(&app.site, &second, Duration::from_secs(31));
    let app = &app;
    let second = &second;
    eventually("the new key signs", WITHIN_TEN_SECONDS, || async move {
        (Jwt::parse(&app.token()).header["kid"] == json!(second)).then_some(())
    })
    .await;
    assert_eq!(app.api.get(Api::LIST).await.status, 200);
    let new = app.api.with_token(&app.token());
    assert_eq!(new.get(Api::LIST).await.status, 200);

    // After a key was retired, its tokens are invalid.
    app.run(&["keys", "retire", &first]).succeeded();
    assert_eq!(ids(&app.site), BTreeSet::from([second.clone()]));
    eventually(
        "the old key is forgotten",
        WITHIN_TEN_SECONDS,
        || async move { (app.api.get(Api::LIST).await.status == 401).then_some(()) },
    )
    .await;
    assert_eq!(new.get(Api::LIST).await.status, 200);
    drop(server);
}

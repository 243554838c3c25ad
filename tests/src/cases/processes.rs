//! Several servers on one database: all have to know what operators change.

use serde_json::json;

use super::keys::generate;
use crate::harness::{
    Api, App, SCOPES, Site, Store, WITHIN_TEN_SECONDS, create_client, eventually,
    jwt::{self, Jwt},
    token,
};

on_postgres! {
    a_revoked_client_and_a_new_key_are_known_in_every_server,
}

/// Waits until a server answers a token with this status.
async fn answers(url: &str, token: &str, status: u16) {
    let api = &Api::new(url, token);
    eventually("it is known", WITHIN_TEN_SECONDS, || async move {
        (api.get(Api::LIST).await.status == status).then_some(())
    })
    .await;
}

async fn a_revoked_client_and_a_new_key_are_known_in_every_server(store: Store) {
    let one = Site::new(store).with("POSTHASTE_PUBLIC_URL", "https://jobs.example");
    let other = one.beside();
    let _servers = [&one, &other].map(|site| site.serve(&["--no-worker"]));
    let urls = [one.url(), other.url()];
    let app = App::at(one);
    let (id, secret) = create_client(&other, &SCOPES);
    let revoked = token(&other, &id, &secret, None);
    for url in &urls {
        answers(url, &revoked, 200).await;
    }
    app.run(&["clients", "revoke", &id]).succeeded();
    for url in &urls {
        answers(url, &revoked, 401).await;
        // Other clients are not affected.
        let others = Api::new(url, app.api.token());
        assert_eq!(others.get(Api::LIST).await.status, 200);
    }

    let id = generate(&app.site);
    let key = jwt::read_key(&app.site.data().join("keys").join(&id));
    let mut signed = Jwt::parse(app.api.token());
    signed.header["kid"] = json!(id);
    for url in &urls {
        answers(url, &signed.signed_by(&key), 200).await;
    }
}

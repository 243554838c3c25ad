//! The pages of clients, and of their catalogues.

use access::Clients;
use domain::{
    catalogue::Missed,
    store::{Store as _, WriteSet},
};
use kernel::{
    ClientId, PostingId, Prefixes,
    testing::{noon, uuid},
};

use crate::support::{Desk, EVIL, encoded};

/// A client whose name is a script.
async fn client(desk: &Desk) -> ClientId {
    let id = ClientId::new(uuid(77));
    desk.add_client(id, EVIL, Prefixes::ALL).await;
    id
}

#[tokio::test]
async fn a_client_is_made_changed_rotated_and_revoked() {
    let desk = Desk::new();
    let ann = desk.operator("ann").await;
    let form = "name=acme&scope=job-postings:write&scope=job-postings:read\
                &prefixes=acme-%0D%0A%0D%0Aacme:&requests_per_minute=60";
    let made = ann.post("/clients", form).await;
    assert_eq!(made.status, 200);
    made.has(&["<code>s3cret</code>"]);
    let client = Clients::list(&*desk.store, 9).await.unwrap().remove(0);
    assert_eq!((&*client.name, client.scopes.len()), ("acme", 2));
    assert_eq!(client.prefixes.as_slice(), ["acme-", "acme:"]);
    let path = format!("/clients/{}", client.id);
    ann.get(&path).await.lacks(&["s3cret"]);

    let forms = [
        ("action=update&name=acme+2&scope=job-postings:read", 303),
        ("action=rotate&overlap=-1", 422),
        ("action=rotate&overlap=24", 200),
    ];
    ann.check(&path, &forms).await;
    let found = async || {
        Clients::find(&*desk.store, client.id)
            .await
            .unwrap()
            .unwrap()
    };
    assert_eq!(found().await.tokens_from, None);
    let forms = [
        ("action=rotate&end_tokens=yes", 200),
        ("action=revoke", 303),
    ];
    ann.check(&path, &forms).await;
    let refused = ann.post(&path, "action=rotate").await;
    assert_eq!(refused.status, 409);
    refused.has(&["Nothing was changed. The client is revoked, and stays so."]);
    let client = found().await;
    assert!(client.tokens_from.is_some());
    assert_eq!((&*client.name, client.scopes.len()), ("acme 2", 1));
    assert!(client.prefixes.are_all() && !client.is_active());
    ann.get(&path).await.lacks(&["value=\"update\""]);
    let expect =
        ["create", "update", "rotate", "rotate", "revoke"].map(|did| format!("ann clients.{did}"));
    assert_eq!(desk.audit().await[2..], expect);
}

#[tokio::test]
async fn a_catalogue_is_forgotten() {
    let desk = Desk::new();
    let client = client(&desk).await;
    desk.lease(client).await;
    let ann = desk.operator("ann").await;
    let page = ann.get(&format!("/catalogues?client={client}")).await;
    page.has(&["roses", "import running"]);
    let forget = format!("action=forget&client={client}&name=");
    let (roses, evil) = (format!("{forget}roses"), encoded(EVIL));
    let forms = [
        (&*format!("client={client}&name=roses"), 422),
        (&format!("action=undo&client={client}&name=running"), 409),
        (&format!("action=forget&client={evil}&name=roses"), 404),
        (&format!("{forget}{evil}"), 404),
        (&roses, 303),
        (&roses, 404),
    ];
    ann.check("/catalogues", &forms).await;
    let undo = format!("action=undo&client={client}&name=roses");
    ann.follow("/catalogues", &undo).await.has(&[
        "2 postings are open again; 1 were left as they are.",
        "There are no catalogues.",
    ]);
    assert_eq!(desk.audit().await.last().unwrap(), "ann catalogues.forget");
}

#[tokio::test]
async fn an_undo_is_offered_where_an_import_expired_something() {
    let desk = Desk::new();
    let client = client(&desk).await;
    let lease = desk.lease(client).await;
    let ann = desk.operator("ann").await;
    let path = format!("/catalogues?client={client}");
    ann.get(&path).await.lacks(&["value=\"undo\""]);
    let mut writes = WriteSet::new(noon());
    writes.leases.insert(lease);
    writes.missed = [(PostingId::new(uuid(8)), Missed::Expired)].into();
    desk.store.commit(writes).await.unwrap();
    ann.get(&path).await.has(&["value=\"undo\""]);
}

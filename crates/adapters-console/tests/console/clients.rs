use access::Clients;
use domain::{
    catalogue::{CatalogueQuery, Catalogues, Leased, Missed, PastImport},
    import::{HeldBecause, Missing, Summary},
    testing::create,
    usecase::record_missed,
};
use kernel::{
    CatalogueName, ClientId, PostingId, Prefixes,
    testing::{minutes, noon, uuid},
};

use crate::support::{Desk, EVIL};

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
    let (_, secret) = made.body.rsplit_once("<code>").unwrap();
    let (secret, _) = secret.split_once("</code>").unwrap();
    assert_eq!(secret.len(), 43);
    let client = Clients::list(&*desk.store, 9).await.unwrap().remove(0);
    assert_eq!((&*client.name, client.scopes.len()), ("acme", 2));
    assert_eq!(client.prefixes.as_slice(), ["acme-", "acme:"]);
    let path = format!("/clients/{}", client.id);
    ann.get(&path).await.lacks(&[secret]);

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
    refused.has(&["Nothing was changed. The client is revoked for good."]);
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
    let running = desk.lease_named(client, "running", 9).await.catalogue;
    let ann = desk.operator("ann").await;
    let list = format!("/catalogues?client={client}");
    let roses = format!("/catalogues/{}", uuid(5));
    let link = format!("<a href=\"{roses}\">roses</a>");
    ann.get(&list).await.has(&[&link, "import running"]);
    ann.get(&roses)
        .await
        .has(&["<h1>roses</h1>", "value=\"forget\""]);
    let forms = [("", 422), ("action=burn", 422)];
    ann.check(&roses, &forms).await;
    let busy = [("action=undo", 409), ("action=forget", 409)];
    ann.check(&format!("/catalogues/{running}"), &busy).await;
    for unknown in ["/catalogues/x", &format!("/catalogues/{}", uuid(404))] {
        assert_eq!(ann.get(unknown).await.status, 404);
        ann.check(unknown, &[("action=forget", 404)]).await;
    }
    let undone = ann.follow(&roses, "action=undo").await;
    undone.has(&["2 postings are open again; 3 were restored; 1 was left as it is."]);
    let released = ann.follow(&roses, "action=release").await;
    released.has(&["4 postings have expired; 1 was left as it is."]);
    desk.pass(minutes(2));
    let forgotten = ann.follow(&roses, "action=forget").await;
    forgotten.has(&["The catalogue is forgotten"]);
    forgotten.lacks(&[&link]);
    assert_eq!(ann.get(&roses).await.status, 404);
    assert_eq!(desk.audit().await.last().unwrap(), "ann catalogues.forget");
}

#[tokio::test]
async fn a_catalogue_offers_what_its_imports_leave_to_correct() {
    let desk = Desk::new();
    let client = client(&desk).await;
    desk.push(&[create("a", "acme")]).await;
    let posting = desk.posting("a").await.id;
    let lease = desk.lease(client).await;
    let ann = desk.operator("ann").await;
    let path = format!("/catalogues/{}", lease.catalogue);
    let offers = ["value=\"undo\"", "value=\"release\""];
    ann.get(&path).await.lacks(&offers);
    for (id, missed) in [
        (PostingId::new(uuid(8)), Missed::Expired),
        (posting, Missed::Held),
    ] {
        let missed = record_missed(&*desk.store, lease, [id], missed, noon());
        missed.await.unwrap();
    }
    let import = PastImport {
        started_at: noon(),
        finished_at: noon(),
        summary: Summary {
            missing: Some(Missing {
                count: 41,
                held: Some(HeldBecause::Share),
                ..Missing::default()
            }),
            complete: true,
            ..Summary::default()
        },
    };
    let finished = Catalogues::finish(&*desk.store, lease, &import, false);
    assert_eq!(finished.await, Ok(true));
    let page = ann.get(&path).await;
    page.has(&offers);
    page.has(&[
        "did not name 41 postings",
        "Let 41 postings expire",
        &format!("<a href=\"/postings/{posting}\">a</a>"),
        "41 others were missing, so many that none of them expired",
    ]);
    let correction = CatalogueQuery {
        client,
        name: CatalogueName::new("roses").unwrap(),
        new_id: None,
        holder: uuid(7),
        now: noon(),
        until: noon() + minutes(1),
    };
    let Ok(Leased::Held(lease)) = desk.store.lease(&correction).await else {
        panic!("it is free");
    };
    desk.store.finish_release(lease).await.unwrap();
    let page = ann.get(&path).await;
    page.has(&[
        "release has expired 1 posting that the import of",
        "An undo reopens them",
        "41 others were missing, were held back, and 1 of them expired when they were released",
        "value=\"undo\"",
    ]);
    page.lacks(&["value=\"release\""]);
}

//! OAuth clients.

use crate::{
    client::{ClientId, Clients},
    testing::{client, hours, noon, uuid},
};

pub async fn a_client_comes_back<S: Clients>(store: &S) {
    let inserted = client(1);
    store.insert(&inserted).await.expect("the store works");
    assert_eq!(Clients::find(store, inserted.id).await, Ok(Some(inserted)));
    assert_eq!(
        Clients::find(store, ClientId::new(uuid(404))).await,
        Ok(None)
    );
}

pub async fn a_revoked_client_stays_revoked<S: Clients>(store: &S) {
    store.insert(&client(1)).await.expect("the store works");
    let id = client(1).id;
    assert_eq!(store.revoke(id, noon()).await, Ok(true));
    assert_eq!(store.revoke(id, noon() + hours(1)).await, Ok(true));
    let found = Clients::find(store, id)
        .await
        .expect("the store works")
        .expect("it is there");
    assert_eq!(found.revoked_at, Some(noon()));
    assert_eq!(
        store.revoke(ClientId::new(uuid(404)), noon()).await,
        Ok(false)
    );
}

pub async fn clients_are_listed_oldest_first<S: Clients>(store: &S) {
    for n in [3, 1, 2] {
        store.insert(&client(n)).await.expect("the store works");
    }
    let listed = Clients::list(store).await.expect("the store works");
    assert_eq!(listed, [client(1), client(2), client(3)]);
}

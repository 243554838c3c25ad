use domain::store::{Health, Store};
use kernel::StoreError;

use super::{Shell, sample};

pub async fn all_go_down_one_by_one_and_up_again<S: Store + Shell>(store: &S) {
    let migrations = store.complete().await.expect("the store works");
    let up = store.values(S::OBJECTS).await;
    assert!(up.len() > 20, "{up:#?}");
    for _ in &migrations {
        store.revert().await;
    }
    assert_eq!(store.values(S::OBJECTS).await, Vec::<String>::new());
    assert_eq!(store.complete().await, Ok(migrations));
    assert_eq!(store.values(S::OBJECTS).await, up);
    assert_eq!(store.commit(sample::create(1)).await, Ok(()));
}

/// Checks that only one of several concurrent migrations runs.
pub async fn many_may_migrate_at_once<S: Shell>(store: &S) {
    let migrate = || store.complete();
    let applied = tokio::join!(migrate(), migrate(), migrate(), migrate());
    let applied: [_; 4] = applied.into();
    let did = applied.iter().map(|it| it.as_ref().map(Vec::is_empty));
    let did: Vec<_> = did.collect();
    assert_eq!(did.iter().filter(|it| **it == Ok(false)).count(), 1);
    assert_eq!(did.iter().filter(|it| **it == Ok(true)).count(), 3);
}

pub async fn a_new_database_lacks_all_until_it_is_migrated<S: Health + Shell>(store: &S) {
    let pending = store.lacks().await.expect("the store works");
    assert!(pending[0].ends_with("_version_0_3_0"), "{pending:?}");
    let ready = store.ready().await;
    let Err(StoreError::Unavailable(why)) = &ready else {
        panic!("{ready:?}")
    };
    assert!(why.contains("posthaste migrate"), "{why}");

    assert_eq!(store.complete().await, Ok(pending));
    assert_eq!(store.complete().await, Ok(Vec::new()));
    assert_eq!(store.lacks().await, Ok(Vec::new()));
    assert_eq!(store.ready().await, Ok(()));
}

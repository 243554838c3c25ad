//! Links and sessions on a store in memory.
#![expect(clippy::unwrap_used, reason = "these are tests")]

use access::sign_in::*;
use domain::testing::MemoryStore;
use kernel::{
    audit::{Attribution, Operator},
    testing::{by_ann, entries, minutes, noon, uuid},
};
use time::Duration;

const LINK: TokenDigest = [1; 32];

async fn with_link() -> MemoryStore {
    let store = MemoryStore::new();
    let bob = Operator::new("bob").unwrap();
    let link = issue_link(&store, LINK, bob, &by_ann(1), noon()).await;
    assert_eq!(link.unwrap().expires_at, noon() + minutes(15));
    store
}

async fn try_at(store: &MemoryStore, session: u8, after: Duration) -> Option<SignInToken> {
    let now = noon() + after;
    let entry = uuid(u128::from(session));
    sign_in(store, &LINK, [session; 32], entry, now)
        .await
        .unwrap()
}

#[pollster::test]
async fn a_link_signs_its_operator_in_once_within_its_time() {
    let store = with_link().await;
    assert_eq!(try_at(&store, 2, LINK_LIFETIME).await, None);
    let session = try_at(&store, 3, minutes(14)).await.unwrap();
    assert_eq!(session.operator.as_str(), "bob");
    assert!(session.is_live(noon() + minutes(14) + SESSION_LIFETIME - minutes(1)));
    assert!(!session.is_live(noon() + minutes(14) + SESSION_LIFETIME));
    assert_eq!(try_at(&store, 4, minutes(14)).await, None, "it is used");
    let nobody = sign_in(&store, &[9; 32], [5; 32], uuid(5), noon()).await;
    assert_eq!(nobody, Ok(None));
    // A session is no link.
    let twice = sign_in(&store, &[3; 32], [5; 32], uuid(5), noon()).await;
    assert_eq!(twice, Ok(None));
}

#[pollster::test]
async fn links_sign_ins_and_sign_outs_are_in_the_audit() {
    let store = with_link().await;
    let session = try_at(&store, 3, minutes(1)).await.unwrap();
    let bob = Attribution {
        id: uuid(8),
        operator: session.operator.clone(),
    };
    for _ in 0..2 {
        let now = noon() + minutes(2);
        let ended = sign_out(&store, &session.digest, &bob, now).await;
        assert_eq!(ended, Ok(()));
    }
    let found = SignInTokens::find_token(&store, SignInTokenKind::Session, &session.digest).await;
    assert_eq!(found, Ok(None));
    let entries = entries(&store).await.unwrap();
    let told: Vec<_> = entries
        .iter()
        .map(|entry| (entry.by.as_str(), entry.action.as_str()))
        .collect();
    assert_eq!(
        told,
        [
            ("bob", "console.sign_out"),
            ("bob", "console.sign_in"),
            ("ann", "console.link"),
        ]
    );
}

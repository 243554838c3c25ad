#![expect(clippy::unwrap_used, reason = "these are tests")]

use access::{Client, ClientChange, ClientError, Clients, Scope, sign_in::*, testing::client};
use kernel::testing::MemoryStore;
use kernel::{
    Actor, Operator,
    testing::{by_ann, entries, hours, minutes, noon, uuid},
};
use time::{Duration, OffsetDateTime};

const LINK: TokenDigest = [1; 32];

async fn with_link() -> MemoryStore {
    let store = MemoryStore::new();
    let bob = Operator::new("bob").unwrap();
    let link = issue_link(&store, LINK, bob, &by_ann(1), noon()).await;
    assert_eq!(link.unwrap().expires_at, noon() + minutes(15));
    store
}

async fn found(store: &MemoryStore, digest: TokenDigest) -> Option<SignInToken> {
    store.find_tokens(&[digest]).await.unwrap().pop()
}

async fn who<A: Admission>(
    store: &MemoryStore,
    doors: &A,
    kind: SignInTokenKind,
    digest: TokenDigest,
    now: OffsetDateTime,
) -> Option<A::Who> {
    let token = found(store, digest).await;
    admitted(doors, kind, token.as_ref(), now).await.unwrap()
}

async fn enter<A: Admission>(
    store: &MemoryStore,
    doors: &A,
    link: TokenDigest,
    session: u8,
    now: OffsetDateTime,
) -> Option<A::Who> {
    let link = found(store, link).await;
    let entry = uuid(u128::from(session));
    let entered = sign_in(store, doors, link, [session; 32], entry, now);
    entered.await.unwrap()
}

async fn try_at(store: &MemoryStore, session: u8, after: Duration) -> Option<String> {
    let entered = enter(store, &Operators, LINK, session, noon() + after).await;
    entered.map(|operator| operator.to_string())
}

async fn is_in(store: &MemoryStore, session: u8, now: OffsetDateTime) -> bool {
    let kind = SignInTokenKind::Session;
    who(store, &Operators, kind, [session; 32], now)
        .await
        .is_some()
}

#[pollster::test]
async fn a_link_signs_its_operator_in_once_within_its_time() {
    let store = with_link().await;
    assert_eq!(try_at(&store, 2, minutes(15)).await, None);
    assert_eq!(try_at(&store, 3, minutes(14)).await.as_deref(), Some("bob"));
    let begin = noon() + minutes(14);
    assert!(is_in(&store, 3, begin + hours(12) - minutes(1)).await);
    assert!(!is_in(&store, 3, begin + hours(12)).await);
    assert_eq!(try_at(&store, 4, minutes(14)).await, None, "it is used");
    for link in [[9; 32], [3; 32]] {
        assert_eq!(enter(&store, &Operators, link, 5, noon()).await, None);
    }
}

#[pollster::test]
async fn links_sign_ins_and_sign_outs_are_in_the_audit() {
    let store = with_link().await;
    try_at(&store, 3, minutes(1)).await.unwrap();
    let bob = Actor::Operator(Operator::new("bob").ok());
    for _ in 0..2 {
        let now = noon() + minutes(2);
        let ended = sign_out::<Operators>(&store, &[3; 32], &bob, uuid(8), now).await;
        assert_eq!(ended, Ok(()));
    }
    assert!(!is_in(&store, 3, noon() + minutes(2)).await);
    let one = client(1);
    let (by, at) = (by_ann(2), noon() + minutes(3));
    for (digest, by, at) in [
        ([6; 32], LinkMaker::Operator(&by), at),
        ([7; 32], LinkMaker::Client, at + minutes(1)),
    ] {
        let link = issue_client_link(&store, digest, &one, by, at).await;
        assert_eq!(link.unwrap().expires_at, at + hours(24));
    }
    store.insert(&one, None).await.unwrap();
    let (doors, at) = (Integrators(&store), at + minutes(2));
    enter(&store, &doors, [6; 32], 9, at).await.unwrap();
    let of_client = Actor::Client(one.id);
    let later = at + minutes(1);
    let ended = sign_out::<Integrators<'_>>(&store, &[9; 32], &of_client, uuid(10), later);
    assert_eq!(ended.await, Ok(()));
    let id = format!("client:{}", one.id);
    let entries = entries(&store).await.unwrap();
    let told: Vec<_> = entries
        .iter()
        .map(|entry| (entry.by.as_str(), entry.action.as_str()))
        .collect();
    assert_eq!(
        told,
        [
            (&*id, "integration.sign_out"),
            (&*id, "integration.sign_in"),
            (&*id, "integration.link"),
            ("ann", "clients.link"),
            ("bob", "console.sign_out"),
            ("bob", "console.sign_in"),
            ("ann", "console.link"),
        ]
    );
}

#[pollster::test]
async fn a_client_that_signs_in_all_day_does_not_fill_the_audit() {
    let store = MemoryStore::new();
    let one = client(1);
    store.insert(&one, None).await.unwrap();
    let (doors, of_client) = (Integrators(&store), Actor::Client(one.id));
    for (day, left) in [(0, 3), (1, 6)] {
        for n in 0..9 {
            let now = noon() + hours(24 * day + n);
            let by = LinkMaker::Client;
            let link = issue_client_link(&store, [2; 32], &one, by, now).await;
            link.unwrap();
            assert!(enter(&store, &doors, [2; 32], 3, now).await.is_some());
            let ended = sign_out::<Integrators<'_>>(&store, &[3; 32], &of_client, uuid(9), now);
            ended.await.unwrap();
        }
        assert_eq!(entries(&store).await.unwrap().len(), left);
    }
}

#[pollster::test]
async fn a_session_of_some_pages_opens_no_others() {
    let store = with_link().await;
    let one = client(1);
    store.insert(&one, None).await.unwrap();
    let by = LinkMaker::Client;
    let link = issue_client_link(&store, [2; 32], &one, by, noon()).await;
    assert_eq!(link.unwrap().holder, Actor::Client(one.id));
    let doors = Integrators(&store);
    let (now, to) = (noon() + minutes(1), SignInTokenKind::Link);
    assert_eq!(enter(&store, &doors, LINK, 3, now).await, None);
    assert_eq!(enter(&store, &Operators, [2; 32], 3, now).await, None);
    assert_eq!(who(&store, &doors, to, LINK, now).await, None);
    assert_eq!(who(&store, &Operators, to, [2; 32], now).await, None);
    assert_eq!(enter(&store, &doors, [2; 32], 3, now).await, Some(one));
    assert!(!is_in(&store, 3, now).await, "a client's session");
}

#[pollster::test]
async fn a_clients_links_and_sessions_end_with_it_and_with_its_tokens() {
    let ending = client(1).rotate([8; 32], hours(1), noon() + minutes(5));
    let ending = ending.ending_tokens(noon() + minutes(5));
    let revoking = client(1).revoke(noon() + minutes(5)).unwrap();
    for write in [ending, revoking] {
        let store = MemoryStore::new();
        store.insert(&client(1), None).await.unwrap();
        for digest in [[1; 32], [2; 32]] {
            let by = LinkMaker::Client;
            let link = issue_client_link(&store, digest, &client(1), by, noon()).await;
            assert!(link.is_ok());
        }
        let doors = Integrators(&store);
        let enter = async |link: u8, after| {
            let entered = enter(&store, &doors, [link; 32], link + 10, noon() + after);
            entered.await.is_some()
        };
        let is_in = async |session: u8| {
            let (kind, now) = (SignInTokenKind::Session, noon() + minutes(6));
            let found = who(&store, &doors, kind, [session; 32], now);
            found.await.is_some()
        };
        assert!(enter(1, minutes(1)).await && is_in(11).await);
        store.update(&write, None).await.unwrap();
        assert!(!is_in(11).await);
        assert!(!enter(2, minutes(6)).await);
        let after = write.client;
        let by = LinkMaker::Client;
        let link = issue_client_link(&store, [3; 32], &after, by, noon() + minutes(5)).await;
        if after.is_active() {
            assert!(enter(3, minutes(5)).await && is_in(13).await);
        } else {
            assert_eq!(link, Err(ClientError::Revoked(after.id)));
        }
    }
}

#[pollster::test]
async fn a_session_has_those_scopes_of_its_link_that_the_client_still_has() {
    use Scope::{JobPostingsRead as Read, JobPostingsWrite as Write, WebhooksManage as Manage};
    let now = noon();
    for (of_token, later, expect) in [
        (
            Scope::ALL,
            &[Read, Write, Manage][..],
            &[Read, Write, Manage][..],
        ),
        (&[Read], &[Read, Write, Manage], &[Read]),
        (&[Read, Manage], &[Manage, Write], &[Manage]),
        (&[Read], &[Write], &[]),
        (
            &[Read, Scope::NewsletterSubscribersWrite],
            Scope::ALL,
            &[Read],
        ),
    ] {
        let store = MemoryStore::new();
        let one = Client {
            scopes: vec![Read, Write, Manage],
            ..client(1)
        };
        store.insert(&one, None).await.unwrap();
        let (by, asking) = (LinkMaker::Client, one.clone().narrowed(of_token));
        let link = issue_client_link(&store, LINK, &asking, by, now).await;
        link.unwrap();
        let names: Vec<_> = asking.scopes.iter().map(|scope| scope.as_str()).collect();
        let entry = entries(&store).await.unwrap().remove(0);
        assert_eq!(entry.action.as_str(), "integration.link");
        assert_eq!(entry.words(), format!("scopes: {}", names.join(", ")));
        let doors = Integrators(&store);
        enter(&store, &doors, LINK, 2, now).await.unwrap();
        let change = ClientChange {
            scopes: Some(later.to_vec()),
            ..ClientChange::default()
        };
        if let Some(write) = one.apply(&change) {
            store.update(&write, None).await.unwrap();
        }
        let session = who(&store, &doors, SignInTokenKind::Session, [2; 32], now);
        let mut scopes = session.await.unwrap().scopes;
        scopes.sort_by_key(|scope| scope.as_str());
        let mut expect = expect.to_vec();
        expect.sort_by_key(|scope| scope.as_str());
        assert_eq!(scopes, expect, "{of_token:?} {later:?}");
    }
}

use kernel::{
    Actor, ClientId, Operator,
    audit::AuditLog,
    testing::{Checked, by_ann, entries, hours, minutes, noon, uuid, valid},
};
use time::{Duration, OffsetDateTime};

use crate::{
    Scope, audit,
    sign_in::{
        MOST_TOKENS, SignInToken, SignInTokenKind,
        SignInTokenKind::{Link, Session},
        SignInTokens, TokenDigest,
    },
};

fn token(kind: SignInTokenKind, n: u8, expires_at: OffsetDateTime) -> SignInToken {
    SignInToken {
        digest: [n; 32],
        kind,
        holder: Actor::Operator(Some(valid(Operator::new("Ann <b> \u{1f980}")))),
        scopes: Vec::new(),
        created_at: noon(),
        expires_at,
    }
}

async fn insert<S: SignInTokens>(store: &S, token: &SignInToken) -> Checked {
    let n = u128::from(token.digest[0]);
    let entry = by_ann(n).entry(audit::CONSOLE_LINK, noon());
    store.add_token(token, Some(&entry)).await?;
    Ok(())
}

async fn found<S: SignInTokens>(
    store: &S,
    kind: SignInTokenKind,
    n: u8,
) -> Checked<Option<SignInToken>> {
    let digest: TokenDigest = [n; 32];
    let found = store.find_tokens(&[digest]).await?.pop();
    Ok(found.filter(|token| token.kind == kind))
}

kernel::contract_cases!(
    sign_in,
    impl SignInTokens + AuditLog,
    async fn a_token_comes_back(store: &S) {
        let link = token(Link, 1, noon() + minutes(15));
        let session = SignInToken {
            holder: Actor::Client(ClientId::new(uuid(7))),
            scopes: vec![Scope::WebhooksManage, Scope::JobPostingsRead],
            ..token(Session, 2, noon() + hours(12))
        };
        insert(store, &link).await?;
        store.add_token(&session, None).await?;
        let digests = [[2; 32], [3; 32], [1; 32]];
        let mut both = store.find_tokens(&digests).await?;
        both.sort_by_key(|token| token.digest);
        assert_eq!(both, [link, session]);
        assert_eq!(store.find_tokens(&[]).await?, []);
        assert_eq!(entries(store).await?.len(), 1);
    },
    async fn a_link_becomes_one_session(store: &S) {
        insert(store, &token(Link, 1, noon() + minutes(15))).await?;
        insert(store, &token(Link, 2, noon())).await?;
        insert(store, &token(Session, 3, noon() + hours(1))).await?;
        let session = |n| token(Session, n, noon() + hours(12));
        let entry = |n| by_ann(n).entry(audit::CONSOLE_SIGN_IN, noon());
        for (link, n, is_redeemed) in [
            (2, 4, false),
            (3, 5, false),
            (9, 6, false),
            (1, 7, true),
            (1, 8, false),
        ] {
            let (session, entry) = (session(n), entry(n.into()));
            let redeemed = store.redeem_link(&[link; 32], &session, &entry).await;
            assert_eq!(redeemed, Ok(is_redeemed), "{link}");
            assert_eq!(found(store, Session, n).await?.is_some(), is_redeemed);
        }
        assert_eq!(found(store, Link, 1).await?, None);
        assert!(found(store, Session, 3).await?.is_some());
        assert_eq!(entries(store).await?.len(), 4);
    },
    async fn a_session_ends_once(store: &S) {
        insert(store, &token(Session, 1, noon() + hours(1))).await?;
        insert(store, &token(Link, 2, noon() + hours(1))).await?;
        let entry = by_ann(9).entry(audit::CONSOLE_SIGN_OUT, noon());
        for (n, is_ended) in [(2, false), (3, false), (1, true), (1, false)] {
            assert_eq!(
                store.end_session(&[n; 32], &entry).await,
                Ok(is_ended),
                "{n}"
            );
        }
        assert_eq!(found(store, Session, 1).await?, None);
        assert!(found(store, Link, 2).await?.is_some());
        assert_eq!(entries(store).await?.len(), 3);
    },
    async fn tokens_that_ended_are_forgotten(store: &S) {
        for n in 1..=5 {
            insert(store, &token(Link, n, noon() - minutes(1))).await?;
        }
        insert(store, &token(Session, 6, noon())).await?;
        for (limit, forgotten) in [(0, 0), (3, 3), (3, 2), (3, 0)] {
            assert_eq!(store.forget_tokens(noon(), limit).await, Ok(forgotten));
        }
        assert!(found(store, Session, 6).await?.is_some());
    },
    async fn of_a_holder_the_newest_tokens_stay(store: &S) {
        let most = u8::try_from(MOST_TOKENS)?;
        let at = |n: u8| noon() + Duration::seconds(n.into());
        let session = |n: u8| SignInToken {
            created_at: at(n),
            ..token(Session, n, noon() + hours(12))
        };
        let other = SignInToken {
            holder: Actor::Client(ClientId::new(uuid(1))),
            ..session(200)
        };
        store.add_token(&other, None).await?;
        insert(store, &token(Link, 0, noon() + hours(1))).await?;
        for n in (1..=most).rev() {
            store.add_token(&session(n), None).await?;
        }
        let entry = by_ann(9).entry(audit::CONSOLE_SIGN_IN, noon());
        let redeemed = store
            .redeem_link(&[0; 32], &session(most + 1), &entry)
            .await;
        assert_eq!(redeemed, Ok(true));
        for (n, is_kept) in [(1, false), (2, true), (most + 1, true), (200, true)] {
            let kept = found(store, Session, n).await?;
            assert_eq!(kept.is_some(), is_kept, "{n}");
        }
    },
);

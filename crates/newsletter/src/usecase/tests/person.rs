use super::*;
use crate::usecase::{PersonCommand, PersonError, PersonRef, decide_about_person};

const STRANGER: &str = "stranger@example.com";

fn commands() -> [PersonCommand; 3] {
    let reason = || "asked".to_owned();
    [
        PersonCommand::Suppress { reason: reason() },
        PersonCommand::Reinstate { reason: reason() },
        PersonCommand::RotateToken { reason: reason() },
    ]
}

async fn decide(
    store: &MemoryStore,
    person: &PersonRef,
    command: &PersonCommand,
    n: u128,
) -> Result<String, PersonError> {
    let new = (SubscriberId::new(uuid(n)), MigrationToken::new([7; 32]));
    let by = by_ann(n);
    let decided = decide_about_person(store, person, command, new, &by, noon());
    decided.await
}

#[pollster::test]
async fn a_person_is_meant_by_address_or_id() {
    let store = MemoryStore::new();
    let put = report(ANN, "{}");
    let (id, ann) = (PersonRef::Id(put.new_id), PersonRef::Email(email(ANN)));
    let token = put.new_token.clone();
    put_subscribers(&store, &[put], noon()).await.unwrap();
    let [suppress, reinstate, rotate] = commands();
    for (n, person, command, expect) in [
        (
            1,
            &id,
            &suppress,
            "ann@example.com is unsubscribed; both accounts will be updated.",
        ),
        (
            2,
            &ann,
            &suppress,
            "ann@example.com was already unsubscribed; nothing has changed.",
        ),
        (
            3,
            &id,
            &reinstate,
            "ann@example.com is active from now on. ",
        ),
        (
            4,
            &ann,
            &reinstate,
            "ann@example.com is not suppressed; nothing has changed.",
        ),
        (5, &id, &rotate, "ann@example.com has a new token; "),
    ] {
        let said = decide(&store, person, command, n).await.unwrap();
        assert!(said.starts_with(expect), "{said}");
    }
    let rotated = ann.find(&store).await.unwrap().token;
    assert!(rotated != token && rotated.is_well_formed());
    let said = decide(&store, &ann, &PersonCommand::Erase, 6)
        .await
        .unwrap();
    assert!(said.starts_with("Erased. "), "{said}");
}

#[pollster::test]
async fn an_unknown_address_can_be_suppressed() {
    let store = MemoryStore::new();
    let stranger = PersonRef::Email(email(STRANGER));
    let nobody = PersonRef::Id(SubscriberId::new(uuid(99)));
    let [suppress, reinstate, rotate] = commands();
    let erase = PersonCommand::Erase;
    for (person, command) in [
        (&nobody, &suppress),
        (&nobody, &reinstate),
        (&stranger, &reinstate),
        (&nobody, &rotate),
        (&stranger, &rotate),
        (&nobody, &erase),
        (&stranger, &erase),
    ] {
        let refused = decide(&store, person, command, 1).await;
        assert_eq!(refused, Err(PersonError::NotFound), "{person} {command:?}");
    }
    let said = decide(&store, &stranger, &suppress, 1).await.unwrap();
    assert!(said.contains("is unsubscribed"), "{said}");
    assert_eq!(stranger.find(&store).await.unwrap().reported_at, None);
    let refused = decide(&store, &stranger, &rotate, 2).await;
    assert_eq!(refused, Err(PersonError::NotFound), "nobody has the token");
}

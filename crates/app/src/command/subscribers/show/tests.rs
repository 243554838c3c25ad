use super::*;
use fields::Patch;
use kernel::testing::{by_ann, minutes, noon};
use newsletter::{
    subscriber::{MigrationSource, SubscriberStatus},
    testing::{MemoryStore, email, notice, report, subscriber_id, token},
    usecase::{migrate, put_subscribers, suppress},
};

const ADA: &str = "ada@example.com";

fn ada() -> PersonRef {
    PersonRef::Email(email(ADA))
}

async fn store() -> MemoryStore {
    let store = MemoryStore::new();
    let body = r#"{"name":"Ada","country":"Malta","membership":
        {"plan_category":"individual","status":"expired","expires_at":"2027-01-31"}}"#;
    // Older versions accepted names with control characters.
    let mut put = report(ADA, body);
    put.name = Patch::Set("Ada\u{1b}[2J".to_owned());
    put_subscribers(&store, &[put], noon()).await.unwrap();
    store
}

#[tokio::test]
async fn json_is_what_the_api_answers_and_what_an_operator_asks() {
    let store = store().await;
    let json = show(&store, &store, &ada()).await.unwrap();
    let (noon, account) = (
        "2026-03-01T12:00:00.123456Z",
        json!({"id": null, "quiet": false, "withdrawn": false}),
    );
    let task = json!({
        "id": 1, "kind": "sync", "key": subscriber_id(ADA).to_string(), "attempts": 0,
        "next_at": noon, "last_error": null, "dead": false,
    });
    let expect = json!({
        "uuid": subscriber_id(ADA).to_string(),
        "email": ADA,
        "name": "Ada\u{1b}[2J",
        "country": "Malta",
        "status": "active",
        "membership_plan_category": "individual",
        "member_status": "active-or-expired",
        "membership_expire_at": "2027-01-31",
        "mailerlite_account": "old",
        "migrated_at": null,
        "migration_source": null,
        "migration_arrived": null,
        "migration_token": token(ADA).reveal(),
        "reported_at": noon,
        "suppression": null,
        "reinstated_at": null,
        "departure": null,
        "successor": null,
        "updated_at": noon,
        "told_at": null,
        "accounts": {"old": account, "new": account},
        "tasks": [task],
    });
    assert_eq!(json, expect);
}

#[tokio::test]
async fn the_text_says_what_a_person_asks_and_is_safe_for_a_terminal() {
    let store = store().await;
    let (source, at) = (MigrationSource::Launch, noon() + minutes(1));
    migrate(&store, &[email(ADA)], source, at).await.unwrap();
    let text = text(&show(&store, &store, &ada()).await.unwrap()).unwrap();
    for part in [
        "email                    ada@example.com\n",
        "name                     Ada\u{FFFD}[2J\n",
        "status                   active\n",
        "mailerlite_account       new\n",
        "migration_source         launch\n",
        "migration_arrived        no\n",
    ] {
        assert!(text.contains(part), "{part} in {text}");
    }
    assert!(!text.contains(token(ADA).reveal()), "{text}");
    assert!(!text.chars().any(|c| c.is_control() && c != '\n'));
}

#[tokio::test]
async fn who_is_unknown_is_not_there() {
    let store = MemoryStore::new();
    let nobody = PersonRef::Id(subscriber_id(ADA));
    for person in [ada(), nobody] {
        let error = show(&store, &store, &person).await.unwrap_err();
        assert_eq!(error.to_string(), "Newsletter subscriber not found.");
    }
}

/// A suppressed person without a report, and a dead letter.
#[tokio::test]
async fn a_suppression_is_shown_with_where_it_came_from_and_what_is_to_be_done() {
    let store = MemoryStore::new();
    let asked = notice(ADA, SubscriberStatus::Unsubscribed);
    let by = by_ann(1);
    let done = suppress(&store, &asked, "by phone", &by, noon());
    assert!(done.await.unwrap().is_news);
    let claimed = store
        .claim(tasks::WITHDRAW, 1, minutes(1), uuid::Uuid::max(), noon())
        .await
        .unwrap();
    let given_up = store.give_up(claimed[0].token, "old: 403", noon()).await;
    assert_eq!(given_up, Ok(()));
    let json = show(&store, &store, &PersonRef::Id(subscriber_id(ADA)))
        .await
        .unwrap();
    let text = text(&json).unwrap();
    for part in [
        "suppression              account: none; at: 2026-03-01T12:00:00.123456Z; reason: by phone;",
        "accounts old             id: none; quiet: no; withdrawn: no\n",
        "reported_at              never\n",
        "1     withdraw  1      2026-03-01 12:01  yes\n    old: 403",
    ] {
        assert!(text.contains(part), "{part} in {text}");
    }
    let suppression = json!({
        "source": "operator", "account": null, "at": "2026-03-01T12:00:00.123456Z",
        "reason": "by phone",
    });
    assert_eq!(json["suppression"], suppression);
    assert_eq!(json["reported_at"], Value::Null);
    let task = &json["tasks"][0];
    assert_eq!(
        (&task["dead"], &task["last_error"]),
        (&json!(true), &json!("old: 403"))
    );
}

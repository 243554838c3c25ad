//! One subscriber, for a person to read or as JSON.

use std::fmt::Write as _;

use anyhow::bail;
use domain::{
    store::Store,
    subscriber::{Email, Subscriber, day},
    usecase::find_subscriber,
};
use serde::Serialize;

use crate::{output, text::plain};

/// A subscriber as JSON shows it: what the API answers, and the token.
#[derive(Serialize)]
struct Record<'a, T> {
    #[serde(flatten)]
    data: T,
    migration_token: &'a str,
}

/// What is known of a subscriber.
pub(super) async fn show(
    store: &dyn Store,
    email: &Email,
    as_json: bool,
) -> anyhow::Result<String> {
    let Some(subscriber) = find_subscriber(store, email).await? else {
        bail!("Newsletter subscriber not found.");
    };
    if as_json {
        Ok(output::json(&Record {
            data: adapters_http::subscriber_data(&subscriber),
            migration_token: subscriber.token.reveal(),
        })?)
    } else {
        Ok(text(&subscriber))
    }
}

/// Everything that a person asks. Writing to a string cannot fail.
fn text(subscriber: &Subscriber) -> String {
    let mut text = String::new();
    let mut field = |name: &str, value: Option<String>| {
        if let Some(value) = value {
            _ = writeln!(text, "{name:<18}{}", plain(&value));
        }
    };
    field("email", Some(subscriber.email.to_string()));
    field("uuid", Some(subscriber.id.to_string()));
    field("name", subscriber.name.clone());
    field("country", subscriber.country.clone());
    field("status", Some(subscriber.status.to_string()));
    field("membership", Some(membership(subscriber)));
    field("account", Some(subscriber.account().to_string()));
    let migrated = subscriber.migrated.map(|migrated| {
        let arrival = if migrated.arrived { "" } else { ", under way" };
        let at = output::time(migrated.at);
        format!("{at}, by {}{arrival}", migrated.source)
    });
    field("migrated", migrated);
    let token = subscriber.token.reveal().to_owned();
    field("migration token", Some(token));
    field("reported", subscriber.reported_at.map(output::time));
    field("updated", Some(output::time(subscriber.updated_at)));
    text.truncate(text.trim_end().len());
    text
}

fn membership(subscriber: &Subscriber) -> String {
    let Some(membership) = subscriber.membership else {
        return "none".to_owned();
    };
    let mut text = format!("{}, {}", membership.plan_category, membership.status);
    if let Some(day) = membership.expires_at {
        text = format!("{text}, until {}", day::write(day));
    }
    text
}

#[cfg(test)]
mod tests {
    use domain::{
        posting::Patch,
        subscriber::MigrationSource,
        testing::{MemoryStore, email, minutes, noon, notice, report, token},
        usecase::{migrate, notice_events, put_subscribers},
    };
    use serde_json::Value;

    use super::*;

    const ADA: &str = "ada@example.com";

    async fn store() -> MemoryStore {
        let store = MemoryStore::new();
        let body = r#"{"name":"Ada","country":"Malta","membership":
            {"plan_category":"individual","status":"expired","expires_at":"2027-01-31"}}"#;
        // Older versions took names with control characters.
        let mut put = report(ADA, body);
        put.name = Patch::Set("Ada\u{1b}[2J".to_owned());
        put_subscribers(&store, &[put], noon()).await.unwrap();
        store
    }

    #[tokio::test]
    async fn json_is_what_the_api_answers_and_the_token() {
        let text = show(&store().await, &email(ADA), true).await.unwrap();
        let json: Value = serde_json::from_str(&text).unwrap();
        let mut keys: Vec<_> = json.as_object().unwrap().keys().cloned().collect();
        keys.sort_unstable();
        let mut expect = vec![
            "uuid",
            "email",
            "name",
            "country",
            "status",
            "membership_plan_category",
            "member_status",
            "membership_expire_at",
            "mailerlite_account",
            "migrated_at",
            "migration_source",
            "migration_token",
        ];
        expect.sort_unstable();
        assert_eq!(keys, expect);
        assert_eq!(json["email"], ADA);
        assert_eq!(json["member_status"], "active-or-expired");
        assert_eq!(json["membership_expire_at"], "2027-01-31");
        assert_eq!(json["mailerlite_account"], "old");
        assert_eq!(json["migrated_at"], Value::Null);
        assert_eq!(json["migration_token"], token(ADA).reveal());
    }

    #[tokio::test]
    async fn the_text_says_what_a_person_asks_and_is_safe_for_a_terminal() {
        let store = store().await;
        let (source, at) = (MigrationSource::Launch, noon() + minutes(1));
        migrate(&store, &[email(ADA)], source, at).await.unwrap();
        let text = show(&store, &email(ADA), false).await.unwrap();
        for part in [
            "email             ada@example.com\n",
            "name              Ada\u{FFFD}[2J\n",
            "status            active\n",
            "membership        individual, expired, until 2027-01-31\n",
            "account           new\n",
            "migrated          2026-03-01T12:01:00.123456Z, by launch, under way\n",
            &format!("migration token   {}\n", token(ADA).reveal()),
        ] {
            assert!(text.contains(part), "{part} in {text}");
        }
        assert!(!text.chars().any(|c| c.is_control() && c != '\n'));
    }

    #[tokio::test]
    async fn who_was_never_reported_is_not_there() {
        let store = MemoryStore::new();
        let bounced = domain::subscriber::SubscriberStatus::Bounced;
        notice_events(&store, &[notice(ADA, bounced)], noon())
            .await
            .unwrap();
        for as_json in [false, true] {
            let error = show(&store, &email(ADA), as_json).await.unwrap_err();
            assert_eq!(error.to_string(), "Newsletter subscriber not found.");
        }
    }
}

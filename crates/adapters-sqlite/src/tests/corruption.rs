//! That a stored value without a meaning is reported by its column's name.

use domain::{
    audit::{Action, AuditLog, AuditQuery},
    client::Clients,
    enrichment::{DraftKey, Drafts},
    outbox::{EVENTS, Event, Outbox},
    posting::{ENRICH, PostingId, enrich, event},
    store::{ListQuery, PostingReader, Store, StoreError, WriteSet},
    testing::{client, deed, hours, minutes, noon, uuid},
};
use newsletter::{
    store::{SubscriberQuery, SubscriberReader},
    testing::{email, subscriber_id, token},
};

use super::{create, fixture, identifier, run, subscribe};

fn names<T: std::fmt::Debug>(result: Result<T, StoreError>, column: &str) {
    let Err(StoreError::Broken(why)) = result else {
        panic!("{column}: {result:?}")
    };
    assert!(why.contains(column), "{why}");
}

#[tokio::test]
async fn of_postings() {
    // Checks are off, as for a file that something else than SQLite has damaged.
    for (column, value) in [
        ("status", "'published'"),
        ("employment_types", "'full-time,sometimes'"),
        ("location_types", "'remote, hybrid'"),
        ("location_country_code", "'QQ'"),
        ("salary_currency_code", "'QQQ'"),
        ("salary_period", "'daily'"),
        ("enriched_hash", "x'00'"),
        ("approved_hash", "x'00'"),
        ("description_digest", "x'00'"),
        ("updated_at", "9223372036854775807"),
        ("expire_at", "-9223372036854775807"),
    ] {
        let (_dir, store) = fixture().await;
        store.commit(create(1)).await.unwrap();
        run(
            &store,
            &format!(
                "PRAGMA ignore_check_constraints = ON; UPDATE postings SET {column} = {value}"
            ),
        );
        let column = format!("postings.{column}");
        names(store.load(&[identifier(1)], &[]).await, &column);
        names(store.load_by_id(&[PostingId::new(uuid(1))]).await, &column);
        names(PostingReader::find(&store, &identifier(1)).await, &column);
        names(
            PostingReader::list(
                &store,
                &ListQuery {
                    limit: 10,
                    ..ListQuery::default()
                },
            )
            .await,
            &column,
        );
    }
}

#[tokio::test]
async fn of_history() {
    let (_dir, store) = fixture().await;
    store.commit(create(1)).await.unwrap();
    run(
        &store,
        "INSERT INTO posting_history SELECT id, 1, 0, 0, 'approved', NULL, 'client:nobody' \
         FROM postings",
    );
    names(
        PostingReader::find(&store, &identifier(1)).await,
        "posting_history.actor",
    );
}

#[tokio::test]
async fn of_subscribers() {
    const ADDRESS: &str = "a@example.com";
    for (column, value) in [
        ("email", "'A@example.com'"),
        ("reported_at", "-9223372036854775807"),
        ("membership_plan_category", "'family'"),
        ("membership_status", "'cancelled'"),
        ("membership_status", "NULL"),
        ("membership_expires_at", "'2026-02-29'"),
        ("status", "'inactive'"),
        ("migrated_at", "9223372036854775807"),
        ("migration_source", "'somebody'"),
        ("migration_source", "NULL"),
        ("migration_token", "''"),
        ("told", "x'00'"),
        ("updated_at", "9223372036854775807"),
    ] {
        let (_dir, store) = fixture().await;
        newsletter::store::Store::commit(&store, subscribe())
            .await
            .unwrap();
        run(
            &store,
            &format!(
                "PRAGMA ignore_check_constraints = ON; UPDATE subscribers SET {column} = {value}"
            ),
        );
        let named = format!("subscribers.{column}");
        let ids = [subscriber_id(ADDRESS)];
        names(
            newsletter::store::Store::load_by_id(&store, &ids).await,
            &named,
        );
        let all = SubscriberQuery {
            limit: 10,
            ..SubscriberQuery::default()
        };
        names(SubscriberReader::list(&store, &all).await, &named);
        if column != "email" {
            names(
                newsletter::store::Store::load(&store, &[email(ADDRESS)]).await,
                &named,
            );
        }
        if column != "migration_token" {
            let holder = newsletter::store::Store::find_by_token(&store, &token(ADDRESS)).await;
            names(holder, &named);
        }
    }
}

#[tokio::test]
async fn of_the_outbox() {
    for (column, value) in [
        ("event_name", "''"),
        ("occurred_at", "9223372036854775807"),
        ("subject", "x'00'"),
        ("attempts", "-7"),
    ] {
        let (_dir, store) = fixture().await;
        let mut writes = create(1);
        writes.tasks.events.push(Event {
            name: event::JOB_POSTING_CREATED,
            subject: identifier(1).subject(PostingId::new(uuid(1))),
            at: noon(),
        });
        store.commit(writes).await.unwrap();
        run(
            &store,
            &format!("PRAGMA ignore_check_constraints = ON; UPDATE outbox SET {column} = {value}"),
        );
        let named = format!("outbox.{column}");
        names(
            store.claim(EVENTS, 1, minutes(1), uuid(9), noon()).await,
            &named,
        );
    }
}

#[tokio::test]
async fn of_one_kind_does_not_keep_others_from_being_claimed() {
    let (_dir, store) = fixture().await;
    let mut writes = create(1);
    writes.tasks.ask(enrich(PostingId::new(uuid(1))));
    store.commit(writes).await.unwrap();
    run(
        &store,
        "INSERT INTO outbox (kind, subject, next_at, created_at) \
         VALUES ('dance', zeroblob(16), 0, 0)",
    );
    let claimed = store
        .claim(ENRICH, 9, minutes(1), uuid(9), noon())
        .await
        .unwrap();
    assert_eq!(claimed.len(), 1);
}

#[tokio::test]
async fn of_drafts() {
    let key = DraftKey::from_bytes([7; 32]);
    for (column, value) in [
        ("holder", "x'00'"),
        ("holder", "NULL"),
        ("reserved_until", "9223372036854775807"),
        ("reserved_until", "NULL"),
        ("draft", "CAST(x'22ff22' AS TEXT)"),
    ] {
        let (_dir, store) = fixture().await;
        let until = noon() + hours(1);
        store.reserve(&key, uuid(1), until, noon()).await.unwrap();
        run(
            &store,
            &format!("PRAGMA ignore_check_constraints = ON; UPDATE drafts SET {column} = {value}"),
        );
        names(
            store.reserve(&key, uuid(2), until, noon()).await,
            &format!("drafts.{column}"),
        );
    }
}

#[tokio::test]
async fn of_clients() {
    let (_dir, store) = fixture().await;
    let client = client(1);
    store.insert(&client).await.unwrap();
    run(
        &store,
        "UPDATE clients SET scopes = 'job-postings:write everything'",
    );
    names(Clients::find(&store, client.id).await, "clients.scopes");
    names(Clients::list(&store).await, "clients.scopes");
}

#[tokio::test]
async fn of_the_audit() {
    for (column, value) in [("at", "9223372036854775806"), ("details", "'{]}'")] {
        let (_dir, store) = fixture().await;
        let mut writes = WriteSet::new(noon());
        let entry = deed(1).entry(Action::POSTINGS_APPROVE, noon());
        writes.tasks.audit.push(entry);
        store.commit(writes).await.unwrap();
        run(&store, &format!("UPDATE audit SET {column} = {value}"));
        let query = AuditQuery {
            limit: 1,
            ..AuditQuery::default()
        };
        names(store.entries(&query).await, &format!("audit.{column}"));
    }
}

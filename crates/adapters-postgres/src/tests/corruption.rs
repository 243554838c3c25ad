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
use crate::PostgresStore;

fn names<T: std::fmt::Debug>(result: Result<T, StoreError>, column: &str) {
    let Err(StoreError::Broken(why)) = result else {
        panic!("{column}: {result:?}")
    };
    assert!(why.contains(column), "{why}");
}

/// Takes the checks away, as if somebody had restored the data without them.
async fn without_checks(store: &PostgresStore) {
    run(
        store,
        "DO $$ DECLARE it record; BEGIN FOR it IN SELECT conrelid::regclass AS owner, conname \
         FROM pg_constraint WHERE contype = 'c' AND connamespace = 'public'::regnamespace LOOP \
         EXECUTE format('ALTER TABLE %s DROP CONSTRAINT %I', it.owner, it.conname); \
         END LOOP; END $$",
    )
    .await;
}

#[tokio::test]
async fn of_postings() {
    let (_database, store) = fixture().await;
    without_checks(&store).await;
    for (column, value) in [
        ("status", "'published'"),
        ("employment_types", "'{full-time,sometimes}'"),
        ("location_types", "'{remote, Hybrid}'"),
        ("location_country_code", "'QQ'"),
        ("salary_currency_code", "'QQQ'"),
        ("salary_period", "'daily'"),
        ("enriched_hash", "'\\x00'"),
        ("approved_hash", "'\\x00'"),
        ("description_digest", "'\\x00'"),
        ("source_identifier", "E'job-1\\n'"),
        ("updated_at", "'infinity'"),
        ("expire_at", "'-infinity'"),
        ("created_at", "'10000-01-01'"),
    ] {
        run(&store, "TRUNCATE postings CASCADE").await;
        store.commit(create(1)).await.unwrap();
        run(&store, &format!("UPDATE postings SET {column} = {value}")).await;
        let named = format!("postings.{column}");
        names(store.load_by_id(&[PostingId::new(uuid(1))]).await, &named);
        let all = ListQuery {
            limit: 10,
            ..ListQuery::default()
        };
        names(PostingReader::list(&store, &all).await, &named);
        if column != "source_identifier" {
            names(store.load(&[identifier(1)], &[]).await, &named);
            names(PostingReader::find(&store, &identifier(1)).await, &named);
        }
    }
}

#[tokio::test]
async fn of_history() {
    let (_database, store) = fixture().await;
    without_checks(&store).await;
    for (column, value) in [("actor", "'client:nobody'"), ("status", "'gone'")] {
        run(&store, "TRUNCATE postings CASCADE").await;
        store.commit(create(1)).await.unwrap();
        let set = format!("UPDATE posting_history SET {column} = {value}");
        run(&store, &set).await;
        names(
            PostingReader::find(&store, &identifier(1)).await,
            &format!("posting_history.{column}"),
        );
    }
}

#[tokio::test]
async fn of_subscribers() {
    const ADDRESS: &str = "a@example.com";
    let (_database, store) = fixture().await;
    without_checks(&store).await;
    for (column, value) in [
        ("email", "'A@example.com'"),
        ("reported_at", "'-infinity'"),
        ("membership_plan_category", "'family'"),
        ("membership_status", "'cancelled'"),
        ("membership_status", "NULL"),
        ("membership_expires_at", "'infinity'"),
        ("status", "'inactive'"),
        ("migrated_at", "'infinity'"),
        ("migration_source", "'somebody'"),
        ("migration_source", "NULL"),
        ("migration_token", "''"),
        ("told", "'\\x00'"),
        ("updated_at", "'10000-01-01'"),
    ] {
        run(&store, "TRUNCATE subscribers").await;
        newsletter::store::Store::commit(&store, subscribe())
            .await
            .unwrap();
        run(
            &store,
            &format!("UPDATE subscribers SET {column} = {value}"),
        )
        .await;
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
    let (_database, store) = fixture().await;
    without_checks(&store).await;
    for (column, value) in [
        ("event_name", "NULL"),
        ("occurred_at", "'infinity'"),
        ("occurred_at", "NULL"),
        ("attempts", "-7"),
    ] {
        run(&store, "TRUNCATE outbox, postings CASCADE").await;
        let mut writes = create(1);
        writes.tasks.events.push(Event {
            name: event::JOB_POSTING_CREATED,
            subject: identifier(1).subject(PostingId::new(uuid(1))),
            at: noon(),
        });
        store.commit(writes).await.unwrap();
        run(&store, &format!("UPDATE outbox SET {column} = {value}")).await;
        let named = format!("outbox.{column}");
        let claimed = store.claim(EVENTS, 1, minutes(1), uuid(9), noon());
        names(claimed.await, &named);
    }
}

#[tokio::test]
async fn of_one_kind_does_not_keep_others_from_being_claimed() {
    let (_database, store) = fixture().await;
    let mut writes = create(1);
    writes.tasks.ask(enrich(PostingId::new(uuid(1))));
    store.commit(writes).await.unwrap();
    run(
        &store,
        "INSERT INTO outbox (kind, subject, next_at, created_at) \
         VALUES ('dance', gen_random_uuid(), '2000-01-01', now())",
    )
    .await;
    let claimed = store
        .claim(ENRICH, 9, minutes(1), uuid(9), noon())
        .await
        .unwrap();
    assert_eq!(claimed.len(), 1);
}

#[tokio::test]
async fn of_drafts() {
    let (_database, store) = fixture().await;
    without_checks(&store).await;
    let (key, until) = (DraftKey::from_bytes([7; 32]), noon() + hours(1));
    for (column, value) in [
        ("holder", "NULL"),
        ("reserved_until", "'infinity'"),
        ("reserved_until", "'10000-01-01'"),
        ("reserved_until", "NULL"),
    ] {
        run(&store, "TRUNCATE drafts").await;
        store.reserve(&key, uuid(1), until, noon()).await.unwrap();
        run(&store, &format!("UPDATE drafts SET {column} = {value}")).await;
        let asked = store.reserve(&key, uuid(2), until, noon()).await;
        names(asked, &format!("drafts.{column}"));
    }
}

#[tokio::test]
async fn of_clients() {
    let (_database, store) = fixture().await;
    let client = client(1);
    store.insert(&client).await.unwrap();
    run(
        &store,
        "UPDATE clients SET scopes = '{job-postings:write,everything}'",
    )
    .await;
    names(Clients::find(&store, client.id).await, "clients.scopes");
    names(Clients::list(&store).await, "clients.scopes");
}

#[tokio::test]
async fn of_the_audit() {
    for (column, value) in [("at", "'10000-01-01'"), ("details", "'[]'")] {
        let (_database, store) = fixture().await;
        without_checks(&store).await;
        let mut writes = WriteSet::new(noon());
        let entry = deed(1).entry(Action::POSTINGS_APPROVE, noon());
        writes.tasks.audit.push(entry);
        store.commit(writes).await.unwrap();
        run(&store, &format!("UPDATE audit SET {column} = {value}")).await;
        let query = AuditQuery {
            limit: 1,
            ..AuditQuery::default()
        };
        names(store.entries(&query).await, &format!("audit.{column}"));
    }
}

//! Loading, committing and listing subscribers.

use domain::{
    Version,
    outbox::{Outbox, Receipt, TaskId},
};
use time::{OffsetDateTime, macros::date};

use crate::{
    store::{
        Purge, Store, StoreError, SubscriberCount, SubscriberFilter, SubscriberQuery,
        SubscriberReader, SubscriberWrite, WriteSet,
    },
    subscriber::{
        Account, Departure, Email, Membership, MembershipStatus, Migrated, MigrationSource, Place,
        Places, PlanCategory, PutSubscriber, Remembered, Subscriber, SubscriberStatus, Suppression,
        SuppressionSource, provider::ProviderId,
    },
    tasks,
    testing::{
        AllPorts, MemoryStore, email, hours, noon, notice, report, subscriber, subscriber_id, text,
        token, uuid,
    },
    usecase::{self, Reported},
};

const A: &str = "a@example.com";
const B: &str = "b@example.com";

fn writing(expected: Option<Version>, subscriber: Subscriber) -> WriteSet {
    let mut writes = WriteSet::new(noon());
    let id = subscriber.id;
    let write = SubscriberWrite {
        expected,
        subscriber,
    };
    writes.subscribers.insert(id, write);
    writes
}

async fn insert<S: Store>(store: &S, subscriber: &Subscriber) {
    let writes = writing(None, subscriber.clone());
    store.commit(writes).await.expect("the address is free");
}

/// Moves a subscriber on by one version.
async fn update<S: Store>(store: &S, before: &Subscriber, after: Subscriber) -> Subscriber {
    let after = Subscriber {
        version: before.version + 1,
        ..after
    };
    let writes = writing(Some(before.version), after.clone());
    store.commit(writes).await.expect("the version is right");
    after
}

async fn load<S: Store>(store: &S, address: &str) -> Option<Subscriber> {
    let email = email(address);
    let mut known = store
        .load(std::slice::from_ref(&email))
        .await
        .expect("the store works");
    known.remove(&email)
}

async fn put<S: Store>(store: &S, address: &str, body: &str, now: OffsetDateTime) -> Reported {
    let put = report(address, body);
    let reported = usecase::put_subscriber(store, &put, now).await;
    reported.expect("the store works")
}

async fn list<S: SubscriberReader>(store: &S, query: &SubscriberQuery) -> Vec<Subscriber> {
    SubscriberReader::list(store, query)
        .await
        .expect("the store works")
}

fn addresses(subscribers: &[Subscriber]) -> Vec<&str> {
    let emails = subscribers.iter().map(|subscriber| &subscriber.email);
    emails.map(Email::as_str).collect()
}

/// With a value in every column.
fn full(address: &str) -> Subscriber {
    Subscriber {
        name: Some(text(255)),
        country: Some("Côte d'Ivoire \" \\ 🦀".to_owned()),
        membership: Some(Membership {
            plan_category: PlanCategory::Individual,
            status: MembershipStatus::Canceled,
            expires_at: Some(date!(2026 - 12 - 31)),
        }),
        status: SubscriberStatus::Bounced,
        suppression: Some(Suppression {
            source: SuppressionSource::Operator,
            account: Some(Account::New),
            at: noon() + hours(3),
            reason: Some("\"asked\" by 'phone' 🦀".to_owned()),
        }),
        reinstated_at: Some(noon() + hours(4)),
        as_of: Some(noon() + hours(5)),
        places: Places {
            old: Place {
                id: Some(ProviderId("165968862226941797".to_owned())),
                is_quiet: true,
                is_withdrawn: true,
            },
            new: Place {
                id: Some(ProviderId("31".to_owned())),
                is_quiet: true,
                is_withdrawn: true,
            },
        },
        migrated: Some(Migrated {
            at: noon() + hours(1),
            source: MigrationSource::EmailConfirmation,
            arrived: true,
            was_found: true,
            has_joined: true,
        }),
        synced_digest: Some([0xA5; 32]),
        told_at: Some(noon() + hours(6)),
        updated_at: noon() + hours(2),
        ..subscriber(address)
    }
}

/// When written first, and later.
pub async fn a_subscriber_comes_back<S: AllPorts>(store: &S) {
    for address in [A, "o'brien+%_news@sub.exämple.com"] {
        let first = full(address);
        insert(store, &first).await;
        assert_eq!(load(store, address).await, Some(first.clone()));
        let bare = update(store, &first, subscriber(address)).await;
        assert_eq!(load(store, address).await, Some(bare.clone()));
        let again = update(store, &bare, full(address)).await;
        assert_eq!(load(store, address).await, Some(again));
    }
}

/// As `None`, not as empty values; also of an unreported address.
pub async fn unset_fields_come_back_unset<S: AllPorts>(store: &S) {
    let reported = subscriber(A);
    let unreported = Subscriber {
        reported_at: None,
        status: SubscriberStatus::SpamReported,
        ..subscriber(B)
    };
    for expect in [reported, unreported] {
        insert(store, &expect).await;
        let found = load(store, expect.email.as_str()).await;
        assert_eq!(found, Some(expect));
    }
}

/// And the ends of time.
pub async fn every_word_comes_back<S: AllPorts>(store: &S) {
    let mut before = subscriber(A);
    insert(store, &before).await;
    let mut check = async |change: &dyn Fn(&mut Subscriber)| {
        let mut after = before.clone();
        change(&mut after);
        before = update(store, &before, after).await;
        assert_eq!(load(store, A).await.as_ref(), Some(&before));
    };
    for &status in SubscriberStatus::ALL {
        check(&|it| it.status = status).await;
    }
    for &source in SuppressionSource::ALL {
        for account in [None, Some(Account::Old), Some(Account::New)] {
            let at = noon();
            let reason = account.map(|account| format!("seen in {account}"));
            let suppression = Suppression {
                source,
                account,
                at,
                reason,
            };
            check(&|it| it.suppression = Some(suppression.clone())).await;
        }
    }
    for departure in [
        Some(Departure::Moved(subscriber_id(B))),
        Some(Departure::Erased),
        None,
    ] {
        check(&|it| {
            it.reported_at = None;
            it.departure = departure;
        })
        .await;
    }
    for (old, new) in [(false, true), (true, false)] {
        check(&|it| {
            it.places.old.is_quiet = old;
            it.places.new.is_quiet = new;
            it.places.old.is_withdrawn = new;
            it.places.new.is_withdrawn = old;
        })
        .await;
    }
    for (&plan_category, &status) in PlanCategory::ALL.iter().flat_map(|plan| {
        MembershipStatus::ALL
            .iter()
            .map(move |status| (plan, status))
    }) {
        for expires_at in [
            None,
            Some(date!(0001 - 01 - 01)),
            Some(date!(9999 - 12 - 31)),
        ] {
            let membership = Membership {
                plan_category,
                status,
                expires_at,
            };
            check(&|it| it.membership = Some(membership)).await;
        }
    }
    for &source in MigrationSource::ALL {
        for (arrived, was_found, has_joined) in [
            (false, false, false),
            (false, true, false),
            (true, false, false),
            (false, false, true),
        ] {
            let at = noon();
            let migrated = Migrated {
                at,
                source,
                arrived,
                was_found,
                has_joined,
            };
            check(&|it| it.migrated = Some(migrated)).await;
        }
    }
}

pub async fn loads_only_who_is_named<S: AllPorts>(store: &S) {
    for address in [A, B, "c@example.com"] {
        insert(store, &subscriber(address)).await;
    }
    let emails = [email(B), email("unknown@example.com")];
    let known = store.load(&emails).await;
    assert_eq!(known, Ok([(email(B), subscriber(B))].into()));
    let ids = [subscriber_id(A), subscriber_id("unknown@example.com")];
    let known = store.load_by_id(&ids).await;
    assert_eq!(known, Ok([(subscriber_id(A), subscriber(A))].into()));
    assert_eq!(store.load(&[]).await, Ok([].into()));
    assert_eq!(store.load_by_id(&[]).await, Ok([].into()));
}

/// A batch may exceed a database's limit of parameters.
pub async fn loads_large_batches<S: AllPorts>(store: &S) {
    let addresses: Vec<_> = (0..3_000).map(|n| format!("{n}@example.com")).collect();
    let body = r#"{"membership":{"plan_category":"team","status":"active"}}"#;
    let batch: Vec<_> = addresses.iter().map(|to| report(to, body)).collect();
    let answers = usecase::put_subscribers(store, &batch, noon()).await;
    let answers = answers.expect("the store works");
    assert!(answers.iter().all(|answer| answer.is_new));
    let emails: Vec<_> = addresses.iter().map(|to| email(to)).collect();
    let known = store.load(&emails).await;
    assert_eq!(known.expect("the store works").len(), 3_000);
    let ids: Vec<_> = addresses.iter().map(|to| subscriber_id(to)).collect();
    let known = store.load_by_id(&ids).await;
    assert_eq!(known.expect("the store works").len(), 3_000);

    let body = r#"{"country":"Norway"}"#;
    let batch: Vec<_> = addresses.iter().map(|to| report(to, body)).collect();
    let answers = usecase::put_subscribers(store, &batch, noon()).await;
    for answer in answers.expect("the store works") {
        assert_eq!((answer.is_new, answer.subscriber.version), (false, 2));
    }
}

/// Byte for byte, reported or not.
pub async fn the_holder_of_a_token_is_found<S: AllPorts>(store: &S) {
    let unreported = Subscriber {
        reported_at: None,
        ..subscriber(B)
    };
    insert(store, &subscriber(A)).await;
    insert(store, &unreported).await;
    let find = async |text: &str| {
        let token = crate::subscriber::MigrationToken::from_text(text);
        store.find_by_token(&token).await
    };
    let text = token(A).reveal().to_owned();
    assert_eq!(find(&text).await, Ok(Some(subscriber(A))));
    assert_eq!(find(token(B).reveal()).await, Ok(Some(unreported)));
    for other in [
        token("c@example.com").reveal(),
        "",
        "%",
        "'; --",
        &text[1..],
        &format!("{text} "),
        &text.to_uppercase(),
        &text.to_lowercase(),
    ] {
        assert_eq!(find(other).await, Ok(None), "{other}");
    }
}

pub async fn a_new_subscriber_of_a_taken_address_conflicts<S: AllPorts>(store: &S) {
    insert(store, &subscriber(A)).await;
    let other = Subscriber {
        email: email(A),
        ..full(B)
    };
    let commit = store.commit(writing(None, other)).await;
    assert_eq!(commit, Err(StoreError::Conflict));
    let again = store.commit(writing(None, subscriber(A))).await;
    assert_eq!(again, Err(StoreError::Conflict));
    assert_eq!(load(store, A).await, Some(subscriber(A)));
}

pub async fn a_write_on_another_version_conflicts<S: AllPorts>(store: &S) {
    insert(store, &subscriber(A)).await;
    let second = update(store, &subscriber(A), full(A)).await;
    let third = |expected| {
        let after = Subscriber {
            version: 3,
            ..subscriber(A)
        };
        writing(Some(expected), after)
    };
    for expected in [1, 3] {
        let commit = store.commit(third(expected)).await;
        assert_eq!(commit, Err(StoreError::Conflict), "{expected}");
    }
    assert_eq!(load(store, A).await, Some(second));
    assert_eq!(store.commit(third(2)).await, Ok(()));
    let unknown = store.commit(writing(Some(1), subscriber(B))).await;
    assert_eq!(unknown, Err(StoreError::Conflict));
    assert_eq!(load(store, B).await, None);
}

pub async fn a_conflict_writes_nothing<S: AllPorts>(store: &S) {
    insert(store, &subscriber(A)).await;
    let tasks = Outbox::list(store, false, None, usize::MAX)
        .await
        .expect("the store works");
    let mut writes = writing(Some(7), full(A));
    let new = writing(None, full(B));
    writes.subscribers.extend(new.subscribers);
    writes.tasks.ask(tasks::migrate(subscriber_id(A)));
    assert_eq!(store.commit(writes).await, Err(StoreError::Conflict));

    // Nor does a lost lease.
    let mut writes = writing(None, full(B));
    writes.tasks.done.push(Receipt {
        task: TaskId(77),
        generation: 1,
        lease: uuid(5),
    });
    assert_eq!(store.commit(writes).await, Err(StoreError::Conflict));
    assert_eq!(load(store, A).await, Some(subscriber(A)));
    assert_eq!(load(store, B).await, None);
    assert_eq!(
        Outbox::list(store, false, None, usize::MAX).await,
        Ok(tasks)
    );
}

/// A report and an event race for a new address.
pub async fn a_suppression_survives_a_race<S: AllPorts>(store: &S) {
    let said = notice(A, SubscriberStatus::Unsubscribed);
    let mut said_first = WriteSet::new(noon());
    // Both were decided on an unknown address.
    let change = crate::subscriber::notice(None, &said, noon()).expect("it is news");
    change.record(&mut said_first);
    let mut late = WriteSet::new(noon());
    let mut put = report(A, r#"{"name":"Ann"}"#);
    put.new_id = crate::subscriber::SubscriberId::new(uuid(5));
    put.new_token = token("another");
    let change = crate::subscriber::report(None, &put, noon()).change;
    change.expect("it is news").record(&mut late);

    assert_eq!(store.commit(said_first).await, Ok(()));
    assert_eq!(store.commit(late).await, Err(StoreError::Conflict));
    let answers = usecase::put_subscribers(store, &[put], noon()).await;
    let answers = answers.expect("the store works");
    assert!(answers[0].is_new);
    let stored = load(store, A).await.expect("it is there");
    assert_eq!(stored, answers[0].subscriber);
    assert_eq!(stored.status, SubscriberStatus::Unsubscribed);
    assert_eq!((stored.id, stored.version), (subscriber_id(A), 2));
    assert_eq!(stored.name.as_deref(), Some("Ann"));
}

/// Page by page, without gap or repeat.
pub async fn lists_ascend_byte_for_byte_and_page<S: AllPorts>(store: &S) {
    let ascending = [
        "+@b.example",
        "-a@b.example",
        "0@b.example",
        "_@b.example",
        "a+b@b.example",
        "a-b@b.example",
        "a.b@b.example",
        "a@a-b.example",
        "a@a.example",
        "a@ab.example",
        "a@b.example",
        "a@xn--9ca.example",
        "a_b@b.example",
        "aa@b.example",
        "ab@b.example",
        "a~@b.example",
        "z@b.example",
    ];
    assert!(ascending.is_sorted());
    for address in ascending.iter().rev() {
        insert(store, &subscriber(address)).await;
    }
    let mut query = SubscriberQuery {
        limit: 100,
        ..SubscriberQuery::default()
    };
    assert_eq!(addresses(&list(store, &query).await), ascending);

    query.limit = 4;
    let mut paged = Vec::new();
    loop {
        let page = list(store, &query).await;
        let Some(last) = page.last() else { break };
        query.after = Some(last.email.clone());
        paged.extend(page);
    }
    assert_eq!(addresses(&paged), ascending);
    query.after = Some(email("a@b.examplf"));
    query.limit = 1;
    let behind = list(store, &query).await;
    assert_eq!(
        addresses(&behind),
        ["a@xn--9ca.example"],
        "nobody has to be there"
    );
}

/// The record keeps its id and token, replaced rows are deleted first, and the record is found
/// under its new address alone.
pub async fn an_address_passes_to_another_row<S: AllPorts>(store: &S) {
    let suppressed = Subscriber {
        reported_at: None,
        status: SubscriberStatus::Bounced,
        ..subscriber(B)
    };
    insert(store, &full(A)).await;
    insert(store, &suppressed).await;
    let put = report(B, &format!(r#"{{"previous_email":"{A}"}}"#));
    let put = PutSubscriber {
        new_id: subscriber_id("new"),
        ..put
    };
    let moved = usecase::put_subscriber(store, &put, noon() + hours(1)).await;
    let moved = moved.expect("the store works");
    assert!(!moved.is_new);
    let moved = moved.subscriber;
    assert_eq!((moved.id, &moved.token), (subscriber_id(A), &token(A)));
    assert_eq!(load(store, B).await.as_ref(), Some(&moved));
    let holder = store.find_by_token(&token(A)).await;
    assert_eq!(holder.as_ref(), Ok(&Some(moved.clone())));
    let ids = [subscriber_id(A), subscriber_id(B)];
    let known = store.load_by_id(&ids).await;
    assert_eq!(known, Ok([(moved.id, moved.clone())].into()));
    let left = load(store, A).await.expect("it is yet to go");
    assert_eq!(left.departure, Some(Departure::Moved(moved.id)));
    assert_eq!(left.id, subscriber_id("new"));
    let query = SubscriberQuery {
        limit: 10,
        ..SubscriberQuery::default()
    };
    assert_eq!(list(store, &query).await, [moved]);
}

pub async fn an_address_is_taken_once<S: AllPorts>(store: &S) {
    insert(store, &subscriber(A)).await;
    insert(store, &subscriber(B)).await;
    let moved = Subscriber {
        version: 2,
        email: email(A),
        ..subscriber(B)
    };
    let commit = store.commit(writing(Some(1), moved)).await;
    assert_eq!(commit, Err(StoreError::Conflict));
    assert_eq!(load(store, A).await, Some(subscriber(A)));
    assert_eq!(load(store, B).await, Some(subscriber(B)));
}

fn purging(address: &str, expected: Version, remember: Option<SubscriberStatus>) -> WriteSet {
    let mut writes = WriteSet::new(noon());
    let purge = Purge {
        expected,
        email: email(address),
        remember,
    };
    writes.purges.insert(subscriber_id(address), purge);
    writes
}

/// Except tasks that a worker has claimed.
pub async fn a_row_goes_with_its_tasks<S: AllPorts>(store: &S) {
    let individual = r#"{"membership":{"plan_category":"individual","status":"active"}}"#;
    for address in [A, B] {
        put(store, address, "{}", noon()).await;
        put(store, address, individual, noon()).await;
    }
    let emails = [email(A), email(B)];
    let (source, now) = (MigrationSource::Manual, noon());
    let moving = usecase::migrate(store, &emails, source, now).await;
    assert!(moving.is_ok());
    let leased = store
        .claim(tasks::MIGRATE, 9, hours(1), uuid(7), noon())
        .await;
    assert_eq!(leased.map(|leased| leased.len()), Ok(2));

    let stale = store.commit(purging(A, 2, None)).await;
    assert_eq!(stale, Err(StoreError::Conflict));
    assert!(load(store, A).await.is_some());
    assert_eq!(store.commit(purging(A, 3, None)).await, Ok(()));
    assert_eq!(load(store, A).await, None);
    let holder = store.find_by_token(&token(A)).await;
    assert_eq!(holder, Ok(None));
    let rows = Outbox::list(store, false, None, usize::MAX).await;
    let kinds = |address: &str| {
        let id = subscriber_id(address).uuid();
        let rows = rows.iter().flatten();
        let mut kinds: Vec<_> = rows
            .filter(|row| row.key == id)
            .map(|row| row.kind.as_str())
            .collect();
        kinds.sort_unstable();
        kinds
    };
    assert_eq!(kinds(A), ["migrate"]);
    assert_eq!(kinds(B), ["migrate", "sync"]);
    // The address is free.
    assert!(put(store, A, "{}", noon()).await.is_new);
}

/// Only by the address.
pub async fn what_is_remembered_is_recalled<S: AllPorts>(store: &S) {
    let all = [A, B, "c@example.com"].map(email);
    assert_eq!(store.remembered(&all).await, Ok([].into()));
    for (address, status) in [
        (A, Some(SubscriberStatus::Bounced)),
        (B, Some(SubscriberStatus::SpamReported)),
        ("c@example.com", None),
    ] {
        insert(store, &subscriber(address)).await;
        let purged = store.commit(purging(address, 1, status)).await;
        assert_eq!(purged, Ok(()));
    }
    let remembered = |status| Remembered { status, at: noon() };
    let expect = [
        (email(A), remembered(SubscriberStatus::Bounced)),
        (email(B), remembered(SubscriberStatus::SpamReported)),
    ];
    assert_eq!(store.remembered(&all).await, Ok(expect.into()));
    assert_eq!(store.remembered(&[]).await, Ok([].into()));

    let mut writes = WriteSet::new(noon());
    writes.recalled.insert(email(B));
    assert_eq!(store.commit(writes).await, Ok(()));
    let left = [(email(A), remembered(SubscriberStatus::Bounced))];
    assert_eq!(store.remembered(&all).await, Ok(left.into()));
}

/// Reported, not moved, or suppressed.
pub async fn lists_filter<S: AllPorts>(store: &S) {
    let unreported = Subscriber {
        reported_at: None,
        ..subscriber("0@example.com")
    };
    let stranger = Subscriber {
        reported_at: None,
        status: SubscriberStatus::SpamReported,
        ..subscriber("1@example.com")
    };
    let moved = full(A);
    let arriving = Subscriber {
        migrated: moved.migrated.map(|migrated| Migrated {
            arrived: false,
            ..migrated
        }),
        ..full(B)
    };
    let left = subscriber("c@example.com");
    for subscriber in [&unreported, &stranger, &moved, &arriving, &left] {
        insert(store, subscriber).await;
    }
    let all = SubscriberQuery {
        limit: 10,
        ..SubscriberQuery::default()
    };
    let unmigrated = SubscriberQuery {
        filter: SubscriberFilter::Unmigrated,
        ..all.clone()
    };
    let suppressed = SubscriberQuery {
        filter: SubscriberFilter::Suppressed,
        ..all.clone()
    };
    assert_eq!(
        addresses(&list(store, &unmigrated).await),
        [left.email.as_str()]
    );
    assert_eq!(
        list(store, &suppressed).await,
        [stranger, moved.clone(), arriving.clone()]
    );
    assert_eq!(
        list(store, &all).await,
        [&moved, &arriving, &left].map(Clone::clone)
    );
    let standing = |one: &Subscriber, is_under_way| SubscriberCount {
        account: one.account(),
        status: one.status,
        is_under_way,
        people: 1,
    };
    let mut expect = vec![
        standing(&left, false),
        standing(&moved, false),
        standing(&arriving, true),
    ];
    expect.sort_unstable();
    assert_eq!(store.counts().await, Ok(expect));
}

/// After a day of reports, events and moves.
pub async fn reads_as_in_memory<S: AllPorts>(store: &S) {
    let memory = MemoryStore::new();
    a_day(&memory).await;
    a_day(store).await;
    let query = SubscriberQuery {
        limit: 100,
        ..SubscriberQuery::default()
    };
    assert_eq!(list(store, &query).await, list(&memory, &query).await);
    for address in [A, B, "c@example.com", "d@example.com"] {
        assert_eq!(load(store, address).await, load(&memory, address).await);
    }
    let tasks = async |outbox: &dyn Outbox| {
        let mut rows = outbox
            .list(false, None, usize::MAX)
            .await
            .expect("the store works");
        rows.sort_by(|a, b| (&a.kind, &a.key, a.id).cmp(&(&b.kind, &b.key, b.id)));
        let rows = rows.into_iter().map(|row| (row.kind, row.key, row.next_at));
        rows.collect::<Vec<_>>()
    };
    assert_eq!(tasks(store).await, tasks(&memory).await);
}

async fn a_day<S: Store>(store: &S) {
    let member = |status: &str| {
        format!(
            r#"{{"membership":{{"plan_category":"individual","status":"{status}","expires_at":"2026-06-01"}}}}"#
        )
    };
    for (hour, (address, body)) in (0..).zip([
        (A, r#"{"name":"Ann","country":"Norway"}"#),
        (A, &member("active")),
        (A, &member("expired")),
        (B, &member("active")),
        (B, r#"{"membership":null}"#),
        (B, r#"{"membership":null}"#),
    ]) {
        put(store, address, body, noon() + hours(hour)).await;
    }
    let said = [
        notice("c@example.com", SubscriberStatus::Bounced),
        notice("d@example.com", SubscriberStatus::SpamReported),
        notice(B, SubscriberStatus::Unsubscribed),
        notice(B, SubscriberStatus::Bounced),
    ];
    let noticed = usecase::notice_events(store, &said, noon() + hours(7)).await;
    assert_eq!(noticed, Ok(()));
    put(store, "c@example.com", "{}", noon() + hours(8)).await;
    let confirmed = usecase::confirm_migration(store, &token(A), noon() + hours(9)).await;
    assert!(confirmed.is_ok_and(|moved| moved.is_some()));
    let emails = [A, B, "d@example.com"].map(email);
    let now = noon() + hours(10);
    let migrated = usecase::migrate(store, &emails, MigrationSource::Launch, now).await;
    assert!(migrated.is_ok());
}

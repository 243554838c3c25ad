//! What the rows of the stores' upgrade tests mean.
//!
//! For each of its migrations a store has a fixture: rows as they were written at its time. The
//! same values are in both stores, so what they mean is here.
#![expect(
    clippy::expect_used,
    reason = "this is a test, though not marked as such"
)]

mod drafts;
mod subscribers;

use domain::{
    client::{Client, ClientId, Clients, Scope},
    company::{Company, CompanyId, Website},
    enrichment::{Coordinates, EnrichedTexts},
    outbox::{Claimed, EVENTS, Event, EventName, Outbox, Queue, Receipt, TaskId, TaskRow, Work},
    posting::{
        Actor, ContentHash, CountryCode, CurrencyCode, Details, ENRICH, EmploymentType,
        HistoryEntry, LocationType, Metadata, Posting, PostingId, PostingView, SalaryPeriod,
        Status, enrich,
        event::{JOB_POSTING_APPROVED, JOB_POSTING_CREATED},
    },
    store::{ListQuery, PostingReader, WriteSet},
    testing::{AllPorts, identifier},
};
use time::{Duration, OffsetDateTime};

use super::{AllPorts as NewsletterPorts, hours, minutes, noon, uuid};

/// Checks that the rows of one migration's fixture are read as what they were, whatever other
/// rows there are. It claims tasks of the outbox, and finishes one.
///
/// # Panics
/// When a row is gone or is read as something else; when it is not said here how the rows of
/// this migration are read.
pub async fn rows_come_back<S: AllPorts + NewsletterPorts>(store: &S, migration: &str) {
    let name = migration
        .split_once('_')
        .map_or(migration, |(_, name)| name);
    match name {
        "postings" => postings_come_back(store).await,
        "outbox" => tasks_come_back(store).await,
        "clients" => clients_come_back(store).await,
        // Add no rows.
        "must_hold" | "outbox_accounts" | "description_digest" => {}
        "subscribers" => subscribers::come_back(store).await,
        "drafts" => drafts::come_back(store).await,
        _ => panic!("say in {} how the rows of {migration} are read", file!()),
    }
}

async fn postings_come_back<S: AllPorts>(store: &S) {
    let all = ListQuery {
        limit: 1_000,
        ..ListQuery::default()
    };
    let listed = PostingReader::list(store, &all).await;
    let listed = listed.expect("the store works").postings;
    for mut expect in [full(), bare(), expired(), rejected()] {
        let identifier = expect.posting.source_identifier.clone();
        let found = PostingReader::find(store, &identifier).await;
        assert_eq!(found.as_ref(), Ok(&Some(expect.clone())));

        let text = |view: &PostingView| view.posting.details.raw_description.text().cloned();
        assert_eq!(found.ok().flatten().as_ref().and_then(text), text(&expect));

        let known = store.load(std::slice::from_ref(&identifier), &[]).await;
        let known = known.expect("the store works");
        assert_eq!(known.postings.get(&identifier), Some(&expect.posting));
        assert_eq!(known.company_of(&expect.posting), Ok(&expect.company));

        expect.history.clear();
        assert!(
            listed.contains(&expect),
            "{expect:#?} is not among {listed:#?}"
        );
    }
}

/// With every column set that an approved posting can have.
fn full() -> PostingView {
    let company = company(
        "Acme",
        "https://acme.example/careers",
        Some("logos/acme.png"),
    );
    PostingView {
        posting: Posting {
            version: 3,
            status: Status::Approved,
            status_reason: Some("Looks fine.".to_owned()),
            moderated: true,
            details: Details {
                title: "Engineer".to_owned(),
                raw_description: "<p>Build 'things' at Åcme.</p>".into(),
                employment_types: vec![EmploymentType::FullTime, EmploymentType::Internship],
                location_types: vec![LocationType::Remote, LocationType::OnSite],
                location_country_code: CountryCode::parse("SE"),
                location_city: Some("Göteborg".to_owned()),
                salary_min: Some(30_000),
                salary_max: Some(9_007_199_254_740_991),
                salary_currency_code: CurrencyCode::parse("SEK"),
                salary_period: Some(SalaryPeriod::Monthly),
                application_email: Some("jobs@acme.example".to_owned()),
                application_url: Some("https://acme.example/apply?a=1&b=2".to_owned()),
                metadata: Some(Metadata::from_store(r#"{"b":1,"a":"ü","b":2.50}"#)),
                expiration_reason: None,
            },
            enriched_hash: Some(ContentHash::from_bytes([0xA5; 32])),
            is_featured: true,
            published_at: Some(noon() + hours(1)),
            expire_at: Some(noon() + hours(24)),
            updated_at: noon() + hours(2),
            ..posting(0x101, "förlag/1 100%", &company)
        },
        company,
        texts: Some(EnrichedTexts {
            markdown: "Build 'things' at Åcme.".to_owned(),
            redacted_markdown: "Build 'things' at ….".to_owned(),
        }),
        coordinates: Some(Coordinates {
            latitude: 57.707_16,
            longitude: 11.966_79,
        }),
        history: vec![
            pushed(),
            entry(Status::Approved, hours(1), None, Actor::Enricher),
            entry(
                Status::Approved,
                hours(2),
                Some("Looks fine."),
                Actor::Operator,
            ),
        ],
    }
}

/// With nothing set that need not be.
fn bare() -> PostingView {
    let company = company("Bolt", "https://bolt.example", None);
    PostingView {
        posting: posting(0x102, "bare", &company),
        company,
        texts: None,
        coordinates: None,
        history: vec![pushed()],
    }
}

fn expired() -> PostingView {
    let mut view = bare();
    view.posting = Posting {
        version: 2,
        status: Status::Expired,
        status_reason: Some("filled".to_owned()),
        expired_at: Some(noon() + hours(1)),
        updated_at: noon() + hours(1),
        ..posting(0x103, "expired", &view.company)
    };
    view.posting.details.expiration_reason = Some("filled".to_owned());
    view.texts = Some(EnrichedTexts {
        markdown: "Build things.".to_owned(),
        redacted_markdown: String::new(),
    });
    let by = Actor::Lifetime;
    view.history
        .push(entry(Status::Expired, hours(1), Some("filled"), by));
    view
}

fn rejected() -> PostingView {
    let mut view = bare();
    view.posting = Posting {
        version: 2,
        status: Status::Rejected,
        status_reason: Some("no_content".to_owned()),
        enriched_hash: Some(ContentHash::from_bytes([0; 32])),
        updated_at: noon() + hours(1),
        ..posting(0x104, "rejected", &view.company)
    };
    let by = Actor::Enricher;
    view.history
        .push(entry(Status::Rejected, hours(1), Some("no_content"), by));
    view
}

fn posting(n: u128, id: &str, company: &Company) -> Posting {
    Posting {
        source_identifier: identifier(id),
        ..domain::testing::posting(n, company.id)
    }
}

fn company(name: &str, website: &str, logo_path: Option<&str>) -> Company {
    let website = Website::parse(website).expect("it is a website");
    Company {
        id: CompanyId::of(&website),
        name: name.to_owned(),
        website,
        logo_path: logo_path.map(str::to_owned),
    }
}

fn pushed() -> HistoryEntry {
    let client = Actor::Client(ClientId::new(uuid(0x201)));
    entry(Status::PendingEnrichment, hours(0), None, client)
}

fn entry(status: Status, after: Duration, reason: Option<&str>, by: Actor) -> HistoryEntry {
    HistoryEntry {
        status,
        at: noon() + after,
        reason: reason.map(str::to_owned),
        by,
    }
}

/// One that waits, two of which the second waits for the first, one that is dead, and one whose
/// worker died.
async fn tasks_come_back<S: AllPorts>(store: &S) {
    let asked = |n| Work::Effect(enrich(PostingId::new(uuid(n))));
    let event = |name: EventName, after| {
        Work::Event(Event {
            name,
            subject: identifier("förlag/1 100%").subject(PostingId::new(uuid(0x101))),
            at: noon() + after,
        })
    };
    let created = event(JOB_POSTING_CREATED, hours(0));
    let approved = event(JOB_POSTING_APPROVED, hours(1));
    let failed = Some("no listener");

    let tasks = [
        row(1, &asked(0x102), 0, noon(), None),
        row(2, &created, 1, noon() + minutes(1), failed),
        row(3, &approved, 0, noon() + hours(1), None),
        row(5, &asked(0x103), 1, noon() + minutes(2), None),
    ];
    let listed = Outbox::list(store, false, None, usize::MAX)
        .await
        .expect("the store works");
    for task in tasks {
        assert!(listed.contains(&task), "{task:?} is not among {listed:?}");
    }
    let dead = row(4, &asked(0x104), 7, noon() + hours(1), failed);
    let listed = Outbox::list(store, true, None, usize::MAX)
        .await
        .expect("the store works");
    assert!(listed.contains(&dead), "{dead:?} is not among {listed:?}");

    let first = claimed(2, 1, created, 2, Some(noon()));
    claims(store, ENRICH, &[claimed(1, 2, asked(0x102), 1, None)]).await;
    claims(store, EVENTS, std::slice::from_ref(&first)).await;
    claims_suspect(store, ENRICH, claimed(5, 1, asked(0x103), 2, None)).await;
    let mut writes = WriteSet::new(noon());
    writes.tasks.done.push(first.receipt);
    store.commit(writes).await.expect("the lease holds");
    claims(store, EVENTS, &[claimed(3, 1, approved, 1, None)]).await;
}

/// The lease that the test claims under.
const LEASE: u128 = 0x301;

/// Checks that these are claimed, whatever else is.
async fn claims<S: Outbox>(store: &S, queue: Queue, expect: &[Claimed]) {
    let claimed = store
        .claim(queue, 100, hours(1), uuid(LEASE), noon() + hours(48))
        .await
        .expect("the store works");
    for task in expect {
        assert!(claimed.contains(task), "{task:?} is not among {claimed:?}");
    }
}

/// Checks that this is claimed as a task whose worker died.
async fn claims_suspect<S: Outbox>(store: &S, queue: Queue, expect: Claimed) {
    let now = noon() + hours(48);
    let claimed = store.claim_suspect(queue, hours(1), uuid(LEASE), now).await;
    assert_eq!(claimed, Ok(Some(Claimed { lost: 1, ..expect })));
}

fn row(
    id: i64,
    work: &Work,
    attempts: u32,
    next_at: OffsetDateTime,
    last_error: Option<&str>,
) -> TaskRow {
    let (kind, key) = match work {
        Work::Effect(effect) => (effect.kind(), effect.key().to_string()),
        Work::Event(event) => (
            EVENTS.kind(),
            format!("{}:{}", event.name, event.subject.id),
        ),
    };
    TaskRow {
        id: TaskId(id),
        kind: kind.to_string(),
        key,
        attempts,
        next_at,
        last_error: last_error.map(str::to_owned),
    }
}

fn claimed(
    id: i64,
    generation: i64,
    work: Work,
    attempts: u32,
    first_failed_at: Option<OffsetDateTime>,
) -> Claimed {
    Claimed {
        receipt: Receipt {
            task: TaskId(id),
            generation,
            lease: uuid(LEASE),
        },
        work,
        attempts,
        first_failed_at,
        lost: 0,
    }
}

async fn clients_come_back<S: AllPorts>(store: &S) {
    let listed = Clients::list(store).await.expect("the store works");
    for client in [
        Client {
            id: ClientId::new(uuid(0x201)),
            name: "Scraper".to_owned(),
            scopes: vec![Scope::JobPostingsWrite, Scope::JobPostingsRead],
            secret_digest: [7; 32],
            created_at: noon(),
            revoked_at: None,
        },
        Client {
            id: ClientId::new(uuid(0x202)),
            name: "Membership 'old'".to_owned(),
            scopes: vec![Scope::NewsletterSubscribersWrite],
            secret_digest: [0; 32],
            created_at: noon() + hours(1),
            revoked_at: Some(noon() + hours(2)),
        },
    ] {
        let found = Clients::find(store, client.id).await;
        assert_eq!(found, Ok(Some(client.clone())));
        assert!(
            listed.contains(&client),
            "{client:?} is not among {listed:?}"
        );
    }
}

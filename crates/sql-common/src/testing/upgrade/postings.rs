//! The postings, clients and drafts of the fixtures.

use access::{Client, Clients, Scope, StoredSecret};
use domain::{
    company::{Company, CompanyView},
    posting::{
        ContentHash, Coordinates, Details, ENRICH, EmploymentType, EnrichedTexts, HistoryEntry,
        LocationType, Metadata, Posting, PostingView, SalaryPeriod, enrich,
    },
    store::PostingReader,
    testing::posting,
};
use enrichment::{DraftCache, DraftKey, Reservation};
use kernel::testing::identifier;
use kernel::{
    Actor, ClientId, CompanyId, PostingId, Prefixes, Status, Website,
    codes::{CountryCode, CurrencyCode},
    testing::{hours, minutes, noon, uuid},
};
use time::Duration;

use super::{assert_claimed, claimed};
use crate::testing::AllPorts;

pub(super) async fn come_back<S: AllPorts + DraftCache>(store: &S) {
    for expect in [full(), bare(), expired()] {
        comes_back(store, &expect).await;
    }
    tasks_come_back(store).await;
    clients_come_back(store).await;
    drafts_come_back(store).await;
}

/// Checks that a posting is read as this.
pub(super) async fn comes_back<S: AllPorts>(store: &S, expect: &PostingView) {
    let identifier = expect.posting.source_identifier.clone();
    let found = PostingReader::find(store, &identifier).await;
    let found = found.expect("the store works").expect("it is there");
    // A description is equal to its digest.
    let text = |view: &PostingView| view.posting.details.raw_description.text().cloned();
    assert_eq!(text(&found), text(expect));
    assert_eq!(&found, expect);

    let known = store.load(std::slice::from_ref(&identifier), &[]).await;
    let known = known.expect("the store works");
    assert_eq!(known.postings.get(&identifier), Some(&expect.posting));
}

/// With every column set that an approved posting can have.
fn full() -> PostingView {
    let website = "https://acme.example/careers";
    let company = CompanyView {
        updated_at: noon() + hours(1),
        ..company("Acme", website, Some("logos/acme.png"))
    };
    PostingView {
        posting: Posting {
            source_identifier: identifier("förlag/1 100%"),
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
            approved_hash: Some(ContentHash::from_bytes([0; 32])),
            is_featured: true,
            published_at: Some(noon() + hours(1)),
            expire_at: Some(noon() + hours(24)),
            updated_at: noon() + hours(2),
            ..by_scraper(posting(0x101, company.company.id))
        },
        company,
        texts: Some(EnrichedTexts {
            markdown: "Build 'things' at Åcme.".to_owned(),
            redacted_markdown: "Build 'things' at ….".to_owned(),
            redacted_title: None,
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
                Actor::Operator(None),
            ),
        ],
    }
}

/// With nothing set that need not be.
pub(super) fn bare() -> PostingView {
    let company = company("Bolt", "https://bolt.example", None);
    PostingView {
        posting: Posting {
            source_identifier: identifier("bare"),
            ..by_scraper(posting(0x102, company.company.id))
        },
        company,
        texts: None,
        coordinates: None,
        history: vec![pushed()],
    }
}

fn expired() -> PostingView {
    let mut view = bare();
    view.posting = Posting {
        source_identifier: identifier("expired"),
        version: 2,
        status: Status::Expired,
        status_reason: Some("filled".to_owned()),
        expired_at: Some(noon() + hours(1)),
        updated_at: noon() + hours(1),
        ..by_scraper(posting(0x103, view.company.company.id))
    };
    view.posting.details.expiration_reason = Some("filled".to_owned());
    let by = Actor::Lifetime;
    view.history
        .push(entry(Status::Expired, hours(1), Some("filled"), by));
    view
}

fn company(name: &str, website: &str, logo_path: Option<&str>) -> CompanyView {
    let website = Website::parse(website).expect("it is a website");
    let company = Company {
        id: CompanyId::of(&website),
        name: name.to_owned(),
        website,
        logo_path: logo_path.map(str::to_owned),
        owner: None,
    };
    CompanyView {
        company,
        created_at: noon(),
        updated_at: noon(),
        updated_by: None,
    }
}

fn scraper() -> Actor {
    Actor::Client(ClientId::new(uuid(0x201)))
}

/// A posting whose history says who created it, and whose last change is from before that was
/// noted.
fn by_scraper(posting: Posting) -> Posting {
    Posting {
        created_by: Some(scraper()),
        updated_by: None,
        ..posting
    }
}

fn pushed() -> HistoryEntry {
    entry(Status::PendingEnrichment, hours(0), None, scraper())
}

fn entry(status: Status, after: Duration, reason: Option<&str>, by: Actor) -> HistoryEntry {
    HistoryEntry {
        status,
        at: noon() + after,
        reason: reason.map(str::to_owned),
        by,
    }
}

/// An enrichment that was asked for twice.
async fn tasks_come_back<S: AllPorts>(store: &S) {
    let mut asked = claimed(1, enrich(PostingId::new(uuid(0x102))));
    asked.receipt.generation = 2;
    assert_claimed(store, ENRICH, &[asked]).await;
}

/// One client that works, and one that is revoked.
async fn clients_come_back<S: AllPorts>(store: &S) {
    let scraper = Client {
        id: ClientId::new(uuid(0x201)),
        version: 1,
        name: "Scraper".to_owned(),
        scopes: vec![Scope::JobPostingsWrite, Scope::JobPostingsRead],
        prefixes: Prefixes::ALL,
        requests_per_minute: None,
        secrets: vec![StoredSecret::new([7; 32], noon())],
        tokens_from: None,
        created_at: noon(),
        revoked_at: None,
    };
    let membership = Client {
        id: ClientId::new(uuid(0x202)),
        name: "Membership 'old'".to_owned(),
        scopes: vec![Scope::NewsletterSubscribersWrite],
        secrets: vec![StoredSecret::new([0; 32], noon() + hours(1))],
        created_at: noon() + hours(1),
        revoked_at: Some(noon() + hours(2)),
        ..scraper.clone()
    };
    for expect in [scraper, membership] {
        let found = Clients::find(store, expect.id).await;
        assert_eq!(found, Ok(Some(expect)));
    }
}

/// A draft of a posting.
pub(super) async fn a_draft_comes_back<S: DraftCache>(store: &S) {
    let (key, now) = (DraftKey::from_bytes([5; 32]), noon());
    let found = store.reserve(&key, uuid(0x502), now + hours(1), now).await;
    let draft = r#"{"verdict":"approve"}"#.to_owned();
    assert_eq!(found, Ok(Reservation::Kept(draft)));
}

/// A draft, and a key that is reserved for an hour from noon.
async fn drafts_come_back<S: DraftCache>(store: &S) {
    let reserve = async |byte, after| {
        let (key, now) = (DraftKey::from_bytes([byte; 32]), noon() + after);
        let reserved = store.reserve(&key, uuid(0x502), now + hours(1), now);
        reserved.await.expect("the store works")
    };
    let draft = r#"{"markdown":"Bygg 'saker' på Åcme.","verdict":"approve"}"#;
    assert_eq!(
        reserve(0xA5, hours(0)).await,
        Reservation::Kept(draft.to_owned())
    );
    assert_eq!(reserve(0x5A, minutes(59)).await, Reservation::Taken);
    assert_eq!(reserve(0x5A, minutes(60)).await, Reservation::Granted);
}

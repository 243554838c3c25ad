//! The example postings of the OpenAPI document.

use domain::posting::{
    DecisionOutcome as Decided, EmploymentType as Kind, LocationType as Place,
    SalaryPeriod as Period,
};
use kernel::Status as Stands;
use time::macros::datetime;

use super::decision::DecisionOutcome;
use super::{
    Company, Decision, EmploymentType, HistoryEntry, LocationType, PageAnswer, Posting,
    PostingAnswer, PostingWithHistory, SalaryPeriod, Status, Text, Timestamp, Uuid, Verbatim,
};
use crate::schema::Answer;

const PUSHED: Timestamp = Timestamp(datetime!(2026-01-31 12:00:00 UTC));
const APPROVED: Timestamp = Timestamp(datetime!(2026-01-31 12:00:04.25 UTC));

const CLIENT: &str = "client:0190a1b2-0000-7000-8000-000000000000";

impl Answer for PostingAnswer<'_> {
    fn example() -> Self {
        let entry = |status, at, by: &str| HistoryEntry {
            status: Status(status),
            at,
            reason: None,
            by: by.to_owned(),
        };
        Self {
            data: PostingWithHistory {
                posting: posting(),
                history: vec![
                    entry(Stands::PendingEnrichment, PUSHED, CLIENT),
                    entry(Stands::Approved, APPROVED, "enricher"),
                ],
            },
        }
    }
}

impl Answer for PageAnswer<'_> {
    fn example() -> Self {
        Self {
            data: vec![posting()],
            next_cursor: Some("AQAGSa8VvYZQAZChsgAAcACAAAAAAAAAAQ".to_owned()),
        }
    }
}

impl Answer for Posting<'_> {
    fn example() -> Self {
        posting()
    }
}

fn posting() -> Posting<'static> {
    Posting {
        uuid: Uuid::from_u128(0x0190_a1b2_0000_7000_8000_0000_0000_0001),
        unique_source_identifier: "example-4711",
        status: Status(Stands::Approved),
        status_reason: None,
        decision: Some(Decision {
            outcome: DecisionOutcome(Decided::Approved),
            at: APPROVED,
            by: "rules".to_owned(),
            automated: true,
            version: Some("1"),
            code: "no_objection",
            sentence: "Nothing was found that speaks against showing the posting.",
            passages: &[],
            appeal: Some("https://board.example/appeals"),
        }),
        title: "Backend Engineer",
        redacted_title: Some("Backend Engineer"),
        raw_description: Some("<p>You build our API at Example GmbH.</p>"),
        markdown_description: Text::Made(Some("You build our API at Example GmbH.")),
        markdown_redacted_description: Text::Made(Some("You build our API at the company.")),
        employment_types: vec![EmploymentType(Kind::FullTime)],
        location_types: vec![LocationType(Place::Hybrid)],
        location_country_code: Some("DE"),
        location_city: Some("Berlin"),
        latitude: Some(52.52437),
        longitude: Some(13.41053),
        salary_min: Some(60_000),
        salary_max: Some(80_000),
        salary_currency_code: Some("EUR"),
        salary_period: Some(SalaryPeriod(Period::Annually)),
        application_email: None,
        application_url: Some("https://example.com/jobs/4711/apply"),
        metadata: Some(Verbatim(r#"{"source":"example"}"#)),
        company: Company::example(),
        duplicate_of: None,
        is_featured: false,
        published_at: Some(APPROVED),
        expire_at: Some(Timestamp(datetime!(2026-04-01 12:00:04.25 UTC))),
        expired_at: None,
        expiration_reason: None,
        created_at: PUSHED,
        updated_at: APPROVED,
        created_by: Some(CLIENT.to_owned()),
        updated_by: Some("enricher".to_owned()),
    }
}

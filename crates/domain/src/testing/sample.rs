//! Sample values, built the way requests build them.

use time::{Duration, OffsetDateTime, macros::datetime};
use uuid::Uuid;

use crate::{
    audit::{Attribution, Operator},
    authority::Principal,
    client::{Client, ClientId, Prefixes, Scope, StoredSecret},
    company::{Company, CompanyId, CompanyWrite, Website},
    posting::{
        Actor, Answer, Details, Posting, PostingId, PutOutcome, PutPosting, SourceIdentifier,
        Status,
    },
    webhook::{Endpoint, EndpointId, EndpointState, EndpointUrl, Owner, Secret},
};

/// The `n`-th of a fixed series of UUIDs.
pub fn uuid(n: u128) -> Uuid {
    Uuid::from_u128(0x0190_0000_0000_7000_8000_0000_0000_0000 + n)
}

/// A fixed time.
pub const fn noon() -> OffsetDateTime {
    datetime!(2026-03-01 12:00:00.123_456 UTC)
}

/// The `n`-th action of the operator Ann.
///
/// # Panics
/// Never: she has a good name.
#[expect(
    clippy::expect_used,
    reason = "these are tests, though not marked as such"
)]
pub fn by_ann(n: u128) -> Attribution {
    Attribution {
        id: uuid(0x5000 + n),
        operator: Operator::new("ann").expect("it is a name"),
    }
}

/// Some hours.
pub const fn hours(n: i64) -> Duration {
    Duration::hours(n)
}

/// Some minutes.
pub const fn minutes(n: i64) -> Duration {
    Duration::minutes(n)
}

/// A text of `n` characters that has more bytes than that.
pub fn text(n: usize) -> String {
    "ü".repeat(n)
}

/// The `n`-th client.
pub fn client(n: u128) -> Client {
    Client {
        id: ClientId::new(uuid(n)),
        name: format!("Client {n}"),
        scopes: vec![Scope::JobPostingsWrite, Scope::JobPostingsRead],
        version: 1,
        prefixes: Prefixes::ALL,
        requests_per_minute: None,
        secrets: vec![StoredSecret::new([7; 32], noon())],
        tokens_from: None,
        created_at: noon() + minutes(i64::try_from(n).unwrap_or_default()),
        revoked_at: None,
    }
}

/// The `n`-th webhook endpoint, an operator's for all events.
///
/// # Panics
/// Never: its URL and its secret are as they should be.
#[expect(
    clippy::expect_used,
    reason = "these are tests, though not marked as such"
)]
pub fn endpoint(n: u8) -> Endpoint {
    let url = format!("https://receiver-{n}.example/hooks");
    Endpoint {
        id: EndpointId::new(uuid(n.into())),
        version: 1,
        owner: Owner::Operator,
        url: EndpointUrl::from_store(&url).expect("it is a URL"),
        names: None,
        prefixes: Prefixes::ALL,
        include_posting: false,
        description: None,
        state: EndpointState::Active,
        state_reason: None,
        secret: Secret::new([n; 32]).expect("it is long enough"),
        previous_secret: None,
        created_at: noon(),
        updated_at: noon(),
    }
}

/// An identifier that is known to be valid.
///
/// # Panics
/// When it is not.
pub fn identifier(text: &str) -> SourceIdentifier {
    SourceIdentifier::new(text).unwrap_or_else(|error| panic!("{text}: {error}"))
}

/// The `n`-th posting, as new as can be and with nothing set that need not be.
pub fn posting(n: u128, company_id: CompanyId) -> Posting {
    Posting {
        id: PostingId::new(uuid(n)),
        source_identifier: identifier(&format!("job-{n}")),
        version: 1,
        status: Status::PendingEnrichment,
        status_reason: None,
        moderated: false,
        details: Details {
            title: "Engineer".to_owned(),
            raw_description: "<p>Build things.</p>".into(),
            application_email: Some("jobs@company.example".to_owned()),
            ..Details::default()
        },
        company_id,
        catalogue: None,
        enriched_hash: None,
        approved_hash: None,
        texts_digest: None,
        duplicate_of: None,
        content_at: None,
        is_featured: false,
        published_at: None,
        expire_at: None,
        expired_at: None,
        created_at: noon(),
        created_by: Some(Actor::Client(client(1).id)),
        updated_at: noon(),
        updated_by: Some(Actor::Client(client(1).id)),
    }
}

/// The client of a [`push`].
pub fn pusher() -> ClientId {
    ClientId::new(uuid(1))
}

/// The id that [`push`] gives a new posting with this identifier.
pub fn put_id(identifier: &str) -> PostingId {
    PostingId::new(Uuid::new_v5(&Uuid::NAMESPACE_OID, identifier.as_bytes()))
}

/// The answer to a [`push`] of this identifier that made the posting, or found one that was pushed
/// and not enriched yet.
pub fn answered(identifier: &str, outcome: PutOutcome) -> Answer {
    let by = Some(Actor::Client(pusher()));
    Answer {
        id: put_id(identifier),
        outcome,
        status: match outcome {
            PutOutcome::Expired => Status::Expired,
            _ => Status::PendingEnrichment,
        },
        created_by: by.clone(),
        updated_by: by.filter(|_| outcome != PutOutcome::Created),
        notices: Vec::new(),
        basis: None,
    }
}

/// A push of a body.
///
/// # Panics
/// When the identifier is invalid or the body is not a JSON object.
pub fn push(identifier: &str, body: &str) -> PutPosting {
    push_by(pusher(), identifier, body)
}

/// A push of a body by a certain client.
///
/// # Panics
/// When the identifier is invalid or the body is not a JSON object.
pub fn push_by(client: ClientId, identifier: &str, body: &str) -> PutPosting {
    push_as(Principal::new(client, &Prefixes::ALL), identifier, body)
}

/// A push of a body by a client that may only use these identifiers.
///
/// # Panics
/// When the identifier is invalid or the body is not a JSON object.
pub fn push_as(by: Principal, identifier: &str, body: &str) -> PutPosting {
    let segment: String =
        percent_encoding::utf8_percent_encode(identifier, percent_encoding::NON_ALPHANUMERIC)
            .collect();
    match PutPosting::parse(&segment, body.as_bytes(), by, put_id(identifier)) {
        Ok(put) => put,
        Err(error) => panic!("{identifier}: {error}"),
    }
}

/// A push that makes a posting of the company at `https://{company}.example`.
pub fn create(identifier: &str, company: &str) -> PutPosting {
    push(
        identifier,
        &format!(
            r#"{{
                "title": "Engineer {identifier}",
                "raw_description": "<p>Build things at {company}.</p>",
                "application_url": "https://{company}.example/apply",
                "company": {{"name": "{company}", "website_url": "https://{company}.example"}}
            }}"#
        ),
    )
}

/// A company at `https://{host}.example`, which belongs to [`pusher`].
///
/// # Panics
/// When that is no website.
#[expect(clippy::expect_used, reason = "sample values are written by hand")]
pub fn company(host: &str) -> Company {
    let website = Website::parse(&format!("https://{host}.example")).expect("it is a URL");
    Company {
        id: CompanyId::of(&website),
        name: host.into(),
        website,
        logo_path: None,
        owner: Some(pusher()),
        created_at: noon(),
        updated_at: noon(),
        updated_by: Some(Actor::Client(pusher())),
    }
}

/// A write of a company that sets what it says.
pub fn company_write(company: &Company, sets_name: bool, sets_logo_path: bool) -> CompanyWrite {
    CompanyWrite {
        company: company.clone(),
        sets_name,
        sets_logo_path,
        sets_owner: false,
        required_owner: None,
        replaced_names: Vec::new(),
    }
}

//! Sample values, which are built as requests build them.

use fields::{Patch, Website};
use kernel::{
    Actor, ClientId, CompanyId, PostingId, Prefixes, PutOutcome, Status,
    event::CompanyState,
    testing::{Absent, noon, uuid, valid},
};
use uuid::Uuid;

use crate::{
    authority::Principal,
    company::{Company, CompanyView, CompanyWrite, Kept},
    decision::{Snapshot, decide},
    posting::{Answer, CompanyPatch, Findings, Lifetime, Posting, PostingView, PutPosting, State},
};

/// The `n`-th posting, new and with only required values.
pub fn posting(n: u128, company_id: CompanyId) -> Posting {
    let body = r#"{
        "title": "Engineer", "raw_description": "<p>Build things.</p>",
        "application_email": "jobs@company.example",
        "company": {"name": "Company", "website_url": "https://company.example"}
    }"#;
    let put = push(&format!("job-{n}"), body);
    let decided = valid(decide(&Snapshot::default(), &put, Lifetime::NEVER, noon()));
    let change = decided.change.map(|change| change.write.posting);
    let mut posting = valid(change.ok_or(Absent));
    posting.id = PostingId::new(uuid(n));
    posting.company_id = company_id;
    posting
}

/// The state with this status, without an operator's decision, since noon.
pub fn state(status: Status) -> State {
    let expired_at = (status == Status::Expired).then(noon);
    valid(State::stored(status, None, false, expired_at).ok_or(Absent))
}

/// The client of a [`push`].
pub fn pusher() -> ClientId {
    ClientId::new(uuid(1))
}

/// The id that [`push`] gives a new posting.
pub fn put_id(identifier: &str) -> PostingId {
    PostingId::new(Uuid::new_v5(&Uuid::NAMESPACE_OID, identifier.as_bytes()))
}

/// The answer to a [`push`] of this identifier that created or found the posting.
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
        effects: None,
        fields: 0,
    }
}

/// A push of a body.
#[track_caller]
pub fn push(identifier: &str, body: &str) -> PutPosting {
    push_by(pusher(), identifier, body)
}

/// A push of a body by this client.
#[track_caller]
pub fn push_by(client: ClientId, identifier: &str, body: &str) -> PutPosting {
    push_as(Principal::new(client, &Prefixes::ALL), identifier, body)
}

/// A push of a body by a client limited to these identifiers.
#[track_caller]
pub fn push_as(by: Principal, identifier: &str, body: &str) -> PutPosting {
    let segment: String =
        percent_encoding::utf8_percent_encode(identifier, percent_encoding::NON_ALPHANUMERIC)
            .collect();
    let put = PutPosting::parse(&segment, body.as_bytes(), by, put_id(identifier));
    valid(put)
}

/// A push that creates a posting of the company at `https://{company}.example`.
#[track_caller]
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

/// The push, with another name for the company.
pub fn renaming(mut put: PutPosting, name: &str) -> PutPosting {
    put.patch.company = Patch::Set(CompanyPatch {
        name: Patch::Set(name.to_owned()),
        ..put.patch.company().clone()
    });
    put
}

/// A company at `https://{host}.example`, which belongs to [`pusher`].
pub fn company(host: &str) -> Company {
    let website = valid(Website::parse(&format!("https://{host}.example")));
    Company {
        id: CompanyId::of(&website.key()),
        name: host.into(),
        website,
        logo_path: None,
        owner: Some(pusher()),
        kept: Kept::default(),
        alias_of: None,
    }
}

/// A company after its first push at noon.
pub fn company_view(company: &Company) -> CompanyView {
    CompanyView {
        company: company.clone(),
        created_at: noon(),
        updated_at: noon(),
        updated_by: Some(Actor::Client(pusher())),
        merged_at: None,
    }
}

/// A posting for readers before enrichment.
pub fn posting_view(posting: Posting, company: CompanyView) -> PostingView {
    PostingView {
        posting,
        company,
        texts: None,
        coordinates: None,
        findings: Findings::default(),
        decision: None,
        pending: None,
        history: Vec::new(),
    }
}

/// A company's state in the event of its first push.
pub fn company_state(company: &Company) -> CompanyState {
    CompanyState::from(&company_view(company))
}

/// A company's write that sets these parts.
pub fn company_write(company: &Company, sets_name: bool, sets_logo_path: bool) -> CompanyWrite {
    CompanyWrite {
        sets_name,
        sets_logo_path,
        ..CompanyWrite::new(company.clone(), Actor::Client(pusher()), noon())
    }
}

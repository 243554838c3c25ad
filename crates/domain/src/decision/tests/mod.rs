//! The rules, row by row: each row of the specification's and contract's tables is a test.

mod authority;
mod catalogue;
mod closing;
mod company;
mod decided;
mod duplicate;
mod enrichment;
mod fields;
mod laws;
mod lenient;
mod lifetime;
mod moderation;
mod notices;
mod objection;
mod partial;
mod shown;
mod states;

use kernel::{
    Actor, PostingId, PutOutcome, SourceIdentifier, Status,
    event::{Event, EventName, Subject},
    testing::{by_ann, hours, noon},
};
use time::OffsetDateTime;

use super::{Change, Decided, Snapshot, WriteSet, decide, outcome};
use crate::{
    company::Company,
    posting::{
        self, ContentHash, DecidedBy, DecisionOutcome, ENRICH, EnrichedTexts, Enrichment, Ground,
        HistoryEntry, Lifetime, Original, Posting, PutPosting, ReasonCode, Rejection, Review,
        Verdict, event, moderation::Moderation,
    },
    testing::push,
};

/// A board of postings for successive commands, one hour apart.
struct Board {
    snapshot: Snapshot,
    now: OffsetDateTime,
    lifetime: Lifetime,
    history: Vec<HistoryEntry>,
    told: Vec<Event>,
    decision: Option<posting::Decision>,
}

type Given = (PostingId, PutOutcome);

const EXPIRE: &str = r#"{"expiration":{}}"#;
const REOPEN: &str = r#"{"expiration":null}"#;
const RENAME: &str = r#"{"title":"New"}"#;

#[derive(Clone, Debug, Default, PartialEq)]
struct Written {
    events: Vec<EventName>,
    asked: bool,
    companies: usize,
    postings: usize,
}

const CREATE: &str = r#"{
    "title": "Baker", "raw_description": "<p>Bread.</p>", "application_url": "https://a.example",
    "company": {"name": "Acme", "website_url": "https://acme.example"}
}"#;

impl Board {
    fn new() -> Self {
        Self {
            snapshot: Snapshot::default(),
            now: noon(),
            lifetime: Lifetime::days(60),
            history: Vec::new(),
            told: Vec::new(),
            decision: None,
        }
    }

    fn with(status: Status) -> Self {
        let mut board = Self::new();
        board.put(CREATE).unwrap();
        match status {
            Status::PendingEnrichment => {}
            Status::Approved => drop(board.enrich(&Verdict::Approve)),
            Status::Rejected => drop(board.enrich(&rejection())),
            Status::Expired => drop(board.put(r#"{"expiration":{"reason":"first"}}"#)),
        }
        assert_eq!(board.posting().status(), status);
        board
    }

    fn decide(&mut self, put: &PutPosting) -> Result<Decided, Rejection> {
        self.now += hours(1);
        decide(&self.snapshot, put, self.lifetime, self.now)
    }

    fn record(&mut self, change: Option<Change>) -> Written {
        let mut writes = WriteSet::new(self.now);
        if let Some(change) = change {
            change.record(&mut self.snapshot, &mut writes);
        }
        for write in writes.postings.values() {
            self.history.extend(write.history.iter().cloned());
            self.decision = write.decision.clone().or(self.decision.take());
        }
        let asked = writes.tasks.asked().any(|effect| effect.queue() == ENRICH);
        self.told = writes.tasks.events;
        Written {
            events: self.told.iter().map(|event| event.name.clone()).collect(),
            asked,
            companies: writes.companies.len(),
            postings: writes.postings.len(),
        }
    }

    fn run(&mut self, put: &PutPosting) -> Result<(Given, Written), Rejection> {
        let before = self.snapshot.postings.get(&put.identifier);
        let updated_by = before.and_then(|posting| posting.updated_by.clone());
        let Decided { answer, change, .. } = self.decide(put)?;
        let written = self.record(change.map(|change| *change));
        let after = &self.snapshot.postings[&put.identifier];
        assert_eq!(answer.status, after.status());
        assert_eq!(answer.created_by, after.created_by);
        assert_eq!(answer.updated_by, updated_by);
        Ok(((answer.id, answer.outcome), written))
    }

    fn batch(&mut self, puts: &[PutPosting]) -> WriteSet {
        let mut writes = WriteSet::new(self.now);
        for put in puts {
            let change = self.decide(put).unwrap().change.unwrap();
            change.record(&mut self.snapshot, &mut writes);
        }
        writes
    }

    fn put(&mut self, body: &str) -> Result<(Given, Written), Rejection> {
        self.run(&push("a", body))
    }

    fn wrong(&mut self, body: &str) -> Vec<String> {
        match self.put(body) {
            Err(Rejection::Invalid(errors)) => errors
                .iter()
                .flat_map(|(field, told)| vec![field.to_owned(); told.len()])
                .collect(),
            other => panic!("{body}: {other:?}"),
        }
    }

    fn posting_mut(&mut self) -> &mut Posting {
        self.snapshot.postings.values_mut().next().unwrap()
    }

    fn step(&self) -> (Status, Option<&str>, &Actor) {
        let last = self.history.last().unwrap();
        (last.status, last.reason.as_deref(), &last.by)
    }

    fn reason(&self) -> Option<&str> {
        self.posting().status_reason()
    }

    fn find(&self, identifier: &str) -> &Posting {
        &self.snapshot.postings[&SourceIdentifier::new(identifier).unwrap()]
    }

    fn posting(&self) -> &Posting {
        self.find("a")
    }

    fn company(&self) -> &Company {
        self.snapshot.company_of(self.posting()).unwrap()
    }

    fn content(&self) -> ContentHash {
        ContentHash::of(&self.posting().details, self.company())
    }

    fn outcome(
        &mut self,
        content: ContentHash,
        made: &Enrichment,
        original: Option<Original>,
    ) -> Option<Change> {
        self.now += hours(1);
        let (posting, company) = (self.posting(), self.company());
        let (lifetime, now) = (self.lifetime, self.now);
        outcome::apply(posting, company, content, made, original, lifetime, now)
    }

    fn enrich(&mut self, verdict: &Verdict) -> Option<Written> {
        self.enrich_content(self.content(), verdict)
    }

    fn enrich_content(&mut self, content: ContentHash, verdict: &Verdict) -> Option<Written> {
        let enrichment = Enrichment {
            texts: texts("Bread.", "B."),
            verdict: verdict.clone(),
            by: DecidedBy::Rules("7".to_owned()),
            ..Enrichment::bare()
        };
        let change = self.outcome(content, &enrichment, None)?;
        Some(self.record(Some(change)))
    }

    fn fail(&mut self, made: Option<&Enrichment>, reason: &str) -> Option<Written> {
        self.leave_unjudged(made, (Review::NoVerdict, reason))
    }

    fn leave_unjudged(
        &mut self,
        made: Option<&Enrichment>,
        why: (Review, &str),
    ) -> Option<Written> {
        self.now += hours(1);
        let change = outcome::leave_unjudged(self.posting(), made, why, self.now)?;
        Some(self.record(Some(change)))
    }

    fn forget_outcome(&mut self) {
        self.posting_mut().enriched_hash = None;
    }

    fn moderate(&mut self, command: &Moderation) -> Result<Written, Rejection> {
        self.now += hours(1);
        let (posting, company, by) = (self.posting(), self.company(), by_ann(1).operator);
        let (lifetime, now) = (self.lifetime, self.now);
        let change = super::moderation::decide(posting, company, command, &by, lifetime, now)?;
        Ok(self.record(change))
    }
}

fn texts(markdown: &str, redacted: &str) -> EnrichedTexts {
    EnrichedTexts {
        markdown: markdown.to_owned(),
        redacted_markdown: redacted.to_owned(),
        redacted_title: None,
    }
}

fn reject(reason: &str) -> Moderation {
    Moderation::Reject {
        reason: reason.to_owned(),
        ground: Ground::Terms,
    }
}

fn expire(reason: &str) -> Moderation {
    Moderation::Expire {
        reason: reason.to_owned(),
        ground: Ground::Terms,
    }
}

fn reopen(reason: &str) -> Moderation {
    let reason = reason.to_owned();
    Moderation::Reopen { reason }
}

fn rejection() -> Verdict {
    Verdict::Reject {
        code: ReasonCode::NotAJob,
        text: "Nothing in it.".into(),
        passages: vec!["Soon.".into()],
    }
}

//! The event log of the fixtures.

use domain::{
    posting::{
        ENRICH, Posting, TextsDigest, enrich,
        event::{COMPANY_UPDATED, JOB_POSTING_APPROVED, JOB_POSTING_CREATED, JOB_POSTING_REJECTED},
    },
    testing::posting,
};
use kernel::testing::identifier;
use kernel::{
    CompanyId, PostingId, Prefixes, Status, Website,
    event::{CompanyState, Cursor, Event, EventName, LogQuery, PostingState, Subject},
    outbox::{Revive, TaskId},
    testing::{hours, noon, uuid},
};
use newsletter::tasks::INDIVIDUAL_MEMBERSHIP_UPDATED;

use super::{
    assert_claimed, claimed,
    postings::{bare, comes_back},
};
use crate::testing::AllPorts;

/// The number of events in the outbox of version 0.2.0.
const WAITED: usize = 4;

/// The events that waited in the outbox begin the log, also those that were given up or waited
/// behind one. They say how their subjects stand.
pub(super) async fn come_back_from_the_outbox<S: AllPorts>(store: &S) {
    let posting = Subject::Posting(PostingState {
        id: PostingId::new(uuid(0x101)),
        source_identifier: identifier("förlag/1 100%"),
        version: 3,
        status: Status::Approved,
        status_reason: Some("Looks fine.".to_owned()),
    });
    let subscriber = Subject::Other(uuid(0x401));
    let expect: [_; WAITED] = [
        event(JOB_POSTING_CREATED, posting.clone(), 0),
        event(JOB_POSTING_APPROVED, posting, 1),
        event(INDIVIDUAL_MEMBERSHIP_UPDATED, subscriber.clone(), 0),
        event(INDIVIDUAL_MEMBERSHIP_UPDATED, subscriber, 0),
    ];
    assert_eq!(all(store).await[..WAITED], expect);
}

/// An event of each kind of subject, a cursor, a posting whose texts are known by their digest, and
/// its enrichment, which was given up.
pub(super) async fn come_back<S: AllPorts>(store: &S) {
    let website = Website::parse("https://bolt.example").expect("it is a website");
    let company = CompanyState {
        id: CompanyId::of(&website),
        name: "Bolt 'n' Co".to_owned(),
        website,
        logo_path: Some("logos/bolt.png".to_owned()),
        updated_by: None,
    };
    let rejected = PostingState {
        id: PostingId::new(uuid(0x104)),
        source_identifier: identifier("digested"),
        version: 2,
        status: Status::Rejected,
        status_reason: Some("spam: 'no'".to_owned()),
    };
    let subscriber = Subject::Other(uuid(0x402));
    let expect = [
        event(COMPANY_UPDATED, Subject::Company(company), 2),
        event(JOB_POSTING_REJECTED, Subject::Posting(rejected), 3),
        event(INDIVIDUAL_MEMBERSHIP_UPDATED, subscriber, 4),
    ];
    assert_eq!(all(store).await[WAITED..], expect);

    let cursor = Cursor {
        transaction: 0,
        sequence: 3,
    };
    assert_eq!(store.cursor("newsletter").await, Ok(Some(cursor)));

    let mut view = bare();
    view.posting = Posting {
        source_identifier: identifier("digested"),
        texts_digest: Some(TextsDigest::from_bytes([0xA5; 32])),
        // It has no history that would say who it was.
        created_by: None,
        updated_by: None,
        ..posting(0x104, view.company.company.id)
    };
    view.history.clear();
    comes_back(store, &view).await;

    let dead = Revive::Tasks(vec![TaskId(7)]);
    assert_eq!(store.revive(&dead, None, noon()).await, Ok(1));
    let enrichment = claimed(7, enrich(PostingId::new(uuid(0x104))));
    assert_claimed(store, ENRICH, &[enrichment]).await;
}

fn event(name: EventName, subject: Subject, hour: i64) -> Event {
    Event {
        name,
        subject,
        at: noon() + hours(hour),
        trace: None,
    }
}

/// All events, in order.
async fn all<S: AllPorts>(store: &S) -> Vec<Event> {
    let query = LogQuery {
        after: None,
        names: vec![
            JOB_POSTING_CREATED,
            JOB_POSTING_APPROVED,
            JOB_POSTING_REJECTED,
            COMPANY_UPDATED,
            INDIVIDUAL_MEMBERSHIP_UPDATED,
        ],
        prefixes: Prefixes::ALL,
        limit: 100,
    };
    let page = store.read(&query).await.expect("the log is there");
    page.events.into_iter().map(|event| event.event).collect()
}

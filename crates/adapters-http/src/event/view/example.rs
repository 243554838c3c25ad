//! The page of events that the OpenAPI document shows.

use domain::posting::event::{COMPANY_UPDATED, JOB_POSTING_APPROVED};
use kernel::{
    Status as Stands,
    event::{Cursor, EventName},
};
use time::macros::datetime;

use super::{
    Company, DeliveredData, DeliveredEvent, DeliveredPosting, Event, EventBody, EventData, EventId,
    EventPageAnswer, EventType, PostingState, Status, Timestamp, Uuid,
};
use crate::schema::Answer;

impl Answer for DeliveredEvent<'_> {
    fn example() -> Self {
        let event = event(1, &APPROVED, EventData::Posting(posting()));
        let EventBody {
            name, timestamp, ..
        } = event.body;
        let state = DeliveredPosting {
            state: posting(),
            posting: None,
        };
        Self {
            name,
            timestamp,
            data: DeliveredData::Posting(state),
        }
    }
}

impl Answer for EventPageAnswer<'_> {
    fn example() -> Self {
        Self {
            data: vec![
                event(1, &APPROVED, EventData::Posting(posting())),
                event(2, &UPDATED, EventData::Company(Company::example())),
            ],
            next_cursor: id(2),
        }
    }
}

static APPROVED: EventName = JOB_POSTING_APPROVED;
static UPDATED: EventName = COMPANY_UPDATED;

const fn posting() -> PostingState<'static> {
    PostingState {
        uuid: Uuid::from_u128(0x0190_a1b2_0000_7000_8000_0000_0000_0001),
        unique_source_identifier: "example-4711",
        version: 2,
        status: Status(Stands::Approved),
        status_reason: None,
        code: Some("no_objection"),
        automated: Some(true),
    }
}

const fn event(
    sequence: u64,
    name: &'static EventName,
    data: EventData<'static>,
) -> Event<'static> {
    Event {
        id: id(sequence),
        body: EventBody {
            name: EventType(name),
            timestamp: Timestamp(datetime!(2026-01-31 12:00:04.25 UTC)),
            data,
        },
    }
}

const fn id(sequence: u64) -> EventId {
    EventId(Cursor {
        transaction: 4711,
        sequence,
    })
}

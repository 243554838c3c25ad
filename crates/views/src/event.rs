//! An event as the feed and the bodies of webhooks show it.

use domain::posting::{
    self, PostingView,
    event::{COMPANY_MERGED, JOB_POSTING_ERASED, PUBLIC},
};
use kernel::EventDecision;
use kernel::event::{self, Cursor, EventName, LogPage, RecordedEvent, Subject};
use serde::{Serialize, Serializer};
use utoipa::{
    PartialSchema, ToSchema,
    openapi::{Ref, RefOr, Schema},
};
use uuid::Uuid;

use crate::{
    attention::{Item, Pages},
    company::Company,
    json::Timestamp,
    posting::{DecisionOutcome, Ground, PostingWithHistory, Status},
    schema::{one_of, optional},
    view,
};

fn ground() -> RefOr<Schema> {
    optional(Ground::schema())
}

/// A page of the event log.
#[derive(Serialize, ToSchema)]
#[schema(as = EventPage)]
pub struct EventPageAnswer<'a> {
    data: Vec<Event<'a>>,
    /// Send this cursor as `after` to get the next page. It is always present. It also passes
    /// events of other types, so it may differ from the last event's id.
    #[schema(value_type = String)]
    next_cursor: EventId,
}

impl<'a> EventPageAnswer<'a> {
    /// The page without events hidden from clients. `appeal` is the address for contesting
    /// decisions.
    #[must_use]
    pub fn new(page: &'a LogPage, pages: Pages<'a>, appeal: Option<&'a str>) -> Self {
        let shown = |event| Event::new(event, pages, appeal);
        Self {
            data: page.events.iter().filter_map(shown).collect(),
            next_cursor: EventId(page.next),
        }
    }
}

/// An event.
#[derive(Serialize, ToSchema)]
struct Event<'a> {
    /// The event's id, which is also the cursor of the events after it. Its format may change.
    #[schema(value_type = String)]
    id: EventId,
    #[serde(flatten)]
    body: EventBody<'a>,
}

impl<'a> Event<'a> {
    fn new(recorded: &'a RecordedEvent, pages: Pages<'a>, appeal: Option<&'a str>) -> Option<Self> {
        Some(Self {
            id: EventId(recorded.cursor),
            body: EventBody::new(&recorded.event, pages, appeal)?,
        })
    }
}

/// The content of an event.
#[derive(Serialize, ToSchema)]
struct EventBody<'a> {
    #[serde(rename = "type")]
    name: EventType<'a>,
    /// When the event happened.
    #[schema(value_type = OffsetDateTime)]
    timestamp: Timestamp,
    data: EventData<'a>,
}

impl<'a> EventBody<'a> {
    fn new(event: &'a event::Event, pages: Pages<'a>, appeal: Option<&'a str>) -> Option<Self> {
        let data = match &event.subject {
            Subject::Posting(posting) if event.name == JOB_POSTING_ERASED => {
                EventData::Erased(ErasedPosting::new(posting, appeal))
            }
            Subject::Posting(posting) => EventData::Posting(PostingState::new(posting)),
            Subject::Company(company) if event.name == COMPANY_MERGED => {
                EventData::Merged(MergedCompany::new(company))
            }
            Subject::Company(company) => EventData::Company(Company::of_event(company, event.at)),
            Subject::Attention(item) => EventData::Attention(Item::new(item, pages)),
            Subject::Report(report) => EventData::Report(DecidedReport::new(report)),
            Subject::Other(_) => return None,
        };
        PUBLIC.contains(&event.name).then_some(Self {
            name: EventType(&event.name),
            timestamp: Timestamp(event.at),
            data,
        })
    }
}

/// The subject of the event. `CompanyUpdated`: the company. `CompanyMerged`: the ids of the company
/// and its target. `AttentionRaised`, `AttentionCleared`: the item. `JobPostingErased`: the
/// posting's identifier and the decision on it. `ReportDecided`: the report. All others: the
/// posting.
#[derive(Serialize, ToSchema)]
#[serde(untagged)]
enum EventData<'a> {
    Posting(PostingState<'a>),
    Erased(ErasedPosting<'a>),
    Company(Company<'a>),
    Attention(Item<'a>),
    Merged(MergedCompany),
    Report(DecidedReport<'a>),
}

/// An event as it is delivered to a webhook endpoint.
#[derive(Serialize, ToSchema)]
pub struct DeliveredEvent<'a> {
    #[serde(rename = "type")]
    name: EventType<'a>,
    /// When the event happened; the same in each delivery.
    #[schema(value_type = OffsetDateTime)]
    timestamp: Timestamp,
    data: DeliveredData<'a>,
}

/// The subject of the event. `CompanyUpdated`: the company. `CompanyMerged`: the ids of the company
/// and its target. `AttentionRaised`, `AttentionCleared`: the item. `JobPostingErased`: the
/// posting's identifier and the decision on it. `ReportDecided`: the report. All others: the
/// posting.
#[derive(Serialize, ToSchema)]
#[serde(untagged)]
enum DeliveredData<'a> {
    Posting(DeliveredPosting<'a>),
    Erased(ErasedPosting<'a>),
    Company(Company<'a>),
    Attention(Item<'a>),
    Merged(MergedCompany),
    Report(DecidedReport<'a>),
}

/// A posting as an event left it, and as it is.
#[derive(Serialize, ToSchema)]
struct DeliveredPosting<'a> {
    #[serde(flatten)]
    state: PostingState<'a>,
    /// The posting at the time of the delivery, for endpoints that ask for it. Newer events may
    /// have changed it meanwhile.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(schema_with = posting)]
    posting: Option<Box<PostingWithHistory<'a>>>,
}

fn posting() -> RefOr<Schema> {
    optional(Ref::from_schema_name("PostingWithHistory"))
}

impl<'a> DeliveredEvent<'a> {
    /// The body of a webhook, possibly with the posting. `None` if clients may not see the event.
    #[must_use]
    pub fn new(
        event: &'a event::Event,
        posting: Option<&'a PostingView>,
        appeal: Option<&'a str>,
        pages: Pages<'a>,
    ) -> Option<Self> {
        let posting = posting.map(|view| Box::new(PostingWithHistory::delivered(view, appeal)));
        let EventBody {
            name,
            timestamp,
            data,
        } = EventBody::new(event, pages, appeal)?;
        let data = match data {
            EventData::Posting(state) => {
                DeliveredData::Posting(DeliveredPosting { state, posting })
            }
            EventData::Erased(posting) => DeliveredData::Erased(posting),
            EventData::Company(company) => DeliveredData::Company(company),
            EventData::Attention(item) => DeliveredData::Attention(item),
            EventData::Merged(company) => DeliveredData::Merged(company),
            EventData::Report(report) => DeliveredData::Report(report),
        };
        Some(Self {
            name,
            timestamp,
            data,
        })
    }
}

view! {
    /// A posting, as an event left it.
    #[derive(Serialize, ToSchema)]
    struct PostingState<'a>(posting: &'a event::PostingState) {
        /// The posting's id in this service.
        uuid: Uuid = posting.id.uuid(),
        /// The posting's identifier in its source.
        unique_source_identifier: &'a str = posting.source_identifier.as_str(),
        /// The version of the posting. Events of one change share it.
        #[schema(minimum = 1)]
        version: i64 = posting.version,
        status: Status = Status(posting.status),
        /// The reason of the status.
        status_reason: Option<&'a str> = posting.status_reason.as_deref(),
        /// The code of the decision, only in `JobPostingApproved`, `JobPostingRejected` and an
        /// operator's `JobPostingExpired`.
        #[serde(skip_serializing_if = "Option::is_none")]
        #[schema(value_type = String, extensions(("optional" = json!(true))))]
        code: Option<&'a str> = posting.decision.as_ref().map(|it| it.code.as_str()),
        /// Whether rules or a model decided, only in the same events.
        #[serde(skip_serializing_if = "Option::is_none")]
        #[schema(value_type = bool, extensions(("optional" = json!(true))))]
        automated: Option<bool> = posting.decision.as_ref().map(|it| it.code.is_automated()),
        /// The ground of a rejection or a removal, only in the same events.
        #[serde(skip_serializing_if = "Option::is_none")]
        #[schema(schema_with = ground)]
        ground: Option<Ground> = posting.decision.as_ref().and_then(|it| it.ground).map(Ground),
        /// Whether a reader's report led to the decision, only in the same events.
        #[serde(skip_serializing_if = "Option::is_none")]
        #[schema(value_type = bool, extensions(("optional" = json!(true))))]
        by_notice: Option<bool> = posting.decision.as_ref()
            .and_then(|it| it.ground.map(|_| it.by_notice)),
    }
}

view! {
    /// An erased posting, of which only this is kept.
    #[derive(Serialize, ToSchema)]
    #[serde(deny_unknown_fields)]
    struct ErasedPosting<'a>(posting: &'a event::PostingState, appeal: Option<&'a str>) {
        /// The posting's identifier in its source. It may be pushed again.
        unique_source_identifier: &'a str = posting.source_identifier.as_str(),
        /// The statement of the removal, without its text; `null` once another posting with this
        /// identifier was erased.
        decision: Option<ErasureStatement<'a>> =
            posting.decision.as_ref().map(|decided| ErasureStatement::new(decided, appeal)),
    }
}

view! {
    /// The statement of a posting's erasure.
    #[derive(Serialize, ToSchema)]
    struct ErasureStatement<'a>(decided: &'a EventDecision, appeal: Option<&'a str>) {
        outcome: DecisionOutcome = DecisionOutcome(posting::DecisionOutcome::Removed),
        /// The reason, for programs.
        code: &'a str = decided.code.as_str(),
        /// Whether rules or a model decided.
        automated: bool = decided.code.is_automated(),
        ground: Option<Ground> = decided.ground.map(Ground),
        /// Where the removal holds.
        #[schema(pattern = "^everywhere$")]
        scope: &'static str = "everywhere",
        /// Whether a reader's report led to the removal.
        by_notice: bool = decided.by_notice,
        /// Where the decision can be contested, if the board offers that.
        appeal: Option<&'a str> = appeal,
    }
}

view! {
    /// A reader's report, after the decision.
    #[derive(Serialize, ToSchema)]
    #[serde(deny_unknown_fields)]
    struct DecidedReport<'a>(report: &'a event::ReportState) {
        /// The report's id.
        uuid: Uuid = report.id.uuid(),
        /// The id of the posting in this service.
        posting: Uuid = report.posting.uuid(),
        /// `acted`: the posting was rejected or removed. `dismissed`: it stays as it is.
        #[schema(pattern = "^(acted|dismissed)$")]
        state: &'static str = if report.acted { "acted" } else { "dismissed" },
        /// The answer to the reporter.
        #[schema(max_length = 1000)]
        sentence: &'a str = &report.sentence,
    }
}

/// A company that was merged into another one.
#[derive(Serialize, ToSchema)]
#[serde(deny_unknown_fields)]
struct MergedCompany {
    /// The merged company's id, which no posting has any more.
    uuid: Uuid,
    /// The id of the company that replaces it.
    into: Uuid,
}

impl MergedCompany {
    fn new(company: &event::CompanyState) -> Self {
        let into = company.merged_into.unwrap_or(company.id);
        Self {
            uuid: company.id.uuid(),
            into: into.uuid(),
        }
    }
}

/// The type of an event.
#[derive(Serialize)]
#[serde(transparent)]
pub struct EventType<'a>(#[serde(serialize_with = "name")] pub &'a EventName);

fn name<S: Serializer>(name: &EventName, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(name.as_str())
}

impl PartialSchema for EventType<'_> {
    fn schema() -> RefOr<Schema> {
        let public = PUBLIC;
        let names: Vec<_> = public.iter().map(EventName::as_str).collect();
        one_of("What happened.", &names).into()
    }
}

impl ToSchema for EventType<'_> {}

pub struct EventId(pub Cursor);

impl Serialize for EventId {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(&self.0)
    }
}

#[cfg(test)]
mod tests {
    use domain::{
        posting::{
            self,
            event::{COMPANY_UPDATED, JOB_POSTING_REJECTED, REPORT_DECIDED},
        },
        testing::{self},
    };
    use kernel::{DecisionCode, attention::ATTENTION_RAISED, testing::noon};
    use serde_json::{Value, json};

    use super::*;

    const PAGES: Pages<'_> = Pages::Console("https://console.example");

    fn body(name: EventName, subject: Subject) -> Option<Value> {
        let event = event::Event {
            name,
            subject,
            at: noon(),
            trace: None,
        };
        let body = DeliveredEvent::new(&event, None, None, PAGES);
        body.map(|body| serde_json::to_value(&body).unwrap())
    }

    #[test]
    fn an_event_says_what_became_of_its_subject() {
        let company = domain::company::Company {
            logo_path: Some("logo.png".to_owned()),
            ..testing::company("acme")
        };
        let mut posting = testing::posting(1, company.id);
        posting.put_in(testing::state(kernel::Status::Rejected), Some("spam: …"));
        let posting = event::PostingState {
            decision: Some(EventDecision {
                code: DecisionCode::new("spam"),
                ground: Some(posting::Ground::Law),
                by_notice: true,
            }),
            ..event::PostingState::from(&posting)
        };
        let timestamp = serde_json::to_value(Timestamp(noon())).unwrap();

        let rejected = json!({"type": "JobPostingRejected", "timestamp": timestamp, "data": {
            "uuid": posting.id.uuid(),
            "unique_source_identifier": posting.source_identifier.as_str(),
            "version": posting.version, "status": "rejected", "status_reason": "spam: …",
            "code": "spam", "automated": true, "ground": "law", "by_notice": true,
        }});
        let subject = Subject::Posting(posting.clone());
        assert_eq!(body(JOB_POSTING_REJECTED, subject), Some(rejected));

        let erased = json!({"type": "JobPostingErased", "timestamp": timestamp, "data": {
            "unique_source_identifier": posting.source_identifier.as_str(),
            "decision": {
                "outcome": "removed", "code": "spam", "automated": true, "ground": "law",
                "scope": "everywhere", "by_notice": true, "appeal": null,
            },
        }});
        let subject = Subject::Posting(posting.clone());
        assert_eq!(body(JOB_POSTING_ERASED, subject), Some(erased));

        let updated = json!({"type": "CompanyUpdated", "timestamp": timestamp, "data": {
            "uuid": company.id.uuid(), "name": "acme", "website_url": "https://acme.example",
            "logo_path": "logo.png", "updated_at": timestamp,
            "updated_by": format!("client:{}", testing::pusher()),
        }});
        let of_company = || Subject::Company(testing::company_state(&company));
        let subject = of_company();
        assert_eq!(body(COMPANY_UPDATED, subject), Some(updated));

        let merged = json!({"type": "CompanyMerged", "timestamp": timestamp, "data": {
            "uuid": company.id.uuid(), "into": testing::company("bolt").id.uuid(),
        }});
        let subject = Subject::Company(event::CompanyState {
            merged_into: Some(testing::company("bolt").id),
            ..testing::company_state(&company)
        });
        assert_eq!(body(COMPANY_MERGED, subject), Some(merged));

        let posting = testing::posting(1, company.id);
        let view = PostingView {
            decision: Some(posting::Decision::approval(None, noon())),
            ..testing::posting_view(posting, testing::company_view(&company))
        };
        let event = event::Event {
            name: JOB_POSTING_REJECTED,
            subject: Subject::Posting(event::PostingState::from(&view.posting)),
            at: noon(),
            trace: None,
        };
        let appeal = Some("https://a.example");
        let with_posting = DeliveredEvent::new(&event, Some(&view), appeal, PAGES).unwrap();
        let with_posting = serde_json::to_value(&with_posting).unwrap();
        let data = &with_posting["data"];
        assert_eq!(data["uuid"], json!(view.posting.id.uuid()));
        assert_eq!(data.get("code"), None);
        let shown = serde_json::to_value(PostingWithHistory::new(&view, appeal)).unwrap();
        let decision = json!({
            "outcome": "approved", "at": timestamp, "by": "operator", "automated": false,
            "version": null, "code": "operator", "sentence": "An operator approved the posting.",
            "passages": [], "ground": null, "scope": null, "by_notice": false,
            "appeal": "https://a.example", "objection": null,
        });
        assert_eq!(shown["decision"], decision);
        assert_eq!(data["posting"], shown);

        let item = kernel::testing::item(7);
        let raised = json!({"type": "AttentionRaised", "timestamp": timestamp,
            "data": Item::new(&item, PAGES)});
        let subject = Subject::Attention(Box::new(item.clone()));
        assert_eq!(body(ATTENTION_RAISED, subject), Some(raised));
        let report = event::ReportState {
            id: kernel::ReportId::new(Uuid::nil()),
            posting: view.posting.id,
            source_identifier: view.posting.source_identifier.clone(),
            acted: false,
            sentence: "All is well.".to_owned(),
        };
        let decided = json!({"type": "ReportDecided", "timestamp": timestamp, "data": {
            "uuid": Uuid::nil(), "posting": view.posting.id.uuid(), "state": "dismissed",
            "sentence": "All is well.",
        }});
        assert_eq!(body(REPORT_DECIDED, Subject::Report(report)), Some(decided));

        let other = Subject::Other(Uuid::nil());
        assert_eq!(body(COMPANY_UPDATED, other), None);
        let subject = of_company();
        assert_eq!(body(EventName::new("SomethingPrivate"), subject), None);
    }
}

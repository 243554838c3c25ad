//! The JSON form of postings in answers.

use domain::{
    posting::{self, PostingView},
    store::{ListQuery, PAGE_BYTES, Position, PostingPage, Texts},
};
use fields::{
    INTEGER,
    codes::{CountryCode, CurrencyCode},
};
use serde::{Serialize, Serializer, ser::Error as _};
use serde_json::value::RawValue;
use utoipa::{
    ToSchema,
    openapi::{KnownFormat, ObjectBuilder, SchemaFormat, Type, schema::SchemaType},
};
use uuid::Uuid;

use super::cursor;
use crate::{
    answer::{self, Answer, Data, Nullable, Timestamp},
    company::Company,
    schema::{view, vocabularies},
    state::Appeal,
};

/// The answer to a `GET` of one posting.
pub async fn one(view: PostingView, appeal: Appeal) -> Answer {
    let bytes = size(&view);
    let write = move |view: &PostingView| {
        let data = with_history(view, appeal.as_deref());
        serde_json::to_vec(&Data { data })
    };
    answer::large_json(view, bytes, write).await
}

/// The size of the texts, in bytes.
pub(super) fn size(view: &PostingView) -> usize {
    let texts = view.texts.as_ref();
    view.description().len()
        + texts.map_or(0, |texts| {
            texts.markdown.len() + texts.redacted_markdown.len()
        })
}

/// The posting with its history, as `data` of the answer has it.
pub fn with_history<'a>(view: &'a PostingView, appeal: Option<&'a str>) -> PostingWithHistory<'a> {
    PostingWithHistory {
        posting: Posting::new(view, Texts::All, appeal),
        history: view.history.iter().map(HistoryEntry::new).collect(),
    }
}

/// Postings as lines of JSON, as the list shows them.
pub fn lines(
    postings: &[PostingView],
    texts: Texts,
    appeal: Option<&str>,
) -> Result<Vec<u8>, serde_json::Error> {
    let mut lines = Vec::new();
    for view in postings {
        serde_json::to_writer(&mut lines, &Posting::new(view, texts, appeal))?;
        lines.push(b'\n');
    }
    Ok(lines)
}

/// A part of an answer to a request for the list. The answer has at most `most` bytes, unless its
/// first posting alone has more, and ends before the posting that would make it larger.
#[derive(Clone, Copy, Debug)]
pub struct PartOfList {
    /// The bytes of the parts before this one.
    before: usize,
    most: usize,
}

/// A part that was written.
pub struct Part {
    pub json: Vec<u8>,
    /// The part that follows, unless the answer has ended.
    pub next: Option<(ListQuery, PartOfList)>,
}

impl Default for PartOfList {
    fn default() -> Self {
        Self {
            before: 0,
            most: PAGE_BYTES,
        }
    }
}

impl PartOfList {
    /// Writes the postings that a query found. Another part follows if the client wants more
    /// postings and there are more. None follows if few were found, because the store has then
    /// looked at many others.
    pub fn write(
        self,
        page: &PostingPage,
        query: &ListQuery,
        appeal: Option<&str>,
    ) -> Result<Part, serde_json::Error> {
        let is_first = self.before == 0;
        let mut json = Vec::new();
        if is_first {
            json.extend_from_slice(br#"{"data":["#);
        }
        let mut last = query.after.filter(|_| !is_first);
        let mut cut = None;
        for view in &page.postings {
            let posting = serde_json::to_vec(&Posting::new(view, query.texts, appeal))?;
            if last.is_some() {
                if self.before + json.len() + posting.len() > self.most {
                    cut = last;
                    break;
                }
                json.push(b',');
            }
            json.extend(posting);
            last = Some(Position {
                updated_at: view.posting.updated_at,
                id: view.posting.id.uuid(),
            });
        }
        let left = query.limit.saturating_sub(page.postings.len());
        let is_much = size_of(page) >= query.max_bytes / 8;
        if cut.is_none() && page.next.is_some() && left > 0 && is_much {
            let query = ListQuery {
                after: page.next,
                limit: left,
                ..query.clone()
            };
            let before = self.before + json.len();
            let next = Some((query, Self { before, ..self }));
            return Ok(Part { json, next });
        }
        json.extend_from_slice(br#"],"next_cursor":"#);
        serde_json::to_writer(&mut json, &cut.or(page.next).map(cursor::encode))?;
        json.push(b'}');
        Ok(Part { json, next: None })
    }
}

/// The size of the texts of a page, in bytes.
pub fn size_of(page: &PostingPage) -> usize {
    page.postings.iter().map(size).sum()
}

vocabularies! {
    /// The status of a posting.
    Status(kernel::Status);
    /// A kind of employment.
    EmploymentType(posting::EmploymentType);
    /// Where the work is done.
    LocationType(posting::LocationType);
    /// The period that a salary is paid for.
    SalaryPeriod(posting::SalaryPeriod);
    /// What was decided.
    DecisionOutcome(posting::DecisionOutcome);
    /// The ground of a rejection or a removal.
    Ground(posting::Ground);
}

/// A posting with its history.
#[derive(Serialize, ToSchema)]
pub struct PostingWithHistory<'a> {
    #[serde(flatten)]
    posting: Posting<'a>,
    /// The history of the posting's status, oldest first.
    history: Vec<HistoryEntry<'a>>,
}

view! {
    /// A posting, as the list shows it.
    #[derive(Serialize, ToSchema)]
    pub struct Posting<'a>(view: &'a PostingView, shown: Texts, appeal: Option<&'a str>) {
        /// The posting's id in this service.
        uuid: Uuid = view.posting.id.uuid(),
        /// The posting's id in the source system.
        unique_source_identifier: &'a str = view.posting.source_identifier.as_str(),
        status: Status = Status(view.posting.status()),
        /// The reason of the status: the newest one of the history.
        status_reason: Option<&'a str> = view.posting.status_reason(),
        /// `null` before the first.
        decision: Option<Decision<'a>> =
            view.decision.as_ref().map(|decision| Decision::new(decision, appeal)),
        /// As pushed, trimmed.
        title: &'a str = &view.posting.details.title,
        /// The title without what identifies the company or bypasses the board, one line of plain
        /// text; `null` until enriched.
        redacted_title: Option<&'a str> =
            view.texts.as_ref().and_then(|texts| texts.redacted_title.as_deref()),
        /// As pushed. Absent if `texts` leaves it out.
        #[serde(skip_serializing_if = "Option::is_none")]
        #[schema(value_type = String, extensions(("optional" = json!(true))))]
        raw_description: Option<&'a str> = (shown == Texts::All).then(|| view.description()),
        /// The description in Markdown, once enriched. Absent if `texts` leaves it out.
        #[serde(skip_serializing_if = "Option::is_none")]
        #[schema(value_type = Option<String>, extensions(("optional" = json!(true))))]
        markdown_description: Option<Nullable<&'a str>> = (shown == Texts::All)
            .then(|| Nullable(view.texts.as_ref().map(|texts| texts.markdown.as_str()))),
        /// The same without what identifies the company or bypasses the board. Absent if `texts`
        /// leaves it out.
        #[serde(skip_serializing_if = "Option::is_none")]
        #[schema(value_type = Option<String>, extensions(("optional" = json!(true))))]
        markdown_redacted_description: Option<Nullable<&'a str>> = (shown != Texts::None)
            .then(|| Nullable(view.texts.as_ref().map(|texts| texts.redacted_markdown.as_str()))),
        /// As pushed.
        employment_types: Vec<EmploymentType> =
            view.posting.details.employment_types.iter().copied().map(EmploymentType).collect(),
        /// As pushed.
        location_types: Vec<LocationType> =
            view.posting.details.location_types.iter().copied().map(LocationType).collect(),
        /// ISO 3166-1 alpha-2, upper case.
        location_country_code: Option<&'static str> =
            view.posting.details.location_country_code.map(CountryCode::as_str),
        /// As pushed, trimmed.
        location_city: Option<&'a str> = view.posting.details.location_city.as_deref(),
        /// Degrees north of the city, where it is known.
        #[schema(minimum = -90, maximum = 90)]
        latitude: Option<f64> = view.coordinates.map(|place| place.latitude),
        /// Degrees east of the city, where it is known.
        #[schema(minimum = -180, maximum = 180)]
        longitude: Option<f64> = view.coordinates.map(|place| place.longitude),
        #[schema(schema_with = amount)]
        salary_min: Option<i64> = view.posting.details.salary_min,
        #[schema(schema_with = amount)]
        salary_max: Option<i64> = view.posting.details.salary_max,
        /// ISO 4217, upper case.
        salary_currency_code: Option<&'static str> =
            view.posting.details.salary_currency_code.map(CurrencyCode::as_str),
        salary_period: Option<SalaryPeriod> = view.posting.details.salary_period.map(SalaryPeriod),
        /// As pushed, trimmed.
        application_email: Option<&'a str> = view.posting.details.application_email.as_deref(),
        /// As pushed, trimmed.
        application_url: Option<&'a str> = view.posting.details.application_url.as_deref(),
        /// As pushed, with the digits of its numbers unchanged.
        #[schema(value_type = Option<Object>)]
        metadata: Option<Verbatim<'a>> =
            view.posting.details.metadata.as_ref().map(|metadata| Verbatim(metadata.as_str())),
        company: Company<'a> = Company::from(&view.company),
        /// The `uuid` of the open posting of the company with the same title and place and nearly
        /// the same text that was pushed first; `null` if there is none that you may see.
        duplicate_of: Option<Uuid> =
            view.posting.duplicate_of.as_ref().map(|original| original.id.uuid()),
        /// Whether an operator features the posting.
        is_featured: bool = view.posting.is_featured,
        /// When the posting was first approved.
        #[schema(value_type = Option<OffsetDateTime>)]
        published_at: Option<Timestamp> = view.posting.published_at.map(Timestamp),
        /// When the posting's lifetime ends.
        #[schema(value_type = Option<OffsetDateTime>)]
        expire_at: Option<Timestamp> = view.posting.expire_at.map(Timestamp),
        /// When the posting was taken down.
        #[schema(value_type = Option<OffsetDateTime>)]
        expired_at: Option<Timestamp> = view.posting.expired_at().map(Timestamp),
        /// Why the posting was taken down.
        expiration_reason: Option<&'a str> = view.posting.details.expiration_reason.as_deref(),
        /// When the posting was first pushed.
        #[schema(value_type = OffsetDateTime)]
        created_at: Timestamp = Timestamp(view.posting.created_at),
        /// When the posting last changed.
        #[schema(value_type = OffsetDateTime)]
        updated_at: Timestamp = Timestamp(view.posting.updated_at),
        /// The actor of the first push: `client:ID`. `null` of a posting from before this was
        /// known.
        created_by: Option<String> = view.posting.created_by.as_ref().map(ToString::to_string),
        /// The actor of the last change: `client:ID`, `catalogue:NAME`, `operator:NAME`,
        /// `enricher`, `operator` or `lifetime`. `null` of a posting that has not changed since
        /// this is known.
        updated_by: Option<String> = view.posting.updated_by.as_ref().map(ToString::to_string),
    }
}

/// An integer from 0 to the largest that every JSON implementation represents exactly, or `null`.
fn amount() -> ObjectBuilder {
    ObjectBuilder::new()
        .schema_type(SchemaType::from_iter([Type::Integer, Type::Null]))
        .description(Some("As pushed."))
        .format(Some(SchemaFormat::KnownFormat(KnownFormat::Int64)))
        .minimum(Some(0))
        .maximum(usize::try_from(INTEGER).ok())
}

view! {
    /// An entry of a posting's history.
    #[derive(Serialize, ToSchema)]
    struct HistoryEntry<'a>(entry: &'a posting::HistoryEntry) {
        /// The status that began.
        status: Status = Status(entry.status),
        /// The time of the change.
        #[schema(value_type = OffsetDateTime)]
        at: Timestamp = Timestamp(entry.at),
        /// The reason, if there is one.
        reason: Option<&'a str> = entry.reason.as_deref(),
        /// The actor: `client:ID`, `catalogue:NAME`, `operator:NAME`, `enricher`, `operator` or
        /// `lifetime`.
        #[schema(pattern = "^(client:.+|catalogue:.+|operator:.+|enricher|operator|lifetime)$")]
        by: String = entry.by.to_string(),
    }
}

view! {
    /// The newest decision whether the posting may be shown. It stays when the posting expires or
    /// is reopened, until there is another one.
    #[derive(Serialize, ToSchema)]
    struct Decision<'a>(decision: &'a posting::Decision, appeal: Option<&'a str>) {
        /// `removed`: an operator took the posting down.
        outcome: DecisionOutcome = DecisionOutcome(decision.outcome),
        /// When it was decided.
        #[schema(value_type = OffsetDateTime)]
        at: Timestamp = Timestamp(decision.at),
        /// Who decided: `rules`, `model`, `operator:NAME`, or `operator` where content came back
        /// that an operator had approved.
        #[schema(pattern = "^(rules|model|operator|operator:.+)$")]
        by: String = decision.by.to_string(),
        /// Whether no person decided.
        automated: bool = decision.code.is_automated(),
        /// The version of the rules, or the model's name with the version of its prompt; `null` of
        /// an operator's decision.
        version: Option<&'a str> = decision.by.version(),
        /// The reason, for programs. More may come.
        code: &'a str = decision.code.as_str(),
        /// The reason, for people.
        #[schema(max_length = 1000)]
        sentence: &'a str = &decision.sentence,
        /// What it rests on, verbatim from the title or the description as its readers see it.
        #[schema(max_items = 3)]
        passages: &'a [String] = &decision.passages,
        /// `null` of an approval.
        ground: Option<Ground> = decision.ground.map(Ground),
        /// Where a rejection or a removal holds: `everywhere`. `null` of an approval.
        #[schema(pattern = "^everywhere$")]
        scope: Option<&'a str> = decision.ground.map(|_| "everywhere"),
        /// Whether a report of a reader led to it.
        by_notice: bool = false,
        /// Where the decision can be contested, if the board says so.
        appeal: Option<&'a str> = appeal,
    }
}

/// JSON text that is written unchanged, so that a client gets back the digits that it sent.
struct Verbatim<'a>(&'a str);

impl Serialize for Verbatim<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let raw: &RawValue = serde_json::from_str(self.0).map_err(S::Error::custom)?;
        raw.serialize(serializer)
    }
}

#[cfg(test)]
pub mod tests {
    use std::{
        future::poll_fn,
        pin::{Pin, pin},
        sync::mpsc,
        task::Poll,
    };

    use domain::{posting::EnrichedTexts, testing};
    use serde_json::{Value, json};
    use tokio::{runtime::Builder, task::spawn_blocking};

    use super::*;

    /// A posting with this much of text.
    pub fn view_of(bytes: usize) -> PostingView {
        let company = testing::company("acme");
        PostingView {
            posting: testing::posting(1, company.id),
            company: testing::company_view(&company),
            texts: Some(EnrichedTexts {
                markdown: "x".repeat(bytes),
                ..EnrichedTexts::default()
            }),
            coordinates: None,
            decision: None,
            history: Vec::new(),
        }
    }

    fn page_of(bytes: usize) -> PostingPage {
        PostingPage {
            postings: vec![view_of(bytes)],
            next: None,
        }
    }

    #[test]
    fn a_page_is_written_as_it_is_described_and_ends_early_when_it_is_large() {
        let mut page = page_of(10);
        page.postings.extend(page_of(20).postings);
        let shown = page.postings.iter();
        let shown: Vec<_> = shown.map(|it| Posting::new(it, Texts::All, None)).collect();
        let first = &page.postings[0].posting;
        let first = cursor::encode(Position {
            updated_at: first.updated_at,
            id: first.id.uuid(),
        });
        for (most, expect) in [
            (PAGE_BYTES, json!({"data": shown, "next_cursor": null})),
            (1_000, json!({"data": [shown[0]], "next_cursor": first})),
            (1, json!({"data": [shown[0]], "next_cursor": first})),
        ] {
            let part = PartOfList { before: 0, most };
            let Part { json, next } = part.write(&page, &asked(200), None).unwrap();
            assert!(next.is_none());
            let written: Value = serde_json::from_slice(&json).unwrap();
            assert_eq!(written, expect, "{most}");
        }
    }

    /// The query of a client that wants this many postings.
    fn asked(limit: usize) -> ListQuery {
        ListQuery {
            limit,
            max_bytes: 800,
            ..ListQuery::default()
        }
    }

    #[test]
    fn the_parts_of_a_list_are_one_answer() {
        let position = |n| Position {
            updated_at: kernel::testing::noon(),
            id: Uuid::from_u128(n),
        };
        let page = |bytes, next| PostingPage {
            next,
            ..page_of(bytes)
        };
        // Of the second part: the bytes of its texts, whether more follow, and the limits of
        // postings and bytes; then how many postings the answer has, and whether it goes on.
        for (bytes, more, limit, most, found, goes_on) in [
            (500, false, 3, PAGE_BYTES, 2, false),
            (500, true, 2, PAGE_BYTES, 2, false),
            (10, true, 3, PAGE_BYTES, 2, false),
            (500, true, 3, 2_000, 1, false),
            (500, true, 3, PAGE_BYTES, 2, true),
        ] {
            let part = PartOfList { before: 0, most };
            let first = page(500, Some(position(1)));
            let first = part.write(&first, &asked(limit), None).unwrap();
            let (query, part) = first.next.unwrap();
            assert_eq!((query.after, query.limit), (Some(position(1)), limit - 1));
            let second = page(bytes, more.then(|| position(2)));
            let second = part.write(&second, &query, None).unwrap();
            let mut json = [first.json, second.json].concat();
            assert_eq!(second.next.is_some(), goes_on);
            if goes_on {
                json.extend_from_slice(br#"],"next_cursor":null}"#);
            }
            let json: Value = serde_json::from_slice(&json).unwrap();
            assert_eq!(json["data"].as_array().unwrap().len(), found, "{json}");
            let next = if found == 1 {
                Some(position(1))
            } else {
                more.then(|| position(2))
            };
            let next = next.filter(|_| !goes_on).map(cursor::encode);
            assert_eq!(json["next_cursor"], json!(next));
        }
    }

    #[test]
    fn texts_that_are_left_out_are_absent() {
        let new = PostingView {
            texts: None,
            ..view_of(1)
        };
        let names = [
            "raw_description",
            "markdown_description",
            "markdown_redacted_description",
        ];
        for (texts, shown) in [
            (Texts::All, &names[..]),
            (Texts::Redacted, &names[2..]),
            (Texts::None, &[]),
        ] {
            for view in [&view_of(1), &new] {
                let posting = serde_json::to_value(Posting::new(view, texts, None)).unwrap();
                let found = names.into_iter().filter(|name| posting.get(name).is_some());
                assert!(found.eq(shown.iter().copied()), "{posting}");
            }
        }
    }

    async fn is_ready(mut future: Pin<&mut impl Future>) -> bool {
        poll_fn(|context| Poll::Ready(future.as_mut().poll(context).is_ready())).await
    }

    /// A large answer must not block the one thread, which also answers health checks.
    #[test]
    fn a_large_answer_holds_up_nobody_while_it_is_written() {
        let runtime = Builder::new_current_thread()
            .max_blocking_threads(1)
            .build()
            .unwrap();
        runtime.block_on(async {
            let (go_on, wait) = mpsc::channel();
            let busy = spawn_blocking(move || wait.recv());
            assert!(is_ready(pin!(one(view_of(10), None))).await);
            let mut large = pin!(one(view_of(1 << 20), None));
            assert!(!is_ready(large.as_mut()).await, "it waits for its thread");
            go_on.send(()).unwrap();
            assert!(large.await.is_ok());
            busy.await.unwrap().unwrap();
        });
    }
}

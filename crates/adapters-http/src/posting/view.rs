//! The JSON form of postings in answers.

use actix_web::HttpResponse;
use domain::{
    posting::{self, PostingView},
    store::{PAGE_BYTES, Position, PostingPage, Texts},
};
use kernel::codes::{CountryCode, CurrencyCode};
use serde::{Serialize, Serializer, ser::Error as _};
use serde_json::value::RawValue;
use utoipa::{ToSchema, openapi::ObjectBuilder};
use uuid::Uuid;

use self::decision::Decision;
use super::cursor;
use crate::{
    answer::{self, Data, Timestamp},
    company::Company,
    error::ApiError,
    schema::{optional_amount, vocabularies},
    state::Appeal,
};

mod decision;

/// The answer to a `GET` of one posting.
pub async fn one(view: PostingView, appeal: Appeal) -> Result<HttpResponse, ApiError> {
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

/// A posting with its history, as `data` of the answer has it, for commands that print it.
pub fn data<'a>(view: &'a PostingView, appeal: Option<&'a str>) -> impl Serialize {
    with_history(view, appeal)
}

/// The posting with its history.
pub fn with_history<'a>(view: &'a PostingView, appeal: Option<&'a str>) -> PostingWithHistory<'a> {
    PostingWithHistory {
        posting: Posting::new(view, Texts::All, appeal),
        history: view.history.iter().map(HistoryEntry::new).collect(),
    }
}

/// A page of the list, with these texts of its postings.
pub async fn many(
    page: PostingPage,
    texts: Texts,
    appeal: Appeal,
) -> Result<HttpResponse, ApiError> {
    let bytes = page.postings.iter().map(size).sum();
    let write = move |page: &PostingPage| write_page(page, texts, appeal.as_deref(), PAGE_BYTES);
    answer::large_json(page, bytes, write).await
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

/// A page as JSON, which is larger than its texts. It ends before a posting with which it would be
/// larger than it may, but not before its first.
fn write_page(
    page: &PostingPage,
    texts: Texts,
    appeal: Option<&str>,
    most: usize,
) -> Result<Vec<u8>, serde_json::Error> {
    let mut json = br#"{"data":["#.to_vec();
    let mut next = page.next;
    let mut last = None;
    for view in &page.postings {
        let posting = serde_json::to_vec(&Posting::new(view, texts, appeal))?;
        if let Some(last) = last {
            if json.len() + posting.len() > most {
                next = Some(last);
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
    json.extend_from_slice(br#"],"next_cursor":"#);
    serde_json::to_writer(&mut json, &next.map(cursor::encode))?;
    json.push(b'}');
    Ok(json)
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
}

/// A posting with its history.
#[derive(Serialize, ToSchema)]
pub struct PostingWithHistory<'a> {
    #[serde(flatten)]
    posting: Posting<'a>,
    /// The history of the posting's status, oldest first.
    history: Vec<HistoryEntry<'a>>,
}

/// A posting, as the list shows it.
#[derive(Serialize, ToSchema)]
pub struct Posting<'a> {
    /// The posting's id in this service.
    uuid: Uuid,
    /// The posting's id in the source system.
    unique_source_identifier: &'a str,
    status: Status,
    /// The reason of the status: the newest one of the history.
    status_reason: Option<&'a str>,
    /// `null` before the first.
    decision: Option<Decision<'a>>,
    /// As pushed, trimmed.
    title: &'a str,
    /// The title without what identifies the company or bypasses the board, one line of plain text;
    /// `null` until enriched.
    redacted_title: Option<&'a str>,
    /// As pushed. Absent if `texts` leaves it out.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = String, extensions(("optional" = json!(true))))]
    raw_description: Option<&'a str>,
    /// The description in Markdown, once enriched. Absent if `texts` leaves it out.
    #[serde(skip_serializing_if = "Text::is_left_out")]
    #[schema(value_type = Option<String>, extensions(("optional" = json!(true))))]
    markdown_description: Text<'a>,
    /// The same without what identifies the company or bypasses the board. Absent if `texts` leaves
    /// it out.
    #[serde(skip_serializing_if = "Text::is_left_out")]
    #[schema(value_type = Option<String>, extensions(("optional" = json!(true))))]
    markdown_redacted_description: Text<'a>,
    /// As pushed.
    employment_types: Vec<EmploymentType>,
    /// As pushed.
    location_types: Vec<LocationType>,
    /// ISO 3166-1 alpha-2, upper case.
    location_country_code: Option<&'static str>,
    /// As pushed, trimmed.
    location_city: Option<&'a str>,
    /// Degrees north of the city, where it is known.
    #[schema(minimum = -90, maximum = 90)]
    latitude: Option<f64>,
    /// Degrees east of the city, where it is known.
    #[schema(minimum = -180, maximum = 180)]
    longitude: Option<f64>,
    #[schema(schema_with = amount)]
    salary_min: Option<i64>,
    #[schema(schema_with = amount)]
    salary_max: Option<i64>,
    /// ISO 4217, upper case.
    salary_currency_code: Option<&'static str>,
    salary_period: Option<SalaryPeriod>,
    /// As pushed, trimmed.
    application_email: Option<&'a str>,
    /// As pushed, trimmed.
    application_url: Option<&'a str>,
    /// As pushed, with the digits of its numbers unchanged.
    #[schema(value_type = Option<Object>)]
    metadata: Option<Verbatim<'a>>,
    company: Company<'a>,
    /// The `uuid` of the open posting of the company with the same title and place and nearly the
    /// same text that was pushed first; `null` if there is none that you may see.
    duplicate_of: Option<Uuid>,
    /// Whether an operator features the posting.
    is_featured: bool,
    /// When the posting was first approved.
    #[schema(value_type = Option<OffsetDateTime>)]
    published_at: Option<Timestamp>,
    /// When the posting's lifetime ends.
    #[schema(value_type = Option<OffsetDateTime>)]
    expire_at: Option<Timestamp>,
    /// When the posting was taken down.
    #[schema(value_type = Option<OffsetDateTime>)]
    expired_at: Option<Timestamp>,
    /// Why the posting was taken down.
    expiration_reason: Option<&'a str>,
    /// When the posting was first pushed.
    #[schema(value_type = OffsetDateTime)]
    created_at: Timestamp,
    /// When the posting last changed.
    #[schema(value_type = OffsetDateTime)]
    updated_at: Timestamp,
    /// The actor of the first push: `client:ID`. `null` of a posting from before this was known.
    created_by: Option<String>,
    /// The actor of the last change: `client:ID`, `catalogue:NAME`, `operator:NAME`, `enricher`,
    /// `operator` or `lifetime`. `null` of a posting that has not changed since this is known.
    updated_by: Option<String>,
}

fn amount() -> ObjectBuilder {
    optional_amount("As pushed.")
}

impl<'a> Posting<'a> {
    /// The posting with these of its texts.
    fn new(view: &'a PostingView, shown: Texts, appeal: Option<&'a str>) -> Self {
        let PostingView {
            posting,
            company,
            texts,
            coordinates,
            decision,
            history: _,
        } = view;
        let details = &posting.details;
        let texts = texts.as_ref();
        Self {
            uuid: posting.id.uuid(),
            unique_source_identifier: posting.source_identifier.as_str(),
            status: Status(posting.status),
            status_reason: posting.status_reason.as_deref(),
            decision: decision.as_ref().map(|it| Decision::new(it, appeal)),
            title: &details.title,
            redacted_title: texts.and_then(|texts| texts.redacted_title.as_deref()),
            raw_description: (shown == Texts::All).then(|| view.description()),
            markdown_description: match shown {
                Texts::All => Text::Made(texts.map(|texts| texts.markdown.as_str())),
                Texts::Redacted | Texts::None => Text::LeftOut,
            },
            markdown_redacted_description: match shown {
                Texts::All | Texts::Redacted => {
                    Text::Made(texts.map(|texts| texts.redacted_markdown.as_str()))
                }
                Texts::None => Text::LeftOut,
            },
            employment_types: details
                .employment_types
                .iter()
                .copied()
                .map(EmploymentType)
                .collect(),
            location_types: details
                .location_types
                .iter()
                .copied()
                .map(LocationType)
                .collect(),
            location_country_code: details.location_country_code.map(CountryCode::as_str),
            location_city: details.location_city.as_deref(),
            latitude: coordinates.map(|place| place.latitude),
            longitude: coordinates.map(|place| place.longitude),
            salary_min: details.salary_min,
            salary_max: details.salary_max,
            salary_currency_code: details.salary_currency_code.map(CurrencyCode::as_str),
            salary_period: details.salary_period.map(SalaryPeriod),
            application_email: details.application_email.as_deref(),
            application_url: details.application_url.as_deref(),
            metadata: details
                .metadata
                .as_ref()
                .map(|metadata| Verbatim(metadata.as_str())),
            company: Company::from(company),
            duplicate_of: posting
                .duplicate_of
                .as_ref()
                .map(|original| original.id.uuid()),
            is_featured: posting.is_featured,
            published_at: posting.published_at.map(Timestamp),
            expire_at: posting.expire_at.map(Timestamp),
            expired_at: posting.expired_at.map(Timestamp),
            expiration_reason: details.expiration_reason.as_deref(),
            created_at: Timestamp(posting.created_at),
            updated_at: Timestamp(posting.updated_at),
            created_by: posting.created_by.as_ref().map(ToString::to_string),
            updated_by: posting.updated_by.as_ref().map(ToString::to_string),
        }
    }
}

/// A text that enrichment makes.
#[derive(Clone, Copy, Serialize)]
#[serde(untagged)]
enum Text<'a> {
    /// The text was not asked for.
    LeftOut,
    /// As it was made, if it was.
    Made(Option<&'a str>),
}

impl Text<'_> {
    const fn is_left_out(&self) -> bool {
        matches!(self, Self::LeftOut)
    }
}

/// An entry of a posting's history.
#[derive(Serialize, ToSchema)]
struct HistoryEntry<'a> {
    /// The status that began.
    status: Status,
    /// The time of the change.
    #[schema(value_type = OffsetDateTime)]
    at: Timestamp,
    /// The reason, if there is one.
    reason: Option<&'a str>,
    /// The actor: `client:ID`, `catalogue:NAME`, `operator:NAME`, `enricher`, `operator` or
    /// `lifetime`.
    #[schema(pattern = "^(client:.+|catalogue:.+|operator:.+|enricher|operator|lifetime)$")]
    by: String,
}

impl<'a> HistoryEntry<'a> {
    fn new(entry: &'a posting::HistoryEntry) -> Self {
        Self {
            status: Status(entry.status),
            at: Timestamp(entry.at),
            reason: entry.reason.as_deref(),
            by: entry.by.to_string(),
        }
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
    fn a_page_is_written_as_it_is_described() {
        let mut page = page_of(10);
        page.postings.extend(page_of(20).postings);
        let shown = page.postings.iter();
        let shown: Vec<_> = shown.map(|it| Posting::new(it, Texts::All, None)).collect();
        let expect = json!({"data": shown, "next_cursor": null});
        let written = write_page(&page, Texts::All, None, PAGE_BYTES).unwrap();
        let written: Value = serde_json::from_slice(&written).unwrap();
        assert_eq!(written, expect);
    }

    #[test]
    fn texts_that_are_left_out_are_absent() {
        let keys = |view: &PostingView, texts| {
            let posting = serde_json::to_value(Posting::new(view, texts, None)).unwrap();
            let keys = posting.as_object().unwrap().keys().cloned();
            let texts: Vec<_> = keys.filter(|key| key.contains("description")).collect();
            texts.join(" ")
        };
        let enriched = view_of(1);
        let new = PostingView {
            texts: None,
            ..view_of(1)
        };
        for (texts, shown) in [
            (
                Texts::All,
                "markdown_description markdown_redacted_description raw_description",
            ),
            (Texts::Redacted, "markdown_redacted_description"),
            (Texts::None, ""),
        ] {
            for view in [&enriched, &new] {
                let mut found: Vec<_> = keys(view, texts).split(' ').map(str::to_owned).collect();
                found.sort();
                assert_eq!(found.join(" "), shown);
            }
        }
    }

    async fn is_ready(mut future: Pin<&mut impl Future>) -> bool {
        poll_fn(|context| Poll::Ready(future.as_mut().poll(context).is_ready())).await
    }

    /// A large answer must not block the one thread, which also answers health checks.
    #[test]
    fn a_large_page_holds_up_nobody_while_it_is_written() {
        let runtime = Builder::new_current_thread()
            .max_blocking_threads(1)
            .build()
            .unwrap();
        runtime.block_on(async {
            let (go_on, wait) = mpsc::channel();
            let busy = spawn_blocking(move || wait.recv());
            assert!(is_ready(pin!(many(page_of(10), Texts::All, None))).await);
            let mut large = pin!(many(page_of(1 << 20), Texts::All, None));
            assert!(!is_ready(large.as_mut()).await, "it waits for its thread");
            go_on.send(()).unwrap();
            assert!(large.await.is_ok());
            busy.await.unwrap().unwrap();
        });
    }
}

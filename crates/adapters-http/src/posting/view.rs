//! A posting as an answer shows it.

use actix_web::HttpResponse;
use domain::{
    company::Company,
    posting::{CountryCode, CurrencyCode, HistoryEntry, PostingView, SalaryPeriod},
    store::{PAGE_BYTES, Position, PostingPage},
};
use serde::{Serialize, Serializer, ser::Error as _};
use serde_json::value::RawValue;
use uuid::Uuid;

pub use self::schema::schemas;
use super::cursor;
use crate::{
    answer::{self, Timestamp},
    error::ApiError,
};

mod schema;

/// The answer to a `GET` of one posting.
pub async fn one(view: PostingView) -> Result<HttpResponse, ApiError> {
    let bytes = size(&view);
    let write = |view: &PostingView| {
        let data = with_history(view);
        serde_json::to_vec(&Envelope { data })
    };
    answer::large_json(view, bytes, write).await
}

/// How large its texts are.
fn size(view: &PostingView) -> usize {
    let texts = view.texts.as_ref();
    view.description().len()
        + texts.map_or(0, |texts| {
            texts.markdown.len() + texts.redacted_markdown.len()
        })
}

/// A posting with its history: what that answer has under `data`, for others to print.
pub fn data(view: &PostingView) -> impl Serialize {
    with_history(view)
}

fn with_history(view: &PostingView) -> PostingBody<'_> {
    let history = view.history.iter().map(HistoryBody::new).collect();
    PostingBody {
        history: Some(history),
        ..PostingBody::new(view)
    }
}

/// A page of the list.
pub async fn many(page: PostingPage) -> Result<HttpResponse, ApiError> {
    let bytes = page.postings.iter().map(size).sum();
    answer::large_json(page, bytes, |page| write_page(page, PAGE_BYTES)).await
}

/// A page as JSON, which is larger than its texts. It ends before a posting with which it would be
/// larger than it may, but not before its first.
fn write_page(page: &PostingPage, most: usize) -> Result<Vec<u8>, serde_json::Error> {
    let mut json = br#"{"data":["#.to_vec();
    let mut next = page.next;
    let mut last = None;
    for view in &page.postings {
        let posting = serde_json::to_vec(&PostingBody::new(view))?;
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

#[derive(Serialize)]
struct Envelope<'a> {
    data: PostingBody<'a>,
}

#[derive(Serialize)]
struct PostingBody<'a> {
    uuid: Uuid,
    unique_source_identifier: &'a str,
    status: &'static str,
    status_reason: Option<&'a str>,
    title: &'a str,
    raw_description: &'a str,
    markdown_description: Option<&'a str>,
    markdown_redacted_description: Option<&'a str>,
    employment_types: Vec<&'static str>,
    location_types: Vec<&'static str>,
    location_country_code: Option<&'static str>,
    location_city: Option<&'a str>,
    latitude: Option<f64>,
    longitude: Option<f64>,
    salary_min: Option<i64>,
    salary_max: Option<i64>,
    salary_currency_code: Option<&'static str>,
    salary_period: Option<&'static str>,
    application_email: Option<&'a str>,
    application_url: Option<&'a str>,
    metadata: Option<Verbatim<'a>>,
    company: CompanyBody<'a>,
    is_featured: bool,
    published_at: Option<Timestamp>,
    expire_at: Option<Timestamp>,
    expired_at: Option<Timestamp>,
    expiration_reason: Option<&'a str>,
    created_at: Timestamp,
    updated_at: Timestamp,
    #[serde(skip_serializing_if = "Option::is_none")]
    history: Option<Vec<HistoryBody<'a>>>,
}

impl<'a> PostingBody<'a> {
    fn new(view: &'a PostingView) -> Self {
        let PostingView {
            posting,
            company,
            texts,
            coordinates,
            history: _,
        } = view;
        let details = &posting.details;
        Self {
            uuid: posting.id.uuid(),
            unique_source_identifier: posting.source_identifier.as_str(),
            status: posting.status.as_str(),
            status_reason: posting.status_reason.as_deref(),
            title: &details.title,
            raw_description: view.description(),
            markdown_description: texts.as_ref().map(|texts| texts.markdown.as_str()),
            markdown_redacted_description: texts
                .as_ref()
                .map(|texts| texts.redacted_markdown.as_str()),
            employment_types: details
                .employment_types
                .iter()
                .map(|t| t.as_str())
                .collect(),
            location_types: details.location_types.iter().map(|t| t.as_str()).collect(),
            location_country_code: details.location_country_code.map(CountryCode::as_str),
            location_city: details.location_city.as_deref(),
            latitude: coordinates.map(|place| place.latitude),
            longitude: coordinates.map(|place| place.longitude),
            salary_min: details.salary_min,
            salary_max: details.salary_max,
            salary_currency_code: details.salary_currency_code.map(CurrencyCode::as_str),
            salary_period: details.salary_period.map(SalaryPeriod::as_str),
            application_email: details.application_email.as_deref(),
            application_url: details.application_url.as_deref(),
            metadata: details
                .metadata
                .as_ref()
                .map(|metadata| Verbatim(metadata.as_str())),
            company: CompanyBody::new(company),
            is_featured: posting.is_featured,
            published_at: posting.published_at.map(Timestamp),
            expire_at: posting.expire_at.map(Timestamp),
            expired_at: posting.expired_at.map(Timestamp),
            expiration_reason: details.expiration_reason.as_deref(),
            created_at: Timestamp(posting.created_at),
            updated_at: Timestamp(posting.updated_at),
            history: None,
        }
    }
}

#[derive(Serialize)]
struct CompanyBody<'a> {
    uuid: Uuid,
    name: &'a str,
    website_url: &'a str,
    logo_path: Option<&'a str>,
}

impl<'a> CompanyBody<'a> {
    fn new(company: &'a Company) -> Self {
        Self {
            uuid: company.id.uuid(),
            name: &company.name,
            website_url: company.website.as_str(),
            logo_path: company.logo_path.as_deref(),
        }
    }
}

#[derive(Serialize)]
struct HistoryBody<'a> {
    status: &'static str,
    at: Timestamp,
    reason: Option<&'a str>,
    by: String,
}

impl<'a> HistoryBody<'a> {
    fn new(entry: &'a HistoryEntry) -> Self {
        Self {
            status: entry.status.as_str(),
            at: Timestamp(entry.at),
            reason: entry.reason.as_deref(),
            by: entry.by.to_string(),
        }
    }
}

/// JSON text as it is: what was sent comes back, to the digit.
struct Verbatim<'a>(&'a str);

impl Serialize for Verbatim<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let raw: &RawValue = serde_json::from_str(self.0).map_err(S::Error::custom)?;
        raw.serialize(serializer)
    }
}

#[cfg(test)]
mod tests {
    use std::{
        future::poll_fn,
        pin::{Pin, pin},
        sync::mpsc,
        task::Poll,
    };

    use domain::{
        company::{CompanyId, Website},
        enrichment::EnrichedTexts,
        testing,
    };
    use tokio::{runtime::Builder, task::spawn_blocking};

    use super::*;

    fn page_of(bytes: usize) -> PostingPage {
        let website = Website::parse("https://acme.example").unwrap();
        let company = Company {
            id: CompanyId::of(&website),
            name: "Acme".to_owned(),
            website,
            logo_path: None,
        };
        let view = PostingView {
            posting: testing::posting(1, company.id),
            company,
            texts: Some(EnrichedTexts {
                markdown: "x".repeat(bytes),
                redacted_markdown: String::new(),
            }),
            coordinates: None,
            history: Vec::new(),
        };
        PostingPage {
            postings: vec![view],
            next: None,
        }
    }

    async fn is_ready(mut future: Pin<&mut impl Future>) -> bool {
        poll_fn(|context| Poll::Ready(future.as_mut().poll(context).is_ready())).await
    }

    /// One thread answers health checks and everything else.
    #[test]
    fn a_large_page_holds_up_nobody_while_it_is_written() {
        let runtime = Builder::new_current_thread()
            .max_blocking_threads(1)
            .build()
            .unwrap();
        runtime.block_on(async {
            let (go_on, wait) = mpsc::channel();
            let busy = spawn_blocking(move || wait.recv());
            assert!(is_ready(pin!(many(page_of(10)))).await);
            let mut large = pin!(many(page_of(1 << 20)));
            assert!(!is_ready(large.as_mut()).await, "it waits for its thread");
            go_on.send(()).unwrap();
            assert!(large.await.is_ok());
            busy.await.unwrap().unwrap();
        });
    }
}

//! A row of `postings` or `posting_texts` as a value of the domain.

use diesel::{
    Queryable, Selectable,
    pg::{Pg, data_types::PgTimestamp},
};
use domain::{
    company::CompanyId,
    enrichment::{Coordinates, EnrichedTexts},
    posting::{
        ContentHash, CountryCode, CurrencyCode, Details, EmploymentType, LocationType, Metadata,
        Posting, PostingId, SalaryPeriod, SourceIdentifier, Status,
    },
    store::StoreError,
};
use uuid::Uuid;

use crate::{
    error::corrupt,
    schema::{posting_texts, postings},
    value::{digest, optional_time, optional_word, time, word, words},
};

#[derive(Queryable, Selectable)]
#[diesel(table_name = postings, check_for_backend(Pg))]
pub(super) struct PostingRow {
    id: Uuid,
    source_identifier: String,
    version: i64,
    status: String,
    status_reason: Option<String>,
    moderated: bool,
    company_id: Uuid,
    enriched_hash: Option<Vec<u8>>,
    is_featured: bool,
    published_at: Option<PgTimestamp>,
    expire_at: Option<PgTimestamp>,
    expired_at: Option<PgTimestamp>,
    created_at: PgTimestamp,
    updated_at: PgTimestamp,
    title: String,
    employment_types: Vec<String>,
    location_types: Vec<String>,
    location_country_code: Option<String>,
    location_city: Option<String>,
    salary_min: Option<i64>,
    salary_max: Option<i64>,
    salary_currency_code: Option<String>,
    salary_period: Option<String>,
    application_email: Option<String>,
    application_url: Option<String>,
    expiration_reason: Option<String>,
    metadata: Option<String>,
    raw_description: String,
}

impl TryFrom<PostingRow> for Posting {
    type Error = StoreError;

    fn try_from(row: PostingRow) -> Result<Self, StoreError> {
        let details = Details {
            title: row.title,
            raw_description: row.raw_description.into(),
            employment_types: words(
                &row.employment_types,
                EmploymentType::parse,
                "postings.employment_types",
            )?,
            location_types: words(
                &row.location_types,
                LocationType::parse,
                "postings.location_types",
            )?,
            location_country_code: optional_word(
                row.location_country_code.as_deref(),
                CountryCode::parse,
                "postings.location_country_code",
            )?,
            location_city: row.location_city,
            salary_min: row.salary_min,
            salary_max: row.salary_max,
            salary_currency_code: optional_word(
                row.salary_currency_code.as_deref(),
                CurrencyCode::parse,
                "postings.salary_currency_code",
            )?,
            salary_period: optional_word(
                row.salary_period.as_deref(),
                SalaryPeriod::parse,
                "postings.salary_period",
            )?,
            application_email: row.application_email,
            application_url: row.application_url,
            metadata: row.metadata.as_deref().map(Metadata::from_store),
            expiration_reason: row.expiration_reason,
        };
        let hash = row.enriched_hash.as_deref();
        let hash = hash
            .map(|bytes| digest(bytes, "postings.enriched_hash"))
            .transpose()?;
        Ok(Self {
            id: PostingId::new(row.id),
            source_identifier: identifier(&row.source_identifier)?,
            version: row.version,
            status: word(&row.status, Status::parse, "postings.status")?,
            status_reason: row.status_reason,
            moderated: row.moderated,
            details,
            company_id: CompanyId::new(row.company_id),
            enriched_hash: hash.map(ContentHash::from_bytes),
            is_featured: row.is_featured,
            published_at: optional_time(row.published_at, "postings.published_at")?,
            expire_at: optional_time(row.expire_at, "postings.expire_at")?,
            expired_at: optional_time(row.expired_at, "postings.expired_at")?,
            created_at: time(row.created_at, "postings.created_at")?,
            updated_at: time(row.updated_at, "postings.updated_at")?,
        })
    }
}

/// A source identifier back from its column.
pub(super) fn identifier(text: &str) -> Result<SourceIdentifier, StoreError> {
    SourceIdentifier::new(text).map_err(|_| corrupt("postings.source_identifier", text))
}

#[derive(Queryable, Selectable)]
#[diesel(table_name = posting_texts, check_for_backend(Pg))]
pub(super) struct TextsRow {
    latitude: Option<f64>,
    longitude: Option<f64>,
    markdown: String,
    redacted_markdown: String,
}

impl From<TextsRow> for (EnrichedTexts, Option<Coordinates>) {
    fn from(row: TextsRow) -> Self {
        let TextsRow {
            latitude,
            longitude,
            markdown,
            redacted_markdown,
        } = row;
        let coordinates = latitude
            .zip(longitude)
            .map(|(latitude, longitude)| Coordinates {
                latitude,
                longitude,
            });
        (
            EnrichedTexts {
                markdown,
                redacted_markdown,
            },
            coordinates,
        )
    }
}

//! A row of `postings` or `posting_texts` as a value of the domain.

use std::sync::Arc;

use diesel::{
    Queryable, Selectable,
    pg::{Pg, data_types::PgTimestamp},
};
use domain::{
    company::CompanyId,
    enrichment::{Coordinates, EnrichedTexts},
    posting::{ContentHash, Description, Details, Metadata, Posting, PostingId},
    store::{
        StoreError,
        stored::{coordinates, digest, optional_word, word, words},
    },
};
use uuid::Uuid;

use crate::{
    schema::{posting_texts, postings},
    value::{optional_time, time},
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
    approved_hash: Option<Vec<u8>>,
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
    description_digest: Vec<u8>,
}

impl PostingRow {
    /// The posting, with the text of its description if that was read: a column of its own,
    /// because it is large and rules do without.
    pub(super) fn posting(self, description: Option<String>) -> Result<Posting, StoreError> {
        let row = self;
        let details = Details {
            title: row.title,
            raw_description: Description::stored(
                digest(&row.description_digest, "postings.description_digest")?,
                description.map(Arc::from),
            ),
            employment_types: words(&row.employment_types, "postings.employment_types")?,
            location_types: words(&row.location_types, "postings.location_types")?,
            location_country_code: optional_word(
                row.location_country_code,
                "postings.location_country_code",
            )?,
            location_city: row.location_city,
            salary_min: row.salary_min,
            salary_max: row.salary_max,
            salary_currency_code: optional_word(
                row.salary_currency_code,
                "postings.salary_currency_code",
            )?,
            salary_period: optional_word(row.salary_period, "postings.salary_period")?,
            application_email: row.application_email,
            application_url: row.application_url,
            metadata: row.metadata.as_deref().map(Metadata::from_store),
            expiration_reason: row.expiration_reason,
        };
        let hash = |bytes: Option<Vec<u8>>, column: &str| {
            let hash = bytes.map(|bytes| digest(&bytes, column)).transpose()?;
            Ok::<_, StoreError>(hash.map(ContentHash::from_bytes))
        };
        Ok(Posting {
            id: PostingId::new(row.id),
            source_identifier: word(row.source_identifier, IDENTIFIER)?,
            version: row.version,
            status: word(row.status, "postings.status")?,
            status_reason: row.status_reason,
            moderated: row.moderated,
            details,
            company_id: CompanyId::new(row.company_id),
            enriched_hash: hash(row.enriched_hash, "postings.enriched_hash")?,
            approved_hash: hash(row.approved_hash, "postings.approved_hash")?,
            is_featured: row.is_featured,
            published_at: optional_time(row.published_at, "postings.published_at")?,
            expire_at: optional_time(row.expire_at, "postings.expire_at")?,
            expired_at: optional_time(row.expired_at, "postings.expired_at")?,
            created_at: time(row.created_at, "postings.created_at")?,
            updated_at: time(row.updated_at, "postings.updated_at")?,
        })
    }
}

/// The column of the identifiers, which is also read without the others.
pub(super) const IDENTIFIER: &str = "postings.source_identifier";

#[derive(Queryable, Selectable)]
#[diesel(table_name = posting_texts, check_for_backend(Pg))]
pub(super) struct TextsRow {
    latitude: Option<f64>,
    longitude: Option<f64>,
    markdown: String,
    redacted_markdown: String,
}

impl TextsRow {
    /// Where the posting is.
    pub(super) fn coordinates(&self) -> Option<Coordinates> {
        coordinates(self.latitude, self.longitude)
    }
}

impl From<TextsRow> for EnrichedTexts {
    fn from(row: TextsRow) -> Self {
        Self {
            markdown: row.markdown,
            redacted_markdown: row.redacted_markdown,
        }
    }
}

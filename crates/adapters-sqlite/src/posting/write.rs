//! Writing postings.

use diesel::SqliteConnection;
use domain::{
    enrichment::{Coordinates, EnrichedTexts},
    posting::{Metadata, Posting, PostingId, SalaryPeriod},
    store::{PostingWrite, StoreError},
};
use uuid::Uuid;

use super::history;
use crate::{
    error::Failure,
    statement::{Value, execute, statement},
    value::{join, micros},
};

statement! {
    Insert =
    "INSERT INTO postings (\
     version, status, status_reason, moderated, company_id, enriched_hash, approved_hash, \
     is_featured, published_at, expire_at, expired_at, updated_at, title, employment_types, location_types, \
     location_country_code, location_city, salary_min, salary_max, salary_currency_code, \
     salary_period, application_email, application_url, expiration_reason, metadata, \
     raw_description, description_digest, id, source_identifier, created_at) \
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"
}

statement! {
    Update =
    "UPDATE postings SET \
     version = ?, status = ?, status_reason = ?, moderated = ?, company_id = ?, \
     enriched_hash = ?, approved_hash = ?, is_featured = ?, published_at = ?, expire_at = ?, expired_at = ?, \
     updated_at = ?, title = ?, employment_types = ?, location_types = ?, \
     location_country_code = ?, location_city = ?, salary_min = ?, salary_max = ?, \
     salary_currency_code = ?, salary_period = ?, application_email = ?, application_url = ?, \
     expiration_reason = ?, metadata = ?, \
     raw_description = coalesce(?, raw_description), description_digest = ? \
     WHERE id = ? AND version = ?"
}

statement! {
    UpsertTexts =
    "INSERT INTO posting_texts (posting_id, latitude, longitude, markdown, redacted_markdown) \
     VALUES (?, ?, ?, ?, ?) \
     ON CONFLICT (posting_id) DO UPDATE SET latitude = excluded.latitude, \
     longitude = excluded.longitude, markdown = excluded.markdown, \
     redacted_markdown = excluded.redacted_markdown"
}

/// Writes a posting with what belongs to it. A version that is not the expected one is a
/// conflict, and so is an identifier that was taken.
pub(crate) fn write(conn: &mut SqliteConnection, write: &PostingWrite) -> Result<(), Failure> {
    let PostingWrite {
        expected,
        posting,
        sets_description: _,
        enriched,
        history,
    } = write;
    let id = posting.id.uuid();
    let columns = Columns::of(posting);
    let changing = changing(posting, &columns, write.description());
    if let Some(expected) = expected {
        let key = [(&id).into(), (*expected).into()];
        if execute::<Update>(conn, &[&changing[..], &key].concat())? == 0 {
            return Err(StoreError::Conflict.into());
        }
    } else {
        let fixed = [
            (&id).into(),
            posting.source_identifier.as_str().into(),
            micros(posting.created_at).into(),
        ];
        execute::<Insert>(conn, &[&changing[..], &fixed].concat())?;
    }
    if let Some((texts, coordinates)) = enriched {
        write_texts(conn, posting.id, texts, *coordinates)?;
    }
    history::add(conn, posting, history)
}

/// Values of columns that a posting does not hold as such.
struct Columns {
    company_id: Uuid,
    employment_types: String,
    location_types: String,
}

impl Columns {
    fn of(posting: &Posting) -> Self {
        let details = &posting.details;
        Self {
            company_id: posting.company_id.uuid(),
            employment_types: join(
                details.employment_types.iter().map(|word| word.as_str()),
                ',',
            ),
            location_types: join(details.location_types.iter().map(|word| word.as_str()), ','),
        }
    }
}

/// The values of the columns that may change in the life of a posting, in the order of both
/// statements. A description that stays is not sent.
fn changing<'a>(
    posting: &'a Posting,
    columns: &'a Columns,
    description: Option<&'a str>,
) -> [Value<'a>; 27] {
    let details = &posting.details;
    [
        posting.version.into(),
        posting.status.as_str().into(),
        (&posting.status_reason).into(),
        posting.moderated.into(),
        (&columns.company_id).into(),
        Value::Blob(
            posting
                .enriched_hash
                .as_ref()
                .map(|hash| hash.as_bytes().as_slice()),
        ),
        Value::Blob(
            posting
                .approved_hash
                .as_ref()
                .map(|hash| hash.as_bytes().as_slice()),
        ),
        posting.is_featured.into(),
        posting.published_at.map(micros).into(),
        posting.expire_at.map(micros).into(),
        posting.expired_at.map(micros).into(),
        micros(posting.updated_at).into(),
        (&details.title).into(),
        (&columns.employment_types).into(),
        (&columns.location_types).into(),
        details
            .location_country_code
            .as_ref()
            .map(|code| code.as_str())
            .into(),
        (&details.location_city).into(),
        details.salary_min.into(),
        details.salary_max.into(),
        details
            .salary_currency_code
            .as_ref()
            .map(|code| code.as_str())
            .into(),
        details.salary_period.map(SalaryPeriod::as_str).into(),
        (&details.application_email).into(),
        (&details.application_url).into(),
        (&details.expiration_reason).into(),
        details.metadata.as_ref().map(Metadata::as_str).into(),
        description.into(),
        Value::Blob(Some(details.raw_description.digest())),
    ]
}

fn write_texts(
    conn: &mut SqliteConnection,
    posting: PostingId,
    texts: &EnrichedTexts,
    coordinates: Option<Coordinates>,
) -> Result<(), Failure> {
    execute::<UpsertTexts>(
        conn,
        &[
            (&posting.uuid()).into(),
            coordinates.map(|at| at.latitude).into(),
            coordinates.map(|at| at.longitude).into(),
            (&texts.markdown).into(),
            (&texts.redacted_markdown).into(),
        ],
    )?;
    Ok(())
}

//! Writing postings.

use std::collections::{BTreeSet, HashMap};

use diesel::sql_types::{BigInt, Uuid as SqlUuid};
use diesel_async::AsyncPgConnection;
use domain::{
    enrichment::{Coordinates, EnrichedTexts},
    outbox::Effect,
    posting::{CountryCode, CurrencyCode, Metadata, Posting, PostingId, SalaryPeriod},
    store::{PostingWrite, StoreError, WriteSet},
};
use uuid::Uuid;

use super::history;
use crate::{
    error::Failure,
    statement::{
        Value, bigints, binaries, bools, doubles, execute, load, statement, texts, times, uuids,
    },
    value::{literal, timestamp},
};

statement! {
    /// The rows stay locked until the commit ends. Not as strongly as `FOR UPDATE`, which
    /// would keep others from adding rows that refer to them.
    Lock =
    "SELECT id, version FROM postings WHERE id = ANY(?) ORDER BY id FOR NO KEY UPDATE",
    returns (SqlUuid, BigInt)
}

statement! {
    Insert =
    "INSERT INTO postings (\
     id, version, status, status_reason, moderated, company_id, enriched_hash, is_featured, \
     published_at, expire_at, expired_at, updated_at, title, employment_types, location_types, \
     location_country_code, location_city, salary_min, salary_max, salary_currency_code, \
     salary_period, application_email, application_url, expiration_reason, metadata, \
     raw_description, source_identifier, created_at) \
     SELECT \
     id, version, status, status_reason, moderated, company_id, enriched_hash, is_featured, \
     published_at, expire_at, expired_at, updated_at, title, employment_types::text[], \
     location_types::text[], location_country_code, location_city, salary_min, salary_max, \
     salary_currency_code, salary_period, application_email, application_url, \
     expiration_reason, metadata::json, raw_description, source_identifier, created_at \
     FROM unnest(?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) \
     AS sent (\
     id, version, status, status_reason, moderated, company_id, enriched_hash, is_featured, \
     published_at, expire_at, expired_at, updated_at, title, employment_types, location_types, \
     location_country_code, location_city, salary_min, salary_max, salary_currency_code, \
     salary_period, application_email, application_url, expiration_reason, metadata, \
     raw_description, source_identifier, created_at) \
     ON CONFLICT DO NOTHING"
}

statement! {
    /// A description that stays is not sent, nor stored anew: PostgreSQL keeps a large value
    /// where it is if it gets back the very reference that the row holds.
    Update =
    "UPDATE postings SET \
     version = sent.version, status = sent.status, status_reason = sent.status_reason, \
     moderated = sent.moderated, company_id = sent.company_id, \
     enriched_hash = sent.enriched_hash, is_featured = sent.is_featured, \
     published_at = sent.published_at, expire_at = sent.expire_at, \
     expired_at = sent.expired_at, updated_at = sent.updated_at, title = sent.title, \
     employment_types = sent.employment_types::text[], \
     location_types = sent.location_types::text[], \
     location_country_code = sent.location_country_code, location_city = sent.location_city, \
     salary_min = sent.salary_min, salary_max = sent.salary_max, \
     salary_currency_code = sent.salary_currency_code, salary_period = sent.salary_period, \
     application_email = sent.application_email, application_url = sent.application_url, \
     expiration_reason = sent.expiration_reason, metadata = sent.metadata::json, \
     raw_description = coalesce(sent.raw_description, postings.raw_description) \
     FROM unnest(?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) \
     AS sent (\
     id, version, status, status_reason, moderated, company_id, enriched_hash, is_featured, \
     published_at, expire_at, expired_at, updated_at, title, employment_types, location_types, \
     location_country_code, location_city, salary_min, salary_max, salary_currency_code, \
     salary_period, application_email, application_url, expiration_reason, metadata, \
     raw_description) \
     WHERE postings.id = sent.id"
}

statement! {
    UpsertTexts =
    "INSERT INTO posting_texts (posting_id, latitude, longitude, markdown, redacted_markdown) \
     SELECT * FROM unnest(?, ?, ?, ?, ?) \
     ON CONFLICT (posting_id) DO UPDATE SET latitude = excluded.latitude, \
     longitude = excluded.longitude, markdown = excluded.markdown, \
     redacted_markdown = excluded.redacted_markdown"
}

/// Writes the postings of a commit with what belongs to them. A version that is not the
/// expected one is a conflict, and so is an identifier that was taken.
///
/// Every commit locks the postings that exist in the order of their ids, and only then adds
/// new ones in the order of their identifiers: two that meet wait for each other in one
/// direction only.
pub(crate) async fn write(conn: &mut AsyncPgConnection, writes: &WriteSet) -> Result<(), Failure> {
    lock(conn, writes).await?;
    let all: Vec<&PostingWrite> = writes.postings.values().collect();
    let (changed, mut new): (Vec<&PostingWrite>, Vec<&PostingWrite>) =
        all.iter().partition(|write| write.expected.is_some());
    new.sort_unstable_by(|a, b| {
        a.posting
            .source_identifier
            .cmp(&b.posting.source_identifier)
    });
    insert(conn, &new).await?;
    update(conn, &changed).await?;
    write_texts(conn, &all).await?;
    history::add(conn, &all).await
}

/// Locks the postings that the commit changes, and checks their versions. Those that it only
/// says something about are locked too: so the rows of the outbox that are for one posting are
/// numbered in the order of the commits that write them.
async fn lock(conn: &mut AsyncPgConnection, writes: &WriteSet) -> Result<(), Failure> {
    let written = writes.postings.values();
    let written = written.filter_map(|write| write.expected.map(|_| write.posting.id));
    let effects = writes
        .effects
        .iter()
        .map(|Effect::Enrich(posting)| *posting);
    let events = writes.events.iter().map(|event| event.posting);
    let is_new = |id: &PostingId| {
        let write = writes.postings.get(id);
        write.is_some_and(|write| write.expected.is_none())
    };
    let ids: BTreeSet<_> = written
        .chain(effects)
        .chain(events)
        .filter(|id| !is_new(id))
        .map(PostingId::uuid)
        .collect();
    if ids.is_empty() {
        return Ok(());
    }
    let ids = [Value::Uuids(ids.into_iter().collect())];
    let found: Vec<(Uuid, i64)> = load::<Lock, _>(conn, &ids).await?;
    let versions: HashMap<_, _> = found.into_iter().collect();
    let is_as_expected = |write: &PostingWrite| {
        write.expected.is_none()
            || versions.get(&write.posting.id.uuid()).copied() == write.expected
    };
    if writes.postings.values().all(is_as_expected) {
        Ok(())
    } else {
        Err(StoreError::Conflict.into())
    }
}

async fn insert(conn: &mut AsyncPgConnection, new: &[&PostingWrite]) -> Result<(), Failure> {
    if new.is_empty() {
        return Ok(());
    }
    let rows: Vec<_> = new.iter().map(|write| Row::of(write)).collect();
    let mut columns = changing(&rows);
    columns.extend([
        texts(&rows, |row| Some(row.posting.source_identifier.as_str())),
        times(&rows, |row| Some(timestamp(row.posting.created_at))),
    ]);
    if execute::<Insert>(conn, &columns).await? == rows.len() {
        Ok(())
    } else {
        Err(StoreError::Conflict.into())
    }
}

async fn update(conn: &mut AsyncPgConnection, changed: &[&PostingWrite]) -> Result<(), Failure> {
    if changed.is_empty() {
        return Ok(());
    }
    let rows: Vec<_> = changed.iter().map(|write| Row::of(write)).collect();
    execute::<Update>(conn, &changing(&rows)).await?;
    Ok(())
}

/// A posting, with values of columns that it does not hold as such.
struct Row<'a> {
    posting: &'a Posting,
    description: Option<&'a str>,
    employment_types: String,
    location_types: String,
}

impl<'a> Row<'a> {
    fn of(write: &'a PostingWrite) -> Self {
        let details = &write.posting.details;
        Self {
            posting: &write.posting,
            description: write.description(),
            employment_types: literal(details.employment_types.iter().map(|word| word.as_str())),
            location_types: literal(details.location_types.iter().map(|word| word.as_str())),
        }
    }
}

/// The id, and the columns that may change in the life of a posting, in the order of both
/// statements.
fn changing<'a>(rows: &'a [Row<'a>]) -> Vec<Value<'a>> {
    vec![
        uuids(rows, |row| row.posting.id.uuid()),
        bigints(rows, |row| Some(row.posting.version)),
        texts(rows, |row| Some(row.posting.status.as_str())),
        texts(rows, |row| row.posting.status_reason.as_deref()),
        bools(rows, |row| row.posting.moderated),
        uuids(rows, |row| row.posting.company_id.uuid()),
        binaries(rows, |row| {
            let hash = row.posting.enriched_hash.as_ref();
            hash.map(|hash| hash.as_bytes().as_slice())
        }),
        bools(rows, |row| row.posting.is_featured),
        times(rows, |row| row.posting.published_at.map(timestamp)),
        times(rows, |row| row.posting.expire_at.map(timestamp)),
        times(rows, |row| row.posting.expired_at.map(timestamp)),
        times(rows, |row| Some(timestamp(row.posting.updated_at))),
        texts(rows, |row| Some(&row.posting.details.title)),
        texts(rows, |row| Some(&row.employment_types)),
        texts(rows, |row| Some(&row.location_types)),
        texts(rows, |row| {
            let code = row.posting.details.location_country_code;
            code.map(CountryCode::as_str)
        }),
        texts(rows, |row| row.posting.details.location_city.as_deref()),
        bigints(rows, |row| row.posting.details.salary_min),
        bigints(rows, |row| row.posting.details.salary_max),
        texts(rows, |row| {
            let code = row.posting.details.salary_currency_code;
            code.map(CurrencyCode::as_str)
        }),
        texts(rows, |row| {
            row.posting.details.salary_period.map(SalaryPeriod::as_str)
        }),
        texts(rows, |row| row.posting.details.application_email.as_deref()),
        texts(rows, |row| row.posting.details.application_url.as_deref()),
        texts(rows, |row| row.posting.details.expiration_reason.as_deref()),
        texts(rows, |row| {
            row.posting.details.metadata.as_ref().map(Metadata::as_str)
        }),
        texts(rows, |row| row.description),
    ]
}

async fn write_texts(conn: &mut AsyncPgConnection, all: &[&PostingWrite]) -> Result<(), Failure> {
    type Enriched = (EnrichedTexts, Option<Coordinates>);

    let rows: Vec<(PostingId, &Enriched)> = all
        .iter()
        .filter_map(|write| Some((write.posting.id, write.enriched.as_ref()?)))
        .collect();
    if rows.is_empty() {
        return Ok(());
    }
    let columns = [
        uuids(&rows, |(id, _)| id.uuid()),
        doubles(&rows, |(_, (_, at))| at.map(|at| at.latitude)),
        doubles(&rows, |(_, (_, at))| at.map(|at| at.longitude)),
        texts(&rows, |(_, (texts, _))| Some(&texts.markdown)),
        texts(&rows, |(_, (texts, _))| Some(&texts.redacted_markdown)),
    ];
    execute::<UpsertTexts>(conn, &columns).await?;
    Ok(())
}

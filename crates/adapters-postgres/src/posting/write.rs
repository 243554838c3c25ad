//! Postings as a commit writes them.

use std::collections::HashMap;

use diesel::sql_types::{BigInt, Uuid as SqlUuid};
use diesel_async::AsyncPgConnection;
use domain::{
    Version,
    enrichment::{Coordinates, EnrichedTexts},
    posting::{CountryCode, CurrencyCode, Metadata, Posting, PostingId, SalaryPeriod},
    store::{PostingWrite, StoreError, WriteSet},
};
use uuid::Uuid;

use super::history;
use crate::{
    error::Failure,
    statement::{Value, bigints, binaries, bools, doubles, load, statement, texts, times, uuids},
    value::{literal, timestamp},
};

statement! {
    /// The rows stay locked until the commit ends. Not as strongly as `FOR UPDATE`, which
    /// would keep others from adding rows that refer to them. From here on the transaction waits
    /// for a lock as long as is said first.
    Lock =
    "WITH patience AS MATERIALIZED (SELECT set_config('lock_timeout', ?, true)) \
     SELECT id, version FROM postings \
     WHERE (SELECT count(*) FROM patience) >= 0 AND id = ANY(?) ORDER BY id FOR NO KEY UPDATE",
    returns (SqlUuid, BigInt)
}

/// What a commit that is one statement has to lock. Nothing, if it never waits for a posting while
/// it holds what others may wait for: because it only adds postings, or is about a single one and
/// changes nothing else that others write.
pub(crate) fn locks(writes: &WriteSet) -> Vec<Uuid> {
    let concerned = writes.concerned();
    let is_single = concerned.len() == 1 && writes.postings.len() == 1;
    if is_single
        && writes.companies.is_empty()
        && concerned.iter().all(|id| writes.postings.contains_key(id))
    {
        return Vec::new();
    }
    concerned.into_iter().map(PostingId::uuid).collect()
}

/// Locks the postings that a commit changes, in the order of their ids, and checks their versions.
/// Those that it only says something about are locked too: so the rows of the outbox that are for
/// one posting are numbered in the order of the commits that write them.
pub(crate) async fn lock(
    conn: &mut AsyncPgConnection,
    writes: &WriteSet,
    patience: &str,
) -> Result<(), Failure> {
    let ids: Vec<_> = writes
        .concerned()
        .into_iter()
        .map(PostingId::uuid)
        .collect();
    if ids.is_empty() {
        return Ok(());
    }
    let found: Vec<(Uuid, i64)> =
        load::<Lock, _>(conn, &[Value::Text(patience), Value::Uuids(ids)]).await?;
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

/// The postings of a commit, as the rows of its statement.
pub(crate) struct Rows<'a> {
    changed: Vec<Row<'a>>,
    new: Vec<Row<'a>>,
    texts: Vec<(PostingId, &'a Enriched)>,
    history: Vec<history::Row<'a>>,
}

type Enriched = (EnrichedTexts, Option<Coordinates>);

impl<'a> Rows<'a> {
    /// Those that exist are in the order of their ids, new ones in that of their identifiers.
    pub(crate) fn of(writes: &'a WriteSet) -> Self {
        let all = || writes.postings.values();
        let (changed, mut new): (Vec<_>, Vec<_>) =
            all().partition(|write| write.expected.is_some());
        new.sort_unstable_by_key(|write| &write.posting.source_identifier);
        Self {
            changed: changed.into_iter().map(Row::of).collect(),
            new: new.into_iter().map(Row::of).collect(),
            texts: all()
                .filter_map(|write| Some((write.posting.id, write.enriched.as_ref()?)))
                .collect(),
            history: all().flat_map(history::rows).collect(),
        }
    }

    /// How many are new, and how many exist.
    pub(crate) fn counts(&self) -> [usize; 2] {
        [self.new.len(), self.changed.len()]
    }

    /// The columns: of new ones, of those that exist, of the texts and of the history.
    pub(crate) fn columns(&self) -> Vec<Value<'_>> {
        let mut columns = changing(&self.new);
        columns.extend([
            texts(&self.new, |row| {
                Some(row.posting.source_identifier.as_str())
            }),
            times(&self.new, |row| Some(timestamp(row.posting.created_at))),
        ]);
        columns.extend(changing(&self.changed));
        columns.push(bigints(&self.changed, |row| row.expected));
        columns.extend(of_texts(&self.texts));
        columns.extend(history::columns(&self.history));
        columns
    }
}

/// A posting, with values of columns that it does not hold as such.
struct Row<'a> {
    posting: &'a Posting,
    expected: Option<Version>,
    description: Option<&'a str>,
    employment_types: String,
    location_types: String,
}

impl<'a> Row<'a> {
    fn of(write: &'a PostingWrite) -> Self {
        let details = &write.posting.details;
        Self {
            posting: &write.posting,
            expected: write.expected,
            description: write.description(),
            employment_types: literal(details.employment_types.iter().map(|word| word.as_str())),
            location_types: literal(details.location_types.iter().map(|word| word.as_str())),
        }
    }
}

/// The id, and the columns that may change in the life of a posting, in their order.
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
        binaries(rows, |row| {
            let hash = row.posting.approved_hash.as_ref();
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
        binaries(rows, |row| {
            Some(row.posting.details.raw_description.digest().as_slice())
        }),
    ]
}

fn of_texts<'a>(rows: &'a [(PostingId, &'a Enriched)]) -> [Value<'a>; 5] {
    [
        uuids(rows, |(id, _)| id.uuid()),
        doubles(rows, |(_, (_, at))| at.map(|at| at.latitude)),
        doubles(rows, |(_, (_, at))| at.map(|at| at.longitude)),
        texts(rows, |(_, (texts, _))| Some(&texts.markdown)),
        texts(rows, |(_, (texts, _))| Some(&texts.redacted_markdown)),
    ]
}

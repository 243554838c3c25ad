//! The table `posting_signatures`, by which duplicates are found.

use diesel::{
    Queryable,
    sql_types::{BigInt, Binary, Nullable, Text},
};
use domain::posting::duplicate::{
    BANDS, CANDIDATES, Candidate, DatedFingerprint, Fingerprint, MinHash,
};
use kernel::{PostingId, Status, StoreError};
use time::OffsetDateTime;
use uuid::Uuid;

use crate::{
    entity,
    posting::{CREATOR, IDENTIFIER, original},
    stored::{corrupt, parse, parse_optional},
    types::{Id, Moment, StoredId, StoredTime},
    value::Value,
};

/// The fingerprint of a posting as it is written.
#[derive(Clone, Debug)]
pub struct FingerprintRecord {
    posting: PostingId,
    bands: [i64; BANDS],
    signature: Vec<u8>,
    since: OffsetDateTime,
    /// The signature of the first content, if that is another one.
    first: Option<Vec<u8>>,
}

impl FingerprintRecord {
    /// The record of a posting's fingerprint.
    pub fn of(posting: PostingId, dated: &DatedFingerprint) -> Self {
        let signature = &dated.fingerprint.signature;
        Self {
            posting,
            bands: dated.fingerprint.bands,
            signature: signature.to_bytes(),
            since: dated.since,
            first: (dated.first != *signature).then(|| dated.first.to_bytes()),
        }
    }
}

entity! {
    /// The fingerprint of a posting.
    FingerprintRow = posting_signatures (posting_id) of FingerprintRecord {
        fixed {
            posting_id: Id = Id(|record| Some(record.posting.uuid())),
        }
        changing {
            band_1: BigInt = Integer(|record| Some(record.bands[0])),
            band_2: BigInt = Integer(|record| Some(record.bands[1])),
            band_3: BigInt = Integer(|record| Some(record.bands[2])),
            band_4: BigInt = Integer(|record| Some(record.bands[3])),
            signature: Binary = Blob(|record| Some(&record.signature)),
            since: Moment = Time(|record| Some(record.since)),
            first_signature: Nullable<Binary> = Blob(|record| record.first.as_deref()),
        }
        apart {}
    }
}

/// The query for candidates, with a condition on them.
#[macro_export]
macro_rules! candidates {
    ($($condition:literal),+ $(,)?) => {
        concat!(
            "SELECT posting_id, source_identifier, version, status, created_by,              duplicate_of, duplicate_identifier,              band_1, band_2, band_3, band_4, signature, since, first_signature              FROM posting_signatures JOIN postings ON postings.id = posting_id              WHERE ",
            $($condition),+
        )
    };
}

/// The SQL types of a [`CandidateRow`].
pub type CandidateColumns = (
    Id,
    Text,
    BigInt,
    Text,
    Nullable<Text>,
    Nullable<Id>,
    Nullable<Text>,
    BigInt,
    BigInt,
    BigInt,
    BigInt,
    Binary,
    Moment,
    Nullable<Binary>,
);

/// A posting with its fingerprint.
#[derive(Debug, Queryable)]
pub struct CandidateRow {
    id: StoredId,
    source_identifier: String,
    version: i64,
    status: String,
    created_by: Option<String>,
    duplicate_of: Option<StoredId>,
    duplicate_identifier: Option<String>,
    band_1: i64,
    band_2: i64,
    band_3: i64,
    band_4: i64,
    signature: Vec<u8>,
    since: StoredTime,
    first: Option<Vec<u8>>,
}

/// A posting that may be an original or a copy.
pub fn candidate(row: CandidateRow) -> Result<Candidate, StoreError> {
    let status: Status = parse(row.status, "postings.status")?;
    let fingerprint = Fingerprint {
        bands: [row.band_1, row.band_2, row.band_3, row.band_4],
        signature: signature(&row.signature, "posting_signatures.signature")?,
    };
    let first = match row.first {
        Some(first) => signature(&first, "posting_signatures.first_signature")?,
        None => fingerprint.signature,
    };
    Ok(Candidate {
        id: PostingId::new(row.id.uuid("posting_signatures.posting_id")?),
        source_identifier: parse(row.source_identifier, IDENTIFIER)?,
        version: row.version,
        is_open: status.is_open(),
        created_by: parse_optional(row.created_by, CREATOR)?,
        duplicate_of: original(row.duplicate_of, row.duplicate_identifier)?,
        dated: DatedFingerprint {
            fingerprint,
            since: row.since.time("posting_signatures.since")?,
            first,
        },
    })
}

fn signature(bytes: &[u8], column: &str) -> Result<MinHash, StoreError> {
    let signature = MinHash::from_bytes(bytes);
    signature.ok_or_else(|| corrupt(column, format_args!("{} bytes", bytes.len())))
}

/// A largest number of candidates, to bind: that of a band, or another one.
pub fn limit<'a>(of_page: Option<usize>) -> Value<'a> {
    let limit = of_page.unwrap_or(CANDIDATES);
    i64::try_from(limit).unwrap_or(i64::MAX).into()
}

/// What the id of a copy has to be behind, to bind.
pub fn behind<'a>(after: Option<PostingId>) -> Value<'a> {
    after.map_or(Uuid::nil(), PostingId::uuid).into()
}

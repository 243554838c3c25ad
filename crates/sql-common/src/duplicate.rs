//! The table `posting_sketches`, by which duplicates are found.

use diesel::sql_types::{BigInt, Binary, Nullable, Text};
use domain::{
    enrichment::Sketch,
    posting::{
        PostingId, Status,
        duplicate::{BANDS, CANDIDATES, Candidate, Fingerprint},
    },
    store::StoreError,
};

use crate::{
    entity,
    posting::IDENTIFIER,
    stored::{corrupt, parse},
    types::{Id, StoredId},
    value::Value,
};

/// The fingerprint of a posting as it is written.
#[derive(Clone, Debug)]
pub struct FingerprintRecord {
    posting: PostingId,
    bands: [i64; BANDS],
    sketch: Vec<u8>,
}

impl FingerprintRecord {
    /// The record of a posting's fingerprint.
    pub fn of(posting: PostingId, fingerprint: &Fingerprint) -> Self {
        Self {
            posting,
            bands: fingerprint.bands,
            sketch: fingerprint.sketch.to_bytes(),
        }
    }
}

entity! {
    /// The fingerprint of a posting.
    FingerprintRow = posting_sketches (posting_id) of FingerprintRecord {
        fixed {
            posting_id: Id = Id(|record| Some(record.posting.uuid())),
        }
        changing {
            band_1: BigInt = Integer(|record| Some(record.bands[0])),
            band_2: BigInt = Integer(|record| Some(record.bands[1])),
            band_3: BigInt = Integer(|record| Some(record.bands[2])),
            band_4: BigInt = Integer(|record| Some(record.bands[3])),
            sketch: Binary = Blob(|record| Some(&record.sketch)),
        }
        apart {}
    }
}

/// The query for candidates, by the ids that these four queries find: the oldest of each band.
#[macro_export]
macro_rules! candidates {
    ($first:literal, $second:literal, $third:literal, $fourth:literal) => {
        concat!(
            "SELECT posting_id, source_identifier, status, duplicate_of, \
             band_1, band_2, band_3, band_4, sketch \
             FROM posting_sketches JOIN postings ON postings.id = posting_id \
             WHERE posting_id IN (",
            $first,
            " UNION ",
            $second,
            " UNION ",
            $third,
            " UNION ",
            $fourth,
            ") ORDER BY posting_id"
        )
    };
}

/// The SQL types of a [`CandidateRow`].
pub type CandidateColumns = (
    Id,
    Text,
    Text,
    Nullable<Id>,
    BigInt,
    BigInt,
    BigInt,
    BigInt,
    Binary,
);

/// A posting with its fingerprint.
pub type CandidateRow = (
    StoredId,
    String,
    String,
    Option<StoredId>,
    i64,
    i64,
    i64,
    i64,
    Vec<u8>,
);

/// A posting that others may duplicate.
pub fn candidate(row: CandidateRow) -> Result<Candidate, StoreError> {
    let (id, identifier, status, duplicate_of, first, second, third, fourth, sketch) = row;
    let status: Status = parse(status, "postings.status")?;
    let duplicate_of = duplicate_of.map(|id| id.uuid("postings.duplicate_of"));
    let sketch = Sketch::from_bytes(&sketch).ok_or_else(|| {
        corrupt(
            "posting_sketches.sketch",
            format_args!("{} bytes", sketch.len()),
        )
    })?;
    Ok(Candidate {
        id: PostingId::new(id.uuid("posting_sketches.posting_id")?),
        source_identifier: parse(identifier, IDENTIFIER)?,
        is_open: status.is_open(),
        duplicate_of: duplicate_of.transpose()?.map(PostingId::new),
        fingerprint: Fingerprint {
            bands: [first, second, third, fourth],
            sketch,
        },
    })
}

/// The largest number of candidates of a band, to bind.
pub fn limit<'a>() -> Value<'a> {
    i64::try_from(CANDIDATES).unwrap_or(i64::MAX).into()
}

//! The table `posting_signatures`, which finds duplicates.

use std::collections::{BTreeMap, BTreeSet, HashSet};

use diesel::sql_types::{BigInt, Binary, Nullable, Text};
use domain::posting::{
    Details,
    duplicate::{
        Apart, BANDS, CANDIDATES, Candidate, DatedFingerprint, Fingerprint, MinHash, Number, Offer,
    },
};
use kernel::{PostingId, Status, StoreError};
use time::OffsetDateTime;
use uuid::Uuid;

use crate::{
    binds, each, entity,
    entity::row,
    executor::{Executor, Outcome},
    posting::original,
    read, statement,
    stored::{Decode, corrupt, decoded, most},
    types::{Id, Moment, StoredId, TextList},
    value::Named,
};

#[derive(Clone, Debug)]
pub struct FingerprintRecord {
    posting: PostingId,
    bands: [i64; BANDS],
    signature: Vec<u8>,
    since: OffsetDateTime,
    /// The signature of the posting's first content, if it differs from `signature`.
    first: Option<Vec<u8>>,
}

impl FingerprintRecord {
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
    FingerprintRow = posting_signatures of FingerprintRecord {
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
    }
}

read! {
    KnownRow = postings {
        id: Id,
        source_identifier: Text,
        version: BigInt,
        status: Text,
        created_by: Nullable<Text>,
        duplicate_of: Nullable<Id>,
        duplicate_identifier: Nullable<Text>,
        company_id: Id,
        title: Text,
        employment_types: TextList,
        salary_min: Nullable<BigInt>,
        salary_max: Nullable<BigInt>,
        salary_currency_code: Nullable<Text>,
        salary_period: Nullable<Text>,
        requisition_id: Nullable<Text>,
    }
}

fn candidates_of(condition: &str) -> String {
    format!(
        "SELECT {{postings read}}, {{posting_signatures read}}
        FROM posting_signatures JOIN postings ON postings.id = posting_id
        WHERE {condition}"
    )
}

type CandidateRow = (KnownRow, FingerprintRow);

fn candidate((known, row): CandidateRow) -> Result<Candidate, StoreError> {
    let status: Status = known.status.decode("postings.status")?;
    let fingerprint = Fingerprint {
        bands: [row.band_1, row.band_2, row.band_3, row.band_4],
        signature: signature(&row.signature, "posting_signatures.signature")?,
    };
    let first = match row.first_signature {
        Some(first) => signature(&first, "posting_signatures.first_signature")?,
        None => fingerprint.signature,
    };
    let details = decoded!(known of postings => Details {
        title, employment_types, salary_min, salary_max, salary_currency_code, salary_period,
        requisition_id;
        ..Details::default()
    });
    let duplicate_of = original(known.duplicate_of, known.duplicate_identifier)?;
    Ok(decoded!(known of postings => Candidate {
        company: company_id, id, source_identifier, version, created_by;
        offer: Offer::of(&details),
        is_open: status.is_open(),
        duplicate_of,
        dated: DatedFingerprint {
            fingerprint,
            since: row.since.decode("posting_signatures.since")?,
            first,
        },
    }))
}

fn signature(bytes: &[u8], column: &str) -> Result<MinHash, StoreError> {
    let signature = MinHash::from_bytes(bytes);
    signature.ok_or_else(|| corrupt(column, format_args!("{} bytes", bytes.len())))
}

/// Selects postings that share a band. Each band has a limit, and the oldest content comes first.
fn near(of_band: fn(usize) -> String) -> String {
    let bands: Vec<_> = (1..=BANDS).map(of_band).collect();
    candidates_of(&format!("posting_id IN ({})", bands.join(" UNION ")))
}

statement! {
    Near = {
        postgres: &near(|band| {
            format!(
                "SELECT found.posting_id FROM unnest(:band_{band}::bigint[]) AS wanted (band)
                CROSS JOIN LATERAL (
                    SELECT posting_id FROM posting_signatures WHERE band_{band} = wanted.band
                    ORDER BY since, posting_id LIMIT :limit
                ) AS found"
            )
        }),
        sqlite: &near(|band| {
            format!(
                "SELECT * FROM (
                    SELECT posting_id FROM posting_signatures WHERE band_{band} = :band_{band}
                    ORDER BY since, posting_id LIMIT :limit
                )"
            )
        }),
    },
    returns CandidateRow;

    Meant = &candidates_of("posting_id = {each id}"),
    returns CandidateRow;

    Copies = {
        postgres: &candidates_of(
            "posting_id IN (
                SELECT found.id FROM unnest(:id::uuid[]) AS wanted (id) CROSS JOIN LATERAL (
                    SELECT id FROM postings JOIN posting_signatures ON posting_id = id
                    WHERE duplicate_of = wanted.id AND id > :after ORDER BY id LIMIT :limit
                ) AS found
            )
            ORDER BY posting_id LIMIT :limit"
        ),
        sqlite: &candidates_of(
            "duplicate_of = :id AND postings.id > :after ORDER BY postings.id LIMIT :limit"
        ),
    },
    returns CandidateRow;

    Numbered = {
        postgres: &candidates_of(
            "posting_id IN (
                SELECT found.id FROM unnest(:company::uuid[], :number::text[])
                    AS wanted (company, number)
                CROSS JOIN LATERAL (
                    SELECT id FROM postings JOIN posting_signatures ON posting_id = id
                    WHERE company_id = wanted.company AND requisition_id = wanted.number
                    ORDER BY since, id LIMIT :limit
                ) AS found
            )"
        ),
        sqlite: &candidates_of(
            "company_id = :company AND requisition_id = :number ORDER BY since, id LIMIT :limit"
        ),
    },
    returns CandidateRow
}

pub async fn numbered(conn: &mut impl Executor, numbers: &[Number]) -> Outcome<Vec<Candidate>> {
    let numbers = each! { numbers, (company, number) => company: company.uuid(), number: number };
    let asked = binds! { limit: most(CANDIDATES) };
    let found = conn.load_each::<Numbered>(&numbers, asked).await?;
    Ok(distinct(found)?.into_values().collect())
}

pub async fn candidates(
    conn: &mut impl Executor,
    fingerprints: &[Fingerprint],
    named: &[PostingId],
) -> Outcome<Vec<Candidate>> {
    let bands = fingerprints.iter().map(|it| it.bands);
    let bands = each! {
        bands, [band_1, band_2, band_3, band_4] => band_1, band_2, band_3, band_4,
    };
    let named = each_id(named);
    let (near, meant) = conn
        .load_two::<Near, Meant>([&bands, &named], binds! { limit: most(CANDIDATES) })
        .await?;
    Ok(distinct([near, meant].concat())?.into_values().collect())
}

pub async fn copies(
    conn: &mut impl Executor,
    of: &[PostingId],
    after: Option<PostingId>,
    limit: usize,
) -> Outcome<Vec<Candidate>> {
    let after = after.map_or(Uuid::nil(), PostingId::uuid);
    let asked = binds! { after, limit: most(limit) };
    let found = conn.load_each::<Copies>(&each_id(of), asked).await?;
    Ok(distinct(found)?.into_values().take(limit).collect())
}

fn each_id<'a>(ids: &[PostingId]) -> Vec<Vec<Named<'a>>> {
    each! { ids, id => id: id.uuid() }
}

fn distinct(rows: Vec<CandidateRow>) -> Result<BTreeMap<PostingId, Candidate>, StoreError> {
    let candidates = rows.into_iter().map(candidate);
    candidates.map(|it| it.map(|it| (it.id, it))).collect()
}

statement! {
    Upsert = r"
        INSERT INTO posting_signatures ({posting_signatures}) {posting_signatures rows}
        ON CONFLICT (posting_id) DO UPDATE SET {posting_signatures.changing = excluded}",
    over [FingerprintRow];

    Forget = {
        postgres: r"
            DELETE FROM posting_signatures WHERE posting_id IN (
                SELECT posting_id FROM posting_signatures JOIN postings ON postings.id = posting_id
                WHERE posting_id = ANY(:id) AND status NOT IN ('PendingEnrichment', 'approved')
                FOR UPDATE OF posting_signatures SKIP LOCKED
            )",
        sqlite: r"
            DELETE FROM posting_signatures WHERE posting_id = :id AND posting_id NOT IN (
                SELECT id FROM postings
                WHERE id = :id AND status IN ('PendingEnrichment', 'approved')
            )",
    }
}

pub async fn write(
    conn: &mut impl Executor,
    fingerprints: &BTreeMap<PostingId, Option<DatedFingerprint>>,
) -> Outcome<()> {
    let record = |(id, dated): (&PostingId, &Option<DatedFingerprint>)| {
        Some(FingerprintRecord::of(*id, dated.as_ref()?))
    };
    let records: Vec<_> = fingerprints.iter().filter_map(record).collect();
    let rows: Vec<_> = records.iter().map(row::<FingerprintRow>).collect();
    conn.execute_each::<Upsert>(&rows, &[]).await?;
    let gone = fingerprints.iter().filter(|(_, it)| it.is_none());
    let gone: Vec<_> = gone.map(|(id, _)| *id).collect();
    conn.execute_each::<Forget>(&each_id(&gone), &[]).await?;
    Ok(())
}

statement! {
    ToldApart = {
        postgres: r"
            SELECT one, other FROM distinct_postings
            JOIN unnest(:one::uuid[], :other::uuid[]) AS asked (one, other) USING (one, other)",
        sqlite: r"
            SELECT one, other FROM distinct_postings WHERE one = :one AND other = :other",
    },
    returns (Id, Id)
}

pub async fn told_apart(conn: &mut impl Executor, pairs: &[Apart]) -> Outcome<HashSet<Apart>> {
    let pairs = each! { pairs, [one, other] => one: one.uuid(), other: other.uuid() };
    let found = conn.load_each::<ToldApart>(&pairs, &[]).await?;
    let pair = |(one, other): (StoredId, StoredId)| {
        Ok([
            one.decode("distinct_postings.one")?,
            other.decode("distinct_postings.other")?,
        ])
    };
    found.into_iter().map(pair).collect()
}

statement! {
    TellApart = r"
        INSERT INTO distinct_postings (one, other) VALUES (:one, :other)
        ON CONFLICT (one, other) DO NOTHING"
}

pub async fn tell_apart(conn: &mut impl Executor, pairs: &BTreeSet<Apart>) -> Outcome<()> {
    for [one, other] in pairs {
        let pair = binds! { one: one.uuid(), other: other.uuid() };
        conn.execute::<TellApart>(pair).await?;
    }
    Ok(())
}

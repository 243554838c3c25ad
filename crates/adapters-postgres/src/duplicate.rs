//! The table `posting_sketches`.

use std::collections::BTreeMap;

use diesel_async::AsyncPgConnection;
use domain::posting::{
    PostingId,
    duplicate::{Candidate, Fingerprint},
};
use sql_common::{
    candidates,
    duplicate::{
        CandidateColumns, CandidateRow, FingerprintRecord, FingerprintRow, candidate, limit,
    },
};

use crate::{
    error::Failure,
    statement::{Value, bigints, columns, execute, load, statement},
};

statement! {
    Near = candidates!(
        "SELECT found.posting_id FROM unnest(?::bigint[]) AS wanted (band) CROSS JOIN LATERAL \
         (SELECT posting_id FROM posting_sketches \
         WHERE band_1 = wanted.band ORDER BY posting_id LIMIT ?) AS found",
        "SELECT found.posting_id FROM unnest(?::bigint[]) AS wanted (band) CROSS JOIN LATERAL \
         (SELECT posting_id FROM posting_sketches \
         WHERE band_2 = wanted.band ORDER BY posting_id LIMIT ?) AS found",
        "SELECT found.posting_id FROM unnest(?::bigint[]) AS wanted (band) CROSS JOIN LATERAL \
         (SELECT posting_id FROM posting_sketches \
         WHERE band_3 = wanted.band ORDER BY posting_id LIMIT ?) AS found",
        "SELECT found.posting_id FROM unnest(?::bigint[]) AS wanted (band) CROSS JOIN LATERAL \
         (SELECT posting_id FROM posting_sketches \
         WHERE band_4 = wanted.band ORDER BY posting_id LIMIT ?) AS found"
    ),
    returns CandidateColumns
}

/// Returns the postings that share a band with one of these fingerprints.
pub(crate) async fn near(
    conn: &mut AsyncPgConnection,
    fingerprints: &[Fingerprint],
) -> Result<Vec<Candidate>, Failure> {
    let mut values = Vec::new();
    for band in 0..domain::posting::duplicate::BANDS {
        values.push(bigints(fingerprints, |it| Some(it.bands[band])));
        values.push(limit().into());
    }
    let rows: Vec<CandidateRow> = load::<Near, _>(conn, &values).await?;
    let candidates: Result<_, _> = rows.into_iter().map(candidate).collect();
    Ok(candidates?)
}

statement! {
    Upsert =
    "INSERT INTO posting_sketches ({posting_sketches}) \
     SELECT * FROM unnest({posting_sketches ?}) \
     ON CONFLICT (posting_id) DO UPDATE SET {posting_sketches.changing = excluded}",
    over [FingerprintRow]
}

statement! {
    /// Leaves out what another commit is writing.
    Forget =
    "DELETE FROM posting_sketches WHERE posting_id IN ( \
         SELECT posting_id FROM posting_sketches JOIN postings ON postings.id = posting_id \
         WHERE posting_id = ANY(?) AND status NOT IN ('PendingEnrichment', 'approved') \
         FOR UPDATE OF posting_sketches SKIP LOCKED)"
}

/// Writes fingerprints, and takes away those of postings that are not open.
pub(crate) async fn write(
    conn: &mut AsyncPgConnection,
    fingerprints: &BTreeMap<PostingId, Option<Fingerprint>>,
) -> Result<(), Failure> {
    let record = |(id, fingerprint): (&PostingId, &Option<Fingerprint>)| {
        let fingerprint = fingerprint.as_ref()?;
        Some(FingerprintRecord::of(*id, fingerprint))
    };
    let records: Vec<_> = fingerprints.iter().filter_map(record).collect();
    if !records.is_empty() {
        let values: Vec<_> = columns::<FingerprintRow>(records.iter()).collect();
        execute::<Upsert>(conn, &values).await?;
    }
    let gone = fingerprints.iter().filter(|(_, it)| it.is_none());
    let gone: Vec<_> = gone.map(|(id, _)| id.uuid()).collect();
    if !gone.is_empty() {
        execute::<Forget>(conn, &[Value::Uuids(gone)]).await?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        statement::Sql,
        tests::plans::{assert_uses_index, plan_of_millions},
    };

    #[tokio::test]
    async fn candidates_are_found_by_their_bands() {
        let plan = plan_of_millions(Near::text()).await;
        for band in 1..=4 {
            assert_uses_index(&plan, &format!("posting_sketches_by_band_{band}"));
        }
    }
}

//! The table `posting_signatures`.

use std::collections::BTreeMap;

use diesel_async::AsyncPgConnection;
use domain::posting::duplicate::{BANDS, Candidate, DatedFingerprint, Fingerprint};
use kernel::PostingId;
use sql_common::{
    candidates,
    duplicate::{
        CandidateColumns, CandidateRow, FingerprintRecord, FingerprintRow, behind, candidate, limit,
    },
    sql::Returning,
};

use crate::{
    error::Failure,
    statement::{Value, bigints, columns, execute, load, statement, uuids},
};

statement! {
    Near = candidates!(
        "posting_id IN (",
        "SELECT found.posting_id FROM unnest(?::bigint[]) AS wanted (band) CROSS JOIN LATERAL \
         (SELECT posting_id FROM posting_signatures \
         WHERE band_1 = wanted.band ORDER BY since, posting_id LIMIT ?) AS found UNION ",
        "SELECT found.posting_id FROM unnest(?::bigint[]) AS wanted (band) CROSS JOIN LATERAL \
         (SELECT posting_id FROM posting_signatures \
         WHERE band_2 = wanted.band ORDER BY since, posting_id LIMIT ?) AS found UNION ",
        "SELECT found.posting_id FROM unnest(?::bigint[]) AS wanted (band) CROSS JOIN LATERAL \
         (SELECT posting_id FROM posting_signatures \
         WHERE band_3 = wanted.band ORDER BY since, posting_id LIMIT ?) AS found UNION ",
        "SELECT found.posting_id FROM unnest(?::bigint[]) AS wanted (band) CROSS JOIN LATERAL \
         (SELECT posting_id FROM posting_signatures \
         WHERE band_4 = wanted.band ORDER BY since, posting_id LIMIT ?) AS found UNION ",
        "SELECT unnest(?::uuid[])) ORDER BY posting_id"
    ),
    returns CandidateColumns
}

statement! {
    Copies = candidates!(
        "posting_id IN ( \
         SELECT found.id FROM unnest(?::uuid[]) AS wanted (id) CROSS JOIN LATERAL \
         (SELECT id FROM postings JOIN posting_signatures ON posting_id = id \
         WHERE duplicate_of = wanted.id AND id > ? ORDER BY id LIMIT ?) AS found) \
         ORDER BY posting_id LIMIT ?"
    ),
    returns CandidateColumns
}

/// Returns the postings that share a band with one of these fingerprints, and the named ones.
pub(crate) async fn candidates(
    conn: &mut AsyncPgConnection,
    fingerprints: &[Fingerprint],
    named: &[PostingId],
) -> Result<Vec<Candidate>, Failure> {
    let mut values = Vec::new();
    for band in 0..BANDS {
        values.push(bigints(fingerprints, |it| Some(it.bands[band])));
        values.push(limit(None).into());
    }
    values.push(uuids(named, |id| id.uuid()));
    candidates_of::<Near>(conn, &values).await
}

/// Returns the postings that are marked with one of these.
pub(crate) async fn copies(
    conn: &mut AsyncPgConnection,
    of: &[PostingId],
    after: Option<PostingId>,
    most: usize,
) -> Result<Vec<Candidate>, Failure> {
    let limit = || Value::from(limit(Some(most)));
    let of = uuids(of, |id| id.uuid());
    candidates_of::<Copies>(conn, &[of, behind(after).into(), limit(), limit()]).await
}

async fn candidates_of<S: Returning<Row = CandidateColumns>>(
    conn: &mut AsyncPgConnection,
    values: &[Value<'_>],
) -> Result<Vec<Candidate>, Failure> {
    let rows: Vec<CandidateRow> = load::<S, _>(conn, values).await?;
    let candidates: Result<_, _> = rows.into_iter().map(candidate).collect();
    Ok(candidates?)
}

statement! {
    Upsert =
    "INSERT INTO posting_signatures ({posting_signatures}) \
     SELECT * FROM unnest({posting_signatures ?}) \
     ON CONFLICT (posting_id) DO UPDATE SET {posting_signatures.changing = excluded}",
    over [FingerprintRow]
}

statement! {
    /// Leaves out what another commit is writing.
    Forget =
    "DELETE FROM posting_signatures WHERE posting_id IN ( \
         SELECT posting_id FROM posting_signatures JOIN postings ON postings.id = posting_id \
         WHERE posting_id = ANY(?) AND status NOT IN ('PendingEnrichment', 'approved') \
         FOR UPDATE OF posting_signatures SKIP LOCKED)"
}

/// Writes fingerprints, and takes away those of postings that are not open.
pub(crate) async fn write(
    conn: &mut AsyncPgConnection,
    fingerprints: &BTreeMap<PostingId, Option<DatedFingerprint>>,
) -> Result<(), Failure> {
    let record = |(id, dated): (&PostingId, &Option<DatedFingerprint>)| {
        Some(FingerprintRecord::of(*id, dated.as_ref()?))
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
        statement::Sql as _,
        tests::plans::{assert_uses_index, plan_of_millions},
    };

    #[tokio::test]
    async fn copies_are_found_by_their_original() {
        let plan = plan_of_millions(Copies::text()).await;
        assert_uses_index(&plan, "postings_by_original");
    }

    #[tokio::test]
    async fn candidates_are_found_by_their_bands() {
        let plan = plan_of_millions(Near::text()).await;
        for band in 1..=4 {
            assert_uses_index(&plan, &format!("posting_signatures_in_band_{band}"));
        }
    }
}

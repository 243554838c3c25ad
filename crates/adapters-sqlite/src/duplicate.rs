//! The table `posting_sketches`.

use std::collections::BTreeMap;

use diesel::SqliteConnection;
use domain::posting::{
    PostingId,
    duplicate::{Candidate, Fingerprint},
};
use sql_common::{
    candidates,
    duplicate::{
        CandidateColumns, CandidateRow, FingerprintRecord, FingerprintRow, candidate, limit,
    },
    statement,
};

use crate::{
    error::Failure,
    statement::{Value, execute, load, row},
};

statement! {
    Near = candidates!(
        "SELECT * FROM (SELECT posting_id FROM posting_sketches \
         WHERE band_1 = ? ORDER BY posting_id LIMIT ?)",
        "SELECT * FROM (SELECT posting_id FROM posting_sketches \
         WHERE band_2 = ? ORDER BY posting_id LIMIT ?)",
        "SELECT * FROM (SELECT posting_id FROM posting_sketches \
         WHERE band_3 = ? ORDER BY posting_id LIMIT ?)",
        "SELECT * FROM (SELECT posting_id FROM posting_sketches \
         WHERE band_4 = ? ORDER BY posting_id LIMIT ?)"
    ),
    returns CandidateColumns
}

/// Returns the postings that share a band with one of these fingerprints.
pub(crate) fn near(
    conn: &mut SqliteConnection,
    fingerprints: &[Fingerprint],
) -> Result<Vec<Candidate>, Failure> {
    let mut found = BTreeMap::new();
    for fingerprint in fingerprints {
        let bands = fingerprint.bands.iter();
        let values: Vec<_> = bands
            .flat_map(|band| [Value::from(*band), limit()])
            .collect();
        let rows: Vec<CandidateRow> = load::<Near, _>(conn, &values)?;
        for row in rows {
            let candidate = candidate(row)?;
            found.insert(candidate.id, candidate);
        }
    }
    Ok(found.into_values().collect())
}

statement! {
    Upsert =
    "INSERT INTO posting_sketches ({posting_sketches}) VALUES ({posting_sketches ?}) \
     ON CONFLICT (posting_id) DO UPDATE SET {posting_sketches.changing = excluded}",
    over [FingerprintRow]
}

statement! {
    Forget =
    "DELETE FROM posting_sketches WHERE posting_id = ? AND posting_id NOT IN \
     (SELECT id FROM postings WHERE id = ? AND status IN ('PendingEnrichment', 'approved'))"
}

/// Writes fingerprints, and takes away those of postings that are not open.
pub(crate) fn write(
    conn: &mut SqliteConnection,
    fingerprints: &BTreeMap<PostingId, Option<Fingerprint>>,
) -> Result<(), Failure> {
    for (id, fingerprint) in fingerprints {
        if let Some(fingerprint) = fingerprint {
            let record = FingerprintRecord::of(*id, fingerprint);
            execute::<Upsert>(conn, &row::<FingerprintRow>(&record))?;
        } else {
            execute::<Forget>(conn, &[id.uuid().into(), id.uuid().into()])?;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{statement::Sql, tests::plan};

    #[tokio::test]
    async fn candidates_are_found_by_their_bands() {
        let plan = plan(Near::text()).await;
        for band in 1..=4 {
            let index = format!("INDEX posting_sketches_by_band_{band} (");
            assert!(plan.contains(&index), "{plan}");
        }
        assert!(!plan.contains("SCAN posting"), "{plan}");
        assert!(!plan.contains("FOR ORDER BY"), "{plan}");
    }
}

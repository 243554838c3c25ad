//! The table `posting_signatures`.

use std::collections::BTreeMap;

use diesel::SqliteConnection;
use domain::posting::duplicate::{Candidate, DatedFingerprint, Fingerprint};
use kernel::PostingId;
use sql_common::{
    candidates,
    duplicate::{
        CandidateColumns, CandidateRow, FingerprintRecord, FingerprintRow, behind, candidate, limit,
    },
    sql::Returning,
    statement,
};

use crate::{
    error::Failure,
    statement::{Value, execute, load, row},
};

statement! {
    Near = candidates!(
        "posting_id IN (",
        "SELECT * FROM (SELECT posting_id FROM posting_signatures \
         WHERE band_1 = ? ORDER BY since, posting_id LIMIT ?) UNION ",
        "SELECT * FROM (SELECT posting_id FROM posting_signatures \
         WHERE band_2 = ? ORDER BY since, posting_id LIMIT ?) UNION ",
        "SELECT * FROM (SELECT posting_id FROM posting_signatures \
         WHERE band_3 = ? ORDER BY since, posting_id LIMIT ?) UNION ",
        "SELECT * FROM (SELECT posting_id FROM posting_signatures \
         WHERE band_4 = ? ORDER BY since, posting_id LIMIT ?)) ORDER BY posting_id",
    ),
    returns CandidateColumns
}

statement! {
    Named = candidates!("posting_id = ?"), returns CandidateColumns
}

statement! {
    Copies = candidates!("duplicate_of = ? AND postings.id > ? ORDER BY postings.id LIMIT ?"),
    returns CandidateColumns
}

/// Returns the postings that share a band with one of these fingerprints, and the named ones.
pub(crate) fn candidates(
    conn: &mut SqliteConnection,
    fingerprints: &[Fingerprint],
    named: &[PostingId],
) -> Result<Vec<Candidate>, Failure> {
    let mut found = BTreeMap::new();
    for fingerprint in fingerprints {
        let bands = fingerprint.bands.iter();
        let values: Vec<_> = bands
            .flat_map(|band| [Value::from(*band), limit(None)])
            .collect();
        collect::<Near>(conn, &values, &mut found)?;
    }
    for id in named {
        collect::<Named>(conn, &[id.uuid().into()], &mut found)?;
    }
    Ok(found.into_values().collect())
}

/// Returns the postings that are marked with one of these.
pub(crate) fn copies(
    conn: &mut SqliteConnection,
    of: &[PostingId],
    after: Option<PostingId>,
    most: usize,
) -> Result<Vec<Candidate>, Failure> {
    let mut found = BTreeMap::new();
    for id in of {
        let values = [id.uuid().into(), behind(after), limit(Some(most))];
        collect::<Copies>(conn, &values, &mut found)?;
    }
    Ok(found.into_values().take(most).collect())
}

fn collect<S: Returning<Row = CandidateColumns>>(
    conn: &mut SqliteConnection,
    values: &[Value<'_>],
    found: &mut BTreeMap<PostingId, Candidate>,
) -> Result<(), Failure> {
    let rows: Vec<CandidateRow> = load::<S, _>(conn, values)?;
    for row in rows {
        let candidate = candidate(row)?;
        found.insert(candidate.id, candidate);
    }
    Ok(())
}

statement! {
    Upsert =
    "INSERT INTO posting_signatures ({posting_signatures}) VALUES ({posting_signatures ?}) \
     ON CONFLICT (posting_id) DO UPDATE SET {posting_signatures.changing = excluded}",
    over [FingerprintRow]
}

statement! {
    Forget =
    "DELETE FROM posting_signatures WHERE posting_id = ? AND posting_id NOT IN \
     (SELECT id FROM postings WHERE id = ? AND status IN ('PendingEnrichment', 'approved'))"
}

/// Writes fingerprints, and takes away those of postings that are not open.
pub(crate) fn write(
    conn: &mut SqliteConnection,
    fingerprints: &BTreeMap<PostingId, Option<DatedFingerprint>>,
) -> Result<(), Failure> {
    for (id, dated) in fingerprints {
        if let Some(dated) = dated {
            let record = FingerprintRecord::of(*id, dated);
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
    use crate::{statement::Sql as _, tests::plan};

    #[tokio::test]
    async fn candidates_are_found_by_their_bands() {
        let plan = plan(Near::text()).await;
        for band in 1..=4 {
            let index = format!("INDEX posting_signatures_in_band_{band} (");
            assert!(plan.contains(&index), "{plan}");
        }
        assert!(!plan.contains("SCAN posting"), "{plan}");
        assert!(!plan.contains("FOR ORDER BY"), "{plan}");
    }

    #[tokio::test]
    async fn copies_are_found_by_their_original() {
        let plan = plan(Copies::text()).await;
        let index = "INDEX postings_by_original (duplicate_of=? AND id>?)";
        assert!(plan.contains(index), "{plan}");
        assert!(!plan.contains("FOR ORDER BY"), "{plan}");
    }
}

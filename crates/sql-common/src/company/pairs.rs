use diesel::sql_types::{Bool, Nullable};
use domain::{
    company::{CompanyPair, CompanyPairView, PairKind},
    store::WriteSet,
};
use kernel::{CompanyId, StoreError};
use uuid::Uuid;

use super::views;
use crate::{
    binds,
    executor::{Executor, Outcome},
    statement,
    stored::{Decode, most},
    types::{Id, Moment, Read},
};

/// Selects pairs of companies that are not aliases, with the condition of a partial index.
fn pairs(kind: &str) -> String {
    format!(
        "SELECT one, other, is_similar, lookalike, since FROM company_pairs
        WHERE {kind} AND NOT is_apart AND (one, other) > (:one, :other)
            AND NOT EXISTS (
                SELECT 1 FROM companies WHERE id IN (one, other) AND alias_of IS NOT NULL
            )
        ORDER BY one, other LIMIT :limit"
    )
}

type PairColumns = (Id, Id, Bool, Nullable<Id>, Moment);

statement! {
    Similar = &pairs("is_similar"),
    returns PairColumns;

    Lookalikes = &pairs("lookalike IS NOT NULL"),
    returns PairColumns
}

fn company_pair(
    (one, other, is_similar, lookalike, since): Read<PairColumns>,
) -> Result<CompanyPair, StoreError> {
    Ok(CompanyPair {
        companies: [
            one.decode("company_pairs.one")?,
            other.decode("company_pairs.other")?,
        ],
        is_similar,
        lookalike: lookalike.decode("company_pairs.lookalike")?,
        since: since.decode("company_pairs.since")?,
    })
}

pub async fn company_pairs(
    conn: &mut impl Executor,
    kind: PairKind,
    after: Option<[CompanyId; 2]>,
    limit: usize,
) -> Outcome<Vec<CompanyPairView>> {
    let [one, other] = after.map_or([Uuid::nil(); 2], |ids| ids.map(CompanyId::uuid));
    let asked = binds! { one, other, limit: most(limit) };
    let found = match kind {
        PairKind::Similar => conn.load::<Similar>(asked).await?,
        PairKind::Lookalike => conn.load::<Lookalikes>(asked).await?,
    };
    let found = found.into_iter().map(company_pair);
    let found = found.collect::<Result<Vec<_>, _>>()?;
    let views = views(conn, found.iter().flat_map(|pair| pair.companies)).await?;
    let view = |pair: CompanyPair| {
        let [one, other] = pair.companies.map(|id| views.get(&id).cloned());
        Some(CompanyPairView {
            pair,
            companies: [one?, other?],
        })
    };
    Ok(found.into_iter().filter_map(view).collect())
}

statement! {
    Note = r"
        INSERT INTO company_pairs (one, other, is_similar, lookalike, since, seen_at, is_apart)
        VALUES (:one, :other, :is_similar, :lookalike, :since, :at, false)
        ON CONFLICT (one, other) DO UPDATE SET
            is_similar = excluded.is_similar, lookalike = excluded.lookalike,
            seen_at = excluded.seen_at";

    /// Pairs that operators have decided are kept.
    Forget = r"
        DELETE FROM company_pairs
        WHERE (one = :company OR other = :company) AND seen_at <> :at AND NOT is_apart";

    TellApart = r"
        INSERT INTO company_pairs (one, other, is_similar, lookalike, since, seen_at, is_apart)
        VALUES (:one, :other, false, NULL, :at, :at, true)
        ON CONFLICT (one, other) DO UPDATE SET is_apart = true"
}

pub async fn write_pairs(conn: &mut impl Executor, writes: &WriteSet) -> Outcome<()> {
    let at = writes.tasks.at;
    for (company, pairs) in &writes.optional.pairs {
        for pair in pairs {
            let [one, other] = pair.companies.map(CompanyId::uuid);
            let lookalike = pair.lookalike.map(CompanyId::uuid);
            let note = binds! {
                one, other, is_similar: pair.is_similar, lookalike, since: pair.since, at
            };
            conn.execute::<Note>(note).await?;
        }
        let forget = binds! { company: company.uuid(), at };
        conn.execute::<Forget>(forget).await?;
    }
    for [one, other] in &writes.optional.apart {
        let pair = binds! { one: one.uuid(), other: other.uuid(), at };
        conn.execute::<TellApart>(pair).await?;
    }
    Ok(())
}

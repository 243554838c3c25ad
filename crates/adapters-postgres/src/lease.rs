use diesel::sql_types::Nullable;
use kernel::StoreError;
use sql_common::{
    executor::{Executor as _, Outcome},
    may_be_leased, statement,
    types::Moment,
    webhook::{TrackedRow, lease_values, tracked},
};
use webhooks::{LeaseQuery, TrackedEndpoint};

use crate::PostgresStore;

statement! {
    /// Skips endpoints that another transaction has locked to lease or change them. `MATERIALIZED`
    /// enforces the `LIMIT`.
    BeginLease = concat!(
        "WITH free AS MATERIALIZED (
            SELECT id AS chosen, leased_until AS ended_at FROM webhook_endpoints AS endpoint ",
            may_be_leased!(),
            " FOR NO KEY UPDATE SKIP LOCKED
        )
        UPDATE webhook_endpoints AS endpoint SET holder = :holder, leased_until = :until
        FROM free WHERE id = chosen RETURNING {webhook_endpoints}, {endpoint read}, ended_at"
    ),
    returns (TrackedRow, Nullable<Moment>)
}

impl PostgresStore {
    pub(crate) async fn lease_endpoints(
        &self,
        query: LeaseQuery,
    ) -> Result<Vec<TrackedEndpoint>, StoreError> {
        self.repeatable(async move |conn| {
            let rows = conn.load::<BeginLease>(&lease_values(&query)).await?;
            let leased = rows
                .into_iter()
                .map(|(row, ended_at)| Ok((ended_at, tracked(row)?)));
            let mut leased = leased.collect::<Outcome<Vec<_>>>()?;
            leased.sort_unstable_by_key(|(ended_at, tracked)| (*ended_at, tracked.endpoint.id));
            Ok(leased.into_iter().map(|(_, tracked)| tracked).collect())
        })
        .await
    }
}

use kernel::StoreError;
use sql_common::{
    binds,
    executor::{Executor, Outcome},
    may_be_leased, statement,
    webhook::{TrackedRow, lease_values, tracked},
};
use webhooks::{LeaseQuery, TrackedEndpoint};

use crate::SqliteStore;

statement! {
    MayBeLeased = concat!(
        "SELECT {webhook_endpoints}, {endpoint read} FROM webhook_endpoints AS endpoint ",
        may_be_leased!()
    ),
    returns TrackedRow;

    BeginLease = r"
        UPDATE webhook_endpoints SET holder = :holder, leased_until = :until WHERE id = :id"
}

async fn look(conn: &mut impl Executor, query: &LeaseQuery) -> Outcome<Vec<TrackedEndpoint>> {
    let rows = conn.load::<MayBeLeased>(&lease_values(query)).await?;
    Ok(rows.into_iter().map(tracked).collect::<Result<_, _>>()?)
}

impl SqliteStore {
    /// Leases endpoints. Usually none has something to do, and the write lock is not taken.
    pub(crate) async fn lease_endpoints(
        &self,
        query: LeaseQuery,
    ) -> Result<Vec<TrackedEndpoint>, StoreError> {
        let found = self.query(async move |conn| look(conn, &query).await);
        if found.await?.is_empty() {
            return Ok(Vec::new());
        }
        self.transaction(async move |conn| {
            let LeaseQuery { holder, until, .. } = query;
            let leased = look(conn, &query).await?;
            for tracked in &leased {
                let lease = binds! { holder, until, id: tracked.endpoint.id.uuid() };
                conn.execute::<BeginLease>(lease).await?;
            }
            Ok(leased)
        })
        .await
    }
}

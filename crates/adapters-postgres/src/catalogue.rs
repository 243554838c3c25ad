//! The table `catalogues`, and the port to it.
//!
//! A transaction that locks the row of a catalogue locks it first.

use std::slice;

use async_trait::async_trait;
use diesel::sql_types::Uuid as SqlUuid;
use diesel_async::AsyncPgConnection;
use domain::catalogue::{
    Catalogue, CatalogueId, CatalogueLease, CatalogueQuery, Catalogues, LastImport, Leased,
    OpenPosting, PastImport,
};
use kernel::{CatalogueName, ClientId, PostingId, StoreError, audit::Entry};
use sql_common::{
    catalogue::{
        BeginLease, CatalogueRecord, CatalogueRow, CountedRow, Delete, Find, Finish, Insert,
        IsFull, LastImports, LeaseColumns, List, OpenPostings, Renew, Standing, begin_values,
        catalogue, finish_values, is_full_values, last_imports, last_imports_values, lease_values,
        list_values, name_values, open_postings, open_postings_values, renew_values, standing,
    },
    lease_of_catalogue,
};
use time::OffsetDateTime;
use uuid::Uuid;

use crate::{
    PostgresStore, audit,
    error::Failure,
    statement::{Value, execute, load, row, statement},
};

statement! {
    /// Waits for a commit that expires postings under the lease.
    LeaseOf = concat!(lease_of_catalogue!(), " FOR NO KEY UPDATE"),
    returns LeaseColumns
}

statement! {
    /// Lets new catalogues of one client count one after the other.
    LockClient = "SELECT pg_advisory_xact_lock(hashtext('catalogues'), hashtext(?))"
}

async fn look(
    conn: &mut AsyncPgConnection,
    query: &CatalogueQuery,
) -> Result<Option<Standing>, Failure> {
    let values = name_values(query.client, &query.name).map(Value::from);
    let found = load::<LeaseOf, _>(conn, &values).await?;
    Ok(standing(found, query.now)?)
}

/// Leases a catalogue, which is made if it is not there, in a transaction of the caller's.
async fn lease(conn: &mut AsyncPgConnection, query: &CatalogueQuery) -> Result<Leased, Failure> {
    let mut found = look(conn, query).await?;
    if found.is_none() {
        let client = query.client.to_string();
        execute::<LockClient>(conn, &[client.as_str().into()]).await?;
        // Another import may have made it meanwhile.
        found = look(conn, query).await?;
    }
    let catalogue = match found {
        Some(Standing::Running(until)) => return Ok(Leased::Running(until)),
        Some(Standing::Free(catalogue)) => {
            let values = begin_values(catalogue, query).map(Value::from);
            execute::<BeginLease>(conn, &values).await?;
            catalogue
        }
        None => {
            let values = is_full_values(query.client).map(Value::from);
            let full: Vec<(bool,)> = load::<IsFull, _>(conn, &values).await?;
            if full == [(true,)] {
                return Ok(Leased::TooMany);
            }
            let record = CatalogueRecord::New(query.clone());
            execute::<Insert>(conn, &row::<CatalogueRow>(&record)).await?;
            query.new_id
        }
    };
    Ok(Leased::Held(CatalogueLease {
        catalogue,
        holder: query.holder,
    }))
}

statement! {
    Hold = "SELECT id FROM catalogues WHERE id = ? AND holder = ? FOR SHARE",
    returns (SqlUuid,)
}

/// Keeps others from taking, ending and deleting a lease until the transaction ends. A conflict if
/// the lease is not held.
pub(crate) async fn hold(
    conn: &mut AsyncPgConnection,
    lease: CatalogueLease,
) -> Result<(), Failure> {
    let held: Vec<(Uuid,)> = load::<Hold, _>(conn, &lease_values(lease).map(Value::from)).await?;
    if held.is_empty() {
        Err(Failure::Conflict)
    } else {
        Ok(())
    }
}

#[async_trait]
impl Catalogues for PostgresStore {
    async fn lease(&self, query: &CatalogueQuery) -> Result<Leased, StoreError> {
        let query = query.clone();
        self.connections
            .transaction(async move |conn| lease(conn, &query).await)
            .await
    }

    async fn renew(
        &self,
        lease: CatalogueLease,
        until: OffsetDateTime,
    ) -> Result<bool, StoreError> {
        self.connections
            .write(async move |conn| {
                let values = renew_values(lease, until).map(Value::from);
                Ok(execute::<Renew>(conn, &values).await? > 0)
            })
            .await
    }

    async fn finish(&self, lease: CatalogueLease, import: &PastImport) -> Result<bool, StoreError> {
        let record = CatalogueRecord::Finished(import.clone());
        self.connections
            .write(async move |conn| {
                let values = finish_values(&record, lease).into_iter();
                let values: Vec<_> = values.map(Value::from).collect();
                Ok(execute::<Finish>(conn, &values).await? > 0)
            })
            .await
    }

    async fn open_postings(
        &self,
        catalogue: CatalogueId,
        after: Option<PostingId>,
        limit: usize,
    ) -> Result<Vec<OpenPosting>, StoreError> {
        self.connections
            .run(async move |conn| {
                let values = open_postings_values(catalogue, after, limit).map(Value::from);
                let found = load::<OpenPostings, _>(conn, &values).await?;
                Ok(open_postings(found)?)
            })
            .await
    }

    async fn find(
        &self,
        client: ClientId,
        name: &CatalogueName,
        now: OffsetDateTime,
    ) -> Result<Option<Catalogue>, StoreError> {
        let name = name.clone();
        self.connections
            .run(async move |conn| {
                let values = name_values(client, &name).map(Value::from);
                let found: Vec<CountedRow> = load::<Find, _>(conn, &values).await?;
                let found = found.into_iter().next();
                Ok(found.map(|row| catalogue(row, now)).transpose()?)
            })
            .await
    }

    async fn list(
        &self,
        client: ClientId,
        now: OffsetDateTime,
    ) -> Result<Vec<Catalogue>, StoreError> {
        self.connections
            .run(async move |conn| {
                let values = list_values(client).map(Value::from);
                let found: Vec<CountedRow> = load::<List, _>(conn, &values).await?;
                let found = found.into_iter().map(|row| catalogue(row, now));
                Ok(found.collect::<Result<_, _>>()?)
            })
            .await
    }

    async fn last_imports(&self, limit: usize) -> Result<Vec<LastImport>, StoreError> {
        self.connections
            .run(async move |conn| {
                let values = last_imports_values(limit).map(Value::from);
                Ok(last_imports(load::<LastImports, _>(conn, &values).await?)?)
            })
            .await
    }

    async fn delete(
        &self,
        client: ClientId,
        name: &CatalogueName,
        entry: Option<&Entry>,
    ) -> Result<bool, StoreError> {
        let (name, entry) = (name.clone(), entry.cloned());
        self.connections
            .transaction(async move |conn| {
                let values = name_values(client, &name).map(Value::from);
                let is_known = execute::<Delete>(conn, &values).await? > 0;
                if let Some(entry) = entry.as_ref().filter(|_| is_known) {
                    audit::write(conn, slice::from_ref(entry)).await?;
                }
                Ok(is_known)
            })
            .await
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        statement::Sql,
        tests::plans::{assert_uses_index, plan, plan_of_millions},
    };

    /// A page begins where the one before ended.
    #[tokio::test]
    async fn open_postings_are_read_in_the_order_of_their_index() {
        let plan = plan_of_millions(OpenPostings::text()).await;
        assert_uses_index(&plan, "postings_by_catalogue");
        let range = "Index Cond: ((catalogue_id = $1) AND (id > $2))";
        assert!(plan.contains(range) && !plan.contains("Sort"), "{plan}");
    }

    #[tokio::test]
    async fn the_postings_of_a_catalogue_are_counted_by_their_index() {
        for query in [Find::text(), List::text()] {
            let plan = plan(query, "").await;
            for part in ["postings_by_catalogue", "catalogues_client_id_name_key"] {
                assert!(plan.contains(part), "{query}\n{plan}");
            }
            assert!(plan.contains("(catalogue_id = catalogues.id)"), "{plan}");
            assert!(!plan.contains("Seq Scan"), "{query}\n{plan}");
        }
    }
}

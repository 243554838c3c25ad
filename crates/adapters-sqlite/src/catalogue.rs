//! The table `catalogues`, and the port to it.

use async_trait::async_trait;
use diesel::{SqliteConnection, sql_types::BigInt};
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

use crate::{
    SqliteStore, audit,
    error::Failure,
    statement::{execute, load, row, statement},
};

statement! {
    LeaseOf = lease_of_catalogue!(),
    returns LeaseColumns
}

/// Leases a catalogue, which is made if it is not there.
fn lease(conn: &mut SqliteConnection, query: &CatalogueQuery) -> Result<Leased, Failure> {
    let found = load::<LeaseOf, _>(conn, &name_values(query.client, &query.name))?;
    let catalogue = match standing(found, query.now)? {
        Some(Standing::Running(until)) => return Ok(Leased::Running(until)),
        Some(Standing::Free(catalogue)) => {
            execute::<BeginLease>(conn, &begin_values(catalogue, query))?;
            catalogue
        }
        None => {
            let full: Vec<(bool,)> = load::<IsFull, _>(conn, &is_full_values(query.client))?;
            if full == [(true,)] {
                return Ok(Leased::TooMany);
            }
            let record = CatalogueRecord::New(query.clone());
            execute::<Insert>(conn, &row::<CatalogueRow>(&record))?;
            query.new_id
        }
    };
    Ok(Leased::Held(CatalogueLease {
        catalogue,
        holder: query.holder,
    }))
}

statement! {
    IsHeld = "SELECT count(*) FROM catalogues WHERE id = ? AND holder = ?",
    returns (BigInt,)
}

/// A conflict if the lease is not held. Others can take it only after the transaction, because
/// there is one writer.
pub(crate) fn hold(conn: &mut SqliteConnection, lease: CatalogueLease) -> Result<(), Failure> {
    let held: Vec<(i64,)> = load::<IsHeld, _>(conn, &lease_values(lease))?;
    if held == [(1,)] {
        Ok(())
    } else {
        Err(StoreError::Conflict.into())
    }
}

#[async_trait]
impl Catalogues for SqliteStore {
    async fn lease(&self, query: &CatalogueQuery) -> Result<Leased, StoreError> {
        let query = query.clone();
        self.connections
            .write(move |conn| lease(conn, &query))
            .await
    }

    async fn renew(
        &self,
        lease: CatalogueLease,
        until: OffsetDateTime,
    ) -> Result<bool, StoreError> {
        self.connections
            .write(move |conn| Ok(execute::<Renew>(conn, &renew_values(lease, until))? > 0))
            .await
    }

    async fn finish(&self, lease: CatalogueLease, import: &PastImport) -> Result<bool, StoreError> {
        let record = CatalogueRecord::Finished(import.clone());
        self.connections
            .write(move |conn| Ok(execute::<Finish>(conn, &finish_values(&record, lease))? > 0))
            .await
    }

    async fn open_postings(
        &self,
        catalogue: CatalogueId,
        after: Option<PostingId>,
        limit: usize,
    ) -> Result<Vec<OpenPosting>, StoreError> {
        self.connections
            .read(move |conn| {
                let values = open_postings_values(catalogue, after, limit);
                Ok(open_postings(load::<OpenPostings, _>(conn, &values)?)?)
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
            .read(move |conn| {
                let found: Vec<CountedRow> = load::<Find, _>(conn, &name_values(client, &name))?;
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
            .read(move |conn| {
                let found: Vec<CountedRow> = load::<List, _>(conn, &list_values(client))?;
                let found = found.into_iter().map(|row| catalogue(row, now));
                Ok(found.collect::<Result<_, _>>()?)
            })
            .await
    }

    async fn last_imports(&self, limit: usize) -> Result<Vec<LastImport>, StoreError> {
        self.connections
            .read(move |conn| {
                let values = last_imports_values(limit);
                Ok(last_imports(load::<LastImports, _>(conn, &values)?)?)
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
            .write(move |conn| {
                let is_known = execute::<Delete>(conn, &name_values(client, &name))? > 0;
                if let Some(entry) = entry.as_ref().filter(|_| is_known) {
                    audit::write(conn, entry)?;
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
        tests::{assert_uses_index, plan},
    };

    /// A page begins where the one before ended.
    #[tokio::test]
    async fn open_postings_are_read_in_the_order_of_their_index() {
        let query = OpenPostings::text();
        assert_uses_index(query, "postings_by_catalogue").await;
        let plan = plan(query).await;
        let search = "postings_by_catalogue (catalogue_id=? AND id>?)";
        assert!(plan.contains(search), "{plan}");
    }

    #[tokio::test]
    async fn the_postings_of_a_catalogue_are_counted_by_their_index() {
        for query in [Find::text(), List::text()] {
            let plan = plan(query).await;
            for step in [
                "SEARCH catalogues USING INDEX sqlite_autoindex_catalogues_2 (client_id=?",
                "SEARCH postings USING INDEX postings_by_catalogue (catalogue_id=?)",
            ] {
                assert!(plan.contains(step), "{query}\n{plan}");
            }
            assert!(!plan.contains("USE TEMP B-TREE"), "{query}\n{plan}");
        }
    }
}

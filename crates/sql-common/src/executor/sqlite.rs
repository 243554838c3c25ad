//! Statements on a connection to SQLite, done at once.

use std::future::ready;

use diesel::{RunQueryDsl, SqliteConnection};

use super::{Answer, Executor, Named, Record, Returning, Sql};
use crate::sql::{ByName, Typed, untyped};

impl Executor for SqliteConnection {
    fn load<'a, S: Returning, R: Record<S::Row>>(
        &'a mut self,
        values: &'a [Named<'a>],
    ) -> Answer<'a, Vec<R>> {
        let query = ByName::<S, _>::new(values);
        let rows = RunQueryDsl::load::<Typed<R, S::Row>>(query, self);
        Box::pin(ready(rows.map(untyped).map_err(Into::into)))
    }

    fn execute<'a, S: Sql>(&'a mut self, values: &'a [Named<'a>]) -> Answer<'a, usize> {
        let written = RunQueryDsl::execute(ByName::<S, _>::new(values), self);
        Box::pin(ready(written.map_err(Into::into)))
    }

    fn load_each<'a, S: Returning, R: Record<S::Row>>(
        &'a mut self,
        rows: &'a [Vec<Named<'a>>],
        shared: &'a [Named<'a>],
    ) -> Answer<'a, Vec<R>> {
        let mut load = || {
            let mut found = Vec::new();
            for row in rows {
                let values = [row, shared].concat();
                let query = ByName::<S, _>::new(&values);
                let rows = RunQueryDsl::load::<Typed<R, S::Row>>(query, self)?;
                found.extend(untyped(rows));
            }
            Ok(found)
        };
        Box::pin(ready(load()))
    }

    fn execute_each<'a, S: Sql>(
        &'a mut self,
        rows: &'a [Vec<Named<'a>>],
        shared: &'a [Named<'a>],
    ) -> Answer<'a, usize> {
        let execute = |row: &Vec<Named<'a>>| {
            let values = [row, shared].concat();
            RunQueryDsl::execute(ByName::<S, _>::new(&values), self)
        };
        let written = rows.iter().map(execute).sum::<Result<usize, _>>();
        Box::pin(ready(written.map_err(Into::into)))
    }

    fn lock<'a>(&'a mut self, _table: &'static str, _key: &'a str) -> Answer<'a, ()> {
        Box::pin(ready(Ok(())))
    }
}

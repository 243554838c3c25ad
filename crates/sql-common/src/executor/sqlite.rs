use std::future::ready;

use diesel::{RunQueryDsl, SqliteConnection};
use kernel::StoreError;

use super::{Answer, Executor, Named, Outcome, Returning, Rows, Sql};
use crate::sql::query::{ByName, Typed, untyped};

impl Executor for SqliteConnection {
    fn load<'a, S: Returning>(&'a mut self, values: &'a [Named<'a>]) -> Answer<'a, Rows<S>> {
        let query = ByName::<S, _>::new(values);
        let rows = RunQueryDsl::load::<Typed<S::Row, S::Columns>>(query, self);
        Box::pin(ready(rows.map(untyped).map_err(Into::into)))
    }

    fn execute<'a, S: Sql>(&'a mut self, values: &'a [Named<'a>]) -> Answer<'a, usize> {
        let written = RunQueryDsl::execute(ByName::<S, _>::new(values), self);
        Box::pin(ready(written.map_err(Into::into)))
    }

    fn load_each<'a, S: Returning>(
        &'a mut self,
        rows: &'a [Vec<Named<'a>>],
        shared: &'a [Named<'a>],
    ) -> Answer<'a, Rows<S>> {
        Box::pin(ready(load_each::<S>(self, rows, shared)))
    }

    fn load_two<'a, S: Returning, T: Returning>(
        &'a mut self,
        [rows, other]: [&'a [Vec<Named<'a>>]; 2],
        shared: &'a [Named<'a>],
    ) -> Answer<'a, (Rows<S>, Rows<T>)> {
        let found = load_each::<S>(self, rows, shared);
        let found = found.and_then(|rows| Ok((rows, load_each::<T>(self, other, shared)?)));
        Box::pin(ready(found))
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

    fn execute_every<'a, S: Sql>(
        &'a mut self,
        rows: &'a [Vec<Named<'a>>],
        shared: &'a [Named<'a>],
    ) -> Answer<'a, ()> {
        Box::pin(async move { all(self.execute_each::<S>(rows, shared).await?, rows) })
    }

    fn hold_each<'a, S: Returning<Row = (i64,)>>(
        &'a mut self,
        rows: &'a [Vec<Named<'a>>],
    ) -> Answer<'a, ()> {
        let found = load_each::<S>(self, rows, &[]);
        let is_held = |(count,): &(i64,)| *count > 0;
        let held = found.map(|found| found.into_iter().filter(is_held).count());
        Box::pin(ready(held.and_then(|held| all(held, rows))))
    }

    fn lock_each<'a, S: Sql>(&'a mut self, _rows: &'a [Vec<Named<'a>>]) -> Answer<'a, ()> {
        Box::pin(ready(Ok(())))
    }

    fn lock<'a>(&'a mut self, _table: &'static str, _key: &'a str) -> Answer<'a, ()> {
        Box::pin(ready(Ok(())))
    }
}

fn load_each<S: Returning>(
    conn: &mut SqliteConnection,
    rows: &[Vec<Named<'_>>],
    shared: &[Named<'_>],
) -> Outcome<Rows<S>> {
    let mut found = Vec::with_capacity(rows.len());
    for row in rows {
        let values = [row, shared].concat();
        let query = ByName::<S, _>::new(&values);
        let rows = RunQueryDsl::load::<Typed<S::Row, S::Columns>>(query, conn)?;
        found.extend(untyped(rows));
    }
    Ok(found)
}

fn all(written: usize, rows: &[Vec<Named<'_>>]) -> Outcome<()> {
    if written == rows.len() {
        Ok(())
    } else {
        Err(StoreError::Conflict.into())
    }
}

//! Statements as diesel queries, prepared once per connection.
//!
//! diesel caches no prepared `UPDATE`, upsert or `sql_query`. It does cache a statement of its own
//! type with a fixed text, so frequent statements use that form.

use std::marker::PhantomData;

use diesel::{
    QueryResult, RunQueryDsl,
    deserialize::{self, FromSqlRow},
    query_builder::{AstPass, Query, QueryFragment, QueryId},
    result::Error,
    row::Row,
    sql_types::Untyped,
};

use super::{Returning, Sql};
use crate::{dialect::Database, value::Bind};

#[derive(Debug)]
pub struct ByName<'a, S, V> {
    values: &'a [(&'static str, V)],
    sql: PhantomData<S>,
}

impl<'a, S, V> ByName<'a, S, V> {
    pub const fn new(values: &'a [(&'static str, V)]) -> Self {
        Self {
            values,
            sql: PhantomData,
        }
    }
}

impl<S: Sql, V> QueryId for ByName<'_, S, V> {
    type QueryId = S;
    const HAS_STATIC_QUERY_ID: bool = true;
}

impl<S: Sql, V: Bind<DB>, DB: Database> QueryFragment<DB> for ByName<'_, S, V> {
    fn walk_ast<'b>(&'b self, mut out: AstPass<'_, 'b, DB>) -> QueryResult<()> {
        let text = S::texts().of(DB::DIALECT);
        out.push_sql(&text.first);
        // Values usually come in the order of the text.
        let mut next = 0;
        for (name, piece) in &text.rest {
            let is_meant = |at: &usize| self.values.get(*at).is_some_and(|it| it.0 == name);
            let at = Some(next).filter(is_meant);
            let at = at.or_else(|| (0..self.values.len()).find(is_meant));
            let found = at.and_then(|at| Some((at, self.values.get(at)?)));
            let missing = || Error::QueryBuilderError(format!("no value for :{name}").into());
            let (at, (_, value)) = found.ok_or_else(missing)?;
            next = at + 1;
            value.bind(&mut out)?;
            out.push_sql(piece);
        }
        Ok(())
    }
}

impl<S: Returning, V> Query for ByName<'_, S, V> {
    type SqlType = Untyped;
}

impl<S, V, C> RunQueryDsl<C> for ByName<'_, S, V> {}

/// A row with its SQL types. diesel only needs to know the row type, not the statement, so callers
/// do not repeat its bounds.
#[derive(Debug)]
pub struct Typed<R, ST>(pub R, PhantomData<fn() -> ST>);

macro_rules! typed {
    ($db:ty) => {
        impl<R: FromSqlRow<ST, $db>, ST> FromSqlRow<Untyped, $db> for Typed<R, ST> {
            fn build_from_row<'a>(row: &impl Row<'a, $db>) -> deserialize::Result<Self> {
                Ok(Self(R::build_from_row(row)?, PhantomData))
            }
        }
    };
}

#[cfg(feature = "postgres")]
typed!(diesel::pg::Pg);
#[cfg(feature = "sqlite")]
typed!(diesel::sqlite::Sqlite);

pub fn untyped<R, ST>(rows: Vec<Typed<R, ST>>) -> Vec<R> {
    rows.into_iter().map(|Typed(row, _)| row).collect()
}

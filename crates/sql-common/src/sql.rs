//! SQL statements that are prepared once for each connection, and their values.
//!
//! diesel caches no prepared statement for an `UPDATE`, an upsert or a `sql_query`. It does cache a
//! statement with a fixed text and a type of its own, so frequent statements are written that way.

use std::{any::Any, marker::PhantomData};

use crate::{
    entity::{Column, Entity, Of},
    value::Bind,
};
use diesel::{
    QueryResult, RunQueryDsl,
    backend::Backend,
    query_builder::{AstPass, Query, QueryFragment, QueryId},
};

/// The text of a statement, with `?` for each value and nowhere else.
pub trait Sql: Any + Send + Sync {
    /// The text.
    fn text() -> &'static str;
}

/// A statement that returns rows.
pub trait Returning: Sql {
    /// The SQL types of a row.
    type Row;
}

/// Declares the type of a statement: its text, the entities that its templates name, and the SQL
/// types of its rows, if it returns any.
#[macro_export]
macro_rules! statement {
    ($(#[$meta:meta])* $vis:vis $name:ident = $text:expr $(, over [$($entity:ty),+])? $(, returns $row:ty)?) => {
        $(#[$meta])*
        #[derive(Debug)]
        $vis struct $name;
        impl $crate::sql::Sql for $name {
            fn text() -> &'static str {
                $crate::statement!(@text $text $(, $($entity),+)?)
            }
        }
        $(impl $crate::sql::Returning for $name {
            type Row = $row;
        })?
    };
    (@text $text:expr) => {
        $text
    };
    (@text $text:expr, $($entity:ty),+) => {{
        static TEXT: std::sync::LazyLock<String> = std::sync::LazyLock::new(|| {
            let mut text = String::from($text);
            $(text = $crate::sql::expand::<$entity>(&text);)+
            text
        });
        &TEXT
    }};
}

/// Replaces the templates in the text of a statement with columns of an entity.
///
/// | template | text |
/// |---|---|
/// | `{table}` | `id, name, …` |
/// | `{table ?}` | `?, ?, …` |
/// | `{table ? sent}` | `?, string_to_array(?, ','), …`: one row that is sent to PostgreSQL |
/// | `{table sent}` | `id, name, string_to_array(list, ','), …`: of rows sent to PostgreSQL |
/// | `{table.changing}`, … | the same for the columns that may change |
/// | `{table.changing = ?}` | `name = ?, …` |
/// | `{table.changing = sent}` | `name = sent.name, …` |
/// | `{table.changing = excluded}` | `name = excluded.name, …` |
/// | `{table.changing += excluded}` | `count = table.count + excluded.count, …` |
pub fn expand<E: Entity>(text: &str) -> String {
    let table = E::TABLE;
    let named = |column: &Column<E::Write>| column.name.to_owned();
    let marked = |_: &Column<E::Write>| "?".to_owned();
    let changing = || E::CHANGING.iter();
    let set = |from| list(changing(), |column| set(table, column, from));
    text.replace(&format!("{{{table}}}"), &list(E::columns(), named))
        .replace(&format!("{{{table} ?}}"), &list(E::columns(), marked))
        .replace(
            &format!("{{{table} ? sent}}"),
            &list(E::columns(), |column| cast(column, "?")),
        )
        .replace(
            &format!("{{{table} sent}}"),
            &list(E::columns(), |column| cast(column, column.name)),
        )
        .replace(&format!("{{{table}.changing}}"), &list(changing(), named))
        .replace(
            &format!("{{{table}.changing ?}}"),
            &list(changing(), marked),
        )
        .replace(&format!("{{{table}.changing = ?}}"), &set("?"))
        .replace(&format!("{{{table}.changing = sent}}"), &set("sent"))
        .replace(
            &format!("{{{table}.changing = excluded}}"),
            &set("excluded"),
        )
        .replace(
            &format!("{{{table}.changing += excluded}}"),
            &list(changing(), |Column { name, .. }| {
                format!("{name} = {table}.{name} + excluded.{name}")
            }),
        )
}

fn list<'a, W: 'a>(
    columns: impl Iterator<Item = &'a Column<W>>,
    item: impl Fn(&Column<W>) -> String,
) -> String {
    columns.map(item).collect::<Vec<_>>().join(", ")
}

/// Sets a column from a `?`, or from the same column of another relation.
fn set<W>(table: &str, column: &Column<W>, from: &str) -> String {
    let name = column.name;
    let value = match from {
        "?" => from.to_owned(),
        "sent" => cast(column, &format!("sent.{name}")),
        from => format!("{from}.{name}"),
    };
    match column.of {
        Of::Kept(_) => format!("{name} = coalesce({value}, {table}.{name})"),
        _ => format!("{name} = {value}"),
    }
}

/// Casts a value sent to PostgreSQL to the type of its column. Lists travel as joined texts,
/// because PostgreSQL's arrays of arrays must be rectangular.
fn cast<W>(column: &Column<W>, value: &str) -> String {
    match column.of {
        Of::TextList(_) => format!("string_to_array({value}, ',')"),
        Of::Json(_) | Of::Document(_) => format!("{value}::json"),
        _ => value.to_owned(),
    }
}

/// A statement with its values.
#[derive(Debug)]
pub struct Bound<'a, S, V> {
    values: &'a [V],
    sql: PhantomData<S>,
}

impl<'a, S, V> Bound<'a, S, V> {
    pub const fn new(values: &'a [V]) -> Self {
        Self {
            values,
            sql: PhantomData,
        }
    }
}

impl<S: Sql, V> QueryId for Bound<'_, S, V> {
    type QueryId = S;
    const HAS_STATIC_QUERY_ID: bool = true;
}

impl<S: Sql, V: Bind<DB>, DB: Backend> QueryFragment<DB> for Bound<'_, S, V> {
    fn walk_ast<'b>(&'b self, mut out: AstPass<'_, 'b, DB>) -> QueryResult<()> {
        let mut pieces = S::text().split('?');
        out.push_sql(pieces.next().unwrap_or_default());
        debug_assert_eq!(pieces.clone().count(), self.values.len(), "{}", S::text());
        for (value, piece) in self.values.iter().zip(pieces) {
            value.bind(&mut out)?;
            out.push_sql(piece);
        }
        Ok(())
    }
}

impl<S: Returning, V> Query for Bound<'_, S, V> {
    type SqlType = S::Row;
}

impl<S, V, C> RunQueryDsl<C> for Bound<'_, S, V> {}

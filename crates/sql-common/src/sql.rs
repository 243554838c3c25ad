//! SQL statements that are prepared once for each connection, and their values.
//!
//! diesel caches no prepared statement for an `UPDATE`, an upsert or a `sql_query`. It does cache a
//! statement with a fixed text and a type of its own, so frequent statements are written that way.

use std::{any::Any, iter, marker::PhantomData};

use diesel::{
    QueryResult, RunQueryDsl,
    backend::Backend,
    deserialize::{self, FromSqlRow},
    query_builder::{AstPass, Query, QueryFragment, QueryId},
    result::Error,
    row::Row,
    sql_types::Untyped,
};

use crate::{
    entity::{Column, Entity, Of},
    value::Bind,
};

/// The databases that a statement is written for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Dialect {
    /// PostgreSQL.
    Postgres,
    /// SQLite.
    Sqlite,
}

/// A backend of diesel, with its dialect.
pub trait Database: Backend {
    /// The dialect of its statements.
    const DIALECT: Dialect;
}

#[cfg(feature = "postgres")]
impl Database for diesel::pg::Pg {
    const DIALECT: Dialect = Dialect::Postgres;
}

#[cfg(feature = "sqlite")]
impl Database for diesel::sqlite::Sqlite {
    const DIALECT: Dialect = Dialect::Sqlite;
}

/// A statement. Its values stand in it as `:name`, or as `?` if there are as many as a batch has
/// columns.
pub trait Sql: Any + Send + Sync {
    /// Its texts.
    fn texts() -> &'static Texts;
}

/// A statement that returns rows.
pub trait Returning: Sql {
    /// The SQL types of a row.
    type Row: 'static;
}

/// The texts of a statement for each database.
#[derive(Debug)]
pub struct Texts {
    postgres: Text,
    sqlite: Text,
}

impl Texts {
    /// Reads the texts, whose templates a function expands.
    pub fn new(postgres: &str, sqlite: &str, expand: impl Fn(&str, Dialect) -> String) -> Self {
        let text = |text: &str, dialect| Text::new(&expand(&alone(text, dialect), dialect));
        Self {
            postgres: text(postgres, Dialect::Postgres),
            sqlite: text(sqlite, Dialect::Sqlite),
        }
    }

    /// The text for a database.
    pub const fn of(&self, dialect: Dialect) -> &Text {
        match dialect {
            Dialect::Postgres => &self.postgres,
            Dialect::Sqlite => &self.sqlite,
        }
    }
}

/// A text, cut where its values stand.
#[derive(Debug, PartialEq, Eq)]
pub struct Text {
    first: String,
    /// The name of each value, empty if it has none, and the text behind it.
    rest: Vec<(String, String)>,
}

impl Text {
    /// Cuts a text, without its comments. Quoted texts and casts (`::`) are no values.
    fn new(text: &str) -> Self {
        let mut pieces = vec![(String::new(), String::new())];
        let mut chars = text.chars().peekable();
        let mut is_quoted = false;
        while let Some(char) = chars.next() {
            let next = chars.peek().copied();
            let is_name = |char: char| char.is_ascii_alphanumeric() || char == '_';
            match char {
                '-' if next == Some('-') && !is_quoted => {
                    while chars.next_if(|char| *char != '\n').is_some() {}
                }
                '?' if !is_quoted => pieces.push((String::new(), String::new())),
                ':' if !is_quoted && next.is_some_and(is_name) => {
                    let name = iter::from_fn(|| chars.next_if(|char| is_name(*char)));
                    pieces.push((name.collect(), String::new()));
                }
                _ => {
                    is_quoted ^= char == '\'';
                    if let Some((_, text)) = pieces.last_mut() {
                        text.push(char);
                        text.extend(chars.next_if(|next| char == ':' && *next == ':'));
                    }
                }
            }
        }
        let first = pieces.remove(0).1;
        Self {
            first,
            rest: pieces,
        }
    }

    /// The text with `?` for each value.
    pub fn with_marks(&self) -> String {
        let rest = self.rest.iter().map(|(_, text)| format!("?{text}"));
        iter::once(self.first.clone()).chain(rest).collect()
    }
}

/// Leaves `{postgres …}` in the text for PostgreSQL, without its braces, and nothing of it in the
/// other one: SQLite has one writer, and so no locks of rows.
fn alone(text: &str, dialect: Dialect) -> String {
    const BEGIN: &str = "{postgres ";
    let mut pieces = text.split(BEGIN);
    let mut alone = pieces.next().unwrap_or_default().to_owned();
    for (of_postgres, rest) in pieces.filter_map(|piece| piece.split_once('}')) {
        if dialect == Dialect::Postgres {
            alone.push_str(of_postgres);
        }
        alone.push_str(rest);
    }
    alone
}

/// Declares the type of a statement: its text, or its texts where the databases differ, the
/// entities that its templates name, and the SQL types of its rows, if it returns any.
#[macro_export]
macro_rules! statement {
    ($(#[$meta:meta])* $vis:vis $name:ident = { postgres: $postgres:expr, sqlite: $sqlite:expr $(,)? }
        $(, over [$($entity:ty),+])? $(, returns $row:ty)?) => {
        $(#[$meta])*
        #[derive(Debug)]
        $vis struct $name;
        impl $crate::sql::Sql for $name {
            fn texts() -> &'static $crate::sql::Texts {
                static TEXTS: std::sync::LazyLock<$crate::sql::Texts> =
                    std::sync::LazyLock::new(|| {
                        $crate::sql::Texts::new($postgres, $sqlite, |text, _dialect| {
                            let text = text.to_owned();
                            $($(let text = $crate::sql::expand::<$entity>(&text, _dialect);)+)?
                            text
                        })
                    });
                &TEXTS
            }
        }
        $(impl $crate::sql::Returning for $name {
            type Row = $row;
        })?
    };
    ($(#[$meta:meta])* $vis:vis $name:ident = $text:expr
        $(, over [$($entity:ty),+])? $(, returns $row:ty)?) => {
        $crate::statement! {
            $(#[$meta])*
            $vis $name = { postgres: $text, sqlite: $text }
            $(, over [$($entity),+])? $(, returns $row)?
        }
    };
}

/// Replaces the templates in the text of a statement with columns of an entity.
///
/// | template | text |
/// |---|---|
/// | `{table}` | `id, name, …` |
/// | `{table :}` | `:id, :name, …`, cast on PostgreSQL: one row that is sent |
/// | `{table arrays}` | `:id, :name, …`: the columns of rows that are sent to PostgreSQL |
/// | `{table ?}` | `?, ?, …` |
/// | `{table sent}` | `id, name, string_to_array(list, ','), …`: of rows sent to PostgreSQL |
/// | `{table.changing}`, … | the same for the columns that may change |
/// | `{table.changing = ?}` | `name = ?, …` |
/// | `{table.changing = :}` | `name = :name, …`, cast on PostgreSQL |
/// | `{table.changing = sent}` | `name = sent.name, …` |
/// | `{table.changing = excluded}` | `name = excluded.name, …` |
/// | `{table.changing += excluded}` | `count = table.count + excluded.count, …` |
pub fn expand<E: Entity>(text: &str, dialect: Dialect) -> String {
    let cast = |column: &Column<E::Write>, value: &str| match dialect {
        Dialect::Postgres => cast(column, value),
        Dialect::Sqlite => value.to_owned(),
    };
    let bound = |column: &Column<E::Write>| cast(column, &format!(":{}", column.name));
    let table = E::TABLE;
    let named = |column: &Column<E::Write>| column.name.to_owned();
    let marked = |_: &Column<E::Write>| "?".to_owned();
    let array = |column: &Column<E::Write>| format!(":{}", column.name);
    let changing = || E::CHANGING.iter();
    let set = |from: fn(&str) -> String| {
        list(changing(), |column| {
            let name = column.name;
            let value = match from(name) {
                value if value.starts_with("excluded") => value,
                value => cast(column, &value),
            };
            match column.of {
                Of::Kept(_) => format!("{name} = coalesce({value}, {table}.{name})"),
                _ => format!("{name} = {value}"),
            }
        })
    };
    text.replace(&format!("{{{table}}}"), &list(E::columns(), named))
        .replace(&format!("{{{table} ?}}"), &list(E::columns(), marked))
        .replace(&format!("{{{table} :}}"), &list(E::columns(), bound))
        .replace(&format!("{{{table} arrays}}"), &list(E::columns(), array))
        .replace(
            &format!("{{{table} sent}}"),
            &list(E::columns(), |column| cast(column, column.name)),
        )
        .replace(&format!("{{{table}.changing}}"), &list(changing(), named))
        .replace(
            &format!("{{{table}.changing ?}}"),
            &list(changing(), marked),
        )
        .replace(
            &format!("{{{table}.changing = ?}}"),
            &set(|_| "?".to_owned()),
        )
        .replace(
            &format!("{{{table}.changing = :}}"),
            &set(|name| format!(":{name}")),
        )
        .replace(
            &format!("{{{table}.changing = sent}}"),
            &set(|name| format!("sent.{name}")),
        )
        .replace(
            &format!("{{{table}.changing = excluded}}"),
            &set(|name| format!("excluded.{name}")),
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

/// Casts a value sent to PostgreSQL to the type of its column. Lists travel as joined texts,
/// because PostgreSQL's arrays of arrays must be rectangular.
fn cast<W>(column: &Column<W>, value: &str) -> String {
    match column.of {
        Of::TextList(_) => format!("string_to_array({value}, ',')"),
        Of::Json(_) | Of::Document(_) => format!("{value}::json"),
        _ => value.to_owned(),
    }
}

/// A statement with its values, in the order of their `?`.
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

impl<S: Sql, V: Bind<DB>, DB: Database> QueryFragment<DB> for Bound<'_, S, V> {
    fn walk_ast<'b>(&'b self, mut out: AstPass<'_, 'b, DB>) -> QueryResult<()> {
        let text = S::texts().of(DB::DIALECT);
        debug_assert_eq!(text.rest.len(), self.values.len(), "{text:?}");
        out.push_sql(&text.first);
        for (value, (_, piece)) in self.values.iter().zip(&text.rest) {
            value.bind(&mut out)?;
            out.push_sql(piece);
        }
        Ok(())
    }
}

impl<S: Returning, V> Query for Bound<'_, S, V> {
    type SqlType = Untyped;
}

impl<S, V, C> RunQueryDsl<C> for Bound<'_, S, V> {}

/// Values by their names: `binds! { id: endpoint.uuid(), limit }`.
#[macro_export]
macro_rules! binds {
    ($($name:ident $(: $value:expr)?),* $(,)?) => {
        &[$($crate::binds!(@one $name $(, $value)?)),*]
    };
    (@one $name:ident) => { (stringify!($name), $name.into()) };
    (@one $name:ident, $value:expr) => { (stringify!($name), $value.into()) };
}

/// A statement with its values by their names.
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
        for (name, piece) in &text.rest {
            let found = self.values.iter().find(|(given, _)| given == name);
            let missing = || Error::QueryBuilderError(format!("no value for :{name}").into());
            let (_, value) = found.ok_or_else(missing)?;
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

/// A row of a statement with these SQL types. diesel is not told the types of a statement, only
/// those of the rows that are read from it: so whoever runs statements need not know all that diesel
/// wants to know of types.
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

/// The rows without their types.
pub fn untyped<R, ST>(rows: Vec<Typed<R, ST>>) -> Vec<R> {
    rows.into_iter().map(|Typed(row, _)| row).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_stand_where_their_names_do() {
        let text = "SELECT ':a', x::text -- it's a ? :comment\nFROM t WHERE id = :id AND n > ?";
        let text = Text::new(text);
        assert_eq!(
            text.with_marks(),
            "SELECT ':a', x::text \nFROM t WHERE id = ? AND n > ?"
        );
        let names: Vec<_> = text.rest.iter().map(|(name, _)| name.as_str()).collect();
        assert_eq!(names, ["id", ""]);
    }

    #[test]
    fn what_is_for_postgres_alone_is_left_out() {
        let text = "SELECT 1{postgres FOR SHARE} LIMIT 1";
        assert_eq!(alone(text, Dialect::Postgres), "SELECT 1FOR SHARE LIMIT 1");
        assert_eq!(alone(text, Dialect::Sqlite), "SELECT 1 LIMIT 1");
    }
}

//! The texts of SQL statements for each database, and the names of their values.

pub mod query;

use std::{any::Any, iter};

use diesel::deserialize::FromSqlRow;

use crate::{dialect::Dialect, entity::given};

/// A statement whose values are written as `:name`.
pub trait Sql: Any + Send + Sync {
    fn texts() -> &'static Texts;
}

pub trait Returning: Sql {
    type Columns: 'static;
    type Row: Record<Self::Columns>;
}

/// A row that can be read from columns of these SQL types in each database.
pub trait Record<ST>: OfPostgres<ST> + OfSqlite<ST> + Send + 'static {}

impl<ST, R: OfPostgres<ST> + OfSqlite<ST> + Send + 'static> Record<ST> for R {}

/// Declares a trait for rows of a database. Without its feature, every type implements the trait.
macro_rules! readable {
    ($of:ident, $feature:literal, $db:ty) => {
        #[cfg(feature = $feature)]
        pub trait $of<ST>: FromSqlRow<ST, $db> {}

        #[cfg(feature = $feature)]
        impl<ST, R: FromSqlRow<ST, $db>> $of<ST> for R {}

        #[cfg(not(feature = $feature))]
        pub trait $of<ST> {}

        #[cfg(not(feature = $feature))]
        impl<ST, R> $of<ST> for R {}
    };
}

readable!(OfPostgres, "postgres", diesel::pg::Pg);
readable!(OfSqlite, "sqlite", diesel::sqlite::Sqlite);

#[derive(Debug)]
pub struct Texts {
    postgres: Text,
    sqlite: Text,
}

impl Texts {
    /// Reads the texts and expands their templates.
    pub fn new(postgres: &str, sqlite: &str, expand: impl Fn(&str, Dialect) -> String) -> Self {
        let text = |text: &str, dialect| Text::new(&expand(&of(text, dialect), dialect));
        Self {
            postgres: text(postgres, Dialect::Postgres),
            sqlite: text(sqlite, Dialect::Sqlite),
        }
    }

    pub const fn of(&self, dialect: Dialect) -> &Text {
        match dialect {
            Dialect::Postgres => &self.postgres,
            Dialect::Sqlite => &self.sqlite,
        }
    }
}

#[derive(Debug, PartialEq, Eq)]
pub struct Text {
    pub(crate) first: String,
    pub(crate) rest: Vec<(String, String)>,
}

impl Text {
    /// Splits a text at its values, and removes comments. Quoted texts and `::` are not values.
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

    pub fn with_marks(&self) -> String {
        let rest = self.rest.iter().map(|(_, text)| format!("?{text}"));
        iter::once(self.first.clone()).chain(rest).collect()
    }
}

/// A statement that must write all sent rows (`:rows`), or else undoes the transaction. On SQLite,
/// the store counts the rows.
pub fn every(text: &str) -> String {
    format!("WITH written AS ({text} RETURNING 1) SELECT must_hold(count(*) = :rows) FROM written")
}

/// A query that must find all sent rows, or else undoes the transaction.
pub fn held(text: &str, dialect: Dialect) -> String {
    match dialect {
        Dialect::Postgres => format!(
            "WITH held AS MATERIALIZED ({text}) SELECT must_hold(count(*) = :rows) FROM held"
        ),
        Dialect::Sqlite => format!("SELECT count(*) FROM ({text})"),
    }
}

/// Counts rows up to a limit.
pub(crate) fn count_of(rows: &str) -> String {
    format!("SELECT count(*) FROM (SELECT 1 FROM {rows} LIMIT :limit) AS counted")
}

/// The text for a dialect. SQLite leaves out `{postgres …}`, for example row locks, because it has
/// one writer. `{each name}` is any value of an array on PostgreSQL, and a single row's value on
/// SQLite. `{given name type, …}` is replaced by the sent rows, named `sent`.
///
/// On SQLite a limit gets a plus sign. Without it, each new value prepares the statement again.
fn of(text: &str, dialect: Dialect) -> String {
    let is_postgres = dialect == Dialect::Postgres;
    let choose = |postgres: String, sqlite| if is_postgres { postgres } else { sqlite };
    let text = replaced(text, "{postgres ", |words| {
        choose(words.to_owned(), String::new())
    });
    let text = replaced(&text, "{each ", |name| {
        choose(format!("ANY(:{name})"), format!(":{name}"))
    });
    let limit = if is_postgres { "LIMIT :" } else { "LIMIT +:" };
    let text = text.replace("LIMIT :", limit);
    replaced(&text, "{given ", |columns| {
        let columns = columns.split(", ");
        given(columns.filter_map(|it| it.split_once(' ')), dialect)
    })
}

fn replaced(text: &str, begin: &str, with: impl Fn(&str) -> String) -> String {
    let mut pieces = text.split(begin);
    let mut replaced = pieces.next().unwrap_or_default().to_owned();
    for (inner, rest) in pieces.filter_map(|piece| piece.split_once('}')) {
        replaced.push_str(&with(inner));
        replaced.push_str(rest);
    }
    replaced
}

/// Declares types of statements, separated by semicolons: for each, its text (or one per
/// database), its entities, and its row types, if any. Templates name the columns of entities that
/// the statement is `over` or `returns`. A statement of `every` must write as many rows as are
/// sent, and a query of `held` must find as many.
#[macro_export]
macro_rules! statement {
    ($(#[$meta:meta])* $vis:vis $name:ident = { postgres: $postgres:expr, sqlite: $sqlite:expr $(,)? }
        $(, over [$($entity:ty),+])? $(, returns $row:ty)? $(; $($rest:tt)+)?) => {
        $(#[$meta])*
        #[derive(Debug)]
        $vis struct $name;
        impl $crate::sql::Sql for $name {
            fn texts() -> &'static $crate::sql::Texts {
                static TEXTS: std::sync::LazyLock<$crate::sql::Texts> =
                    std::sync::LazyLock::new(|| {
                        $crate::sql::Texts::new($postgres, $sqlite, |text, _dialect| {
                            let text = text.to_owned();
                            $($(let text = $crate::entity::expand::<$entity>(&text, _dialect);)+)?
                            $(let text = <$row as $crate::types::Stored>::expand(text, _dialect);)?
                            text
                        })
                    });
                &TEXTS
            }
        }
        $(impl $crate::sql::Returning for $name {
            type Columns = <$row as $crate::types::Stored>::Sql;
            type Row = <$row as $crate::types::Stored>::Value;
        })?
        $crate::listed! { $name $(, <$row as $crate::types::Stored>::Sql)? }
        $($crate::statement! { $($rest)+ })?
    };
    ($(#[$meta:meta])* $vis:vis $name:ident = every $text:expr $(, over [$($entity:ty),+])?
        $(; $($rest:tt)+)?) => {
        $crate::statement! {
            $(#[$meta])*
            $vis $name = { postgres: &$crate::sql::every($text), sqlite: $text }
            $(, over [$($entity),+])? $(; $($rest)+)?
        }
    };
    ($(#[$meta:meta])* $vis:vis $name:ident = held $text:expr $(; $($rest:tt)+)?) => {
        $crate::statement! {
            $(#[$meta])*
            $vis $name = {
                postgres: &$crate::sql::held($text, $crate::dialect::Dialect::Postgres),
                sqlite: &$crate::sql::held($text, $crate::dialect::Dialect::Sqlite),
            },
            returns (diesel::sql_types::BigInt,)
            $(; $($rest)+)?
        }
    };
    ($(#[$meta:meta])* $vis:vis $name:ident = $text:expr
        $(, over [$($entity:ty),+])? $(, returns $row:ty)? $(; $($rest:tt)+)?) => {
        $crate::statement! {
            $(#[$meta])*
            $vis $name = { postgres: $text, sqlite: $text }
            $(, over [$($entity),+])? $(, returns $row)? $(; $($rest)+)?
        }
    };
}

/// Does nothing outside tests.
#[cfg(not(feature = "testing"))]
#[macro_export]
macro_rules! listed {
    ($name:ident $(, $row:ty)?) => {};
}

#[macro_export]
macro_rules! binds {
    ($($name:ident $(: $value:expr)?),* $(,)?) => {
        &[$($crate::binds!(@one $name $(, $value)?)),*]
    };
    (@one $name:ident) => { (stringify!($name), $name.into()) };
    (@one $name:ident, $value:expr) => { (stringify!($name), $value.into()) };
}

/// The values of each row: `each! { ids, id => id: id.uuid() }`.
#[macro_export]
macro_rules! each {
    ($all:expr, $one:pat => $($name:ident $(: $value:expr)?),+ $(,)?) => {
        $all.into_iter()
            .map(|$one| $crate::binds! { $($name $(: $value)?),+ }.to_vec())
            .collect::<Vec<_>>()
    };
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_in_the_places_of_their_names() {
        let text = "SELECT ':a', x::text -- it's a :comment\nFROM t WHERE id = :id AND n > :n";
        let text = Text::new(text);
        assert_eq!(
            text.with_marks(),
            "SELECT ':a', x::text \nFROM t WHERE id = ? AND n > ?"
        );
        let names: Vec<_> = text.rest.iter().map(|(name, _)| name.as_str()).collect();
        assert_eq!(names, ["id", "n"]);
    }

    #[test]
    fn each_dialect_has_its_text() {
        let text = "SELECT 1 WHERE id = {each id}{postgres  FOR SHARE} LIMIT :most";
        for (dialect, expect) in [
            (
                Dialect::Postgres,
                "SELECT 1 WHERE id = ANY(:id) FOR SHARE LIMIT :most",
            ),
            (Dialect::Sqlite, "SELECT 1 WHERE id = :id LIMIT +:most"),
        ] {
            assert_eq!(of(text, dialect), expect);
        }
    }
}

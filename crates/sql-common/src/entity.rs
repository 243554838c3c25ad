//! The columns of each table, in one order for all reads and writes.
//!
//! [`entity!`](macro@crate::entity) declares a table's row, and how a domain value becomes columns.
//! [`read!`](macro@crate::read) declares only the row, and [`written!`](macro@crate::written) only
//! the columns. Statements name columns with [templates](expand).

use time::{Date, OffsetDateTime};
use uuid::Uuid;

use crate::{
    dialect::Dialect,
    types::{Rendered, StoredTime, ToText},
    value::{Named, Value},
};

pub trait Entity {
    type Write: 'static;
    const TABLE: &'static str;
    const READ: &'static [&'static str];
    const FIXED: &'static [Column<Self::Write>];
    const CHANGING: &'static [Column<Self::Write>];

    fn columns() -> impl Iterator<Item = &'static Column<Self::Write>> {
        Self::FIXED.iter().chain(Self::CHANGING)
    }
}

#[derive(Debug)]
pub struct Column<W> {
    pub name: &'static str,
    pub of: Of<W>,
}

#[derive(Debug)]
pub enum Of<W> {
    Id(fn(&W) -> Option<Uuid>),
    Text(for<'a> fn(&'a W) -> Option<&'a str>),
    Kept(for<'a> fn(&'a W) -> Option<&'a str>),
    Json(for<'a> fn(&'a W) -> Option<&'a str>),
    Rendered(for<'a> fn(&'a W) -> Option<&'a dyn ToText>),
    TextList(for<'a> fn(&'a W) -> Option<&'a dyn ToText>),
    Document(for<'a> fn(&'a W) -> Option<&'a dyn ToText>),
    Integer(fn(&W) -> Option<i64>),
    Real(fn(&W) -> Option<f64>),
    Bool(fn(&W) -> bool),
    Time(fn(&W) -> Option<OffsetDateTime>),
    Day(fn(&W) -> Option<Date>),
    Blob(for<'a> fn(&'a W) -> Option<&'a [u8]>),
}

impl<W> Of<W> {
    /// The PostgreSQL type of the value as sent.
    pub const fn sent(&self) -> &'static str {
        match self {
            Self::Id(_) => "uuid",
            Self::Text(_)
            | Self::Kept(_)
            | Self::Json(_)
            | Self::Rendered(_)
            | Self::TextList(_)
            | Self::Document(_) => "text",
            Self::Integer(_) => "bigint",
            Self::Real(_) => "double precision",
            Self::Bool(_) => "boolean",
            Self::Time(_) => "timestamptz",
            Self::Day(_) => "date",
            Self::Blob(_) => "bytea",
        }
    }
}

impl<W> Column<W> {
    pub fn value<'a>(&self, write: &'a W) -> Value<'a> {
        match &self.of {
            Of::Id(of) => Value::Id(of(write)),
            Of::Text(of) | Of::Kept(of) | Of::Json(of) => Value::Text(of(write)),
            Of::Rendered(of) | Of::TextList(of) | Of::Document(of) => {
                Value::Rendered(of(write).map(Rendered))
            }
            Of::Integer(of) => Value::Integer(of(write)),
            Of::Real(of) => Value::Real(of(write)),
            Of::Bool(of) => Value::Bool(of(write)),
            Of::Time(of) => Value::Time(of(write).map(StoredTime::from)),
            Of::Day(of) => Value::Day(of(write)),
            Of::Blob(of) => Value::Blob(of(write)),
        }
    }
}

pub fn row<E: Entity>(write: &E::Write) -> Vec<Named<'_>> {
    let columns = E::columns();
    columns
        .map(|column| (column.name, column.value(write)))
        .collect()
}

/// Replaces templates in the text of a statement with the columns of an entity.
///
/// | template | text |
/// |---|---|
/// | `{table}` | `id, name, …` |
/// | `{table read}` | `table.id, table.name, …`, the columns of a row to read |
/// | `{table :}` | `:id, :name, …`, cast on PostgreSQL: one sent row |
/// | `{table given}` | the sent rows, for `FROM` |
/// | `{table update}` | an update of the rows with these ids and the versions `:expected` |
/// | `{table sent}` | `id, name, string_to_array(list, ','), …` of the sent rows |
/// | `{table rows}` | the text after `INSERT INTO table ({table})`: all sent rows, or one |
/// | `{table.changing}` | `name, …`: the columns that may change |
/// | `{table.changing = :}` | `name = :name, …`, cast on PostgreSQL |
/// | `{table.changing = sent}` | `name = sent.name, …` |
/// | `{table.changing = excluded}` | `name = excluded.name, …` |
/// | `{table.changing += excluded}` | `count = table.count + excluded.count, …` |
pub fn expand<E: Entity>(text: &str, dialect: Dialect) -> String {
    let cast = |column: &Column<E::Write>, value: &str| match dialect {
        Dialect::Postgres => cast(column, value),
        Dialect::Sqlite => value.to_owned(),
    };
    let table = E::TABLE;
    let named = |column: &Column<E::Write>| column.name.to_owned();
    let all = || E::columns().map(|it| (it.name, it.of.sent()));
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
    let read = E::READ.iter().map(|name| format!("{table}.{name}"));
    let rows = match dialect {
        Dialect::Postgres => format!(
            "SELECT {} FROM {}",
            list(E::columns(), |it| cast(it, it.name)),
            given(all(), dialect)
        ),
        Dialect::Sqlite => {
            let values = list(E::columns(), |it| format!(":{}", it.name));
            format!("VALUES ({values})")
        }
    };
    let changed = E::FIXED.iter().take(1).chain(E::CHANGING);
    let changed = changed.map(|it| (it.name, it.of.sent()));
    let update = format!(
        "UPDATE {table} SET {} FROM {} WHERE {table}.id = sent.id AND {table}.version = \
         sent.expected",
        set(|name| format!("sent.{name}")),
        given(changed.chain([("expected", "bigint")]), dialect)
    );
    let templates = [
        ("", list(E::columns(), named)),
        (" read", read.collect::<Vec<_>>().join(", ")),
        (
            " :",
            list(E::columns(), |it| cast(it, &format!(":{}", it.name))),
        ),
        (" given", given(all(), dialect)),
        (" update", update),
        (" sent", list(E::columns(), |it| cast(it, it.name))),
        (" rows", rows),
        (".changing", list(changing(), named)),
        (".changing = :", set(|name| format!(":{name}"))),
        (".changing = sent", set(|name| format!("sent.{name}"))),
        (
            ".changing = excluded",
            set(|name| format!("excluded.{name}")),
        ),
        (
            ".changing += excluded",
            list(changing(), |Column { name, .. }| {
                format!("{name} = {table}.{name} + excluded.{name}")
            }),
        ),
    ];
    templates
        .iter()
        .fold(text.to_owned(), |text, (which, columns)| {
            text.replace(&format!("{{{table}{which}}}"), columns)
        })
}

fn list<'a, W: 'a>(
    columns: impl Iterator<Item = &'a Column<W>>,
    item: impl Fn(&Column<W>) -> String,
) -> String {
    columns.map(item).collect::<Vec<_>>().join(", ")
}

/// Casts a sent value to its column's type. Lists are sent as joined texts, because PostgreSQL
/// requires nested arrays to be rectangular.
fn cast<W>(column: &Column<W>, value: &str) -> String {
    match column.of {
        Of::TextList(_) => format!("string_to_array({value}, ',')"),
        Of::Json(_) | Of::Document(_) => format!("{value}::json"),
        _ => value.to_owned(),
    }
}

/// The sent rows, for `FROM`. PostgreSQL gets all rows at once; SQLite gets one, because it runs
/// the statement for each row.
pub(crate) fn given<'a>(
    columns: impl Iterator<Item = (&'a str, &'a str)>,
    dialect: Dialect,
) -> String {
    let (mut values, mut names) = (Vec::new(), Vec::new());
    for (name, of) in columns {
        values.push(match dialect {
            Dialect::Postgres => format!(":{name}::{of}[]"),
            Dialect::Sqlite => format!(":{name} AS {name}"),
        });
        names.push(name);
    }
    let (values, names) = (values.join(", "), names.join(", "));
    match dialect {
        Dialect::Postgres => format!("unnest({values}) AS sent ({names})"),
        Dialect::Sqlite => format!("(SELECT {values}) AS sent"),
    }
}

#[macro_export]
macro_rules! columns {
    ($($name:ident = $of:ident($get:expr),)*) => {
        &[$($crate::entity::Column {
            name: stringify!($name),
            of: $crate::entity::Of::$of($get),
        },)*]
    };
}

/// Uses nested tuples of seven columns. diesel supports tuples of 16, and compiling it for tuples
/// of 64 takes a minute longer.
#[macro_export]
macro_rules! nested {
    (
        {$($a:tt)*} {$($b:tt)*} {$($c:tt)*} {$($d:tt)*} {$($e:tt)*} {$($f:tt)*} {$($g:tt)*}
        $($rest:tt)+
    ) => {
        ($($a)*, $($b)*, $($c)*, $($d)*, $($e)*, $($f)*, $($g)*, $crate::nested! { $($rest)+ })
    };
    ($({$($part:tt)*})+) => { ($($($part)*,)+) };
}

#[macro_export]
macro_rules! row {
    ($(#[$meta:meta])* $row:ident {
        $($(#[$doc:meta])* $name:ident: $sql:ident $(<$inner:ident>)?,)*
    }) => {
        $(#[$meta])*
        #[derive(Clone, Debug)]
        pub struct $row {
            $($(#[$doc])* pub $name: <$sql $(<$inner>)? as $crate::types::Stored>::Value,)*
        }

        impl $crate::types::Stored for $row {
            type Sql = $crate::nested! { $({ $sql $(<$inner>)? })* };
            type Value = Self;

            fn expand(text: String, dialect: $crate::dialect::Dialect) -> String {
                $crate::entity::expand::<Self>(&text, dialect)
            }
        }

        impl<DB> diesel::Queryable<<Self as $crate::types::Stored>::Sql, DB> for $row
        where
            DB: diesel::backend::Backend,
            $crate::nested! { $({ <$sql $(<$inner>)? as $crate::types::Stored>::Value })* }:
                diesel::deserialize::FromStaticSqlRow<<Self as $crate::types::Stored>::Sql, DB>,
        {
            type Row = $crate::nested! {
                $({ <$sql $(<$inner>)? as $crate::types::Stored>::Value })*
            };

            fn build(row: Self::Row) -> diesel::deserialize::Result<Self> {
                let $crate::nested! { $({ $name })* } = row;
                Ok(Self { $($name,)* })
            }
        }
    };
}

/// Declares a table's row, and how its columns are written.
///
/// Columns that are `apart` can change like others, but are not part of the row: they are large,
/// and read only where needed. `texts of PART` lists optional texts. They are fields of that part,
/// and named like their columns.
#[macro_export]
macro_rules! entity {
    (
        $(#[$meta:meta])*
        $row:ident = $table:ident of $write:ty {
            fixed { $($fixed:ident: $fixed_sql:ident $(<$fixed_inner:ident>)? = $fixed_of:ident($fixed_get:expr),)* }
            changing { $($name:ident: $sql:ident $(<$inner:ident>)? = $of:ident($get:expr),)* }
            $(texts of $part:ident -> $owner:ident { $($text:ident,)* })?
            $(apart { $($apart:ident = $apart_of:ident($apart_get:expr),)* })?
        }
    ) => {
        $crate::row! {
            $(#[$meta])*
            $row { $($fixed: $fixed_sql $(<$fixed_inner>)?,)* $($name: $sql $(<$inner>)?,)*
                $($($text: Nullable<Text>,)*)? }
        }

        $(impl $row {
            fn take_texts(&mut self) -> $owner {
                $owner { $($text: self.$text.take(),)* ..$owner::default() }
            }
        })?

        impl $crate::entity::Entity for $row {
            type Write = $write;
            const TABLE: &'static str = stringify!($table);
            const READ: &'static [&'static str] =
                &[$(stringify!($fixed),)* $(stringify!($name),)* $($(stringify!($text),)*)?];
            const FIXED: &'static [$crate::entity::Column<$write>] =
                $crate::columns! { $($fixed = $fixed_of($fixed_get),)* };
            const CHANGING: &'static [$crate::entity::Column<$write>] = $crate::columns! {
                $($name = $of($get),)*
                $($($text = Text(|it| $part(it).$text.as_deref()),)*)?
                $($($apart = $apart_of($apart_get),)*)?
            };
        }
    };
}

/// Declares a row read from a table or a named query.
#[macro_export]
macro_rules! read {
    ($(#[$meta:meta])* $row:ident = $table:ident {
        $($(#[$doc:meta])* $name:ident: $sql:ident $(<$inner:ident>)?,)*
    }) => {
        $crate::row! {
            $(#[$meta])*
            $row { $($(#[$doc])* $name: $sql $(<$inner>)?,)* }
        }

        impl $crate::entity::Entity for $row {
            type Write = ();
            const TABLE: &'static str = stringify!($table);
            const READ: &'static [&'static str] = &[$(stringify!($name),)*];
            const FIXED: &'static [$crate::entity::Column<()>] = &[];
            const CHANGING: &'static [$crate::entity::Column<()>] = &[];
        }
    };
}

/// Declares the written columns of a table that is read by other means.
#[macro_export]
macro_rules! written {
    ($(#[$meta:meta])* $name:ident = $table:ident of $write:ty {
        $($column:ident = $of:ident($get:expr),)*
    }) => {
        $(#[$meta])*
        #[derive(Debug)]
        pub struct $name;

        impl $crate::entity::Entity for $name {
            type Write = $write;
            const TABLE: &'static str = stringify!($table);
            const READ: &'static [&'static str] = &[];
            const FIXED: &'static [$crate::entity::Column<$write>] =
                $crate::columns! { $($column = $of($get),)* };
            const CHANGING: &'static [$crate::entity::Column<$write>] = &[];
        }
    };
}

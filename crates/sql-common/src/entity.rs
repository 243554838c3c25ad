//! The columns of each table, in one order for all reads and writes.
//!
//! [`entity!`](macro@crate::entity) declares a table's row, and how a domain value becomes columns.
//! [`read!`](macro@crate::read) declares only the row, and [`written!`](macro@crate::written) only
//! the columns. Statements name columns with [templates](crate::sql::expand).

use time::{Date, OffsetDateTime};
use uuid::Uuid;

use crate::{
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

            fn expand(text: String, dialect: $crate::sql::Dialect) -> String {
                $crate::sql::expand::<Self>(&text, dialect)
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

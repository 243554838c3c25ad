//! The columns of each table, in one order for everything that reads and writes it.
//!
//! [`entity!`](macro@crate::entity) declares a table for diesel, the row that is read from it, and
//! how each column is written from a value of the domain. Statements name the columns by
//! [templates](crate::sql::expand).

use time::{Date, OffsetDateTime};
use uuid::Uuid;

use crate::{
    types::{Rendered, StoredTime, ToText},
    value::{Named, Value},
};

/// A table whose rows are written from values of one type.
pub trait Entity {
    /// The type that a row is written from.
    type Write: 'static;
    /// The SQL types of a row.
    type Row;
    /// The name of the table.
    const TABLE: &'static str;
    /// The columns that never change.
    const FIXED: &'static [Column<Self::Write>];
    /// The columns that may change.
    const CHANGING: &'static [Column<Self::Write>];

    /// All columns, in insert order.
    fn columns() -> impl Iterator<Item = &'static Column<Self::Write>> {
        Self::FIXED.iter().chain(Self::CHANGING)
    }
}

/// A column, and how its value is computed.
#[derive(Debug)]
pub struct Column<W> {
    pub name: &'static str,
    /// How its value is computed from the written entity.
    pub of: Of<W>,
}

/// How the value of a column is computed, by its SQL type.
#[derive(Debug)]
pub enum Of<W> {
    /// An identifier.
    Id(fn(&W) -> Option<Uuid>),
    /// A text.
    Text(for<'a> fn(&'a W) -> Option<&'a str>),
    /// A text that leaves the column unchanged when there is none.
    Kept(for<'a> fn(&'a W) -> Option<&'a str>),
    /// The text of a JSON value.
    Json(for<'a> fn(&'a W) -> Option<&'a str>),
    /// A text that is computed when it is bound.
    Rendered(for<'a> fn(&'a W) -> Option<&'a dyn ToText>),
    /// A list of texts.
    TextList(for<'a> fn(&'a W) -> &'a dyn ToText),
    /// A JSON value.
    Document(for<'a> fn(&'a W) -> &'a dyn ToText),
    /// An integer.
    Integer(fn(&W) -> Option<i64>),
    /// A floating-point number.
    Real(fn(&W) -> Option<f64>),
    /// A truth value.
    Bool(fn(&W) -> bool),
    /// A time.
    Time(fn(&W) -> Option<OffsetDateTime>),
    /// A day.
    Day(fn(&W) -> Option<Date>),
    /// Bytes.
    Blob(for<'a> fn(&'a W) -> Option<&'a [u8]>),
}

impl<W> Column<W> {
    /// Computes the value to bind.
    pub fn value<'a>(&self, write: &'a W) -> Value<'a> {
        match &self.of {
            Of::Id(of) => Value::Id(of(write)),
            Of::Text(of) | Of::Kept(of) | Of::Json(of) => Value::Text(of(write)),
            Of::Rendered(of) => Value::Rendered(of(write).map(Rendered)),
            Of::TextList(of) | Of::Document(of) => Value::Rendered(Some(Rendered(of(write)))),
            Of::Integer(of) => Value::Integer(of(write)),
            Of::Real(of) => Value::Real(of(write)),
            Of::Bool(of) => Value::Bool(of(write)),
            Of::Time(of) => Value::Time(of(write).map(StoredTime::from)),
            Of::Day(of) => Value::Day(of(write)),
            Of::Blob(of) => Value::Blob(of(write)),
        }
    }
}

/// The values of a row, by the names of its columns.
pub fn row<E: Entity>(write: &E::Write) -> Vec<Named<'_>> {
    let columns = E::columns();
    columns
        .map(|column| (column.name, column.value(write)))
        .collect()
}

/// Declares a table, its row, and how its columns are written.
///
/// Columns that are `apart` change like others but are not part of the row: they are large, and
/// read only where they are needed.
#[macro_export]
macro_rules! entity {
    (
        $(#[$meta:meta])*
        $row:ident = $table:ident ($key:ident) of $write:ty {
            fixed { $($fixed:ident: $fixed_sql:ident $(<$fixed_inner:ident>)? = $fixed_of:ident($fixed_get:expr),)* }
            changing { $($name:ident: $sql:ident $(<$inner:ident>)? = $of:ident($get:expr),)* }
            apart { $($apart:ident: $apart_sql:ident $(<$apart_inner:ident>)? = $apart_of:ident($apart_get:expr),)* }
        }
    ) => {
        diesel::table! {
            use diesel::sql_types::*;
            use $crate::types::*;

            $table ($key) {
                $($fixed -> $fixed_sql $(<$fixed_inner>)?,)*
                $($name -> $sql $(<$inner>)?,)*
                $($apart -> $apart_sql $(<$apart_inner>)?,)*
            }
        }

        $(#[$meta])*
        #[derive(Clone, Debug, diesel::Queryable, diesel::Selectable)]
        #[diesel(table_name = $table)]
        pub struct $row {
            $(pub $fixed: <$fixed_sql $(<$fixed_inner>)? as $crate::types::Stored>::Value,)*
            $(pub $name: <$sql $(<$inner>)? as $crate::types::Stored>::Value,)*
        }

        impl $crate::entity::Entity for $row {
            type Write = $write;
            type Row = (
                $($fixed_sql $(<$fixed_inner>)?,)*
                $($sql $(<$inner>)?,)*
            );
            const TABLE: &'static str = stringify!($table);
            const FIXED: &'static [$crate::entity::Column<$write>] = &[
                $($crate::entity::Column {
                    name: stringify!($fixed),
                    of: $crate::entity::Of::$fixed_of($fixed_get),
                },)*
            ];
            const CHANGING: &'static [$crate::entity::Column<$write>] = &[
                $($crate::entity::Column {
                    name: stringify!($name),
                    of: $crate::entity::Of::$of($get),
                },)*
                $($crate::entity::Column {
                    name: stringify!($apart),
                    of: $crate::entity::Of::$apart_of($apart_get),
                },)*
            ];
        }
    };
}

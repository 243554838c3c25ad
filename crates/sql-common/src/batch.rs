//! Values of several rows, which travel to PostgreSQL as one array for each column.
//!
//! `unnest` returns rows in the order of the arrays, and no plan step reorders them, so the caller
//! determines the order in which rows are inserted and thereby locked.

use diesel::{
    QueryResult,
    pg::Pg,
    query_builder::AstPass,
    sql_types::{Array, BigInt, Binary, Bool, Double, Nullable, Text},
};
use time::Date;
use uuid::Uuid;

use crate::{
    entity::{Column, Entity, Of},
    types::{Day, Id, Moment, Rendered, StoredTime},
    value::{self, Bind, Named},
};

/// A value to bind: a single value, or one column of a batch as an array.
#[derive(Clone, Debug)]
pub enum Value<'a> {
    /// A single value.
    One(value::Value<'a>),
    /// A column of `uuid`.
    Uuids(Vec<Uuid>),
    /// A column of `uuid`, nullable.
    OptionalUuids(Vec<Option<Uuid>>),
    /// A column of `text`.
    Texts(Vec<Option<&'a str>>),
    /// A column of `text`, rendered when it is bound.
    Rendered(Vec<Option<Rendered<'a>>>),
    /// A column of `bytea`.
    Binaries(Vec<Option<&'a [u8]>>),
    /// A column of `bigint`.
    BigInts(Vec<Option<i64>>),
    /// A column of `double precision`.
    Doubles(Vec<Option<f64>>),
    /// A column of `boolean`.
    Bools(Vec<bool>),
    /// A column of `timestamptz`.
    Moments(Vec<Option<StoredTime>>),
    /// A column of `date`.
    Days(Vec<Option<Date>>),
}

impl<'a, T> From<T> for Value<'a>
where
    value::Value<'a>: From<T>,
{
    fn from(value: T) -> Self {
        Self::One(value.into())
    }
}

impl<'a> FromIterator<value::Value<'a>> for Value<'a> {
    /// One column, whose values are all of one kind.
    fn from_iter<I: IntoIterator<Item = value::Value<'a>>>(values: I) -> Self {
        macro_rules! column {
            ($values:ident, $($kind:ident => $column:ident),+) => {
                match $values.peek() {
                    $(Some(value::Value::$kind(_)) => Self::$column(
                        $values
                            .filter_map(|value| match value {
                                value::Value::$kind(value) => Some(value),
                                _ => None,
                            })
                            .collect(),
                    ),)+
                    None => Self::Texts(Vec::new()),
                }
            };
        }
        let mut values = values.into_iter().peekable();
        column!(
            values,
            Id => OptionalUuids,
            Text => Texts,
            Rendered => Rendered,
            Integer => BigInts,
            Real => Doubles,
            Bool => Bools,
            Time => Moments,
            Day => Days,
            Blob => Binaries
        )
    }
}

/// A value with the name by which a statement has it.
pub type NamedValue<'a> = (&'static str, Value<'a>);

/// The columns of rows, as `{table columns}` names them.
pub fn arrays<'a, E: Entity>(
    rows: impl Iterator<Item = &'a E::Write> + Clone,
) -> impl Iterator<Item = NamedValue<'a>> {
    E::columns().map(move |of| (of.array, array(of, rows.clone())))
}

/// The columns of rows that may change, as `{table.changing columns}` names them.
pub fn changed<'a, E: Entity>(
    rows: impl Iterator<Item = &'a E::Write> + Clone,
) -> impl Iterator<Item = NamedValue<'a>> {
    let columns = E::CHANGING.iter();
    columns.map(move |of| (of.changed, array(of, rows.clone())))
}

/// One column of rows. Without any it still has its type.
fn array<'a, W: 'a>(column: &Column<W>, rows: impl Iterator<Item = &'a W>) -> Value<'a> {
    match &column.of {
        Of::Id(of) => Value::OptionalUuids(rows.map(of).collect()),
        Of::Text(of) | Of::Kept(of) | Of::Json(of) => Value::Texts(rows.map(of).collect()),
        Of::Rendered(of) | Of::TextList(of) | Of::Document(of) => {
            Value::Rendered(rows.map(|row| of(row).map(Rendered)).collect())
        }
        Of::Integer(of) => Value::BigInts(rows.map(of).collect()),
        Of::Real(of) => Value::Doubles(rows.map(of).collect()),
        Of::Bool(of) => Value::Bools(rows.map(of).collect()),
        Of::Time(of) => Value::Moments(rows.map(|row| of(row).map(StoredTime::from)).collect()),
        Of::Day(of) => Value::Days(rows.map(of).collect()),
        Of::Blob(of) => Value::Binaries(rows.map(of).collect()),
    }
}

/// The columns of rows, and the values that all of them share.
pub(crate) fn columns<'a>(rows: &[Vec<Named<'a>>], shared: &[Named<'a>]) -> Vec<NamedValue<'a>> {
    let names = rows.first().map_or(&[][..], Vec::as_slice).iter();
    let columns = names.enumerate().map(|(at, (name, _))| {
        let column = rows.iter().filter_map(|row| row.get(at));
        (*name, column.map(|(_, value)| *value).collect())
    });
    let shared = shared
        .iter()
        .map(|(name, value)| (*name, Value::One(*value)));
    columns.chain(shared).collect()
}

impl Bind<Pg> for Value<'_> {
    fn bind<'b>(&'b self, out: &mut AstPass<'_, 'b, Pg>) -> QueryResult<()> {
        match self {
            Self::One(value) => value.bind(out),
            Self::Uuids(column) => out.push_bind_param::<Array<Id>, _>(column),
            Self::OptionalUuids(column) => out.push_bind_param::<Array<Nullable<Id>>, _>(column),
            Self::Texts(column) => out.push_bind_param::<Array<Nullable<Text>>, _>(column),
            Self::Rendered(column) => out.push_bind_param::<Array<Nullable<Text>>, _>(column),
            Self::Binaries(column) => out.push_bind_param::<Array<Nullable<Binary>>, _>(column),
            Self::BigInts(column) => out.push_bind_param::<Array<Nullable<BigInt>>, _>(column),
            Self::Doubles(column) => out.push_bind_param::<Array<Nullable<Double>>, _>(column),
            Self::Bools(column) => out.push_bind_param::<Array<Bool>, _>(column),
            Self::Moments(column) => out.push_bind_param::<Array<Nullable<Moment>>, _>(column),
            Self::Days(column) => out.push_bind_param::<Array<Nullable<Day>>, _>(column),
        }
    }
}

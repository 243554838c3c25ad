//! Values of several rows, sent to PostgreSQL as one array for each column.
//!
//! `unnest` keeps the order of the arrays and no plan step changes it, so the caller determines the
//! order in which rows are inserted and locked.

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

#[derive(Clone, Debug)]
pub enum Value<'a> {
    One(value::Value<'a>),
    Uuids(Vec<Uuid>),
    OptionalUuids(Vec<Option<Uuid>>),
    Texts(Vec<Option<&'a str>>),
    Rendered(Vec<Option<Rendered<'a>>>),
    Binaries(Vec<Option<&'a [u8]>>),
    BigInts(Vec<Option<i64>>),
    Doubles(Vec<Option<f64>>),
    Bools(Vec<bool>),
    Moments(Vec<Option<StoredTime>>),
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

pub type NamedValue<'a> = (&'static str, Value<'a>);

pub fn arrays<'a, E: Entity>(
    rows: impl Iterator<Item = &'a E::Write> + Clone,
) -> impl Iterator<Item = NamedValue<'a>> {
    E::columns().map(move |of| (of.array, array(of, rows.clone())))
}

/// One column of rows. Without rows it still has its type.
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

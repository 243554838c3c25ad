//! Values of several rows, which PostgreSQL gets as one array per column.
//!
//! `unnest` keeps the order of the arrays, and no plan step changes the order. So the caller
//! determines the order in which rows are inserted and locked.

use diesel::{
    QueryResult,
    pg::Pg,
    query_builder::AstPass,
    sql_types::{Array, BigInt, Binary, Bool, Double, Nullable, Text},
};
use time::Date;
use uuid::Uuid;

use crate::{
    types::{Day, Id, Moment, Rendered, StoredTime},
    value::{self, Bind, Named},
};

#[derive(Clone, Debug)]
pub enum Value<'a> {
    One(value::Value<'a>),
    Ids(Vec<Option<Uuid>>),
    Texts(Vec<Option<&'a str>>),
    Rendered(Vec<Option<Rendered<'a>>>),
    Binaries(Vec<Option<&'a [u8]>>),
    BigInts(Vec<Option<i64>>),
    Doubles(Vec<Option<f64>>),
    Bools(Vec<bool>),
    Moments(Vec<Option<StoredTime>>),
    Days(Vec<Option<Date>>),
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
            Id => Ids,
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

pub(crate) fn columns<'a>(
    rows: &[Vec<Named<'a>>],
    shared: &[Named<'a>],
) -> Vec<(&'static str, Value<'a>)> {
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
            Self::Ids(column) => out.push_bind_param::<Array<Nullable<Id>>, _>(column),
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

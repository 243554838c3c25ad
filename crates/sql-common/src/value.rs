use diesel::{QueryResult, backend::Backend, query_builder::AstPass};
use time::Date;
use uuid::Uuid;

use crate::types::{Rendered, StoredTime};

#[derive(Clone, Copy, Debug)]
pub enum Value<'a> {
    Id(Option<Uuid>),
    Text(Option<&'a str>),
    Rendered(Option<Rendered<'a>>),
    Integer(Option<i64>),
    Real(Option<f64>),
    Bool(bool),
    Time(Option<StoredTime>),
    Day(Option<Date>),
    Blob(Option<&'a [u8]>),
}

macro_rules! value_from {
    ($($from:ty, $value:ident => $to:expr;)+) => {
        $(impl<'a> From<$from> for Value<'a> {
            fn from($value: $from) -> Self {
                $to
            }
        })+
    };
}

value_from! {
    Uuid, id => Self::Id(Some(id));
    &'a Uuid, id => Self::Id(Some(*id));
    &'a str, text => Self::Text(Some(text));
    Option<&'a str>, text => Self::Text(text);
    Option<i64>, integer => Self::Integer(integer);
    &'a String, text => Self::Text(Some(text));
    &'a Option<String>, text => Self::Text(text.as_deref());
    i64, integer => Self::Integer(Some(integer));
    bool, flag => Self::Bool(flag);
    time::OffsetDateTime, at => Self::Time(Some(at.into()));
    Option<time::OffsetDateTime>, at => Self::Time(at.map(StoredTime::from));
    StoredTime, at => Self::Time(Some(at));
    &'a [u8; 32], digest => Self::Blob(Some(digest));
    &'a [u8], bytes => Self::Blob(Some(bytes));
    Option<Uuid>, id => Self::Id(id);
}

pub type Named<'a> = (&'static str, Value<'a>);

pub trait Bind<DB: Backend> {
    fn bind<'b>(&'b self, out: &mut AstPass<'_, 'b, DB>) -> QueryResult<()>;
}

macro_rules! bind {
    ($db:ty) => {
        impl Bind<$db> for Value<'_> {
            fn bind<'b>(&'b self, out: &mut AstPass<'_, 'b, $db>) -> QueryResult<()> {
                use diesel::sql_types::{BigInt, Binary, Bool, Double, Nullable, Text};

                use crate::types::{Day, Id, Moment};

                match self {
                    Self::Id(value) => out.push_bind_param::<Nullable<Id>, _>(value),
                    Self::Text(value) => out.push_bind_param::<Nullable<Text>, _>(value),
                    Self::Rendered(value) => out.push_bind_param::<Nullable<Text>, _>(value),
                    Self::Integer(value) => out.push_bind_param::<Nullable<BigInt>, _>(value),
                    Self::Real(value) => out.push_bind_param::<Nullable<Double>, _>(value),
                    Self::Bool(value) => out.push_bind_param::<Bool, _>(value),
                    Self::Time(value) => out.push_bind_param::<Nullable<Moment>, _>(value),
                    Self::Day(value) => out.push_bind_param::<Nullable<Day>, _>(value),
                    Self::Blob(value) => out.push_bind_param::<Nullable<Binary>, _>(value),
                }
            }
        }
    };
}

#[cfg(feature = "postgres")]
bind!(diesel::pg::Pg);
#[cfg(feature = "sqlite")]
bind!(diesel::sqlite::Sqlite);

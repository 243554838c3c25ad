//! The databases that statements are written for.

use diesel::backend::Backend;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Dialect {
    Postgres,
    Sqlite,
}

pub trait Database: Backend {
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

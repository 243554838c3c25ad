//! `DATABASE_URL`.

use std::path::PathBuf;

use adapters_postgres::PostgresUrl;

/// Where the state is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum DatabaseUrl {
    /// The embedded store, in this file.
    Sqlite(PathBuf),
    /// A database on a PostgreSQL server.
    Postgres(Box<PostgresUrl>),
}

impl DatabaseUrl {
    /// Whether the store belongs to this process and its folder, which then look after it: the
    /// schema is brought up to date and signing keys are made without being asked for.
    pub const fn is_embedded(&self) -> bool {
        matches!(self, Self::Sqlite(_))
    }
}

/// `DATABASE_URL`: `sqlite://PATH`, the path being relative to the current directory unless it
/// begins with a slash, or `postgres://…` with the parameters of libpq. A path is taken as it is:
/// nothing in it is percent-decoded.
pub fn database_url(text: &str) -> Result<DatabaseUrl, String> {
    let text = text.trim();
    if text.starts_with("postgres://") || text.starts_with("postgresql://") {
        // Its errors do not repeat the address.
        return match text.parse() {
            Ok(url) => Ok(DatabaseUrl::Postgres(Box::new(url))),
            Err(error) => Err(error.to_string()),
        };
    }
    let Some(path) = text.strip_prefix("sqlite://") else {
        // It may hold a password, so it is not repeated.
        return Err("must be sqlite://PATH or postgres://USER@HOST/DATABASE".to_owned());
    };
    if path.is_empty() || path.ends_with('/') {
        return Err("names no file; use sqlite://PATH".to_owned());
    }
    if path.contains('?') {
        return Err("sqlite://PATH takes no parameters; leave out `?` and what follows".to_owned());
    }
    if path.starts_with(":memory:") {
        return Err("a database in memory would be lost; use sqlite://PATH".to_owned());
    }
    Ok(DatabaseUrl::Sqlite(path.into()))
}

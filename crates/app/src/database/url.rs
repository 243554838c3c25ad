//! `DATABASE_URL` and `POSTHASTE_READ_DATABASE_URL`.

use std::path::{Path, PathBuf};

use adapters_postgres::{InvalidPostgresUrl, PostgresUrl};

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum DatabaseUrl {
    Sqlite(PathBuf),
    Postgres(Box<PostgresUrl>),
}

impl DatabaseUrl {
    /// An embedded store belongs to this process, which migrates it and creates signing keys by
    /// itself.
    pub const fn is_embedded(&self) -> bool {
        matches!(self, Self::Sqlite(_))
    }

    pub fn file(&self) -> Option<&Path> {
        match self {
            Self::Sqlite(path) => Some(path),
            Self::Postgres(_) => None,
        }
    }
}

/// `POSTHASTE_READ_DATABASE_URL` names one server. Of several servers with different lags, one
/// could miss events before a cursor from another.
pub fn read_database_url(text: &str) -> Result<PostgresUrl, String> {
    let url: PostgresUrl = text
        .trim()
        .parse()
        .map_err(|error: InvalidPostgresUrl| error.to_string())?;
    if url.servers() != 1 {
        return Err("must name one server, a replica that is always the same".to_owned());
    }
    Ok(url)
}

/// `DATABASE_URL`: `sqlite://PATH` (relative to the current directory without a leading slash), or
/// `postgres://…` with libpq's parameters. A path is not percent-decoded.
pub fn database_url(text: &str) -> Result<DatabaseUrl, String> {
    let text = text.trim();
    if text.starts_with("postgres://") || text.starts_with("postgresql://") {
        // The errors do not repeat the URL, which may hold a password.
        return match text.parse() {
            Ok(url) => Ok(DatabaseUrl::Postgres(Box::new(url))),
            Err(error) => Err(error.to_string()),
        };
    }
    let Some(path) = text.strip_prefix("sqlite://") else {
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_replica_is_one_server() {
        let url = read_database_url(" postgres://u:secret@h/d?sslmode=require ");
        assert_eq!(url.map(|url| url.servers()), Ok(1));
        for (text, part) in [
            ("postgres://u:secret@h1,h2/d", "one server"),
            ("sqlite://data/posthaste.db", "postgres://"),
            ("h", "postgres://"),
        ] {
            let why = read_database_url(text).unwrap_err();
            assert!(why.contains(part) && !why.contains("secret"), "{why}");
        }
    }

    #[test]
    fn a_database_is_a_file_or_on_a_server() {
        for (text, file) in [
            ("sqlite://data/posthaste.db", "data/posthaste.db"),
            ("sqlite:///var/lib/posthaste.db", "/var/lib/posthaste.db"),
            (" sqlite://a b%20c.db ", "a b%20c.db"),
        ] {
            assert_eq!(database_url(text), Ok(DatabaseUrl::Sqlite(file.into())));
        }
        for (text, why) in [
            ("sqlite://", "names no file"),
            ("sqlite://dir/", "names no file"),
            (
                "sqlite://a.db?mode=rwc",
                "sqlite://PATH takes no parameters",
            ),
            ("sqlite://:memory:", "a database in memory would be lost"),
            ("postgres:///d", "names no host"),
            ("postgresql://u:secret@h/d?sslmode=on", "`sslmode` must be"),
            ("postgres://u:secret@h:x/d", ""),
            ("mysql://u:secret@h/d", "must be sqlite://PATH"),
            ("posthaste.db", "must be sqlite://PATH"),
        ] {
            let found = database_url(text).unwrap_err();
            assert!(
                found.starts_with(why) && !found.contains("secret"),
                "{found}"
            );
        }
        let url = database_url(" postgres://u:secret@h/d?sslmode=require ").unwrap();
        assert!(!url.is_embedded());
        assert!(!format!("{url:?}").contains("secret"), "{url:?}");
    }
}

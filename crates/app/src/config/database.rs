//! `DATABASE_URL`.

use std::path::PathBuf;

/// Where the state is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum DatabaseUrl {
    /// The embedded store, in this file.
    Sqlite(PathBuf),
}

/// `DATABASE_URL`: `sqlite://PATH`, the path being relative to the current directory unless it
/// begins with a slash. It is taken as it is: nothing in it is percent-decoded.
pub fn database_url(text: &str) -> Result<DatabaseUrl, String> {
    let text = text.trim();
    if text.starts_with("postgres://") || text.starts_with("postgresql://") {
        return Err("this build has the embedded store only; use sqlite://PATH".to_owned());
    }
    let Some(path) = text.strip_prefix("sqlite://") else {
        // It may hold a password, so it is not repeated.
        return Err("must be sqlite://PATH".to_owned());
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

use std::error::Error;

use diesel::result::{DatabaseErrorKind, Error as DieselError};
use kernel::StoreError;
use sql_common::executor;

#[derive(Debug)]
pub(crate) struct Failure(pub(crate) StoreError);

impl From<StoreError> for Failure {
    fn from(error: StoreError) -> Self {
        Self(error)
    }
}

impl From<DieselError> for Failure {
    fn from(error: DieselError) -> Self {
        Self(match error {
            DieselError::DatabaseError(DatabaseErrorKind::UniqueViolation, _) => {
                StoreError::Conflict
            }
            DieselError::RollbackErrorOnCommit { commit_error, .. } => {
                classify(&commit_error.to_string())
            }
            other => classify(&other.to_string()),
        })
    }
}

impl From<executor::Failure> for Failure {
    fn from(failure: executor::Failure) -> Self {
        match failure {
            executor::Failure::Database(error) => error.into(),
            executor::Failure::Store(error) => error.into(),
        }
    }
}

impl From<Box<dyn Error + Send + Sync>> for Failure {
    fn from(error: Box<dyn Error + Send + Sync>) -> Self {
        Self(classify(&error.to_string()))
    }
}

/// Messages about a lock of another connection. They are needed because diesel omits the code.
const BUSY: [&str; 3] = [
    "database is locked",
    "database table is locked",
    "database schema is locked",
];

/// Messages about temporary failures of the file system.
const PASSING: [&str; 4] = [
    "database or disk is full",
    "disk I/O error",
    "unable to open database file",
    "attempt to write a readonly database",
];

pub(crate) fn is_busy(message: &str) -> bool {
    BUSY.iter().any(|busy| message.contains(busy))
}

pub(crate) fn classify(message: &str) -> StoreError {
    if is_busy(message) || PASSING.iter().any(|passing| message.contains(passing)) {
        StoreError::Unavailable(message.to_owned())
    } else {
        StoreError::Broken(message.to_owned())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_of_sqlite_are_sorted() {
        let check = |message: &str, unavailable: bool| {
            let error = classify(message);
            assert_eq!(
                matches!(error, StoreError::Unavailable(_)),
                unavailable,
                "{error}"
            );
        };
        check("database is locked", true);
        check("database or disk is full", true);
        check("disk I/O error", true);
        check("database disk image is malformed", false);
        check("no such table: postings", false);
        check("FOREIGN KEY constraint failed", false);
    }
}

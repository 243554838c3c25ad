//! What went wrong, in the terms of the port.

use std::error::Error;

use diesel::result::{DatabaseErrorInformation, DatabaseErrorKind, Error as DieselError};
use domain::store::StoreError;

/// The outcome of work on a connection. It wraps the port's error, because diesel wants one
/// that it can convert its own into.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Failure(pub(crate) StoreError);

impl From<StoreError> for Failure {
    fn from(error: StoreError) -> Self {
        Self(error)
    }
}

impl From<DieselError> for Failure {
    fn from(error: DieselError) -> Self {
        Self(match error {
            DieselError::DatabaseError(kind, info) => classify(kind, info.as_ref()),
            DieselError::RollbackErrorOnCommit { commit_error, .. } => Self::from(*commit_error).0,
            // The connection was lost in the middle of a transaction.
            DieselError::BrokenTransactionManager => StoreError::Unavailable(error.to_string()),
            other => StoreError::Broken(other.to_string()),
        })
    }
}

/// What migrations fail with.
impl From<Box<dyn Error + Send + Sync>> for Failure {
    fn from(error: Box<dyn Error + Send + Sync>) -> Self {
        match error.downcast::<DieselError>() {
            Ok(error) => (*error).into(),
            Err(error) => Self(classify_message(&error.to_string())),
        }
    }
}

fn classify(kind: DatabaseErrorKind, info: &dyn DatabaseErrorInformation) -> StoreError {
    match kind {
        DatabaseErrorKind::UniqueViolation | DatabaseErrorKind::SerializationFailure => {
            StoreError::Conflict
        }
        // The server became a standby: somebody else is the primary now.
        DatabaseErrorKind::ReadOnlyTransaction
        | DatabaseErrorKind::UnableToSendCommand
        | DatabaseErrorKind::ClosedConnection => StoreError::Unavailable(info.message().to_owned()),
        DatabaseErrorKind::Unknown => classify_message(info.message()),
        _ => StoreError::Broken(info.message().to_owned()),
    }
}

/// PostgreSQL's words for a state of the server that may pass. diesel hands on the words only,
/// not the code they belong to; `connection` sees to it that they are English.
const PASSING: [&str; 19] = [
    // 57014, 25P03, 25P04, 57P05: a limit on time was reached.
    "canceling statement due to",
    "terminating connection due to",
    // 57P01 to 57P03: the server stops, starts, or has lost a process of its own.
    "terminating connection because",
    "the database system is",
    "terminating background worker",
    "server closed the connection",
    // 53300, 53200, 53100, 53400, 58030: it has no more of something.
    "too many clients",
    "too many connections",
    "remaining connection slots",
    "out of memory",
    "out of shared memory",
    "No space left on device",
    "could not extend file",
    "could not write",
    "could not fsync file",
    "could not open file",
    "could not resize shared memory segment",
    // 25006, 0A000: it is a standby, or about to become the primary.
    "in a read-only transaction",
    "during recovery",
];

/// 55P03: a lock was not to be had in time.
const LOCKED: [&str; 2] = [
    "canceling statement due to lock timeout",
    "could not obtain lock on",
];

/// Whether this is the server's answer to a statement, which it has undone, and not the end of
/// the connection.
pub(crate) fn is_answer(message: &str) -> bool {
    message.starts_with(PASSING[0])
}

/// Sorts a message of PostgreSQL's.
fn classify_message(message: &str) -> StoreError {
    // 40P01, and what serialisation failures are called.
    if message.contains("deadlock detected") || message.contains("could not serialize access") {
        StoreError::Conflict
    } else if LOCKED.iter().any(|locked| message.contains(locked)) {
        StoreError::Locked(message.to_owned())
    } else if PASSING.iter().any(|passing| message.contains(passing)) {
        StoreError::Unavailable(message.to_owned())
    } else {
        StoreError::Broken(message.to_owned())
    }
}

/// An error with everything behind it, on one line.
pub(crate) fn chain(error: &dyn Error) -> String {
    let mut text = error.to_string();
    let mut source = error.source();
    while let Some(error) = source {
        let cause = error.to_string();
        if !text.contains(&cause) {
            text.push_str(": ");
            text.push_str(&cause);
        }
        source = error.source();
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    enum Sort {
        Conflict,
        Locked,
        Unavailable,
        Broken,
    }

    fn sort(error: &StoreError) -> Sort {
        match error {
            StoreError::Conflict => Sort::Conflict,
            StoreError::Locked(_) => Sort::Locked,
            StoreError::Unavailable(_) | StoreError::InDoubt(_) => Sort::Unavailable,
            StoreError::Broken(_) => Sort::Broken,
        }
    }

    #[test]
    fn errors_of_postgresql_are_sorted() {
        use DatabaseErrorKind as Kind;
        use Sort::{Broken, Conflict, Locked, Unavailable};
        let check = |kind: DatabaseErrorKind, message: &str, expect: Sort| {
            let error = DieselError::DatabaseError(kind, Box::new(message.to_owned()));
            let Failure(error) = error.into();
            assert_eq!(sort(&error), expect, "{message}: {error}");
        };
        check(
            Kind::UniqueViolation,
            "duplicate key value violates unique constraint \"postings_pkey\"",
            Conflict,
        );
        check(
            Kind::SerializationFailure,
            "could not serialize access due to concurrent update",
            Conflict,
        );
        for (message, expect) in [
            ("deadlock detected", Conflict),
            ("canceling statement due to statement timeout", Unavailable),
            ("canceling statement due to lock timeout", Locked),
            ("canceling statement due to user request", Unavailable),
            (
                "canceling statement due to conflict with recovery",
                Unavailable,
            ),
            (
                "terminating connection due to administrator command",
                Unavailable,
            ),
            (
                "terminating connection due to idle-in-transaction timeout",
                Unavailable,
            ),
            (
                "terminating connection because of crash of another server process",
                Unavailable,
            ),
            ("the database system is shutting down", Unavailable),
            ("sorry, too many clients already", Unavailable),
            (
                "could not extend file \"base/1/2\": No space left on device",
                Unavailable,
            ),
            ("relation \"postings\" does not exist", Broken),
            ("permission denied for table postings", Broken),
            ("invalid input syntax for type json", Broken),
        ] {
            check(Kind::Unknown, message, expect);
        }
        check(
            Kind::ForeignKeyViolation,
            "insert or update on table \"postings\" violates foreign key constraint",
            Broken,
        );
        check(Kind::CheckViolation, "new row violates", Broken);
        check(Kind::UnableToSendCommand, "connection closed", Unavailable);
        check(
            Kind::ReadOnlyTransaction,
            "cannot execute INSERT in a read-only transaction",
            Unavailable,
        );
    }
}

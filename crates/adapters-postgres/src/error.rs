use std::error::Error;

use diesel::result::{DatabaseErrorInformation, DatabaseErrorKind, Error as DieselError};
use kernel::StoreError;
use sql_common::executor::Failure;

/// The error of work whose last statement writes. If the connection is lost or the server is
/// stopping, the error is in doubt: the statement may have run.
pub(crate) fn classified(failure: Failure) -> StoreError {
    match failure {
        Failure::Database(error) => of_database(error),
        Failure::Store(StoreError::Unavailable(why)) => StoreError::InDoubt(why),
        Failure::Store(error) => error,
    }
}

/// The error of work that has certainly written nothing.
pub(crate) fn unwritten(error: StoreError) -> StoreError {
    match error {
        StoreError::InDoubt(why) => StoreError::Unavailable(why),
        error => error,
    }
}

fn of_database(error: DieselError) -> StoreError {
    match error {
        DieselError::DatabaseError(kind, info) => classify(kind, info.as_ref()),
        DieselError::RollbackErrorOnCommit { commit_error, .. } => of_database(*commit_error),
        // The connection was lost within a transaction.
        DieselError::BrokenTransactionManager => StoreError::InDoubt(error.to_string()),
        other => StoreError::Broken(other.to_string()),
    }
}

pub(crate) fn of_migration(error: Box<dyn Error + Send + Sync>) -> StoreError {
    match error.downcast::<DieselError>() {
        Ok(error) => of_database(*error),
        Err(error) => by_message(error.to_string()),
    }
}

fn classify(kind: DatabaseErrorKind, info: &dyn DatabaseErrorInformation) -> StoreError {
    let message = info.message().to_owned();
    match kind {
        DatabaseErrorKind::UniqueViolation | DatabaseErrorKind::SerializationFailure => {
            StoreError::Conflict
        }
        // A server that refuses writes has become the standby of another primary.
        DatabaseErrorKind::ReadOnlyTransaction
        | DatabaseErrorKind::UnableToSendCommand
        | DatabaseErrorKind::ClosedConnection => StoreError::InDoubt(message),
        DatabaseErrorKind::Unknown => by_message(message),
        _ => StoreError::Broken(message),
    }
}

type Phrases = (fn(String) -> StoreError, &'static [&'static str]);

/// PostgreSQL messages about conditions that are not defects of this program. They are needed
/// because diesel omits the SQLSTATE; `establish` requests English messages.
const PHRASES: [Phrases; 4] = [
    (
        |_| StoreError::Conflict,
        // 40P01 and 40001: a deadlock, or a serialisation failure.
        &["deadlock detected", "could not serialize access"],
    ),
    (
        StoreError::Locked,
        // 55P03: a lock was not available in time.
        &[
            "canceling statement due to lock timeout",
            "could not obtain lock on",
        ],
    ),
    (
        StoreError::Unavailable,
        // 57014: a timeout, or a request to cancel.
        &["canceling statement due to"],
    ),
    (
        StoreError::InDoubt,
        &[
            // 25P03, 25P04, 57P05: a timeout of the session.
            "terminating connection due to",
            // 57P01 to 57P03: the server is stopping or starting, or one of its processes crashed.
            "terminating connection because",
            "the database system is",
            "terminating background worker",
            "server closed the connection",
            // 53300, 53200, 53100, 53400, 58030: the server lacks a resource.
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
            // 25006, 0A000: the server is a standby, or is being promoted.
            "in a read-only transaction",
            "during recovery",
        ],
    ),
];

/// Classifies a failure by the text of PostgreSQL's message.
fn by_message(message: String) -> StoreError {
    let sort = PHRASES
        .iter()
        .find(|(_, phrases)| phrases.iter().any(|phrase| message.contains(phrase)));
    match sort {
        Some((failure, _)) => failure(message),
        None => StoreError::Broken(message),
    }
}

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

    #[test]
    fn errors_of_postgresql_are_sorted() {
        use DatabaseErrorKind as Kind;
        use StoreError::{Broken, InDoubt as Lost, Locked, Unavailable as Answered};
        let check = |kind: DatabaseErrorKind, message: &str, expect: fn(String) -> StoreError| {
            let error = DieselError::DatabaseError(kind, Box::new(message.to_owned()));
            assert_eq!(of_database(error), expect(message.to_owned()));
        };
        let conflict: fn(String) -> StoreError = |_| StoreError::Conflict;
        check(
            Kind::UniqueViolation,
            "duplicate key value violates unique constraint \"postings_pkey\"",
            conflict,
        );
        check(
            Kind::SerializationFailure,
            "could not serialize access due to concurrent update",
            conflict,
        );
        for (message, expect) in [
            ("deadlock detected", conflict),
            ("canceling statement due to statement timeout", Answered),
            ("canceling statement due to lock timeout", Locked),
            ("canceling statement due to user request", Answered),
            (
                "canceling statement due to conflict with recovery",
                Answered,
            ),
            ("terminating connection due to administrator command", Lost),
            (
                "terminating connection due to idle-in-transaction timeout",
                Lost,
            ),
            (
                "terminating connection because of crash of another server process",
                Lost,
            ),
            ("the database system is shutting down", Lost),
            ("sorry, too many clients already", Lost),
            (
                "could not extend file \"base/1/2\": No space left on device",
                Lost,
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
        check(Kind::UnableToSendCommand, "connection closed", Lost);
        check(
            Kind::ReadOnlyTransaction,
            "cannot execute INSERT in a read-only transaction",
            Lost,
        );
    }
}

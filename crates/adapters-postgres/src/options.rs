//! Limits of a store's connections.

use std::time::Duration;

/// Limits of a store's connections. All of them are well below the ten seconds after which a
/// command gives up, so that it can try again.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PostgresOptions {
    /// How many connections this process makes at most.
    pub max_connections: usize,
    /// How long work waits for a connection, new or free.
    pub acquire_timeout: Duration,
    /// How long one statement may take (`statement_timeout`).
    pub statement_timeout: Duration,
    /// How long a statement waits for a lock (`lock_timeout`).
    pub lock_timeout: Duration,
    /// How long a commit waits for the rows that it locks. Commits of the service itself are done
    /// within some milliseconds; everybody in a batch waits for a row that stays locked longer.
    pub row_lock_timeout: Duration,
    /// How long a transaction may wait for its next statement before the server ends it
    /// (`idle_in_transaction_session_timeout`): what holds locks must not vanish with them.
    pub idle_in_transaction_timeout: Duration,
    /// What the server shows in `pg_stat_activity`, if the URL does not say it.
    pub application_name: String,
}

impl Default for PostgresOptions {
    fn default() -> Self {
        Self {
            max_connections: 8,
            acquire_timeout: Duration::from_secs(5),
            statement_timeout: Duration::from_secs(5),
            lock_timeout: Duration::from_secs(3),
            row_lock_timeout: Duration::from_millis(100),
            idle_in_transaction_timeout: Duration::from_secs(5),
            application_name: "posthaste".to_owned(),
        }
    }
}

impl PostgresOptions {
    /// How long a piece of work may take before the server is given up: each statement has its
    /// own limit there, so this is for a server that does not answer at all.
    pub(crate) fn work_timeout(&self) -> Duration {
        self.statement_timeout.saturating_mul(2)
    }
}

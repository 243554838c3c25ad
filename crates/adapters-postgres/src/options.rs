//! Limits on a store's connections.

use std::time::Duration;

/// Limits on a store's connections. All are well below the ten seconds a command may take, so that
/// a command can try again.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PostgresOptions {
    /// The most connections that this process makes.
    pub max_connections: usize,
    pub acquire_timeout: Duration,
    pub statement_timeout: Duration,
    /// How long a statement waits for a lock (`lock_timeout`).
    pub lock_timeout: Duration,
    /// How long a commit waits for a row lock. The service's own commits take milliseconds, and one
    /// row that stays locked longer holds up the whole batch.
    pub row_lock_timeout: Duration,
    /// How long a transaction may wait for its next statement before the server ends it
    /// (`idle_in_transaction_session_timeout`), so that a process that has vanished does not keep
    /// its locks.
    pub idle_in_transaction_timeout: Duration,
    /// The name in `pg_stat_activity`, unless the URL sets one.
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
    /// How long work may take before the server counts as lost. Each statement has its own limit on
    /// the server; this one is for a server that does not answer at all.
    pub(crate) fn work_timeout(&self) -> Duration {
        self.statement_timeout.saturating_mul(2)
    }
}

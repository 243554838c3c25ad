use std::time::Duration;

/// Limits on a store's connections. The times are well below ten seconds, the limit of a command,
/// so that a command can retry.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PostgresOptions {
    pub max_connections: usize,
    pub acquire_timeout: Duration,
    pub statement_timeout: Duration,
    pub lock_timeout: Duration,
    /// How long a commit waits for a row lock. The service's commits take milliseconds. A longer
    /// wait for a locked row would delay the whole batch.
    pub row_lock_timeout: Duration,
    /// How long a transaction may wait for its next statement before the server ends it
    /// (`idle_in_transaction_session_timeout`). So a vanished process keeps no locks.
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
    /// The time limit of work if the server does not answer. The server itself limits statements.
    pub(crate) fn work_timeout(&self) -> Duration {
        self.statement_timeout.saturating_mul(2)
    }
}

use std::{thread, time::Duration};

use diesel::{
    connection::SimpleConnection,
    migration::{Migration, MigrationSource},
    pg::Pg,
    sql_types::{Bool, Text},
};
use diesel_async::{AsyncPgConnection, async_connection_wrapper::AsyncConnectionWrapper};
use diesel_migrations::{EmbeddedMigrations, MigrationHarness, embed_migrations};
use kernel::StoreError;
pub(crate) use sql_common::migrations::pending;
use sql_common::{
    executor::{Executor as _, Outcome},
    statement,
};
use tokio::{task, time::sleep};

use crate::error::{classified, of_migration};

pub(crate) const MIGRATIONS: EmbeddedMigrations = embed_migrations!("../../migrations/postgres");

statement! {
    TryLock = "SELECT pg_try_advisory_lock(31647739056513395)",
    returns Bool;

    NoLimits = r"
        SELECT set_config('statement_timeout', '0', false),
            set_config('idle_in_transaction_session_timeout', '0', false)",
    returns (Text, Text)
}

const LOCK_POLL: Duration = Duration::from_millis(200);

/// How long a migration waits for a table lock. Meanwhile all later statements on the table wait,
/// too, and those of the service time out after three seconds.
const TABLE_LOCK_TIMEOUT: &str = "1s";
/// How many times a migration is attempted while another transaction holds its locks.
const ATTEMPTS: usize = 60;
/// The pause between attempts, in which other transactions proceed.
const PAUSE: Duration = Duration::from_secs(1);

/// Applies the missing migrations in order, and returns their names. Only a failed index build
/// leaves something, an invalid index, which the next attempt drops. Concurrent callers wait for
/// each other, so only one migrates. If a migration fails, those before it stay.
///
/// Afterwards the connection is closed, which releases the lock.
pub(crate) async fn migrate<S>(
    mut conn: AsyncPgConnection,
    known: S,
) -> Result<Vec<String>, StoreError>
where
    S: MigrationSource<Pg> + Send + Sync + 'static,
{
    let pending = lock(&mut conn, &known).await.map_err(classified)?;
    if pending.is_empty() {
        return Ok(pending);
    }
    // diesel runs migrations on blocking connections.
    let work = task::spawn_blocking(move || apply(conn, known)).await;
    work.unwrap_or_else(|error| Err(StoreError::Broken(error.to_string())))
}

/// Takes the lock for migrations, and returns the names of missing migrations.
async fn lock(
    conn: &mut AsyncPgConnection,
    known: &(impl MigrationSource<Pg> + Sync),
) -> Outcome<Vec<String>> {
    let _ = conn.load::<NoLimits>(&[]).await?;
    // Polls, because an index build would wait for the snapshot of a statement that waits here.
    let mut waits = false;
    while conn.load::<TryLock>(&[]).await? != [true] {
        if !waits {
            tracing::info!("another process applies migrations; waiting for it");
            waits = true;
        }
        sleep(LOCK_POLL).await;
    }
    pending::<Pg>(conn, known).await
}

type Blocking = AsyncConnectionWrapper<AsyncPgConnection>;

fn apply(
    conn: AsyncPgConnection,
    known: impl MigrationSource<Pg>,
) -> Result<Vec<String>, StoreError> {
    let mut conn: Blocking = conn.into();
    let mut applied = Vec::new();
    for migration in conn.pending_migrations(known).map_err(of_migration)? {
        let done = if migration.metadata().run_in_transaction() {
            change(&mut conn, &*migration)
        } else {
            build_index(&mut conn, &*migration)
        };
        let name = migration.name().to_string();
        done.map_err(|error| named(error, &name))?;
        applied.push(name);
    }
    Ok(applied)
}

/// Adds the migration's name to a failure, and what an operator can do about a lock.
fn named(error: StoreError, name: &str) -> StoreError {
    match error {
        StoreError::Locked(why) => StoreError::Locked(format!(
            "{name}: {why}; end the transaction that holds a lock on its table (see \
             pg_stat_activity), and migrate again"
        )),
        StoreError::Broken(why) => StoreError::Broken(format!("{name}: {why}")),
        other => other,
    }
}

fn change(conn: &mut Blocking, migration: &dyn Migration<Pg>) -> Result<(), StoreError> {
    execute(conn, &format!("SET lock_timeout = '{TABLE_LOCK_TIMEOUT}'"))?;
    let mut attempt = 1;
    loop {
        match conn.run_migration(migration).map_err(of_migration) {
            Err(StoreError::Locked(_)) if attempt < ATTEMPTS => {
                tracing::warn!(
                    migration = %migration.name(),
                    "waits for a transaction that holds a lock on its table"
                );
                attempt += 1;
                thread::sleep(PAUSE);
            }
            result => return result.map(drop),
        }
    }
}

/// Applies a migration that builds the index with the migration's name, without blocking writers.
fn build_index(conn: &mut Blocking, migration: &dyn Migration<Pg>) -> Result<(), StoreError> {
    let name = migration.name().to_string();
    let index = name.split_once('_').map_or("", |(_, index)| index);
    // No limit: the lock blocks no writer, and the build waits for every older transaction.
    execute(conn, "SET lock_timeout = 0")?;
    // An interrupted attempt leaves an invalid index.
    execute(
        conn,
        &format!("DROP INDEX CONCURRENTLY IF EXISTS \"{index}\""),
    )?;
    conn.run_migration(migration)
        .map(drop)
        .map_err(of_migration)
}

fn execute(conn: &mut Blocking, text: &str) -> Result<(), StoreError> {
    conn.batch_execute(text)
        .map_err(|error| classified(error.into()))
}

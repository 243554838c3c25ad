//! Checks the store, its schema and its clock.

use ::webhooks::{Endpoint, EndpointState, Owner, Webhooks};
use adapters_postgres::{PostgresOptions, PostgresStore, PostgresUrl};
use anyhow::Context as _;
use runtime::clock::{self, TOLERANCE};

use super::check::{CHECK_TIMEOUT, Check, checked, within};
use crate::{
    database::{self, url::DatabaseUrl},
    output,
};

const STORE: &str = "store";
const REPLICA: &str = "replica";
const SCHEMA: &str = "schema";
const CLOCK: &str = "clock";
const WEBHOOKS: &str = "webhooks";

const MOST_WEBHOOKS: usize = 1_000;

pub async fn look(url: &DatabaseUrl) -> Vec<Check> {
    let remedy = access_remedy(url);
    let opened = within(CHECK_TIMEOUT, database::open_as_it_is(url)).await;
    let (database, pending) = match opened {
        Ok(opened) => opened,
        Err(error) => return vec![Check::wrong(STORE, output::in_one_line(&error), remedy)],
    };
    let is_current = pending.is_empty();
    let store = async {
        if !is_current {
            return Ok(Check::good(STORE, format!("{} can be read", name(url))));
        }
        database.health.ready().await?;
        let message = format!("{} can be read and written", name(url));
        Ok(Check::good(STORE, message))
    };
    let clock = async {
        let ahead = clock::measure(&*database.clock).await;
        Ok(clock_skew(ahead.context("the clocks cannot be compared")?))
    };
    let mut checks = vec![
        checked(STORE, remedy, store).await,
        schema(&pending),
        checked(CLOCK, remedy, clock).await,
    ];
    if is_current {
        checks.push(checked(WEBHOOKS, remedy, webhooks(&*database.webhooks)).await);
    }
    checks
}

pub async fn replica(url: Option<&PostgresUrl>) -> Option<Check> {
    let url = url?;
    let check = async {
        let replica = PostgresStore::standby(url, &PostgresOptions::default())?;
        let pending = replica.pending_migrations().await?;
        Ok(if pending.is_empty() {
            Check::good(REPLICA, "it can be read")
        } else {
            Check::wrong(
                REPLICA,
                format!("it lacks {}", pending.join(", ")),
                "check that it follows the database: it has no migrations of its own",
            )
        })
    };
    let remedy =
        "check that POSTHASTE_READ_DATABASE_URL names a standby that can be reached from here";
    Some(checked(REPLICA, remedy, check).await)
}

/// Reports operators' disabled webhooks. Clients watch their own.
async fn webhooks(webhooks: &dyn Webhooks) -> anyhow::Result<Check> {
    let all = webhooks.list(None, None, MOST_WEBHOOKS).await?;
    let is_disabled = |endpoint: &&Endpoint| endpoint.state == EndpointState::Disabled;
    let disabled = all.iter().map(|tracked| &tracked.endpoint);
    let disabled: Vec<_> = disabled.filter(is_disabled).collect();
    let own = disabled.iter().find(|it| it.owner == Owner::Operator);
    let counts = format!("{}, of which {} disabled", all.len(), disabled.len());
    let Some(own) = own else {
        return Ok(Check::good(WEBHOOKS, counts));
    };
    let reason = own.state_reason.as_deref().unwrap_or("no reason is known");
    Ok(Check::wrong(
        WEBHOOKS,
        format!("{counts}, such as {} ({reason})", own.url),
        format!(
            "check the receiver, then run `posthaste webhooks resume {}`",
            own.id
        ),
    ))
}

fn name(url: &DatabaseUrl) -> String {
    match url {
        DatabaseUrl::Sqlite(path) => path.display().to_string(),
        DatabaseUrl::Postgres(_) => "the PostgreSQL database".to_owned(),
    }
}

fn access_remedy(url: &DatabaseUrl) -> &'static str {
    match url {
        DatabaseUrl::Sqlite(_) => {
            "check that this user may read and write the file and its folder, that there is room \
             on the disk, and that the file is a database of this program"
        }
        DatabaseUrl::Postgres(_) => {
            "check that the server runs and accepts writes, and that DATABASE_URL is right"
        }
    }
}

fn schema(pending: &[String]) -> Check {
    if pending.is_empty() {
        return Check::good(SCHEMA, "up to date");
    }
    Check::wrong(
        SCHEMA,
        format!("it lacks {}", pending.join(", ")),
        "run `posthaste migrate`",
    )
}

fn clock_skew(ahead: Option<time::Duration>) -> Check {
    match ahead {
        None => Check::good(
            CLOCK,
            format!(
                "the store uses this machine's clock, which shows {}",
                output::time(clock::now())
            ),
        ),
        Some(ahead) if ahead.abs() > TOLERANCE => Check::wrong(
            CLOCK,
            format!(
                "this machine's clock is {:.1} seconds {} the database's",
                ahead.abs().as_seconds_f64(),
                if ahead.is_positive() {
                    "ahead of"
                } else {
                    "behind"
                }
            ),
            "set both by NTP",
        ),
        Some(_) => Check::good(CLOCK, "it agrees with the database's"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn clocks_may_differ_by_seconds() {
        for (millis, is_good, expect) in [
            (0, true, "agrees"),
            (-5_000, true, "agrees"),
            (5_100, false, "5.1 seconds ahead of the database's"),
            (-90_000, false, "90.0 seconds behind the database's"),
        ] {
            let check = clock_skew(Some(time::Duration::milliseconds(millis)));
            assert_eq!(check.ok, is_good, "{check:?}");
            assert!(check.message.contains(expect), "{check:?}");
        }
        assert!(clock_skew(None).ok);
    }
}

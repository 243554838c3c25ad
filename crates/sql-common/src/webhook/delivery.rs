//! Attempts to deliver, of which each endpoint keeps the newest.

use std::time::Duration;

use diesel::{
    Queryable,
    sql_types::{BigInt, Nullable, Text},
};
use kernel::{StoreError, event::EventName};
use webhooks::{DELIVERIES_KEPT, DeliveryRecord, EndpointId};

use crate::{
    binds,
    event::cursor_in,
    executor::{Executor, Outcome, values},
    statement,
    stored::{corrupt, count, most},
    types::{Count, Moment, StoredTime},
};

/// The SQL types of a [`DeliveryRow`].
pub type DeliveryColumns = (
    Moment,
    BigInt,
    BigInt,
    Text,
    Count,
    Nullable<Count>,
    BigInt,
    Nullable<Text>,
);

/// An attempt.
#[derive(Clone, Debug, Queryable)]
pub struct DeliveryRow {
    at: StoredTime,
    commit_seq: i64,
    number: i64,
    name: String,
    attempt: i64,
    status: Option<i64>,
    duration_ms: i64,
    error: Option<String>,
}

impl TryFrom<DeliveryRow> for DeliveryRecord {
    type Error = StoreError;

    fn try_from(row: DeliveryRow) -> Result<Self, StoreError> {
        let status = |status: i64| {
            let value = u16::try_from(status);
            value.map_err(|_| corrupt("webhook_deliveries.status", status))
        };
        let duration = u64::try_from(row.duration_ms);
        let duration =
            duration.map_err(|_| corrupt("webhook_deliveries.duration_ms", row.duration_ms))?;
        Ok(Self {
            at: row.at.time("webhook_deliveries.at")?,
            event: cursor_in("webhook_deliveries", row.commit_seq, row.number)?,
            name: EventName::from_store(row.name),
            attempt: count(row.attempt, "webhook_deliveries.attempt")?,
            status: row.status.map(status).transpose()?,
            duration: Duration::from_millis(duration),
            error: row.error,
        })
    }
}

statement! {
    /// Reads all that are kept of an endpoint, which are few.
    Deliveries = r"
        SELECT at, commit_seq, number, name, attempt, status, duration_ms, error
        FROM webhook_deliveries WHERE endpoint = :endpoint ORDER BY position DESC LIMIT :limit",
    returns DeliveryColumns
}

/// The newest deliveries to an endpoint that are kept.
pub async fn deliveries(
    conn: &mut impl Executor,
    endpoint: EndpointId,
    limit: usize,
) -> Outcome<Vec<DeliveryRecord>> {
    let limit = most(limit.min(DELIVERIES_KEPT));
    let asked = binds! { endpoint: endpoint.uuid(), limit };
    values(conn.load::<Deliveries, DeliveryRow>(asked).await?)
}

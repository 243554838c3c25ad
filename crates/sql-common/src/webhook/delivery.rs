use std::time::Duration;

use diesel::sql_types::{BigInt, Nullable, Text};
use kernel::StoreError;
use webhooks::{DELIVERIES_KEPT, DeliveryRecord, EndpointId};

use crate::{
    binds, entity,
    event::{cursor_in, cursor_values},
    executor::{Executor, Outcome, values},
    statement,
    stored::{Decode, decoded, most},
    types::{Count, Moment},
};

entity! {
    /// An attempt with its place among the endpoint's attempts.
    DeliveryRow = webhook_deliveries of (i64, DeliveryRecord) {
        fixed {}
        changing {
            position: BigInt = Integer(|(position, _)| Some(*position)),
            at: Moment = Time(|(_, delivery)| Some(delivery.at)),
            commit_seq: BigInt = Integer(|(_, delivery)| Some(cursor_values(delivery.event)[0])),
            number: BigInt = Integer(|(_, delivery)| Some(cursor_values(delivery.event)[1])),
            name: Text = Text(|(_, delivery)| Some(delivery.name.as_str())),
            attempt: Count = Integer(|(_, delivery)| Some(delivery.attempt.into())),
            status: Nullable<Count> = Integer(|(_, delivery)| delivery.status.map(i64::from)),
            duration_ms: BigInt = Integer(|(_, delivery)| {
                Some(i64::try_from(delivery.duration.as_millis()).unwrap_or(i64::MAX))
            }),
            error: Nullable<Text> = Text(|(_, delivery)| delivery.error.as_deref()),
        }
    }
}

impl TryFrom<DeliveryRow> for DeliveryRecord {
    type Error = StoreError;

    fn try_from(row: DeliveryRow) -> Result<Self, StoreError> {
        let duration = row.duration_ms.decode("webhook_deliveries.duration_ms")?;
        Ok(decoded!(row of webhook_deliveries => Self {
            at, name, attempt, status, error;
            event: cursor_in("webhook_deliveries", row.commit_seq, row.number)?,
            duration: Duration::from_millis(duration),
        }))
    }
}

statement! {
    /// Reads all of an endpoint's deliveries, because they are few.
    Deliveries = r"
        SELECT {webhook_deliveries} FROM webhook_deliveries
        WHERE endpoint = :endpoint ORDER BY position DESC LIMIT :limit",
    returns DeliveryRow
}

pub async fn deliveries(
    conn: &mut impl Executor,
    endpoint: EndpointId,
    limit: usize,
) -> Outcome<Vec<DeliveryRecord>> {
    let limit = most(limit.min(DELIVERIES_KEPT));
    let asked = binds! { endpoint: endpoint.uuid(), limit };
    values(conn.load::<Deliveries>(asked).await?)
}

use diesel::sql_types::BigInt;
use diesel_async::AsyncPgConnection;
use kernel::{StoreError, Version};
use sql_common::{
    statement,
    webhook::{DeliveryRow, Settled, WaitingRow, disable, kept_deliveries, round_values},
};
use uuid::Uuid;
use webhooks::{Recorded, Round};

use crate::{
    PostgresStore,
    error::Failure,
    statement::{NamedValue, Value, arrays, load},
};

impl PostgresStore {
    pub(crate) async fn record_round(
        &self,
        holder: Uuid,
        round: Round,
    ) -> Result<Recorded, StoreError> {
        if round.disabled.is_none() {
            let work = self.write(async move |conn| record(conn, holder, &round).await);
            return work.await;
        }
        self.transaction(async move |conn| {
            let recorded = record(conn, holder, &round).await?;
            if recorded == Recorded::Done {
                disable(conn, &round).await?;
            }
            Ok(recorded)
        })
        .await
    }
}

statement! {
    Record = include_str!("record.sql"),
    over [WaitingRow, Settled, DeliveryRow],
    returns (BigInt,)
}

/// Writes a round's result, except a disabling.
async fn record(
    conn: &mut AsyncPgConnection,
    holder: Uuid,
    round: &Round,
) -> Result<Recorded, Failure> {
    let deliveries = kept_deliveries(round);
    let places = deliveries.iter().map(|(place, _)| Some(*place)).collect();
    let values = round_values(holder, round);
    let mut values: Vec<NamedValue<'_>> = values
        .map(|(name, value)| (name, Value::One(value)))
        .to_vec();
    values.push(("places", Value::BigInts(places)));
    values.extend(arrays::<WaitingRow>(round.waiting.iter()));
    values.extend(arrays::<Settled>(round.settled.iter()));
    values.extend(arrays::<DeliveryRow>(deliveries.iter().map(|(_, it)| *it)));
    let locked: Vec<(Version,)> = load::<Record, _>(conn, &values).await?;
    Ok(match locked.first() {
        None => Recorded::Lost,
        Some((version,)) if *version == round.version => Recorded::Done,
        Some(_) => Recorded::Changed,
    })
}

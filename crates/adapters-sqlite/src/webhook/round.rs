use diesel::sql_types::BigInt;
use kernel::StoreError;
use sql_common::{
    binds,
    entity::row,
    executor::{Executor, Outcome},
    statement,
    value::Named,
    webhook::{DeliveryRow, Settled, Wait, WaitingRow, disable, kept_deliveries, round_values},
};
use uuid::Uuid;
use webhooks::{Recorded, Round};

use crate::SqliteStore;

statement! {
    Held = r"
        SELECT version, attempts FROM webhook_endpoints
        WHERE id = :endpoint AND holder = :holder
            AND commit_seq = :from_seq AND number = :from_number",
    returns (BigInt, BigInt)
}

statement! {
    Settle = "DELETE FROM webhook_waiting WHERE endpoint = :endpoint AND subject = :subject",
    over [Settled]
}

statement! {
    /// Makes subjects due whose last attempt got no answer.
    Wake = r"
        UPDATE webhook_waiting SET next_at = :round_at
        WHERE endpoint = :endpoint AND next_at > :round_at AND is_silent"
}

statement! {
    /// A delivery replaces the row of the oldest kept one.
    Deliver = r"
        INSERT OR REPLACE INTO webhook_deliveries
            (endpoint, slot, position, {webhook_deliveries})
        VALUES (:endpoint, :position % :kept, :position, {webhook_deliveries :})",
    over [DeliveryRow]
}

statement! {
    Move = r"
        UPDATE webhook_endpoints SET commit_seq = :to_seq, number = :to_number,
            attempts = attempts + :made, holder = NULL, leased_until = :again_at,
            last_success_at = :last_success_at, failing_since = :failing_since,
            silent_rounds = :silent_rounds, open_until = :open_until
        WHERE id = :endpoint"
}

impl SqliteStore {
    pub(crate) async fn record_round(
        &self,
        holder: Uuid,
        round: Round,
    ) -> Result<Recorded, StoreError> {
        self.transaction(async move |conn| record(conn, holder, &round).await)
            .await
    }
}

async fn record(conn: &mut impl Executor, holder: Uuid, round: &Round) -> Outcome<Recorded> {
    let values = round_values(holder, round);
    let held: Vec<(i64, i64)> = conn.load::<Held, _>(&values).await?;
    let Some(&(version, attempts_before)) = held.first() else {
        return Ok(Recorded::Lost);
    };
    if version != round.version {
        return Ok(Recorded::Changed);
    }
    record_waiting(conn, round, &values).await?;
    let deliveries = kept_deliveries(round).into_iter().map(|(place, it)| {
        let mut delivery = row::<DeliveryRow>(it);
        delivery.extend(binds! { position: attempts_before.saturating_add(place) });
        delivery
    });
    let deliveries: Vec<_> = deliveries.collect();
    conn.execute_each::<Deliver>(&deliveries, &values).await?;
    conn.execute::<Move>(&values).await?;
    disable(conn, round).await?;
    Ok(Recorded::Done)
}

async fn record_waiting(
    conn: &mut impl Executor,
    round: &Round,
    values: &[Named<'_>],
) -> Outcome<()> {
    let waiting: Vec<_> = round.waiting.iter().map(row::<WaitingRow>).collect();
    conn.execute_each::<Wait>(&waiting, values).await?;
    let settled: Vec<_> = round.settled.iter().map(row::<Settled>).collect();
    conn.execute_each::<Settle>(&settled, values).await?;
    if round.wakes_silent {
        conn.execute::<Wake>(values).await?;
    }
    Ok(())
}

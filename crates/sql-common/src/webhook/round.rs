//! The result of a round of deliveries.

use diesel::sql_types::BigInt;
use uuid::Uuid;
use webhooks::{DELIVERIES_KEPT, EndpointWrite, Recorded, Round, TrackedEndpoint};

use super::{
    delivery::DeliveryRow,
    endpoint::{find, update},
    waiting::{Wait, WaitingRow},
};
use crate::{
    binds, each,
    entity::row,
    event::cursor_values,
    executor::{Executor, Outcome},
    statement,
    stored::most,
};

statement! {
    /// Finds the endpoint if its lease and its cursor are still those of the round.
    ///
    /// Every transaction that writes an endpoint's waiting events or deliveries locks the
    /// endpoint's row first, and changes its holder, cursor or version.
    Held = r"
        SELECT version, attempts FROM webhook_endpoints
        WHERE id = :endpoint AND holder = :holder
            AND commit_seq = :commit_seq AND number = :number{postgres  FOR NO KEY UPDATE}",
    returns (BigInt, BigInt);

    /// PostgreSQL finds the rows one by one. A plan made while the table was empty would read all
    /// waiting events of the endpoint.
    Settle = {
        postgres: r"
            DELETE FROM webhook_waiting WHERE ctid = ANY (ARRAY(
                SELECT found.place FROM {given subject uuid} CROSS JOIN LATERAL (
                    SELECT ctid AS place FROM webhook_waiting AS waiting
                    WHERE waiting.endpoint = :endpoint AND waiting.subject = sent.subject LIMIT 1
                ) AS found
            ))",
        sqlite: "DELETE FROM webhook_waiting WHERE endpoint = :endpoint AND subject = :subject",
    };

    /// Makes the subjects due whose last attempt got no answer.
    Wake = r"
        UPDATE webhook_waiting SET next_at = :at
        WHERE endpoint = :endpoint AND next_at > :at AND is_silent";

    /// Adds a delivery, in the place of the oldest kept one.
    Deliver = r"
        INSERT INTO webhook_deliveries (endpoint, slot, {webhook_deliveries})
        SELECT :endpoint{postgres ::uuid}, sent.position % :kept, {webhook_deliveries sent}
        FROM {webhook_deliveries given} WHERE true
        ON CONFLICT (endpoint, slot) DO UPDATE SET {webhook_deliveries.changing = excluded}",
    over [DeliveryRow];

    Move = r"
        UPDATE webhook_endpoints SET commit_seq = :commit_seq, number = :number,
            attempts = attempts + :made, holder = NULL, leased_until = :again_at,
            last_success_at = :last_success_at, failing_since = :failing_since,
            silent_rounds = :silent_rounds, open_until = :open_until
        WHERE id = :endpoint"
}

/// Writes the result of a round, in the caller's transaction.
pub async fn record(
    conn: &mut impl Executor,
    (holder, round): &(Uuid, Round),
) -> Outcome<Recorded> {
    let endpoint = round.endpoint.uuid();
    let [commit_seq, number] = cursor_values(round.from);
    let asked = binds! { endpoint, holder, commit_seq, number };
    let held = conn.load::<Held>(asked).await?;
    let Some(&(version, attempts_before)) = held.first() else {
        return Ok(Recorded::Lost);
    };
    if version != round.version {
        return Ok(Recorded::Changed);
    }
    let of_endpoint = binds! { endpoint };
    let waiting: Vec<_> = round.waiting.iter().map(row::<WaitingRow>).collect();
    conn.execute_each::<Wait>(&waiting, of_endpoint).await?;
    let settled = each! { &round.settled, subject => subject };
    conn.execute_each::<Settle>(&settled, of_endpoint).await?;
    if round.wakes_silent {
        conn.execute::<Wake>(binds! { endpoint, at: round.at })
            .await?;
    }
    let older = round.deliveries.len().saturating_sub(DELIVERIES_KEPT);
    let deliveries = (attempts_before.saturating_add(1)..).zip(round.deliveries.iter().cloned());
    let deliveries: Vec<_> = deliveries.skip(older).collect();
    let deliveries: Vec<_> = deliveries.iter().map(row::<DeliveryRow>).collect();
    let kept = binds! { endpoint, kept: most(DELIVERIES_KEPT) };
    conn.execute_each::<Deliver>(&deliveries, kept).await?;
    let ([commit_seq, number], health) = (cursor_values(round.to), &round.health);
    let moved = binds! {
        endpoint,
        commit_seq,
        number,
        made: most(round.deliveries.len()),
        again_at: round.again_at,
        last_success_at: health.last_success_at,
        failing_since: health.failing_since,
        silent_rounds: i64::from(health.silent_rounds),
        open_until: health.open_until,
    };
    conn.execute::<Move>(moved).await?;
    if let Some(reason) = &round.disabled
        && let Some(TrackedEndpoint { endpoint, .. }) = find(conn, round.endpoint).await?
    {
        let write = EndpointWrite {
            expected: endpoint.version,
            endpoint: endpoint.disable(reason, round.at),
            starts_over: false,
        };
        update(conn, &write, None).await?;
    }
    Ok(Recorded::Done)
}

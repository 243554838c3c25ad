use uuid::Uuid;
use webhooks::{DELIVERIES_KEPT, DeliveryRecord, EndpointWrite, Round, TrackedEndpoint};

use super::{find, update};
use crate::{
    binds,
    event::cursor_values,
    executor::{Executor, Outcome},
    stored::most,
    value::Named,
    written,
};

written! {
    /// A subject that no longer waits.
    Settled = settled of Uuid {
        subject = Id(|subject| Some(*subject)),
    }
}

/// The values of a round besides its rows.
pub fn round_values(holder: Uuid, round: &Round) -> [Named<'static>; 16] {
    let [from_seq, from_number] = cursor_values(round.from);
    let [to_seq, to_number] = cursor_values(round.to);
    let health = &round.health;
    *binds! {
        endpoint: round.endpoint.uuid(),
        holder,
        from_seq,
        from_number,
        version: round.version,
        round_at: round.at,
        again_at: round.again_at,
        wakes_silent: round.wakes_silent,
        kept: most(DELIVERIES_KEPT),
        to_seq,
        to_number,
        made: most(round.deliveries.len()),
        last_success_at: health.last_success_at,
        failing_since: health.failing_since,
        silent_rounds: i64::from(health.silent_rounds),
        open_until: health.open_until,
    }
}

pub fn kept_deliveries(round: &Round) -> Vec<(i64, &DeliveryRecord)> {
    let older = round.deliveries.len().saturating_sub(DELIVERIES_KEPT);
    (1..).zip(&round.deliveries).skip(older).collect()
}

/// Disables the endpoint if the round says so. The caller's transaction holds its row.
pub async fn disable(conn: &mut impl Executor, round: &Round) -> Outcome<()> {
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
    Ok(())
}

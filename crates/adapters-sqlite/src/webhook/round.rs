//! The result of a round of deliveries.

use std::collections::HashSet;

use diesel::sql_types::BigInt;
use kernel::{StoreError, event::Cursor};
use sql_common::{
    binds,
    event::cursor_values,
    executor::{Executor, Outcome},
    types::{Id, StoredId},
    value::Named,
    webhook::{self, attempts, kept_deliveries, milliseconds},
};
use uuid::Uuid;
use webhooks::{DELIVERIES_KEPT, EndpointWrite, Recorded, Round, TrackedEndpoint};

use crate::{SqliteStore, statement::statement};

statement! {
    /// The version, and the number of attempts so far.
    Held = r"
        SELECT version, attempts FROM webhook_endpoints
        WHERE id = :endpoint AND holder = :holder AND commit_seq = :commit_seq AND number = :number",
    returns (BigInt, BigInt)
}

statement! {
    Wait = r"
        INSERT INTO webhook_waiting
            (endpoint, commit_seq, number, name, subject, attempts, next_at, last_error, is_silent)
        VALUES (:endpoint, :commit_seq, :number, :name, :subject, :attempts, :next_at, :last_error,
            :is_silent)
        ON CONFLICT (endpoint, commit_seq, number) DO UPDATE SET
            name = excluded.name, subject = excluded.subject, attempts = excluded.attempts,
            next_at = excluded.next_at, last_error = excluded.last_error,
            is_silent = excluded.is_silent"
}

statement! {
    Settle = r"
        DELETE FROM webhook_waiting
        WHERE endpoint = :endpoint AND commit_seq = :commit_seq AND number = :number
        RETURNING subject",
    returns (Id,)
}

statement! {
    /// Makes the oldest event of a subject due.
    MakeDue = r"
        UPDATE webhook_waiting SET next_at = :at
        WHERE endpoint = :endpoint AND (commit_seq, number) = (
            SELECT commit_seq, number FROM webhook_waiting
            WHERE endpoint = :endpoint AND subject = :subject ORDER BY commit_seq, number LIMIT 1
        ) AND next_at IS NULL"
}

statement! {
    /// Makes events due whose last attempt was not answered.
    Wake = r"
        UPDATE webhook_waiting SET next_at = :at
        WHERE endpoint = :endpoint AND next_at > :at AND is_silent"
}

statement! {
    /// A delivery takes the row of the oldest one that is kept.
    Deliver = r"
        INSERT OR REPLACE INTO webhook_deliveries
            (endpoint, slot, position, at, commit_seq, number, name, attempt, status, duration_ms,
            error)
        VALUES (:endpoint, :position % :kept, :position, :at, :commit_seq, :number, :name, :attempt,
            :status, :duration_ms, :error)"
}

statement! {
    Move = r"
        UPDATE webhook_endpoints SET commit_seq = :commit_seq, number = :number,
            attempts = attempts + :attempts, holder = NULL, leased_until = :again_at,
            last_success_at = :last_success_at, failing_since = :failing_since,
            silent_rounds = :silent_rounds, open_until = :open_until
        WHERE id = :endpoint"
}

impl SqliteStore {
    /// Writes the result of a round.
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
    let endpoint = round.endpoint.uuid();
    let mut values = at(endpoint, round.from);
    values.extend(binds! { holder });
    let held: Vec<(i64, i64)> = conn.load::<Held, _>(&values).await?;
    let Some(&(version, attempts_before)) = held.first() else {
        return Ok(Recorded::Lost);
    };
    if version != round.version {
        return Ok(Recorded::Changed);
    }
    record_waiting(conn, round).await?;
    record_deliveries(conn, round, attempts_before).await?;
    let health = &round.health;
    let mut values = at(endpoint, round.to);
    values.extend(binds! {
        attempts: attempts(round),
        again_at: round.again_at,
        last_success_at: health.last_success_at,
        failing_since: health.failing_since,
        silent_rounds: i64::from(health.silent_rounds),
        open_until: health.open_until,
    });
    conn.execute::<Move>(&values).await?;
    disable(conn, round).await?;
    Ok(Recorded::Done)
}

/// An endpoint, and a place in the log.
fn at<'a>(endpoint: Uuid, place: Cursor) -> Vec<Named<'a>> {
    let [commit_seq, number] = cursor_values(place);
    binds! { endpoint, commit_seq, number }.to_vec()
}

async fn record_waiting(conn: &mut impl Executor, round: &Round) -> Outcome<()> {
    let (endpoint, at_time) = (round.endpoint.uuid(), round.at);
    for event in &round.waiting {
        let mut values = at(endpoint, event.cursor);
        values.extend(binds! {
            name: event.name.as_str(),
            subject: event.subject,
            attempts: i64::from(event.attempts),
            next_at: event.next_at,
            last_error: &event.last_error,
            is_silent: event.is_silent,
        });
        conn.execute::<Wait>(&values).await?;
    }
    let mut freed = HashSet::new();
    for cursor in &round.settled {
        let subjects: Vec<(StoredId,)> = conn.load::<Settle, _>(&at(endpoint, *cursor)).await?;
        for (subject,) in subjects {
            freed.insert(subject.uuid("webhook_waiting.subject")?);
        }
    }
    for subject in freed {
        let due = binds! { at: at_time, endpoint, subject };
        conn.execute::<MakeDue>(due).await?;
    }
    if round.wakes_silent {
        conn.execute::<Wake>(binds! { at: at_time, endpoint })
            .await?;
    }
    Ok(())
}

async fn record_deliveries(
    conn: &mut impl Executor,
    round: &Round,
    attempts_before: i64,
) -> Outcome<()> {
    let kept = i64::try_from(DELIVERIES_KEPT).unwrap_or(i64::MAX);
    for (place_in_round, delivery) in kept_deliveries(round) {
        let mut values = at(round.endpoint.uuid(), delivery.event);
        values.extend(binds! {
            position: attempts_before.saturating_add(place_in_round),
            kept,
            at: delivery.at,
            name: delivery.name.as_str(),
            attempt: i64::from(delivery.attempt),
            status: delivery.status.map(i64::from),
            duration_ms: milliseconds(delivery.duration),
            error: &delivery.error,
        });
        conn.execute::<Deliver>(&values).await?;
    }
    Ok(())
}

/// Disables the endpoint of a round that says so.
async fn disable(conn: &mut impl Executor, round: &Round) -> Outcome<()> {
    if let Some(reason) = &round.disabled
        && let Some(TrackedEndpoint { endpoint, .. }) = webhook::find(conn, round.endpoint).await?
    {
        let write = EndpointWrite {
            expected: endpoint.version,
            endpoint: endpoint.disable(reason, round.at),
            starts_over: false,
        };
        webhook::update(conn, &write, None).await?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{statement::Sql, tests::assert_uses_index};

    #[tokio::test]
    async fn waiting_events_are_found_in_order() {
        assert_uses_index(MakeDue::text(), "webhook_waiting_subjects").await;
        assert_uses_index(Wake::text(), "webhook_waiting_silent").await;
    }
}

//! Writes the activity of clients.
//!
//! Every transaction that writes rows of a client first locks the client's row. If it locks several
//! clients, it does so in the order of ids, so no two transactions block each other. Activity of
//! unknown clients is skipped.

use access::activity::{ActivityWrites, DAYS_KEPT, REFUSALS_KEPT};

use super::activity::{
    DayRow, PushNoted, RefusalRow, TallyRow, UseNoted, clients_of, days_of, refusals_of, tallies_of,
};
use crate::{
    binds, each,
    entity::row,
    executor::{Executor, Outcome},
    statement,
    stored::most,
};

statement! {
    /// Locks without a new version, so concurrent changes of the client do not conflict.
    Lock = {
        postgres: "SELECT FROM clients WHERE id = ANY(:id) ORDER BY id FOR NO KEY UPDATE",
        sqlite: "",
    };

    AddDays = r"
        INSERT INTO client_days ({client_days}) SELECT {client_days sent} FROM {client_days given}
        WHERE EXISTS (SELECT 1 FROM clients WHERE clients.id = sent.client_id)
        ON CONFLICT (client_id, date) DO UPDATE SET {client_days.changing += excluded},
            hours = client_days.hours | excluded.hours",
    over [DayRow];

    AddTallies = r"
        INSERT INTO client_tallies ({client_tallies})
        SELECT {client_tallies sent} FROM {client_tallies given}
        WHERE EXISTS (SELECT 1 FROM clients WHERE clients.id = sent.client_id)
        ON CONFLICT (client_id, date, name) DO UPDATE SET {client_tallies.changing += excluded}",
    over [TallyRow];

    NotePushes = r"
        UPDATE clients SET last_push_at = sent.at FROM {pushes given}
        WHERE clients.id = sent.client
            AND (clients.last_push_at IS NULL OR clients.last_push_at < sent.at)",
    over [PushNoted];

    NoteUses = r"
        UPDATE client_secrets SET last_used_at = sent.at FROM {uses given}
        WHERE client_secrets.client_id = sent.client AND client_secrets.digest = sent.digest
            AND (client_secrets.last_used_at IS NULL OR client_secrets.last_used_at < sent.at)",
    over [UseNoted];

    /// If a refusal is already stored, it comes from a commit whose answer was lost. Refusals of a
    /// posting that was erased meanwhile are skipped.
    AddRefusals = r"
        INSERT INTO client_refusals ({client_refusals})
        SELECT {client_refusals sent} FROM {client_refusals given}
        WHERE EXISTS (SELECT 1 FROM clients WHERE clients.id = sent.client_id)
            AND NOT EXISTS (
                SELECT 1 FROM audit WHERE audit.at >= sent.at
                    AND audit.action = 'postings.erase' AND audit.subject = sent.identifier
            )
        ON CONFLICT (client_id, id) DO NOTHING",
    over [RefusalRow]
}

/// Deletes all rows of each client except the newest.
fn trim(table: &str, key: &str) -> String {
    format!(
        "DELETE FROM {table} WHERE (client_id, {key}) IN (
            SELECT old.client_id, old.{key}
            FROM {{given client uuid}} JOIN {table} AS old
                ON old.client_id = sent.client AND old.{key} < (
                    SELECT kept.{key} FROM {table} AS kept
                    WHERE kept.client_id = sent.client
                    ORDER BY kept.{key} DESC LIMIT 1 OFFSET :behind
                )
        )"
    )
}

statement! {
    TrimDays = &trim("client_days", "date");
    TrimRefusals = &trim("client_refusals", "id")
}

pub async fn record(conn: &mut impl Executor, writes: &ActivityWrites) -> Outcome<()> {
    let clients = each! { clients_of(writes), id => id };
    conn.lock_each::<Lock>(&clients).await?;
    let days: Vec<_> = writes.days.iter().map(row::<DayRow>).collect();
    conn.execute_each::<AddDays>(&days, &[]).await?;
    let tallies = tallies_of(writes);
    let tallies: Vec<_> = tallies.iter().map(row::<TallyRow>).collect();
    conn.execute_each::<AddTallies>(&tallies, &[]).await?;
    let pushes: Vec<_> = writes.pushes.iter().map(row::<PushNoted>).collect();
    conn.execute_each::<NotePushes>(&pushes, &[]).await?;
    let secrets: Vec<_> = writes.secrets.iter().map(row::<UseNoted>).collect();
    conn.execute_each::<NoteUses>(&secrets, &[]).await?;
    let refusals: Vec<_> = writes.refusals.iter().map(row::<RefusalRow>).collect();
    conn.execute_each::<AddRefusals>(&refusals, &[]).await?;
    let behind = |kept: usize| most(kept.saturating_sub(1));
    let clients = each! { days_of(writes), client => client };
    let oldest = binds! { behind: behind(DAYS_KEPT) };
    conn.execute_each::<TrimDays>(&clients, oldest).await?;
    let clients = each! { refusals_of(writes), client => client };
    let oldest = binds! { behind: behind(REFUSALS_KEPT) };
    conn.execute_each::<TrimRefusals>(&clients, oldest).await?;
    Ok(())
}

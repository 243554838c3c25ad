use std::collections::BTreeSet;

use access::activity::{ActivityWrites, DAYS_KEPT, REFUSALS_KEPT};
use diesel::sql_types::Bool;
use kernel::{ClientId, StoreError};
use sql_common::{
    binds,
    client::{
        DayRow, PushNoted, RefusalRow, TallyRow, UseNoted, clients_of, days_of, refusals_of,
        tallies_of,
    },
    each,
    entity::row,
    executor::{Executor, Outcome},
    statement,
    stored::most,
    types::{Id, StoredId},
};

use crate::SqliteStore;

statement! {
    Snapshot = "SELECT id FROM clients WHERE id = :id", returns (Id,)
}

statement! {
    AddDay = r"
        INSERT INTO client_days ({client_days}) VALUES ({client_days :})
        ON CONFLICT (client_id, date) DO UPDATE SET {client_days.changing += excluded},
            hours = client_days.hours | excluded.hours",
    over [DayRow]
}

statement! {
    AddTally = r"
        INSERT INTO client_tallies ({client_tallies}) VALUES ({client_tallies :})
        ON CONFLICT (client_id, date, name) DO UPDATE SET {client_tallies.changing += excluded}",
    over [TallyRow]
}

statement! {
    NotePush = r"
        UPDATE clients SET last_push_at = :at
        WHERE id = :client AND (last_push_at IS NULL OR last_push_at < :at)"
}

statement! {
    NoteUse = r"
        UPDATE client_secrets SET last_used_at = :at
        WHERE client_id = :client AND digest = :digest
            AND (last_used_at IS NULL OR last_used_at < :at)"
}

statement! {
    IsErased = r"
        SELECT EXISTS (
            SELECT 1 FROM audit
            WHERE at >= :at AND action = 'postings.erase' AND subject = :identifier
        )",
    returns (Bool,)
}

statement! {
    /// An existing one came with a commit whose answer was lost.
    AddRefusal = r"
        INSERT INTO client_refusals ({client_refusals}) VALUES ({client_refusals :})
        ON CONFLICT (client_id, id) DO NOTHING",
    over [RefusalRow]
}

statement! {
    TrimDays = r"
        DELETE FROM client_days WHERE client_id = :client AND date < (
            SELECT date FROM client_days WHERE client_id = :client
            ORDER BY date DESC LIMIT 1 OFFSET :behind
        )"
}

statement! {
    TrimRefusals = r"
        DELETE FROM client_refusals WHERE client_id = :client AND id < (
            SELECT id FROM client_refusals WHERE client_id = :client
            ORDER BY id DESC LIMIT 1 OFFSET :behind
        )"
}

impl SqliteStore {
    pub(crate) async fn record_activity(&self, writes: ActivityWrites) -> Result<(), StoreError> {
        self.transaction(async move |conn| record(conn, writes).await)
            .await
    }
}

async fn record(conn: &mut impl Executor, mut writes: ActivityWrites) -> Outcome<()> {
    let asked = each! { clients_of(&writes), id => id };
    let known: Vec<(StoredId,)> = conn.load_each::<Snapshot, _>(&asked, &[]).await?;
    let known = known.into_iter().map(|(id,)| id.uuid("clients.id"));
    let known = known.collect::<Result<BTreeSet<_>, _>>()?;
    let is_known = |client: &ClientId| known.contains(&client.uuid());
    writes.days.retain(|(client, ..)| is_known(client));
    writes.pushes.retain(|(client, _)| is_known(client));
    writes.secrets.retain(|(client, ..)| is_known(client));
    writes.refusals.retain(|(client, _)| is_known(client));
    let days: Vec<_> = writes.days.iter().map(row::<DayRow>).collect();
    conn.execute_each::<AddDay>(&days, &[]).await?;
    let tallies = tallies_of(&writes);
    let tallies: Vec<_> = tallies.iter().map(row::<TallyRow>).collect();
    conn.execute_each::<AddTally>(&tallies, &[]).await?;
    let pushes: Vec<_> = writes.pushes.iter().map(row::<PushNoted>).collect();
    conn.execute_each::<NotePush>(&pushes, &[]).await?;
    let secrets: Vec<_> = writes.secrets.iter().map(row::<UseNoted>).collect();
    conn.execute_each::<NoteUse>(&secrets, &[]).await?;
    for refusal in &writes.refusals {
        let (at, identifier) = (refusal.1.at, refusal.1.identifier.as_str());
        let asked = binds! { at, identifier };
        let is_erased: Vec<(bool,)> = conn.load::<IsErased, _>(asked).await?;
        if is_erased == [(false,)] {
            conn.execute::<AddRefusal>(&row::<RefusalRow>(refusal))
                .await?;
        }
    }
    let behind = |kept: usize| most(kept.saturating_sub(1));
    let days = each! { days_of(&writes), client => client, behind: behind(DAYS_KEPT) };
    conn.execute_each::<TrimDays>(&days, &[]).await?;
    let refusals = refusals_of(&writes);
    let refusals = each! { refusals, client => client, behind: behind(REFUSALS_KEPT) };
    conn.execute_each::<TrimRefusals>(&refusals, &[]).await?;
    Ok(())
}

//! The tables `client_days` and `client_refusals`, and the times beside them.

use std::{
    cmp::Reverse,
    collections::{BTreeMap, BTreeSet, HashMap},
};

use access::{
    Activity,
    activity::{ActivityWrites, Counts, Day as OfDay, Refusal},
};
use diesel::sql_types::{BigInt, Nullable, Text};
use kernel::{ClientId, StoreError};
use time::{Date, OffsetDateTime};
use uuid::Uuid;

use crate::{
    binds, entity,
    entity::Entity,
    executor::{Executor, Outcome},
    statement,
    stored::corrupt,
    types::{Count, Day, Id, Moment, StoredId, StoredTime, optional_time},
    value::Named,
    written,
};

/// The counts of a client on one day.
#[derive(Clone, Debug)]
pub struct DayRecord {
    client: ClientId,
    date: Date,
    counts: Counts,
}

fn stored(count: u64) -> i64 {
    i64::try_from(count).unwrap_or(i64::MAX)
}

entity! {
    /// A day of a client. Counts are added to those that are stored.
    DayRow = client_days of DayRecord {
        fixed {
            client_id: Id = Id(|record| Some(record.client.uuid())),
            date: Day = Day(|record| Some(record.date)),
        }
        changing {
            created: BigInt = Integer(|record| Some(stored(record.counts.created))),
            updated: BigInt = Integer(|record| Some(stored(record.counts.updated))),
            unchanged: BigInt = Integer(|record| Some(stored(record.counts.unchanged))),
            expired: BigInt = Integer(|record| Some(stored(record.counts.expired))),
            reopened: BigInt = Integer(|record| Some(stored(record.counts.reopened))),
            refused: BigInt = Integer(|record| Some(stored(record.counts.refused))),
            approved: BigInt = Integer(|record| Some(stored(record.counts.approved))),
            rejected: BigInt = Integer(|record| Some(stored(record.counts.rejected))),
        }
    }
}

impl TryFrom<DayRow> for OfDay {
    type Error = StoreError;

    fn try_from(row: DayRow) -> Result<Self, StoreError> {
        let count = |stored: i64, column: &str| {
            u64::try_from(stored).map_err(|_| corrupt(&format!("client_days.{column}"), stored))
        };
        Ok(Self {
            date: row.date.date("client_days.date")?,
            counts: Counts {
                created: count(row.created, "created")?,
                updated: count(row.updated, "updated")?,
                unchanged: count(row.unchanged, "unchanged")?,
                expired: count(row.expired, "expired")?,
                reopened: count(row.reopened, "reopened")?,
                refused: count(row.refused, "refused")?,
                approved: count(row.approved, "approved")?,
                rejected: count(row.rejected, "rejected")?,
            },
        })
    }
}

/// A refusal, with the text that one of its columns holds.
#[derive(Clone, Debug)]
pub struct RefusalRecord {
    client: ClientId,
    refusal: Refusal,
    errors: Option<String>,
    others: Option<String>,
}

impl RefusalRecord {
    fn new(client: ClientId, refusal: &Refusal) -> Self {
        let errors = refusal.errors.iter();
        let errors = errors.map(|(field, errors)| (field.clone(), errors.as_slice().into()));
        let errors: serde_json::Map<_, _> = errors.collect();
        Self {
            client,
            refusal: refusal.clone(),
            others: (!refusal.others.is_empty())
                .then(|| serde_json::Value::from(refusal.others.as_slice()).to_string()),
            errors: (!errors.is_empty()).then(|| serde_json::Value::Object(errors).to_string()),
        }
    }

    /// The refusal.
    pub const fn refusal(&self) -> &Refusal {
        &self.refusal
    }
}

entity! {
    /// A refusal. One that was written is not written again.
    RefusalRow = client_refusals of RefusalRecord {
        fixed {
            client_id: Id = Id(|record| Some(record.client.uuid())),
            id: Id = Id(|record| Some(record.refusal.id)),
            at: Moment = Time(|record| Some(record.refusal.at)),
            identifier: Text = Text(|record| Some(&record.refusal.identifier)),
            status: Count = Integer(|record| Some(record.refusal.status.into())),
            message: Text = Text(|record| Some(&record.refusal.message)),
            errors: Nullable<Text> = Json(|record| record.errors.as_deref()),
            request_id: Nullable<Text> = Text(|record| record.refusal.request_id.as_deref()),
            count: BigInt = Integer(|record| Some(stored(record.refusal.count))),
            others: Nullable<Text> = Json(|record| record.others.as_deref()),
        }
        changing {}
    }
}

impl TryFrom<RefusalRow> for Refusal {
    type Error = StoreError;

    fn try_from(row: RefusalRow) -> Result<Self, StoreError> {
        let errors = row.errors.unwrap_or_else(|| "{}".to_owned());
        let others = row.others.unwrap_or_else(|| "[]".to_owned());
        let (status, count) = (row.status, row.count);
        Ok(Self {
            id: row.id.uuid("client_refusals.id")?,
            at: row.at.time("client_refusals.at")?,
            identifier: row.identifier,
            status: u16::try_from(status).map_err(|_| corrupt("client_refusals.status", status))?,
            message: row.message,
            errors: serde_json::from_str(&errors)
                .map_err(|_| corrupt("client_refusals.errors", errors))?,
            request_id: row.request_id,
            count: u64::try_from(count).map_err(|_| corrupt("client_refusals.count", count))?,
            others: serde_json::from_str(&others)
                .map_err(|_| corrupt("client_refusals.others", others))?,
        })
    }
}

/// The time of a client's last push.
#[derive(Clone, Copy, Debug)]
pub struct Push {
    pub client: Uuid,
    pub at: OffsetDateTime,
}

/// The time at which a secret was last used.
#[derive(Clone, Copy, Debug)]
pub struct LastUse {
    pub client: Uuid,
    pub digest: [u8; 32],
    pub at: OffsetDateTime,
}

written! {
    /// The time of a client's last push.
    PushNoted = pushes of Push {
        client = Id(|push| Some(push.client)),
        at = Time(|push| Some(push.at)),
    }
}

written! {
    /// The time at which a secret was last used.
    UseNoted = uses of LastUse {
        client = Id(|used| Some(used.client)),
        digest = Blob(|used| Some(&used.digest)),
        at = Time(|used| Some(used.at)),
    }
}

/// Activity as it is written: each row once, by its key.
#[derive(Clone, Debug)]
pub struct ActivityRows {
    pub days: Vec<DayRecord>,
    pub pushes: Vec<Push>,
    pub refusals: Vec<RefusalRecord>,
    pub secrets: Vec<LastUse>,
}

impl From<&ActivityWrites> for ActivityRows {
    fn from(writes: &ActivityWrites) -> Self {
        let mut days: BTreeMap<_, Counts> = BTreeMap::new();
        for (client, date, counts) in &writes.days {
            *days.entry((*client, *date)).or_default() += *counts;
        }
        let days = days.into_iter();
        let days = days.map(|((client, date), counts)| DayRecord {
            client,
            date,
            counts,
        });
        let pushes = latest(writes.pushes.iter().copied());
        let pushes = pushes.map(|(client, at)| Push {
            client: client.uuid(),
            at,
        });
        let refusals = writes.refusals.iter();
        let refusals = refusals.map(|(client, refusal)| RefusalRecord::new(*client, refusal));
        let secrets = writes.secrets.iter();
        let secrets = latest(secrets.map(|(client, digest, at)| ((*client, *digest), *at)));
        let secrets = secrets.map(|((client, digest), at)| LastUse {
            client: client.uuid(),
            digest,
            at,
        });
        Self {
            days: days.collect(),
            pushes: pushes.collect(),
            refusals: refusals.collect(),
            secrets: secrets.collect(),
        }
    }
}

impl ActivityRows {
    /// The clients that it is about, stored or not.
    pub fn clients(&self) -> BTreeSet<Uuid> {
        let pushes = self.pushes.iter().map(|push| push.client);
        let secrets = self.secrets.iter().map(|used| used.client);
        let mut clients = self.with_days();
        clients.extend(self.with_refusals());
        clients.extend(pushes.chain(secrets));
        clients
    }

    /// Those with counts.
    pub fn with_days(&self) -> BTreeSet<Uuid> {
        self.days.iter().map(|row| row.client.uuid()).collect()
    }

    /// Those with refusals.
    pub fn with_refusals(&self) -> BTreeSet<Uuid> {
        self.refusals.iter().map(|row| row.client.uuid()).collect()
    }

    /// Leaves out the rows of all clients but these.
    pub fn retain(&mut self, known: &BTreeSet<Uuid>) {
        self.days.retain(|row| known.contains(&row.client.uuid()));
        self.pushes.retain(|push| known.contains(&push.client));
        self.refusals
            .retain(|row| known.contains(&row.client.uuid()));
        self.secrets.retain(|used| known.contains(&used.client));
    }
}

/// Rows of one `:id` each.
pub(super) fn each<'a>(ids: &[ClientId]) -> Vec<Vec<Named<'a>>> {
    let ids = ids.iter();
    ids.map(|id| binds! { id: id.uuid() }.to_vec()).collect()
}

/// The latest time of each key, in the order of the keys.
fn latest<K: Ord>(
    times: impl Iterator<Item = (K, OffsetDateTime)>,
) -> impl Iterator<Item = (K, OffsetDateTime)> {
    let mut latest = BTreeMap::new();
    for (key, at) in times {
        let known = latest.entry(key).or_insert(at);
        *known = at.max(*known);
    }
    latest.into_iter()
}

statement! {
    LastPushes = {
        postgres: "SELECT id, last_push_at FROM clients WHERE id = ANY(:id)",
        sqlite: "SELECT id, last_push_at FROM clients WHERE id = :id",
    },
    returns (Id, Nullable<Moment>)
}

statement! {
    Days = {
        postgres: "SELECT {client_days} FROM client_days WHERE client_id = ANY(:id)",
        sqlite: "SELECT {client_days} FROM client_days WHERE client_id = :id",
    },
    over [DayRow],
    returns <DayRow as Entity>::Row
}

statement! {
    Refusals = {
        postgres: "SELECT {client_refusals} FROM client_refusals WHERE client_id = ANY(:id)",
        sqlite: "SELECT {client_refusals} FROM client_refusals WHERE client_id = :id",
    },
    over [RefusalRow],
    returns <RefusalRow as Entity>::Row
}

/// The activity of clients, none of which has more rows than are kept. The parts may be from
/// different moments.
pub async fn activities(
    conn: &mut impl Executor,
    clients: &[ClientId],
    with_refusals: bool,
) -> Outcome<HashMap<ClientId, Activity>> {
    let clients = each(clients);
    let mut found: HashMap<_, Activity> = HashMap::new();
    let pushes: Vec<(StoredId, Option<StoredTime>)> =
        conn.load_each::<LastPushes, _>(&clients, &[]).await?;
    for (client, at) in pushes {
        let client = ClientId::new(client.uuid("clients.id")?);
        let at = optional_time(at, "clients.last_push_at")?;
        found.entry(client).or_default().last_push_at = at;
    }
    let days: Vec<DayRow> = conn.load_each::<Days, _>(&clients, &[]).await?;
    for row in days {
        let client = ClientId::new(row.client_id.clone().uuid("client_days.client_id")?);
        found.entry(client).or_default().days.push(row.try_into()?);
    }
    let asked = if with_refusals { &*clients } else { &[] };
    let refusals: Vec<RefusalRow> = conn.load_each::<Refusals, _>(asked, &[]).await?;
    for row in refusals {
        let client = ClientId::new(row.client_id.clone().uuid("client_refusals.client_id")?);
        let of_client = found.entry(client).or_default();
        of_client.refusals.push(row.try_into()?);
    }
    for Activity { days, refusals, .. } in found.values_mut() {
        days.sort_unstable_by_key(|day| Reverse(day.date));
        refusals.sort_unstable_by_key(|refusal| Reverse(refusal.id));
    }
    Ok(found)
}

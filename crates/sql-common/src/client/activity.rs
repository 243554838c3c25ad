//! The activity of clients: daily counts, refusals and times.

use std::{
    cmp::Reverse,
    collections::{BTreeMap, BTreeSet, HashMap},
};

use access::{
    Activity,
    activity::{ActivityWrites, Counts, Day as OfDay, Refusal},
};
use diesel::sql_types::{BigInt, Nullable, Text};
use domain::posting::{Details, RemarkCode};
use kernel::{ClientId, StoreError};
use time::{Date, OffsetDateTime};
use uuid::Uuid;

use crate::{
    each, entity,
    executor::{Executor, Outcome},
    statement,
    stored::{Decode, decode, decoded, signed},
    types::{Count, Day, Id, Moment},
    written,
};

entity! {
    /// A client's counts of a day, which are added to the stored counts.
    DayRow = client_days of (ClientId, Date, Counts) {
        fixed {
            client_id: Id = Id(|day| Some(day.0.uuid())),
            date: Day = Day(|day| Some(day.1)),
            hours: BigInt = Integer(|day| Some(day.2.hours.into())),
        }
        changing {
            created: BigInt = Integer(|day| Some(signed(day.2.created))),
            updated: BigInt = Integer(|day| Some(signed(day.2.updated))),
            unchanged: BigInt = Integer(|day| Some(signed(day.2.unchanged))),
            expired: BigInt = Integer(|day| Some(signed(day.2.expired))),
            reopened: BigInt = Integer(|day| Some(signed(day.2.reopened))),
            refused: BigInt = Integer(|day| Some(signed(day.2.refused))),
            approved: BigInt = Integer(|day| Some(signed(day.2.approved))),
            rejected: BigInt = Integer(|day| Some(signed(day.2.rejected))),
            withdrawn: BigInt = Integer(|day| Some(signed(day.2.withdrawn))),
        }
    }
}

decode! { row: DayRow of client_days => OfDay {
    date;
    counts: decoded!(row of client_days => Counts {
        created, updated, unchanged, expired, reopened, refused, approved, rejected, withdrawn,
        hours;
        ..Counts::default()
    }),
} }

/// A client's count of a name on a day.
pub type Tallied = (ClientId, Date, &'static str, u64);

entity! {
    /// A client's count of a field or a remark on a day, which is added to the stored count.
    TallyRow = client_tallies of Tallied {
        fixed {
            client_id: Id = Id(|(client, ..)| Some(client.uuid())),
            date: Day = Day(|(_, date, ..)| Some(*date)),
            name: Text = Text(|(_, _, name, _)| Some(name)),
        }
        changing {
            count: BigInt = Integer(|(.., count)| Some(signed(*count))),
        }
    }
}

/// The lists of names that are counted per day.
const NAMES: [&[&str]; 2] = [Details::OPTIONAL_FIELDS, RemarkCode::NAMES];

/// The daily counts of fields and remarks.
pub fn tallies_of(writes: &ActivityWrites) -> Vec<Tallied> {
    let days = writes.days.iter().flat_map(|(client, date, counts)| {
        let tallies = [&counts.fields, &counts.remarks];
        let named = tallies.into_iter().zip(NAMES);
        let named = named.flat_map(|(tally, names)| tally.named(names));
        named.map(|(name, count)| (*client, *date, name, count))
    });
    days.collect()
}

impl TallyRow {
    fn add_to(self, counts: &mut Counts) -> Result<(), StoreError> {
        let count: u64 = self.count.decode("client_tallies.count")?;
        for (names, tally) in NAMES.iter().zip([&mut counts.fields, &mut counts.remarks]) {
            if let Some(place) = names.iter().position(|name| *name == self.name) {
                tally.add(place, count);
            }
        }
        Ok(())
    }
}

entity! {
    /// A refusal, which is written once.
    RefusalRow = client_refusals of (ClientId, Refusal) {
        fixed {
            client_id: Id = Id(|(client, _)| Some(client.uuid())),
            id: Id = Id(|(_, refusal)| Some(refusal.id)),
            at: Moment = Time(|(_, refusal)| Some(refusal.at)),
            identifier: Text = Text(|(_, refusal)| Some(&refusal.identifier)),
            status: Count = Integer(|(_, refusal)| Some(refusal.status.into())),
            message: Text = Text(|(_, refusal)| Some(&refusal.message)),
            rules: Nullable<Text> = Document(|(_, refusal)| {
                (!refusal.rules.is_empty()).then_some(&refusal.rules as _)
            }),
            errors: Nullable<Text> = Document(|(_, refusal)| {
                (!refusal.errors.is_empty()).then_some(&refusal.errors as _)
            }),
            request_id: Nullable<Text> = Text(|(_, refusal)| refusal.request_id.as_deref()),
            count: BigInt = Integer(|(_, refusal)| Some(signed(refusal.count))),
            others: Nullable<Text> = Document(|(_, refusal)| {
                (!refusal.others.is_empty()).then_some(&refusal.others as _)
            }),
        }
        changing {}
    }
}

decode! { row: RefusalRow of client_refusals => Refusal {
    id, at, identifier, status, message, request_id, count;
    rules: row.rules.decode("client_refusals.rules")?.unwrap_or_default(),
    errors: row.errors.decode("client_refusals.errors")?.unwrap_or_default(),
    others: row.others.decode("client_refusals.others")?.unwrap_or_default(),
} }

written! {
    PushNoted = pushes of (ClientId, OffsetDateTime) {
        client = Id(|(client, _)| Some(client.uuid())),
        at = Time(|(_, at)| Some(*at)),
    }
}

written! {
    UseNoted = uses of (ClientId, [u8; 32], OffsetDateTime) {
        client = Id(|(client, ..)| Some(client.uuid())),
        digest = Blob(|(_, digest, _)| Some(digest)),
        at = Time(|(.., at)| Some(*at)),
    }
}

pub fn merged(writes: &ActivityWrites) -> ActivityWrites {
    let mut days: BTreeMap<_, Counts> = BTreeMap::new();
    for (client, date, counts) in &writes.days {
        *days.entry((*client, *date)).or_default() += *counts;
    }
    let days = days.into_iter();
    let secrets = writes.secrets.iter();
    let secrets = latest(secrets.map(|(client, digest, at)| ((*client, *digest), *at)));
    ActivityWrites {
        days: days
            .map(|((client, date), counts)| (client, date, counts))
            .collect(),
        pushes: latest(writes.pushes.iter().copied()).collect(),
        refusals: writes.refusals.clone(),
        secrets: secrets
            .map(|((client, digest), at)| (client, digest, at))
            .collect(),
    }
}

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

pub fn clients_of(writes: &ActivityWrites) -> BTreeSet<Uuid> {
    let pushes = writes.pushes.iter().map(|(client, _)| client.uuid());
    let secrets = writes.secrets.iter().map(|(client, ..)| client.uuid());
    let mut clients = days_of(writes);
    clients.extend(refusals_of(writes));
    clients.extend(pushes.chain(secrets));
    clients
}

pub fn days_of(writes: &ActivityWrites) -> BTreeSet<Uuid> {
    writes
        .days
        .iter()
        .map(|(client, ..)| client.uuid())
        .collect()
}

pub fn refusals_of(writes: &ActivityWrites) -> BTreeSet<Uuid> {
    let refusals = writes.refusals.iter();
    refusals.map(|(client, _)| client.uuid()).collect()
}

statement! {
    LastPushes = "SELECT id, last_push_at, visible FROM clients WHERE id = {each id}",
    returns (Id, Nullable<Moment>, BigInt);

    Days = "SELECT {client_days} FROM client_days WHERE client_id = {each id}",
    returns DayRow;

    Tallies = "SELECT {client_tallies} FROM client_tallies WHERE client_id = {each id}",
    returns TallyRow;

    Refusals = "SELECT {client_refusals} FROM client_refusals WHERE client_id = {each id}",
    returns RefusalRow
}

/// Returns the activity of clients. Separate queries read its parts.
pub async fn activities(
    conn: &mut impl Executor,
    clients: &[ClientId],
    with_refusals: bool,
) -> Outcome<HashMap<ClientId, Activity>> {
    let clients = each! { clients, client => id: client.uuid() };
    let mut found: HashMap<_, Activity> = HashMap::new();
    let pushes = conn.load_each::<LastPushes>(&clients, &[]).await?;
    for (client, at, visible) in pushes {
        let client = client.decode("clients.id")?;
        let of_client = found.entry(client).or_default();
        of_client.last_push_at = at.decode("clients.last_push_at")?;
        of_client.visible = visible.decode("clients.visible")?;
    }
    let days = conn.load_each::<Days>(&clients, &[]).await?;
    for row in days {
        let client = row.client_id.clone().decode("client_days.client_id")?;
        found.entry(client).or_default().days.push(row.try_into()?);
    }
    let tallies = conn.load_each::<Tallies>(&clients, &[]).await?;
    for row in tallies {
        let client = row.client_id.clone().decode("client_tallies.client_id")?;
        let date: Date = row.date.clone().decode("client_tallies.date")?;
        let days = found.get_mut(&client).map(|of_client| &mut of_client.days);
        let day = days.and_then(|days| days.iter_mut().find(|day| day.date == date));
        if let Some(day) = day {
            row.add_to(&mut day.counts)?;
        }
    }
    let asked = if with_refusals { &*clients } else { &[] };
    let refusals = conn.load_each::<Refusals>(asked, &[]).await?;
    for row in refusals {
        let client = row.client_id.clone().decode("client_refusals.client_id")?;
        let of_client = found.entry(client).or_default();
        of_client.refusals.push(row.try_into()?);
    }
    for Activity { days, refusals, .. } in found.values_mut() {
        days.sort_unstable_by_key(|day| Reverse(day.date));
        refusals.sort_unstable_by_key(|refusal| Reverse(refusal.id));
    }
    Ok(found)
}

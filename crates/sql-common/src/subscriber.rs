use std::collections::{BTreeSet, HashMap};

use diesel::sql_types::{BigInt, Binary, Bool, Nullable, Text};
use newsletter::{
    store::{
        StoreError, SubscriberCount, SubscriberFilter, SubscriberQuery, SubscriberWrite, WriteSet,
    },
    subscriber::{
        Account, Departure, DepartureKind, Email, Membership, Migrated, MigrationToken, Place,
        Places, Subscriber, SubscriberId, Suppression, provider::ProviderId,
    },
};

use crate::{
    binds,
    commit::write_tasks,
    each, entity,
    entity::row,
    erasure,
    executor::{Executor, Outcome, first, values},
    statement,
    stored::{Decode, corrupt, decoded, most, parse},
    types::{Day, Id, Moment},
    value::Named,
};

entity! {
    SubscriberRow = subscribers of Subscriber {
        fixed {
            id: Id = Id(|it| Some(it.id.uuid())),
        }
        changing {
            version: BigInt = Integer(|it| Some(it.version)),
            email: Text = Text(|it| Some(it.email.as_str())),
            reported_at: Nullable<Moment> = Time(|it| it.reported_at),
            name: Nullable<Text> = Text(|it| it.name.as_deref()),
            country: Nullable<Text> = Text(|it| it.country.as_deref()),
            membership_plan_category: Nullable<Text> = Text(|it| {
                Some(it.membership?.plan_category.as_str())
            }),
            membership_status: Nullable<Text> = Text(|it| Some(it.membership?.status.as_str())),
            membership_expires_at: Nullable<Day> = Day(|it| it.membership?.expires_at),
            status: Text = Text(|it| Some(it.status.as_str())),
            suppressed_by: Nullable<Text> = Text(|it| Some(suppression(it)?.source.as_str())),
            suppressed_in: Nullable<Text> = Text(|it| suppression(it)?.account.map(Account::as_str)),
            suppressed_at: Nullable<Moment> = Time(|it| Some(suppression(it)?.at)),
            suppressed_because: Nullable<Text> = Text(|it| suppression(it)?.reason.as_deref()),
            reinstated_at: Nullable<Moment> = Time(|it| it.reinstated_at),
            departure: Nullable<Text> = Text(|it| Some(it.departure?.kind().as_str())),
            moved_to: Nullable<Id> = Id(|it| it.departure?.successor().map(SubscriberId::uuid)),
            old_id: Nullable<Text> = Text(|it| provider_id(&it.places.old)),
            old_is_quiet: Bool = Bool(|it| it.places.old.is_quiet),
            old_is_withdrawn: Bool = Bool(|it| it.places.old.is_withdrawn),
            new_id: Nullable<Text> = Text(|it| provider_id(&it.places.new)),
            new_is_quiet: Bool = Bool(|it| it.places.new.is_quiet),
            new_is_withdrawn: Bool = Bool(|it| it.places.new.is_withdrawn),
            reported_as_of: Nullable<Moment> = Time(|it| it.as_of),
            migrated_at: Nullable<Moment> = Time(|it| Some(it.migrated?.at)),
            migration_source: Nullable<Text> = Text(|it| Some(it.migrated?.source.as_str())),
            migration_arrived: Bool = Bool(|it| it.migrated.is_some_and(|migrated| migrated.arrived)),
            migration_shown_in: Nullable<Text> = Text(|it| it.migrated.and_then(shown_in)),
            migration_token: Text = Text(|it| Some(it.token.reveal())),
            synced_digest: Nullable<Binary> = Blob(|it| it.synced_digest.as_ref().map(<[u8; 32]>::as_slice)),
            synced_at: Nullable<Moment> = Time(|it| it.told_at),
            updated_at: Moment = Time(|it| Some(it.updated_at)),
        }
    }
}

const fn suppression(subscriber: &Subscriber) -> Option<&Suppression> {
    subscriber.suppression.as_ref()
}

fn provider_id(place: &Place) -> Option<&str> {
    place.id.as_ref().map(|id| id.0.as_str())
}

/// The accounts that had the person during a move: the old one if the person was found there, the
/// new one after joining.
const fn shown_in(migrated: Migrated) -> Option<&'static str> {
    match (migrated.was_found, migrated.has_joined) {
        (false, false) => None,
        (true, false) => Some("old"),
        (false, true) => Some("new"),
        (true, true) => Some("both"),
    }
}

impl SubscriberRow {
    fn membership(&self) -> Result<Option<Membership>, StoreError> {
        let plan_category = self.membership_plan_category.clone();
        let plan_category = plan_category.decode("subscribers.membership_plan_category")?;
        let expires_at = self.membership_expires_at.clone();
        let expires_at = expires_at.decode("subscribers.membership_expires_at")?;
        let Some(plan_category) = plan_category else {
            return Ok(None);
        };
        let status = self.membership_status.as_deref().unwrap_or_default();
        Ok(Some(Membership {
            plan_category,
            status: parse(status, "subscribers.membership_status")?,
            expires_at,
        }))
    }

    fn suppression(&self) -> Result<Option<Suppression>, StoreError> {
        let Some(at) = self.suppressed_at else {
            return Ok(None);
        };
        let source = self.suppressed_by.as_deref().unwrap_or_default();
        Ok(Some(Suppression {
            source: parse(source, "subscribers.suppressed_by")?,
            account: self
                .suppressed_in
                .clone()
                .decode("subscribers.suppressed_in")?,
            at: at.decode("subscribers.suppressed_at")?,
            reason: self.suppressed_because.clone(),
        }))
    }

    fn departure(&self) -> Result<Option<Departure>, StoreError> {
        let kind = self.departure.clone().decode("subscribers.departure")?;
        Ok(match (kind, self.moved_to.clone()) {
            (None, _) => None,
            (Some(DepartureKind::Erased), _) => Some(Departure::Erased),
            (Some(DepartureKind::Moved), Some(id)) => {
                Some(Departure::Moved(id.decode("subscribers.moved_to")?))
            }
            (Some(DepartureKind::Moved), None) => return Err(corrupt("subscribers.moved_to", "")),
        })
    }

    fn migrated(&self) -> Result<Option<Migrated>, StoreError> {
        let Some(at) = self.migrated_at else {
            return Ok(None);
        };
        let source = self.migration_source.as_deref().unwrap_or_default();
        let (was_found, has_joined) = match self.migration_shown_in.as_deref() {
            None => (false, false),
            Some("old") => (true, false),
            Some("new") => (false, true),
            Some("both") => (true, true),
            Some(other) => return Err(corrupt("subscribers.migration_shown_in", other)),
        };
        Ok(Some(Migrated {
            at: at.decode("subscribers.migrated_at")?,
            source: parse(source, "subscribers.migration_source")?,
            arrived: self.migration_arrived,
            was_found,
            has_joined,
        }))
    }
}

impl TryFrom<SubscriberRow> for Subscriber {
    type Error = StoreError;

    fn try_from(row: SubscriberRow) -> Result<Self, StoreError> {
        if row.migration_token.is_empty() {
            // The error does not show the value, because another subscriber's token is secret.
            return Err(corrupt("subscribers.migration_token", ""));
        }
        let place = |id: Option<String>, is_quiet, is_withdrawn| Place {
            id: id.map(ProviderId),
            is_quiet,
            is_withdrawn,
        };
        Ok(decoded!(row of subscribers => Self {
            id, version, email, reported_at, name, country, status, reinstated_at,
            as_of: reported_as_of, synced_digest, told_at: synced_at, updated_at;
            membership: row.membership()?,
            migrated: row.migrated()?,
            suppression: row.suppression()?,
            departure: row.departure()?,
            token: MigrationToken::from_text(&row.migration_token),
            places: Places {
                old: place(row.old_id, row.old_is_quiet, row.old_is_withdrawn),
                new: place(row.new_id, row.new_is_quiet, row.new_is_withdrawn),
            },
        }))
    }
}

statement! {
    Load = "SELECT {subscribers} FROM subscribers WHERE email = {each email}",
    returns SubscriberRow
}

pub async fn load(
    conn: &mut impl Executor,
    emails: &[Email],
) -> Outcome<HashMap<Email, Subscriber>> {
    let emails = each! { emails, email => email: email.as_str() };
    let found = conn.load_each::<Load>(&emails, &[]).await?;
    let found = values::<_, Subscriber>(found)?.into_iter();
    Ok(found.map(|it| (it.email.clone(), it)).collect())
}

statement! {
    LoadById = "SELECT {subscribers} FROM subscribers WHERE id = {each id}",
    returns SubscriberRow
}

pub async fn load_by_id(
    conn: &mut impl Executor,
    ids: &[SubscriberId],
) -> Outcome<HashMap<SubscriberId, Subscriber>> {
    let ids = each! { ids, id => id: id.uuid() };
    let found = conn.load_each::<LoadById>(&ids, &[]).await?;
    let found = values::<_, Subscriber>(found)?.into_iter();
    Ok(found.map(|it| (it.id, it)).collect())
}

statement! {
    FindByToken = "SELECT {subscribers} FROM subscribers WHERE migration_token = :token",
    returns SubscriberRow
}

pub async fn find_by_token(
    conn: &mut impl Executor,
    token: &MigrationToken,
) -> Outcome<Option<Subscriber>> {
    let token = binds! { token: token.reveal() };
    first(conn.load::<FindByToken>(token).await?)
}

/// Selects a page of subscribers by address. The condition is that of a partial index.
fn list_of(condition: &str) -> String {
    format!(
        "SELECT {{subscribers}} FROM subscribers
        WHERE {condition} AND email > :after ORDER BY email LIMIT :limit"
    )
}

statement! {
    ListReported = &list_of("reported_at IS NOT NULL"),
    returns SubscriberRow;

    ListUnmigrated = &list_of("reported_at IS NOT NULL AND migrated_at IS NULL"),
    returns SubscriberRow;

    ListSuppressed = &list_of("status <> 'active'"),
    returns SubscriberRow
}

pub async fn list(conn: &mut impl Executor, query: &SubscriberQuery) -> Outcome<Vec<Subscriber>> {
    let after = query.after.as_ref().map_or("", Email::as_str);
    let page = binds! { after, limit: most(query.limit) };
    let rows: Vec<SubscriberRow> = match query.filter {
        SubscriberFilter::Reported => conn.load::<ListReported>(page).await?,
        SubscriberFilter::Unmigrated => conn.load::<ListUnmigrated>(page).await?,
        SubscriberFilter::Suppressed => conn.load::<ListSuppressed>(page).await?,
    };
    values(rows)
}

statement! {
    Count = r"
        SELECT migrated_at IS NOT NULL, status,
            migrated_at IS NOT NULL AND NOT migration_arrived, count(*)
        FROM subscribers WHERE reported_at IS NOT NULL GROUP BY 1, 2, 3",
    returns (Bool, Text, Bool, BigInt)
}

pub async fn counts(conn: &mut impl Executor) -> Outcome<Vec<SubscriberCount>> {
    let rows = conn.load::<Count>(&[]).await?;
    let counts = |(has_migrated, status, is_under_way, people): (_, String, _, i64)| {
        Ok::<_, StoreError>(SubscriberCount {
            account: if has_migrated {
                Account::New
            } else {
                Account::Old
            },
            status: status.decode("subscribers.status")?,
            is_under_way,
            people: people.unsigned_abs(),
        })
    };
    let mut counts = rows
        .into_iter()
        .map(counts)
        .collect::<Result<Vec<_>, _>>()?;
    counts.sort_unstable();
    Ok(counts)
}

statement! {
    /// The rows stay locked until the commit ends.
    Lock = {
        postgres: "SELECT FROM subscribers WHERE id = ANY(:id) ORDER BY id FOR NO KEY UPDATE",
        sqlite: "",
    };

    /// Finds rows in the order in which they are sent, by id.
    Update = every "{subscribers update}",
    over [SubscriberRow];

    Insert = every r"
        INSERT INTO subscribers ({subscribers}) {subscribers rows} ON CONFLICT DO NOTHING",
    over [SubscriberRow]
}

fn sent<'a>(writes: &[&'a SubscriberWrite]) -> Vec<Vec<Named<'a>>> {
    let rows = writes.iter().map(|write| {
        let mut values = row::<SubscriberRow>(&write.subscriber);
        values.extend(binds! { expected: write.expected });
        values
    });
    rows.collect()
}

/// Writes a newsletter commit in the caller's transaction, subscribers first.
pub async fn commit(conn: &mut impl Executor, writes: &WriteSet) -> Outcome<()> {
    write(conn, writes).await?;
    write_tasks(conn, &writes.tasks, &HashMap::new()).await
}

/// Writes a commit's subscribers, and locks them until it ends. An unexpected version or a taken
/// address is a conflict.
///
/// Existing subscribers are locked first, by id, then new subscribers by address. So overlapping
/// commits cannot deadlock. Deletions come first: new subscribers may take over addresses.
async fn write(conn: &mut impl Executor, writes: &WriteSet) -> Outcome<()> {
    if !writes.purges.is_empty() {
        let ids = writes.subscribers.keys().chain(writes.purges.keys());
        let ids = ids.collect::<BTreeSet<_>>();
        let ids = each! { ids, id => id: id.uuid() };
        conn.lock_each::<Lock>(&ids).await?;
    }
    let subscribers = writes.subscribers.values();
    let (changed, mut new): (Vec<_>, Vec<_>) =
        subscribers.partition(|write| write.expected.is_some());
    new.sort_unstable_by_key(|write| &write.subscriber.email);
    erasure::write(conn, writes).await?;
    let (changed, new) = (sent(&changed), sent(&new));
    conn.execute_every::<Update>(&changed, &[]).await?;
    conn.execute_every::<Insert>(&new, &[]).await
}

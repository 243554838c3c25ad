//! The table `subscribers`.

use diesel::sql_types::{BigInt, Binary, Bool, Nullable, Text};
use newsletter::{
    store::{StoreError, SubscriberCount},
    subscriber::{
        Account, Departure, DepartureKind, Membership, Migrated, MigrationToken, Place, Places,
        Subscriber, SubscriberId, Suppression, provider::ProviderId,
    },
};

use crate::{
    entity, statement,
    stored::{corrupt, digest, parse, parse_optional},
    types::{Day, Id, Moment, optional_time},
};

entity! {
    /// A subscriber.
    SubscriberRow = subscribers (id) of Subscriber {
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
                it.membership.map(|membership| membership.plan_category.as_str())
            }),
            membership_status: Nullable<Text> = Text(|it| {
                it.membership.map(|membership| membership.status.as_str())
            }),
            membership_expires_at: Nullable<Day> = Day(|it| it.membership?.expires_at),
            status: Text = Text(|it| Some(it.status.as_str())),
            suppressed_by: Nullable<Text> = Text(|it| {
                it.suppression.as_ref().map(|suppression| suppression.source.as_str())
            }),
            suppressed_in: Nullable<Text> = Text(|it| {
                it.suppression.as_ref()?.account.map(Account::as_str)
            }),
            suppressed_at: Nullable<Moment> = Time(|it| {
                it.suppression.as_ref().map(|suppression| suppression.at)
            }),
            suppressed_because: Nullable<Text> = Text(|it| {
                it.suppression.as_ref()?.reason.as_deref()
            }),
            reinstated_at: Nullable<Moment> = Time(|it| it.reinstated_at),
            departure: Nullable<Text> = Text(|it| {
                it.departure.map(|departure| departure.kind().as_str())
            }),
            moved_to: Nullable<Id> = Id(|it| it.departure?.successor().map(SubscriberId::uuid)),
            old_id: Nullable<Text> = Text(|it| provider_id(&it.places.old)),
            old_is_quiet: Bool = Bool(|it| it.places.old.is_quiet),
            old_is_withdrawn: Bool = Bool(|it| it.places.old.is_withdrawn),
            new_id: Nullable<Text> = Text(|it| provider_id(&it.places.new)),
            new_is_quiet: Bool = Bool(|it| it.places.new.is_quiet),
            new_is_withdrawn: Bool = Bool(|it| it.places.new.is_withdrawn),
            reported_as_of: Nullable<Moment> = Time(|it| it.as_of),
            migrated_at: Nullable<Moment> = Time(|it| it.migrated.map(|migrated| migrated.at)),
            migration_source: Nullable<Text> = Text(|it| {
                it.migrated.map(|migrated| migrated.source.as_str())
            }),
            migration_arrived: Bool = Bool(|it| {
                it.migrated.is_some_and(|migrated| migrated.arrived)
            }),
            migration_shown_in: Nullable<Text> = Text(|it| it.migrated.and_then(shown_in)),
            migration_token: Text = Text(|it| Some(it.token.reveal())),
            synced_digest: Nullable<Binary> = Blob(|it| it.synced_digest.as_ref().map(<[u8; 32]>::as_slice)),
            synced_at: Nullable<Moment> = Time(|it| it.told_at),
            updated_at: Moment = Time(|it| Some(it.updated_at)),
        }
        apart {}
    }
}

fn provider_id(place: &Place) -> Option<&str> {
    place.id.as_ref().map(|id| id.0.as_str())
}

/// In which accounts the person was seen during a move: the old one if they were found there, the
/// new one once they had joined.
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
        let plan_category = parse_optional(
            self.membership_plan_category.as_deref(),
            "subscribers.membership_plan_category",
        )?;
        let expires_at = self.membership_expires_at.clone();
        let expires_at = expires_at.map(|day| day.date("subscribers.membership_expires_at"));
        let expires_at = expires_at.transpose()?;
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
            account: parse_optional(self.suppressed_in.as_deref(), "subscribers.suppressed_in")?,
            at: at.time("subscribers.suppressed_at")?,
            reason: self.suppressed_because.clone(),
        }))
    }

    fn departure(&self) -> Result<Option<Departure>, StoreError> {
        let kind = parse_optional(self.departure.as_deref(), "subscribers.departure")?;
        Ok(match (kind, self.moved_to.clone()) {
            (None, _) => None,
            (Some(DepartureKind::Erased), _) => Some(Departure::Erased),
            (Some(DepartureKind::Moved), Some(id)) => {
                let id = id.uuid("subscribers.moved_to")?;
                Some(Departure::Moved(SubscriberId::new(id)))
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
            at: at.time("subscribers.migrated_at")?,
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
            // Without the value: the token of another subscriber is a secret.
            return Err(corrupt("subscribers.migration_token", ""));
        }
        let synced = row.synced_digest.as_deref();
        let synced = synced.map(|bytes| digest(bytes, "subscribers.synced_digest"));
        let place = |id: Option<String>, is_quiet, is_withdrawn| Place {
            id: id.map(ProviderId),
            is_quiet,
            is_withdrawn,
        };
        Ok(Self {
            membership: row.membership()?,
            migrated: row.migrated()?,
            suppression: row.suppression()?,
            departure: row.departure()?,
            id: SubscriberId::new(row.id.uuid("subscribers.id")?),
            version: row.version,
            email: parse(row.email, "subscribers.email")?,
            reported_at: optional_time(row.reported_at, "subscribers.reported_at")?,
            name: row.name,
            country: row.country,
            status: parse(row.status, "subscribers.status")?,
            reinstated_at: optional_time(row.reinstated_at, "subscribers.reinstated_at")?,
            as_of: optional_time(row.reported_as_of, "subscribers.reported_as_of")?,
            places: Places {
                old: place(row.old_id, row.old_is_quiet, row.old_is_withdrawn),
                new: place(row.new_id, row.new_is_quiet, row.new_is_withdrawn),
            },
            token: MigrationToken::from_text(&row.migration_token),
            synced_digest: synced.transpose()?,
            told_at: optional_time(row.synced_at, "subscribers.synced_at")?,
            updated_at: row.updated_at.time("subscribers.updated_at")?,
        })
    }
}

/// Subscribers from the rows that were read, by one of their keys.
pub fn by<K>(
    rows: Vec<SubscriberRow>,
    key: impl Fn(&Subscriber) -> K,
) -> Result<Vec<(K, Subscriber)>, StoreError> {
    let subscribers = rows.into_iter().map(Subscriber::try_from);
    subscribers
        .map(|subscriber| subscriber.map(|it| (key(&it), it)))
        .collect()
}

statement! {
    /// Counts reported subscribers by account, by status, and by whether a move is in progress.
    pub Count =
    "SELECT migrated_at IS NOT NULL, status, \
     migrated_at IS NOT NULL AND NOT migration_arrived, count(*) \
     FROM subscribers WHERE reported_at IS NOT NULL GROUP BY 1, 2, 3",
    returns (Bool, Text, Bool, BigInt)
}

/// The counts, in order.
pub fn counts(rows: Vec<(bool, String, bool, i64)>) -> Result<Vec<SubscriberCount>, StoreError> {
    let counts = |(has_migrated, status, is_under_way, people): (_, String, _, i64)| {
        Ok::<_, StoreError>(SubscriberCount {
            account: if has_migrated {
                Account::New
            } else {
                Account::Old
            },
            status: parse(status, "subscribers.status")?,
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

/// Generates the query of lists for one database, in a module of its own: `listed`.
#[macro_export]
macro_rules! subscriber_queries {
    ($db:ty) => {
        use diesel::{
            ExpressionMethods, QueryDsl, SelectableHelper,
            dsl::{AsSelect, IntoBoxed, sql},
            sql_types::Bool,
        };
        use newsletter::store::{SubscriberFilter, SubscriberQuery};
        use $crate::subscriber::{SubscriberRow, subscribers};

        #[diesel::dsl::auto_type]
        pub(super) fn all() -> _ {
            let columns: AsSelect<SubscriberRow, $db> = SubscriberRow::as_select();
            subscribers::table.select(columns)
        }

        pub(super) fn listed(query: &SubscriberQuery) -> IntoBoxed<'static, all, $db> {
            let SubscriberQuery {
                filter,
                after,
                limit,
            } = query;
            let select = all()
                .order(subscribers::email.asc())
                .limit(i64::try_from(*limit).unwrap_or(i64::MAX))
                .into_boxed();
            // Literally the conditions of the partial indexes.
            let mut select = match filter {
                SubscriberFilter::Reported => select.filter(subscribers::reported_at.is_not_null()),
                SubscriberFilter::Unmigrated => select
                    .filter(subscribers::reported_at.is_not_null())
                    .filter(subscribers::migrated_at.is_null()),
                SubscriberFilter::Suppressed => select.filter(sql::<Bool>("status <> 'active'")),
            };
            if let Some(after) = after {
                select = select.filter(subscribers::email.gt(after.as_str().to_owned()));
            }
            select
        }
    };
}

//! A row of `subscribers` as a value of the domain.

use diesel::{Queryable, Selectable, sqlite::Sqlite};
use newsletter::{store::StoreError, subscriber::Subscriber};
use sql_common::{stored::optional_word, subscriber::StoredSubscriber};

use crate::{
    schema::subscribers,
    value::{optional_time, time, uuid},
};

#[derive(Queryable, Selectable)]
#[diesel(table_name = subscribers, check_for_backend(Sqlite))]
#[expect(clippy::struct_excessive_bools, reason = "they are columns")]
pub(super) struct SubscriberRow {
    id: Vec<u8>,
    version: i64,
    email: String,
    reported_at: Option<i64>,
    name: Option<String>,
    country: Option<String>,
    membership_plan_category: Option<String>,
    membership_status: Option<String>,
    membership_expires_at: Option<String>,
    status: String,
    suppressed_by: Option<String>,
    suppressed_in: Option<String>,
    suppressed_at: Option<i64>,
    suppressed_because: Option<String>,
    reinstated_at: Option<i64>,
    departure: Option<String>,
    moved_to: Option<Vec<u8>>,
    old_id: Option<String>,
    old_is_quiet: bool,
    old_is_withdrawn: bool,
    new_id: Option<String>,
    new_is_quiet: bool,
    new_is_withdrawn: bool,
    as_of: Option<i64>,
    migrated_at: Option<i64>,
    migration_source: Option<String>,
    migration_arrived: bool,
    migration_shown_in: Option<String>,
    migration_token: String,
    told: Option<Vec<u8>>,
    told_at: Option<i64>,
    updated_at: i64,
}

impl TryFrom<SubscriberRow> for Subscriber {
    type Error = StoreError;

    fn try_from(row: SubscriberRow) -> Result<Self, StoreError> {
        let moved_to = row.moved_to.as_deref();
        let moved_to = moved_to.map(|id| uuid(id, "subscribers.moved_to"));
        StoredSubscriber {
            id: uuid(&row.id, "subscribers.id")?,
            version: row.version,
            email: row.email,
            reported_at: optional_time(row.reported_at, "subscribers.reported_at")?,
            name: row.name,
            country: row.country,
            membership_plan_category: row.membership_plan_category,
            membership_status: row.membership_status,
            membership_expires_at: optional_word(
                row.membership_expires_at,
                "subscribers.membership_expires_at",
            )?,
            status: row.status,
            suppressed_by: row.suppressed_by,
            suppressed_in: row.suppressed_in,
            suppressed_at: optional_time(row.suppressed_at, "subscribers.suppressed_at")?,
            suppressed_because: row.suppressed_because,
            reinstated_at: optional_time(row.reinstated_at, "subscribers.reinstated_at")?,
            departure: row.departure,
            moved_to: moved_to.transpose()?,
            old_id: row.old_id,
            old_is_quiet: row.old_is_quiet,
            old_is_withdrawn: row.old_is_withdrawn,
            new_id: row.new_id,
            new_is_quiet: row.new_is_quiet,
            new_is_withdrawn: row.new_is_withdrawn,
            as_of: optional_time(row.as_of, "subscribers.as_of")?,
            migrated_at: optional_time(row.migrated_at, "subscribers.migrated_at")?,
            migration_source: row.migration_source,
            migration_arrived: row.migration_arrived,
            migration_shown_in: row.migration_shown_in,
            migration_token: row.migration_token,
            told: row.told,
            told_at: optional_time(row.told_at, "subscribers.told_at")?,
            updated_at: time(row.updated_at, "subscribers.updated_at")?,
        }
        .try_into()
    }
}

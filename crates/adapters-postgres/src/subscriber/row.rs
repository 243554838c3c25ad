//! A row of `subscribers` as a value of the domain.

use diesel::{
    Queryable, Selectable,
    pg::{
        Pg,
        data_types::{PgDate, PgTimestamp},
    },
};
use newsletter::{store::StoreError, subscriber::Subscriber};
use sql_common::subscriber::StoredSubscriber;
use uuid::Uuid;

use crate::{
    schema::subscribers,
    value::{day, optional_time, time},
};

#[derive(Queryable, Selectable)]
#[diesel(table_name = subscribers, check_for_backend(Pg))]
#[expect(clippy::struct_excessive_bools, reason = "they are columns")]
pub(super) struct SubscriberRow {
    id: Uuid,
    version: i64,
    email: String,
    reported_at: Option<PgTimestamp>,
    name: Option<String>,
    country: Option<String>,
    membership_plan_category: Option<String>,
    membership_status: Option<String>,
    membership_expires_at: Option<PgDate>,
    status: String,
    suppressed_by: Option<String>,
    suppressed_in: Option<String>,
    suppressed_at: Option<PgTimestamp>,
    suppressed_because: Option<String>,
    reinstated_at: Option<PgTimestamp>,
    departure: Option<String>,
    moved_to: Option<Uuid>,
    old_id: Option<String>,
    old_is_quiet: bool,
    old_is_withdrawn: bool,
    new_id: Option<String>,
    new_is_quiet: bool,
    new_is_withdrawn: bool,
    as_of: Option<PgTimestamp>,
    migrated_at: Option<PgTimestamp>,
    migration_source: Option<String>,
    migration_arrived: bool,
    migration_shown_in: Option<String>,
    migration_token: String,
    told: Option<Vec<u8>>,
    told_at: Option<PgTimestamp>,
    updated_at: PgTimestamp,
}

impl TryFrom<SubscriberRow> for Subscriber {
    type Error = StoreError;

    fn try_from(row: SubscriberRow) -> Result<Self, StoreError> {
        let expires_at = row.membership_expires_at;
        let expires_at = expires_at.map(|at| day(at, "subscribers.membership_expires_at"));
        StoredSubscriber {
            id: row.id,
            version: row.version,
            email: row.email,
            reported_at: optional_time(row.reported_at, "subscribers.reported_at")?,
            name: row.name,
            country: row.country,
            membership_plan_category: row.membership_plan_category,
            membership_status: row.membership_status,
            membership_expires_at: expires_at.transpose()?,
            status: row.status,
            suppressed_by: row.suppressed_by,
            suppressed_in: row.suppressed_in,
            suppressed_at: optional_time(row.suppressed_at, "subscribers.suppressed_at")?,
            suppressed_because: row.suppressed_because,
            reinstated_at: optional_time(row.reinstated_at, "subscribers.reinstated_at")?,
            departure: row.departure,
            moved_to: row.moved_to,
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

//! Which endpoints may be leased, and how much there is to do for them.

use diesel::sql_types::{BigInt, Nullable};
use kernel::StoreError;
use webhooks::{EndpointBacklog, EndpointId, LONGEST_REST, LeaseQuery, MOST_WAITING_COUNTED};

use super::most;
use crate::{
    event::cursor_values,
    types::{Id, Moment, StoredId, StoredTime, optional_time},
    value::Value,
};

/// The condition on the endpoints that may be leased (`endpoint`), their order and their number.
/// Only for one that has read the whole log it is looked whether an event is due. A rest that is
/// longer than one can be is that of a clock that was wrong.
#[macro_export]
macro_rules! may_be_leased {
    () => {
        "WHERE state = 'active' AND (leased_until IS NULL OR leased_until <= ? \
         OR (holder IS NULL AND leased_until > ?)) \
         AND (quiet_until IS NULL OR quiet_until <= ?) \
         AND ((endpoint.commit_seq, endpoint.number) < (?, ?) \
         OR (SELECT min(waiting.next_at) FROM webhook_waiting AS waiting \
         WHERE waiting.endpoint = endpoint.id AND waiting.next_at IS NOT NULL) <= ?) \
         ORDER BY leased_until NULLS FIRST, id LIMIT ?"
    };
}

/// The values of [`may_be_leased`](crate::may_be_leased).
pub fn lease_values(query: &LeaseQuery) -> [Value<'static>; 7] {
    let [commit_seq, number] = cursor_values(query.end).map(Value::from);
    let (now, rest) = (
        Value::from(query.now),
        Value::from(query.now + LONGEST_REST),
    );
    let limit = most(query.limit).into();
    [now, rest, now, commit_seq, number, now, limit]
}

/// The SQL types of the row of a backlog.
pub type BacklogColumns = (Id, BigInt, Nullable<Moment>);

/// The row of a backlog: the endpoint, the number of events that wait, and the time of the first
/// event behind its cursor.
pub type BacklogRow = (StoredId, i64, Option<StoredTime>);

/// The values of a query of backlogs.
pub fn backlog_values(limit: usize) -> [Value<'static>; 2] {
    [most(MOST_WAITING_COUNTED).into(), most(limit).into()]
}

/// A backlog that was read.
pub fn backlog((endpoint, waiting, since): BacklogRow) -> Result<EndpointBacklog, StoreError> {
    Ok(EndpointBacklog {
        endpoint: EndpointId::new(endpoint.uuid("webhook_endpoints.id")?),
        waiting: usize::try_from(waiting).unwrap_or_default(),
        behind_since: optional_time(since, "events.at")?,
    })
}

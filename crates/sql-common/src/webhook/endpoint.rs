//! Endpoint rows, and statements on them.
//!
//! Columns that an owner sets are written from an [`Endpoint`]. Workers write cursor, lease and
//! health in the same row, with other statements.

use std::{collections::HashSet, fmt};

use diesel::sql_types::{BigInt, Binary, Bool, Nullable, Text};
use kernel::{ClientId, StoreError, audit::Entry, event::Cursor};
use uuid::Uuid;
use webhooks::{
    Endpoint, EndpointId, EndpointUrl, EndpointWrite, Health, MOST_ENDPOINTS, Owner,
    PreviousSecret, Secret, TrackedEndpoint, WaitingSubject,
};

use super::waiting::{Wait, WaitingRow, waiting_among};
use crate::{
    audit, binds, entity,
    entity::row,
    event::{cursor_in, cursor_values},
    executor::{Executor, Outcome},
    read, statement,
    stored::{Decode, StoredText, corrupt, decoded, most},
    types::{Count, Id, Moment, ToText},
};

entity! {
    EndpointRow = webhook_endpoints of Endpoint {
        fixed {
            id: Id = Id(|endpoint| Some(endpoint.id.uuid())),
            owner: Text = Rendered(|endpoint| Some(&endpoint.owner)),
            created_at: Moment = Time(|endpoint| Some(endpoint.created_at)),
        }
        changing {
            version: BigInt = Integer(|endpoint| Some(endpoint.version)),
            url: Text = Text(|endpoint| Some(endpoint.url.as_str())),
            names: Nullable<Text> = Document(|endpoint| endpoint.names.as_ref().map(|it| it as _)),
            prefixes: Text = Document(|endpoint| Some(&endpoint.prefixes)),
            include_posting: Bool = Bool(|endpoint| endpoint.include_posting),
            description: Nullable<Text> = Text(|endpoint| endpoint.description.as_deref()),
            state: Text = Text(|endpoint| Some(endpoint.state.as_str())),
            state_reason: Nullable<Text> = Text(|endpoint| endpoint.state_reason.as_deref()),
            secret: Binary = Blob(|endpoint| Some(endpoint.secret.key())),
            previous_secret: Nullable<Binary> = Blob(|endpoint| {
                Some(endpoint.previous_secret.as_ref()?.secret.key())
            }),
            previous_secret_until: Nullable<Moment> = Time(|endpoint| {
                Some(endpoint.previous_secret.as_ref()?.until)
            }),
            updated_at: Moment = Time(|endpoint| Some(endpoint.updated_at)),
        }
    }
}

const OPERATOR: &str = "operator";
const CLIENT: &str = "client:";

impl ToText for Owner {
    fn to_text(&self) -> String {
        match self {
            Self::Client(id) => format!("{CLIENT}{id}"),
            Self::Operator => OPERATOR.to_owned(),
        }
    }
}

impl StoredText for Owner {
    fn from_store(text: &str) -> Option<Self> {
        if text == OPERATOR {
            return Some(Self::Operator);
        }
        let id = text.strip_prefix(CLIENT)?.parse().ok()?;
        Some(Self::Client(ClientId::new(id)))
    }
}

impl Decode<Secret> for Vec<u8> {
    fn decode(self, column: impl fmt::Display) -> Result<Secret, StoreError> {
        let length = self.len();
        Secret::new(self).map_err(|_| corrupt(column, format_args!("{length} bytes")))
    }
}

/// An error shows only the length: addresses may contain secrets.
impl Decode<EndpointUrl> for String {
    fn decode(self, column: impl fmt::Display) -> Result<EndpointUrl, StoreError> {
        let why = format_args!("{} bytes", self.len());
        EndpointUrl::from_store(&self).map_err(|_| corrupt(column, why))
    }
}

impl TryFrom<EndpointRow> for Endpoint {
    type Error = StoreError;

    fn try_from(row: EndpointRow) -> Result<Self, StoreError> {
        let previous_secret = match (row.previous_secret, row.previous_secret_until) {
            (None, _) => None,
            (Some(_), None) => {
                return Err(corrupt("webhook_endpoints.previous_secret_until", "NULL"));
            }
            (Some(key), Some(until)) => Some(PreviousSecret {
                secret: key.decode("webhook_endpoints.previous_secret")?,
                until: until.decode("webhook_endpoints.previous_secret_until")?,
            }),
        };
        Ok(decoded!(row of webhook_endpoints => Self {
            id, version, owner, url, names, prefixes, include_posting, description, state,
            state_reason, secret, created_at, updated_at;
            previous_secret,
        }))
    }
}

pub type TrackedRow = (EndpointRow, ProgressRow);

read! {
    ProgressRow = endpoint {
        commit_seq: BigInt,
        number: BigInt,
        last_success_at: Nullable<Moment>,
        failing_since: Nullable<Moment>,
        silent_rounds: Count,
        open_until: Nullable<Moment>,
    }
}

pub fn tracked((endpoint, progress): TrackedRow) -> Result<TrackedEndpoint, StoreError> {
    Ok(TrackedEndpoint {
        endpoint: endpoint.try_into()?,
        cursor: cursor_in("webhook_endpoints", progress.commit_seq, progress.number)?,
        health: decoded!(progress of webhook_endpoints => Health {
            last_success_at, failing_since, silent_rounds, open_until,
        }),
    })
}

statement! {
    Find = r"
        SELECT {webhook_endpoints}, {endpoint read} FROM webhook_endpoints AS endpoint
        WHERE id = :id",
    returns TrackedRow
}

pub async fn find(conn: &mut impl Executor, id: EndpointId) -> Outcome<Option<TrackedEndpoint>> {
    let rows = conn.load::<Find>(binds! { id: id.uuid() }).await?;
    Ok(rows.into_iter().map(tracked).next().transpose()?)
}

statement! {
    List = r"
        SELECT {webhook_endpoints}, {endpoint read} FROM webhook_endpoints AS endpoint
        WHERE id > :after ORDER BY id LIMIT :limit",
    returns TrackedRow;

    ListOwned = r"
        SELECT {webhook_endpoints}, {endpoint read} FROM webhook_endpoints AS endpoint
        WHERE owner = :owner AND id > :after ORDER BY id LIMIT :limit",
    returns TrackedRow
}

/// A page after an endpoint id. The nil UUID is before all ids.
pub async fn list(
    conn: &mut impl Executor,
    owner: Option<Owner>,
    after: Option<EndpointId>,
    limit: usize,
) -> Outcome<Vec<TrackedEndpoint>> {
    let after = after.map_or(Uuid::nil(), EndpointId::uuid);
    let limit = most(limit);
    let rows = match owner.map(|owner| owner.to_text()) {
        None => conn.load::<List>(binds! { after, limit }).await?,
        Some(owner) => {
            let asked = binds! { owner: &owner, after, limit };
            conn.load::<ListOwned>(asked).await?
        }
    };
    Ok(rows.into_iter().map(tracked).collect::<Result<_, _>>()?)
}

statement! {
    IsFull = "SELECT count(*) >= :most FROM webhook_endpoints WHERE owner = :owner",
    returns (Bool,);

    Insert = r"
        INSERT INTO webhook_endpoints ({webhook_endpoints}, commit_seq, number)
        VALUES ({webhook_endpoints :}, :commit_seq, :number)",
    over [EndpointRow]
}

/// Adds an endpoint in the caller's transaction. A conflict if the owner has reached the limit.
pub async fn insert(
    conn: &mut impl Executor,
    endpoint: &Endpoint,
    start: Cursor,
    entry: Option<&Entry>,
) -> Outcome<()> {
    let owner = endpoint.owner.to_text();
    // The lock is needed because an owner may have no row to lock.
    conn.lock("webhook_endpoints", &owner).await?;
    let asked = binds! { most: most(MOST_ENDPOINTS), owner: &owner };
    let full = conn.load::<IsFull>(asked).await?;
    if full == [(true,)] {
        return Err(StoreError::Conflict.into());
    }
    let mut values = row::<EndpointRow>(endpoint);
    let [commit_seq, number] = cursor_values(start);
    values.extend(binds! { commit_seq, number });
    conn.execute::<Insert>(&values).await?;
    audit::write_entry(conn, entry).await
}

statement! {
    Update = every "{webhook_endpoints update}",
    over [EndpointRow];

    ForgetHealth = r"
        UPDATE webhook_endpoints SET last_success_at = NULL, failing_since = NULL,
            silent_rounds = 0, open_until = NULL
        WHERE id = :id";

    /// Makes attempts that are due later than `:at` due at that time.
    Hurry = r"
        UPDATE webhook_waiting SET next_at = :at WHERE endpoint = :id AND next_at > :at"
}

/// Writes a change in the caller's transaction. A different stored version is a conflict.
pub async fn update(
    conn: &mut impl Executor,
    write: &EndpointWrite,
    entry: Option<&Entry>,
) -> Outcome<()> {
    let endpoint = &write.endpoint;
    let mut values = row::<EndpointRow>(endpoint);
    values.extend(binds! { expected: write.expected });
    conn.execute_every::<Update>(&[values], &[]).await?;
    if write.starts_over {
        let (id, at) = (endpoint.id.uuid(), endpoint.updated_at);
        conn.execute::<ForgetHealth>(binds! { id }).await?;
        conn.execute::<Hurry>(binds! { id, at }).await?;
    }
    audit::write_entry(conn, entry).await
}

statement! {
    Delete = "DELETE FROM webhook_endpoints WHERE id = :id"
}

pub async fn delete(
    conn: &mut impl Executor,
    id: EndpointId,
    entry: Option<&Entry>,
) -> Outcome<bool> {
    let is_known = conn.execute::<Delete>(binds! { id: id.uuid() }).await? > 0;
    audit::write_entry(conn, entry.filter(|_| is_known)).await?;
    Ok(is_known)
}

statement! {
    MoveBack = r"
        UPDATE webhook_endpoints SET commit_seq = :commit_seq, number = :number
        WHERE id = :id AND (commit_seq, number) > (:commit_seq, :number)";

    DropBehind = r"
        DELETE FROM webhook_waiting
        WHERE endpoint = :id AND (commit_seq, number) > (:commit_seq, :number)";

    IsKnown = "SELECT count(*) FROM webhook_endpoints WHERE id = :id",
    returns (BigInt,)
}

/// Moves an endpoint back in the log, in the caller's transaction. Returns `false` if unknown.
pub async fn replay(
    conn: &mut impl Executor,
    id: EndpointId,
    to: Cursor,
    entry: Option<&Entry>,
) -> Outcome<bool> {
    let ([commit_seq, number], id) = (cursor_values(to), id.uuid());
    let place = binds! { id, commit_seq, number };
    let is_moved = conn.execute::<MoveBack>(place).await? > 0;
    if is_moved {
        conn.execute::<DropBehind>(place).await?;
    }
    let is_known = is_moved || is_known(conn, id).await?;
    audit::write_entry(conn, entry.filter(|_| is_known)).await?;
    Ok(is_known)
}

async fn is_known(conn: &mut impl Executor, id: Uuid) -> Outcome<bool> {
    let known = conn.load::<IsKnown>(binds! { id }).await?;
    Ok(known == [(1,)])
}

statement! {
    /// If the endpoint has passed this place, it gets its next version, and an open circuit becomes
    /// half-open. A pause that the receiver requested stays.
    Rouse = r"
        UPDATE webhook_endpoints SET version = version + 1,
            open_until = CASE WHEN silent_rounds = 0 THEN open_until END
        WHERE id = :id AND (commit_seq, number) >= (:commit_seq, :number)"
}

/// Makes an event wait again, in the caller's transaction. Returns `false` if unknown.
pub async fn resend(
    conn: &mut impl Executor,
    id: EndpointId,
    event: &WaitingSubject,
    entry: Option<&Entry>,
) -> Outcome<bool> {
    let ([commit_seq, number], endpoint) = (cursor_values(event.next.cursor), id);
    let id = endpoint.uuid();
    let has_passed = conn
        .execute::<Rouse>(binds! { id, commit_seq, number })
        .await?
        > 0;
    if has_passed {
        let subjects = HashSet::from([event.subject]);
        let stored = waiting_among(conn, endpoint, &subjects).await?.pop();
        let waiting = match stored {
            Some(mut waiting) => {
                waiting.resend(&event.next, event.next_at);
                waiting
            }
            None => event.clone(),
        };
        let waiting = [row::<WaitingRow>(&waiting)];
        conn.execute_each::<Wait>(&waiting, binds! { endpoint: id })
            .await?;
    }
    let is_known = has_passed || is_known(conn, id).await?;
    audit::write_entry(conn, entry.filter(|_| is_known)).await?;
    Ok(is_known)
}

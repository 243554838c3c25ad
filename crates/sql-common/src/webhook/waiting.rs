use std::{collections::HashSet, hash::BuildHasher};

use diesel::sql_types::{BigInt, Bool, Nullable, Text};
use kernel::{
    StoreError,
    event::{Cursor, EventName},
};
use time::OffsetDateTime;
use uuid::Uuid;
use webhooks::{EndpointId, WaitingEvent, WaitingSubject};

use crate::{
    binds, each, entity,
    event::{cursor_in, cursor_values},
    executor::{Executor, Outcome, counted, values},
    sql::count_of,
    statement,
    stored::{Decode, StoredText, array_text, corrupt, decoded, most, parse},
    types::{Count, Id, Moment, ToText},
};

entity! {
    WaitingRow = webhook_waiting of WaitingSubject {
        fixed {
            subject: Id = Id(|waiting| Some(waiting.subject)),
        }
        changing {
            commit_seq: BigInt = Integer(|waiting| Some(cursor_values(waiting.next.cursor)[0])),
            number: BigInt = Integer(|waiting| Some(cursor_values(waiting.next.cursor)[1])),
            name: Text = Text(|waiting| Some(waiting.next.name.as_str())),
            attempts: Count = Integer(|waiting| Some(waiting.attempts.into())),
            next_at: Moment = Time(|waiting| Some(waiting.next_at)),
            last_error: Nullable<Text> = Text(|waiting| waiting.last_error.as_deref()),
            is_silent: Bool = Bool(|waiting| waiting.is_silent),
            later: Text = Rendered(|waiting| Some(&waiting.later)),
            read_to: Nullable<Text> = Rendered(|waiting| {
                waiting.read_to.as_ref().map(|to| to as _)
            }),
        }
    }
}

impl ToText for Vec<WaitingEvent> {
    fn to_text(&self) -> String {
        let events = self.iter();
        let texts: Vec<_> = events
            .map(|it| format!("{} {}", it.cursor, it.name))
            .collect();
        array_text(&texts)
    }
}

impl ToText for Cursor {
    fn to_text(&self) -> String {
        self.to_string()
    }
}

impl StoredText for Cursor {
    fn from_store(text: &str) -> Option<Self> {
        text.parse().ok()
    }
}

fn later(text: String) -> Result<Vec<WaitingEvent>, StoreError> {
    let column = "webhook_waiting.later";
    let event = |text: String| {
        let parts = text.split_once(' ');
        let (cursor, name) = parts.ok_or_else(|| corrupt(column, &text))?;
        Ok(WaitingEvent {
            cursor: parse(cursor, column)?,
            name: EventName::from_store(name.to_owned()),
        })
    };
    let events: Vec<String> = text.decode(column)?;
    events.into_iter().map(event).collect()
}

impl TryFrom<WaitingRow> for WaitingSubject {
    type Error = StoreError;

    fn try_from(row: WaitingRow) -> Result<Self, StoreError> {
        Ok(decoded!(row of webhook_waiting => Self {
            subject, attempts, next_at, last_error, is_silent, read_to;
            next: WaitingEvent {
                cursor: cursor_in("webhook_waiting", row.commit_seq, row.number)?,
                name: EventName::from_store(row.name),
            },
            later: later(row.later)?,
        }))
    }
}

statement! {
    Due = r"
        SELECT {webhook_waiting} FROM webhook_waiting WHERE endpoint = :endpoint AND next_at <= :now
        ORDER BY next_at, commit_seq, number LIMIT :limit",
    returns WaitingRow
}

pub async fn due(
    conn: &mut impl Executor,
    endpoint: EndpointId,
    now: OffsetDateTime,
    limit: usize,
) -> Outcome<Vec<WaitingSubject>> {
    let asked = binds! { endpoint: endpoint.uuid(), now, limit: most(limit) };
    values(conn.load::<Due>(asked).await?)
}

statement! {
    WaitingAmong = {
        postgres: r"
            SELECT {webhook_waiting} FROM unnest(:subject::uuid[]) AS asked (chosen)
            CROSS JOIN LATERAL (
                SELECT {webhook_waiting} FROM webhook_waiting AS waiting
                WHERE waiting.endpoint = :endpoint AND waiting.subject = asked.chosen LIMIT 1
            ) AS found",
        sqlite: r"
            SELECT {webhook_waiting} FROM webhook_waiting
            WHERE endpoint = :endpoint AND subject = :subject",
    },
    returns WaitingRow
}

pub async fn waiting_among(
    conn: &mut impl Executor,
    endpoint: EndpointId,
    subjects: &HashSet<Uuid, impl BuildHasher + Sync>,
) -> Outcome<Vec<WaitingSubject>> {
    let asked = each! { subjects, subject => subject };
    let endpoint = binds! { endpoint: endpoint.uuid() };
    values(conn.load_each::<WaitingAmong>(&asked, endpoint).await?)
}

statement! {
    pub Wait = r"
        INSERT INTO webhook_waiting (endpoint, {webhook_waiting})
        SELECT :endpoint{postgres ::uuid}, {webhook_waiting sent}
        FROM {webhook_waiting given} WHERE true
        ON CONFLICT (endpoint, subject)
        DO UPDATE SET {webhook_waiting.changing = excluded}",
    over [WaitingRow];

    CountWaiting = &count_of("webhook_waiting WHERE endpoint = :endpoint"),
    returns (BigInt,)
}

pub async fn count_waiting(
    conn: &mut impl Executor,
    endpoint: EndpointId,
    limit: usize,
) -> Outcome<usize> {
    let asked = binds! { endpoint: endpoint.uuid(), limit: most(limit) };
    let rows = conn.load::<CountWaiting>(asked).await?;
    Ok(counted(&rows))
}

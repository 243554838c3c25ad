//! Copies all rows from another store.
//!
//! During the copy, the database has a table `copy_progress`, and no store opens the database.

use std::{sync::Arc, time::Duration};

use diesel::{dsl::sql, sql_query, sql_types::Text};
use diesel_async::{AsyncPgConnection, RunQueryDsl as _, SimpleAsyncConnection as _};
use kernel::StoreError;
use sql_common::{
    copy::{
        Column, Kind, NEVER_EMPTY, Row, TABLES, Table, kinds_of_key, list, quoted, row,
        rows_as_json,
    },
    executor::{Executor, Outcome},
    statement,
};

use crate::{PostgresOptions, PostgresStore, PostgresUrl, connection::Connections};

const PATIENCE: Duration = Duration::from_mins(10);

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Begun {
    New,
    /// An interrupted copy has filled part of the database.
    Resumed,
    /// The database is in use, because these tables have rows. Nothing was changed.
    InUse(Vec<String>),
}

pub struct CopyTarget {
    connections: Arc<Connections>,
}

statement! {
    IsUnderWay = "SELECT to_regclass('copy_progress') IS NOT NULL",
    returns diesel::sql_types::Bool
}

async fn is_under_way(conn: &mut AsyncPgConnection) -> Outcome<bool> {
    let found: Vec<bool> = Executor::load::<IsUnderWay>(conn, &[]).await?;
    Ok(found == [true])
}

/// Fails while a copy into the database is unfinished.
pub(crate) async fn refuse_half_a_copy(conn: &mut AsyncPgConnection) -> Outcome<()> {
    if is_under_way(conn).await? {
        let why = "a copy into the database has not ended; run `posthaste copy` to its end";
        return Err(StoreError::Broken(why.to_owned()).into());
    }
    Ok(())
}

impl CopyTarget {
    pub async fn open(url: &PostgresUrl) -> Result<Self, StoreError> {
        let options = PostgresOptions {
            statement_timeout: PATIENCE,
            idle_in_transaction_timeout: PATIENCE,
            max_connections: 1,
            ..PostgresOptions::default()
        };
        let connections = Arc::new(Connections::new(url, &options)?);
        let store = PostgresStore {
            connections: Arc::clone(&connections),
        };
        store.migrate().await?;
        Ok(Self { connections })
    }

    pub async fn columns(&self) -> Result<Vec<Vec<Column>>, StoreError> {
        self.connections
            .run(async |conn| {
                let mut all = Vec::new();
                for table in TABLES {
                    all.push(columns(conn, &table).await?);
                }
                Ok(all)
            })
            .await
    }

    /// Begins or resumes a copy, unless the database is in use.
    pub async fn begin(&self) -> Result<Begun, StoreError> {
        self.connections.transaction(begin).await
    }

    pub async fn last(&self, table: Table, columns: &[Column]) -> Result<Option<Row>, StoreError> {
        let order = list(table.key.iter().map(|name| format!("{name} DESC")));
        let query = format!("{} ORDER BY {order} LIMIT 1", select(&table, columns));
        Ok(self.rows(query, columns).await?.pop())
    }

    /// Returns the next rows after a key, in the order of keys.
    pub async fn page(
        &self,
        table: Table,
        columns: &[Column],
        after: Option<&[String]>,
        most: usize,
    ) -> Result<Vec<Row>, StoreError> {
        let names = list(table.key);
        let beyond = match after {
            None => String::new(),
            Some(after) => {
                let kinds = kinds_of_key(&table, columns)?;
                let values = kinds.into_iter().zip(after);
                let values = values.map(|(kind, value)| from_text(kind, &quoted(value)));
                format!("WHERE ({names}) > ({})", list(values))
            }
        };
        let select = select(&table, columns);
        let query = format!("{select} {beyond} ORDER BY {names} LIMIT {most}");
        self.rows(query, columns).await
    }

    pub async fn write(
        &self,
        table: Table,
        columns: &[Column],
        rows: &[Row],
    ) -> Result<(), StoreError> {
        let names = list(columns.iter().map(|column| &column.name));
        let values = columns.iter().zip(0..);
        let values = values.map(|(column, at)| from_text(column.kind, &format!("(r ->> {at})")));
        let insert = format!(
            r"INSERT INTO {} ({names}) OVERRIDING SYSTEM VALUE
            SELECT {} FROM jsonb_array_elements($1::jsonb) AS r",
            table.name,
            list(values)
        );
        let rows = rows_as_json(rows)?;
        self.connections
            .transaction(async move |conn| {
                sql_query(insert)
                    .bind::<Text, _>(rows)
                    .execute(conn)
                    .await?;
                Ok(())
            })
            .await
    }

    /// Ends the copy: the database can be used. New rows get numbers after those used in the
    /// source.
    pub async fn finish(&self, outbox: i64, events: i64) -> Result<(), StoreError> {
        self.connections
            .transaction(async move |conn| {
                conn.batch_execute(&format!(
                    r"
                    SELECT setval(pg_get_serial_sequence('outbox', 'id'), greatest({outbox}, 1));
                    SELECT setval(pg_get_serial_sequence('events', 'number'), greatest({events}, 1));
                    DROP TABLE copy_progress"
                ))
                .await?;
                Ok(())
            })
            .await?;
        // The planner has no statistics of tables that were just filled.
        self.connections
            .run(async |conn| {
                conn.batch_execute(&format!("ANALYZE {}", list(TABLES.map(|it| it.name))))
                    .await?;
                Ok(())
            })
            .await
    }

    async fn rows(&self, query: String, columns: &[Column]) -> Result<Vec<Row>, StoreError> {
        let lines = self
            .connections
            .run(async move |conn| Ok(sql::<Text>(&query).load::<String>(conn).await?))
            .await?;
        let rows = lines.iter().map(|line| row(line, columns));
        rows.collect()
    }
}

async fn begin(conn: &mut AsyncPgConnection) -> Outcome<Begun> {
    if is_under_way(conn).await? {
        return Ok(Begun::Resumed);
    }
    let mut used = Vec::new();
    for table in TABLES.map(|it| it.name) {
        let query = format!("SELECT 'used' FROM {table} LIMIT 1");
        let found: Vec<String> = sql::<Text>(&query).load(conn).await?;
        if !found.is_empty() && !NEVER_EMPTY.contains(&table) {
            used.push(table.to_owned());
        }
    }
    if !used.is_empty() {
        return Ok(Begun::InUse(used));
    }
    let mut statements = "CREATE TABLE copy_progress (began_at timestamptz NOT NULL);".to_owned();
    for table in NEVER_EMPTY {
        statements += &["DELETE FROM ", table, ";"].concat();
    }
    conn.batch_execute(&statements).await?;
    Ok(Begun::New)
}

async fn columns(conn: &mut AsyncPgConnection, table: &Table) -> Outcome<Vec<Column>> {
    let query = format!(
        r"SELECT column_name::text, udt_name::text FROM information_schema.columns
        WHERE table_schema = current_schema() AND table_name = {} ORDER BY ordinal_position",
        quoted(table.name)
    );
    let found: Vec<(String, String)> = sql::<(Text, Text)>(&query).load(conn).await?;
    let mut columns = Vec::new();
    for (name, type_name) in found {
        let kind = kind(&type_name).ok_or_else(|| {
            StoreError::Broken(format!("{}.{name} has the type {type_name}", table.name))
        })?;
        columns.push(Column { name, kind });
    }
    Ok(columns)
}

fn kind(type_name: &str) -> Option<Kind> {
    Some(match type_name {
        "uuid" => Kind::Uuid,
        "bytea" => Kind::Bytes,
        "text" => Kind::Text,
        "_text" => Kind::Texts,
        "json" => Kind::Json,
        "int4" | "int8" => Kind::Integer,
        "bool" => Kind::Boolean,
        "float8" => Kind::Double,
        "timestamptz" => Kind::Moment,
        "date" => Kind::Date,
        _ => return None,
    })
}

fn select(table: &Table, columns: &[Column]) -> String {
    let values = columns.iter().map(|Column { name, kind }| match kind {
        Kind::Uuid => format!("replace({name}::text, '-', '')"),
        Kind::Bytes => format!("encode({name}, 'hex')"),
        Kind::Text => name.clone(),
        Kind::Texts => format!("array_to_string({name}, ',')"),
        Kind::Json | Kind::Integer | Kind::Double => format!("{name}::text"),
        Kind::Boolean => format!("{name}::int::text"),
        Kind::Moment => format!("(extract(epoch FROM {name}) * 1000000)::bigint::text"),
        Kind::Date => format!("to_char({name}, 'YYYY-MM-DD')"),
    });
    let values = list(values);
    format!(
        "SELECT json_build_array({values})::text FROM {}",
        table.name
    )
}

fn from_text(kind: Kind, text: &str) -> String {
    match kind {
        Kind::Uuid => format!("({text})::uuid"),
        Kind::Bytes => format!("decode({text}, 'hex')"),
        Kind::Text => format!("({text})::text"),
        Kind::Texts => format!("string_to_array({text}, ',')"),
        Kind::Json => format!("({text})::json"),
        Kind::Integer => format!("({text})::bigint"),
        Kind::Boolean => format!("({text})::int::boolean"),
        Kind::Double => format!("({text})::float8"),
        // Multiplies an interval by a double, which represents both parts exactly.
        Kind::Moment => format!(
            r"timestamptz 'epoch' + ({text})::bigint / 1000000 * interval '1 second'
            + ({text})::bigint % 1000000 * interval '1 microsecond'"
        ),
        Kind::Date => format!("({text})::date"),
    }
}

use std::path::Path;

use diesel::{
    RunQueryDsl, SqliteConnection,
    connection::{DefaultLoadingMode, SimpleConnection},
    dsl::sql,
    sql_types::{BigInt, Text},
};
use kernel::StoreError;
use sql_common::copy::{Column, Kind, Row, Table, ZERO, kinds_of_key, list, quoted, row};

use crate::{
    backup,
    error::{Failure, classify},
    migrations,
};

/// The largest size of a page in bytes. A single row may be larger.
const PAGE_BYTES: usize = 4 << 20;

pub struct CopySource {
    conn: SqliteConnection,
}

impl CopySource {
    /// Opens a database exclusively. Fails with [`StoreError::Unavailable`] if another connection
    /// has the database open. All methods block the thread.
    pub fn open(path: &Path) -> Result<Self, StoreError> {
        let mut conn = backup::open(path, "rw")?;
        // While a connection to a file with a write-ahead log is open, it holds a shared lock. With
        // `EXCLUSIVE`, the first access takes an exclusive lock, and fails beside that one.
        conn.batch_execute("PRAGMA locking_mode = EXCLUSIVE; BEGIN IMMEDIATE;")
            .map_err(|error| classify(&error.to_string()))?;
        Ok(Self { conn })
    }

    pub fn pending_migrations(&mut self) -> Result<Vec<String>, StoreError> {
        migrations::pending(&mut self.conn).map_err(|Failure(error)| error)
    }

    pub fn tables(&mut self) -> Result<Vec<String>, StoreError> {
        self.lines(
            r"SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT GLOB 'sqlite_*'
            AND name NOT IN ('__diesel_schema_migrations', 'schema_compatibility')",
        )
    }

    pub fn columns(&mut self, table: &Table) -> Result<Vec<String>, StoreError> {
        let table = quoted(table.name);
        let columns = format!("SELECT name FROM pragma_table_info({table})");
        self.lines(&columns)
    }

    pub fn last_number(&mut self, table: &str) -> Result<i64, StoreError> {
        let last = format!(
            "SELECT coalesce(max(seq), 0) FROM sqlite_sequence WHERE name = {}",
            quoted(table)
        );
        let found = sql::<BigInt>(&last).get_result(&mut self.conn);
        found.map_err(|error| Failure::from(error).0)
    }

    /// Returns the next rows after a key, in the order of keys.
    pub fn page(
        &mut self,
        table: &Table,
        columns: &[Column],
        after: Option<&[String]>,
        most: usize,
    ) -> Result<Vec<Row>, StoreError> {
        let query = page(table, columns, &self.columns(table)?, after, most)?;
        let failed = |error| Failure::from(error).0;
        let mut page = Vec::new();
        let mut bytes = 0;
        let query = sql::<Text>(&query);
        let lines = query.load_iter::<String, DefaultLoadingMode>(&mut self.conn);
        for line in lines.map_err(failed)? {
            let line = line.map_err(failed)?;
            bytes += line.len();
            page.push(row(&line, columns)?);
            if bytes >= PAGE_BYTES {
                break;
            }
        }
        Ok(page)
    }

    fn lines(&mut self, query: &str) -> Result<Vec<String>, StoreError> {
        let found = sql::<Text>(query).load(&mut self.conn);
        found.map_err(|error| Failure::from(error).0)
    }
}

fn page(
    table: &Table,
    columns: &[Column],
    there: &[String],
    after: Option<&[String]>,
    most: usize,
) -> Result<String, StoreError> {
    let is_there = |name: &str| there.iter().any(|it| it == name);
    let mut values = Vec::new();
    for column in columns {
        values.push(if is_there(&column.name) {
            value(column)
        } else if ZERO.contains(&column.name.as_str()) {
            "'0'".to_owned()
        } else {
            return Err(StoreError::Broken(format!(
                "{} has no column {}",
                table.name, column.name
            )));
        });
    }
    let kinds = kinds_of_key(table, columns)?;
    let keys = table.key.iter().zip(kinds).zip(0..);
    let keys: Vec<_> = keys.filter(|((name, _), _)| is_there(name)).collect();
    let names = list(keys.iter().map(|((name, _), _)| name));
    let beyond = match after {
        None => String::new(),
        Some(after) => {
            let values = keys
                .iter()
                .map(|((_, kind), at)| literal(*kind, after.get(*at).map_or("", String::as_str)));
            format!("WHERE ({names}) > ({})", list(values))
        }
    };
    Ok(format!(
        "SELECT json_array({}) FROM {} {beyond} ORDER BY {names} LIMIT {most}",
        list(values),
        table.name
    ))
}

fn value(Column { name, kind }: &Column) -> String {
    match kind {
        Kind::Uuid | Kind::Bytes => format!("iif({name} IS NULL, NULL, lower(hex({name})))"),
        Kind::Text | Kind::Texts | Kind::Json | Kind::Date => name.clone(),
        Kind::Integer | Kind::Boolean | Kind::Moment => format!("CAST({name} AS TEXT)"),
        // With as many digits as needed to distinguish all numbers.
        Kind::Double => format!("iif({name} IS NULL, NULL, format('%!.17g', {name}))"),
    }
}

fn literal(kind: Kind, text: &str) -> String {
    match kind {
        Kind::Uuid | Kind::Bytes => format!("x{}", quoted(text)),
        Kind::Integer | Kind::Boolean | Kind::Moment => {
            format!("CAST({} AS INTEGER)", quoted(text))
        }
        Kind::Double => format!("CAST({} AS REAL)", quoted(text)),
        Kind::Text | Kind::Texts | Kind::Json | Kind::Date => quoted(text),
    }
}

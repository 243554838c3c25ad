//! Rows of any table as texts, for copying one store into the other. This module has the order of
//! tables, and how each kind of column is written.

use std::fmt::Write as _;

use kernel::StoreError;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Table {
    pub name: &'static str,
    pub key: &'static [&'static str],
}

const fn table(name: &'static str, key: &'static [&'static str]) -> Table {
    Table { name, key }
}

pub const TABLES: [Table; 35] = [
    table("companies", &["id"]),
    table("company_pairs", &["one", "other"]),
    table("postings", &["id"]),
    table("posting_texts", &["posting_id"]),
    table("posting_decisions", &["posting_id"]),
    table("statements", &["at", "posting_id"]),
    table("reports", &["id"]),
    table("posting_history", &["posting_id", "version", "step"]),
    table("posting_versions", &["posting_id", "version"]),
    table("posting_signatures", &["posting_id"]),
    table("distinct_postings", &["one", "other"]),
    table("clients", &["id"]),
    table("client_secrets", &["client_id", "digest"]),
    table("client_days", &["client_id", "date"]),
    table("client_tallies", &["client_id", "date", "name"]),
    table("client_refusals", &["client_id", "id"]),
    table("catalogues", &["id"]),
    table("catalogue_imports", &["catalogue_id", "import"]),
    table("missed_postings", &["import", "posting_id"]),
    table("subscribers", &["id"]),
    table("account_leases", &["account"]),
    table("account_states", &["account"]),
    table("erased_suppressions", &["hash"]),
    table("erasure_keys", &["singleton"]),
    table("attention_items", &["id"]),
    table("attention_checks", &["singleton"]),
    table("audit", &["id"]),
    table("sign_in_tokens", &["digest"]),
    table("drafts", &["key"]),
    table("webhook_endpoints", &["id"]),
    table("webhook_waiting", &["endpoint", "subject"]),
    table("webhook_deliveries", &["endpoint", "slot"]),
    table("outbox", &["id"]),
    table("events", &["commit_seq", "number"]),
    table("event_log", &["singleton"]),
];

pub const NEVER_EMPTY: [&str; 2] = ["erasure_keys", "event_log"];

/// Columns that only a store with several writers sets. An embedded store has 0 in them. In the
/// copy, 0 stays valid, and is before all later values.
pub const ZERO: [&str; 3] = ["commit_seq", "transaction_offset", "deleted_in"];

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Written as 32 hexadecimal digits.
    Uuid,
    Bytes,
    Text,
    Texts,
    Json,
    Integer,
    Boolean,
    Double,
    /// Written as microseconds since 1970-01-01T00:00:00Z.
    Moment,
    Date,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Column {
    pub name: String,
    pub kind: Kind,
}

pub type Row = Vec<Option<String>>;

/// Reads a row from a JSON array. Normalises fractions, which each database writes differently.
pub fn row(line: &str, columns: &[Column]) -> Result<Row, StoreError> {
    let broken = |why: &str| StoreError::Broken(format!("a row cannot be read: {why}"));
    let mut row: Row = serde_json::from_str(line).map_err(|error| broken(&error.to_string()))?;
    if row.len() != columns.len() {
        return Err(broken("it has the wrong number of columns"));
    }
    for (value, column) in row.iter_mut().zip(columns) {
        if let (Some(text), Kind::Double) = (value.as_mut(), column.kind) {
            let number: f64 = text
                .parse()
                .map_err(|_| broken("a value is not a number"))?;
            *text = format!("{number:?}");
        }
    }
    Ok(row)
}

pub fn key_of(table: &Table, columns: &[Column], row: &Row) -> Result<Vec<String>, StoreError> {
    let value = |name: &&str| {
        let mut columns = columns.iter().zip(row);
        let found = columns.find(|(column, _)| column.name == **name);
        found.and_then(|(_, value)| value.clone())
    };
    let values: Option<Vec<String>> = table.key.iter().map(value).collect();
    values.ok_or_else(|| StoreError::Broken(format!("a row of {} has no key", table.name)))
}

pub fn kinds_of_key(table: &Table, columns: &[Column]) -> Result<Vec<Kind>, StoreError> {
    let kind = |name: &&str| {
        let mut columns = columns.iter();
        columns
            .find(|column| column.name == **name)
            .map(|it| it.kind)
    };
    let kinds: Option<Vec<Kind>> = table.key.iter().map(kind).collect();
    kinds.ok_or_else(|| StoreError::Broken(format!("{} has no such key", table.name)))
}

pub fn quoted(text: &str) -> String {
    format!("'{}'", text.replace('\'', "''"))
}

pub fn rows_as_json(rows: &[Row]) -> Result<String, StoreError> {
    serde_json::to_string(rows).map_err(|error| StoreError::Broken(error.to_string()))
}

pub fn list<T: AsRef<str>>(texts: impl IntoIterator<Item = T>) -> String {
    let mut list = String::new();
    for text in texts {
        let comma = if list.is_empty() { "" } else { ", " };
        // Writing to a string cannot fail.
        _ = write!(list, "{comma}{}", text.as_ref());
    }
    list
}

//! What the port to webhooks does in SQLite's own way; the rest is `sql_common::webhook`.

mod lease;
mod round;

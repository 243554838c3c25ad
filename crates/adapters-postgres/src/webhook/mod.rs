//! What the port to webhooks does in PostgreSQL's own way; the rest is `sql_common::webhook`.

mod lease;
mod round;

//! SQLite's own part of the webhooks port; the rest is `sql_common::webhook`.

mod lease;
mod round;

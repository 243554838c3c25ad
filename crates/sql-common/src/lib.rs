//! The common part of the SQL stores: the orders of columns, and implementations of ports that
//! differ only in dialect.
//!
//! - `types`: SQL types that each database stores differently; `entity`: columns of tables; `sql`:
//!   prepared statements; `value`: their values.
//! - `executor`: a store's connection, for shared implementations of ports.
//! - `stored`: converts columns into values. An error for an invalid value names its column.
//! - `posting`, `company`, `client` and others: tables, rows, statements, and functions that run
//!   them.
//! - `ports`: a macro that implements all shared ports for a store.
//! - `migrations`: finds migrations that a database lacks; `copy`: any table's rows, for the other
//!   store.
//!
//! The feature `testing` adds shared tests (`store_suite!`), fixtures of stored data, and the list
//! of all statements.
//!
//! To add a column of a posting, write the migrations and a line in `posting`. Unless the column is
//! an optional text, also add a line where the row becomes a value.

pub mod account;
pub mod attention;
pub mod audit;
#[cfg(feature = "postgres")]
pub mod batch;
pub mod catalogue;
pub mod client;
pub mod commit;
pub mod commits;
pub mod company;
pub mod console;
pub mod copy;
pub mod dialect;
pub mod draft;
pub mod duplicate;
pub mod entity;
pub mod erasure;
pub mod event;
pub mod executor;
pub mod migrations;
pub mod outbox;
mod port;
mod ports;
pub mod posting;
pub mod recent;
pub mod report;
pub mod retention;
pub mod sign_in;
pub mod sql;
pub mod stored;
pub mod subscriber;
#[cfg(feature = "testing")]
pub mod testing;
pub mod types;
pub mod value;
pub mod webhook;

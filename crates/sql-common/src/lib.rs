//! What the SQL stores share: each order of columns, and each port implementation that differs in
//! its dialect alone, is here once.
//!
//! - `types`: SQL types that each database stores in its own way; `entity`: the columns of a table;
//!   `sql`: statements that are prepared once; `value`: their values.
//! - `executor`: a connection of a store, for port implementations that both stores share.
//! - `stored`: columns back into values; one without a meaning is reported by its name.
//! - `posting`, `company`, `duplicate`, `catalogue`, `client`, `console`, `sign_in`, `draft`,
//!   `audit`, `outbox`, `report`, `retention`, `subscriber`, `account`, `attention`, `erasure`,
//!   `webhook`: tables, their rows as values of the contexts, statements, and functions that run
//!   them.
//!   Where a port is the same in both stores, a macro implements it for one.
//! - `migrations`: which of them a database lacks; `copy`: rows of any table, for the other store.
//!
//! The feature `testing` adds the tests that both stores pass (`store_suite!`), and fixtures of
//! stored data.
//!
//! A new column of a posting needs, beside the migrations, a line in `posting` and one where the
//! row becomes a value.

pub mod account;
pub mod attention;
pub mod audit;
#[cfg(feature = "postgres")]
pub mod batch;
pub mod catalogue;
pub mod client;
pub mod commit;
pub mod company;
pub mod console;
pub mod copy;
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

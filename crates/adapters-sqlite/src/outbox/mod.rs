//! What is SQLite's own of the outbox: claims, and what commits write. The rest is
//! `sql_common::outbox`.

mod claim;
mod write;

pub(crate) use self::write::{ask, finish};

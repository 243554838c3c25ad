//! What is PostgreSQL's own of the outbox: claims, and what commits write. The rest is
//! `sql_common::outbox`.
//!
//! A statement that locks several rows locks them in the order of (`kind`, `subject`, `id`), which
//! never change, so deadlocks cannot happen. Claims skip locked rows.

mod claim;
mod write;

pub(crate) use self::write::{columns, end, finish, lock};

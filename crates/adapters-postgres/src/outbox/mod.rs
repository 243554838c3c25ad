//! The statements of the outbox that are PostgreSQL's own: claims, and the writes of commits. The
//! rest is `sql_common::outbox`.
//!
//! A statement that locks several rows locks them in the order of (`kind`, `subject`, `id`), which
//! never change, so deadlocks cannot happen. Claims skip locked rows.

mod claim;
mod write;

pub(crate) use self::write::{End, Finish, lock};

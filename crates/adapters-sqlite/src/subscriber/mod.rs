//! The newsletter's ports, on the tables of subscribers, of hashed suppressions, and of the
//! accounts.

mod account;
mod erasure;
mod read;
mod store;
mod write;

//! The newsletter's ports, on the tables of subscribers, of what is remembered of them, and of the
//! accounts' leases.

mod account;
mod erasure;
mod read;
mod store;
mod write;

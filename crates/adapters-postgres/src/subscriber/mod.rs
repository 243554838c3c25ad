//! The tables of subscribers, of what is remembered of them, and of the accounts' leases.

mod account;
mod erasure;
mod read;
mod row;
mod write;

pub(crate) use self::{
    erasure::remembered,
    read::{find_by_token, load, load_by_id},
    write::{are_concerned, write},
};

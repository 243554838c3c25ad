//! The tables of subscribers, of what is remembered of them, and of the accounts' leases.

mod account;
mod erasure;
mod read;
mod row;
mod write;

pub(crate) use self::{
    erasure::{remembered, write as write_erasures},
    read::{find_by_token, load, load_by_id},
    write::write,
};

//! The tables `subscribers` and `account_leases`.

mod account;
mod read;
mod row;
mod write;

pub(crate) use self::{
    read::{find_by_token, load, load_by_id},
    write::write,
};

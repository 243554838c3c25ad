//! The tables `postings`, `posting_texts` and `posting_history`.

mod history;
mod read;
mod write;

pub(crate) use self::{
    read::{load, load_by_id, overdue},
    write::{stand, write},
};

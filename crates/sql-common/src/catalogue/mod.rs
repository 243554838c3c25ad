//! Catalogues, their imports, missed postings, and the postings of a catalogue.

mod lease;
mod missed;
mod read;
mod table;

pub use self::{
    lease::{delete, finish, finish_release, finish_undo, hold, lease, renew},
    missed::{changed_last, expired_last, forget_missed, misses, missing},
    read::{find, find_by_id, last_imports, list, open_postings},
    table::{CatalogueRow, ImportRecord, ImportRow},
};

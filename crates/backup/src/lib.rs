//! Backs up and moves an installation. [`make`] copies the database and the keys into a folder,
//! [`restore`] puts them back, and [`Copying`] copies every row to PostgreSQL.
//!
//! Files have temporary names until they are synced. The [`manifest`] is written last, so an
//! interrupted backup has no manifest.

mod copy;
mod files;
mod make;
mod manifest;
mod restore;

pub use self::{
    copy::Copying,
    files::{folder_of, free_space, sidecars},
    make::make,
    restore::restore,
};

fn in_words(keys: usize) -> String {
    format!("{keys} {}", if keys == 1 { "key" } else { "keys" })
}

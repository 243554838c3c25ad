//! Moves what an installation holds: [`make`] copies the embedded database and the signing keys
//! into a folder, [`restore`] puts them back, and a [`Copying`] takes every row to PostgreSQL.
//!
//! Files are made under temporary names and synced to the disk; the [`manifest`] comes last. So a
//! backup that was broken off has none, and is not taken for a whole one.

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

/// A number of keys.
fn in_words(keys: usize) -> String {
    format!("{keys} {}", if keys == 1 { "key" } else { "keys" })
}

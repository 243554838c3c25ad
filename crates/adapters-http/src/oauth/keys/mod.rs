//! The keys that sign access tokens (P-256, for ES256).
//!
//! A key is a file; its name, a UUIDv7, is the key id and tells its age. All keys of the folder
//! verify. The newest one signs, but only once it is [`SIGNS_AFTER`](key::SIGNS_AFTER) old: by then
//! every process has read the folder again and knows it.
//!
//! Keys that others than their owner can read are not used, and none of a folder into which
//! others can put theirs: the holder of a key can give out tokens.

mod folder;
mod key;
mod owner;
mod problem;
mod ring;

pub use self::{
    folder::KeyFolder,
    key::{Key, KeyError, KeyId, KeySet},
    problem::KeyProblem,
    ring::KeyRing,
};

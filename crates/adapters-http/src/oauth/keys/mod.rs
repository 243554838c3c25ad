//! The keys that sign access tokens (P-256, for ES256).
//!
//! Each key is a file named by the key id, a UUIDv7, which contains the time of generation. All
//! keys of the folder verify tokens. The newest key signs, but not before it is
//! [`SIGNS_AFTER`](key::SIGNS_AFTER) old: by then every process has read the folder again and knows
//! it.
//!
//! A key that other users can read is not used, and no key of a folder to which other users can
//! write, because the holder of a key can issue tokens.

mod folder;
mod key;
mod owner;
mod problem;
mod ring;

pub use self::{
    folder::KeyFolder,
    key::{Key, KeyError, KeyId, KeySet},
    owner::hand_over,
    problem::KeyProblem,
    ring::KeyRing,
};

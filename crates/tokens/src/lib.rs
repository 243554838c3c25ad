//! Access tokens, the keys that sign them (P-256, for ES256), the secrets of clients, and the
//! tokens in the links of subscribers.
//!
//! All keys of the folder verify tokens. The newest key signs once it is 30 seconds old: by then
//! every process has read the folder again. A key that other users can read is not used. If other
//! users can write to the folder, none of its keys is used.

pub mod audit;
mod folder;
mod jwt;
mod key;
mod object;
mod owner;
mod problem;
mod ring;
mod secret;
mod subscriber;
#[cfg(test)]
mod tests;

pub use self::{
    folder::KeyFolder,
    jwt::{Grant, TokenFault, Tokens, VerifiedToken},
    key::{Key, KeyError, KeyId, KeySet, Need},
    object::Object,
    owner::inherit_owner,
    problem::KeyProblem,
    ring::KeyRing,
    secret::{ClientSecret, NoRandom, matching_digest, secret_digest},
    subscriber::new_subscriber,
};

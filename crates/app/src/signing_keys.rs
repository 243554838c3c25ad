//! The folder of the keys that sign access tokens.

use tokens::{KeyFolder, KeyId};
use uuid::Uuid;

use crate::misconfigured::Misconfigured;

/// Fails if other users can read or replace the keys, and names the command that mends that.
pub fn refuse_exposed(folder: &KeyFolder) -> anyhow::Result<()> {
    match folder.exposure()? {
        None => Ok(()),
        Some(line) => Err(Misconfigured(line).into()),
    }
}

/// The id of a new key.
pub fn new_id() -> anyhow::Result<KeyId> {
    Ok(KeyId::new(Uuid::now_v7())?)
}
